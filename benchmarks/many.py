"""The cost of many trials, of many arms and of dealing: where users of simulations wait."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from measuring import LEAST_TURNS, Row, in_turns, nanoseconds

from discreet import Setting, algorithm, simulate
from discreet.environments import Stochastic, environment
from discreet.learners.arms.draws import equal_weights
from discreet.problems import ArmGame, Arms, tossed_in_words
from discreet.randomness import streams
from discreet.simulation.loop import Player, Prototype
from discreet.simulation.warming import EveryWay

SHORT, TRIALS = 100, 400  # rounds of a short trial, and how many
DEALT = 2**16
MANY = 10_000, 1_000_000


def short_trials(name: str) -> Callable[[], object]:
    simulate(name, arms=4, rounds=SHORT, trials=1, on=EveryWay(1))  # compiles the best backend
    return lambda: simulate(name, arms=4, rounds=SHORT, trials=TRIALS, workers=1)


def playing(name: str, arms: int, rounds: int) -> Callable[[], object]:
    """Return a job that plays a learner on a short table, after a game that compiles."""
    player = Player(algorithm(name).build(Setting(Arms(arms), rounds=10_000)).private, streams(1))
    game = ArmGame(np.random.default_rng(0).random((8, arms)))
    marks = np.array([8])
    player.play(game, marks)

    def run() -> None:
        for _ in range(math.ceil(rounds / 8)):
            player.play(game, marks)

    return run


def on_coins(name: str, arms: int, rounds: int) -> Callable[[], object]:
    """Return a job that plays a learner on the game of its simulation, dealt in advance."""
    shared = Prototype(algorithm(name).build(Setting(Arms(arms), rounds=rounds)).private)
    game = tossed_in_words(Stochastic(arms).coins(), 0, rounds, streams(1).environment)
    marks = np.array([rounds])
    Player(shared, streams(1)).play(game, marks)
    player = Player(shared, streams(1))
    return lambda: player.play(game, marks)


def dealing(name: str) -> Callable[[], object]:
    world = environment(name, Arms(4), rounds=DEALT)
    return lambda: world.deal(0, DEALT, np.random.default_rng(1)).totals([0])


def short_rows(turns: int) -> Iterator[Row]:
    for name in ("exp3", "tsallis-inf", "batched-htinf", "tracking-ucb"):
        (spent,) = in_turns(lambda name=name: short_trials(name), turns=turns)
        each = spent / TRIALS * 1e6
        yield Row(
            f"a trial of {SHORT} rounds, {name}", f"{each:.0f} µs", "", each, "µs", most=150.0
        )


def arm_rows(turns: int) -> Iterator[Row]:
    for name in ("tsallis-inf", "htinf"):
        few, many = in_turns(
            lambda n=name: playing(n, MANY[0], 64),
            lambda n=name: playing(n, MANY[1], 8),
            turns=turns,
        )
        fewer, more = few / 64 / MANY[0] * 1e9, many / 8 / MANY[1] * 1e9
        beside = f"{fewer:.2f} ns at {MANY[0]:,} arms"
        yield Row(
            f"{name}, {MANY[1]:,} arms, per round and arm",
            f"{more:.2f} ns",
            beside,
            more / fewer,
            "x",
            most=4.0,
        )


def dealing_rows(turns: int) -> Iterator[Row]:
    jobs = (lambda: dealing("stochastic"), lambda: dealing("switching-costs"))
    usual, walk = (spent / DEALT * 1e9 for spent in in_turns(*jobs, turns=turns))
    beside = f"{nanoseconds(usual)} stochastic"
    yield Row(
        "dealing switching-costs, 4 arms", nanoseconds(walk), beside, walk / usual, "x", most=2.0
    )


def whole_rows(turns: int) -> Iterator[Row]:
    arms, rounds = MANY[0], 2_000
    jobs = (
        lambda: on_coins("exp3", arms, rounds),
        lambda: lambda: simulate("exp3", arms=arms, rounds=rounds, trials=1, workers=1),
    )
    learner, whole = (spent / rounds * 1e6 for spent in in_turns(*jobs, turns=turns))
    beside = f"{learner:.2f} µs the learner"
    yield Row(
        f"simulate, exp3, {arms:,} arms, per round",
        f"{whole:.2f} µs",
        beside,
        whole / learner,
        "x",
        most=20.0,
    )
    (start,) = in_turns(lambda: lambda: equal_weights(MANY[1]), turns=turns)
    yield Row(
        f"equal_weights({MANY[1]:,})", f"{start * 1e3:.1f} ms", "", start * 1e3, "ms", most=20.0
    )


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield all rows."""
    yield from short_rows(turns)
    yield from arm_rows(turns)
    yield from dealing_rows(turns)
    yield from whole_rows(turns)
