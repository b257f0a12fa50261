"""What many trials, many arms and dealing cost: where users of simulations wait."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from measuring import LEAST_TURNS, Row, in_turns, nanoseconds

from discreet import Setting, algorithm, simulate
from discreet.environments import Stochastic, SwitchingCosts
from discreet.learners.arms.weights import equal_weights
from discreet.problems import ArmGame, Arms
from discreet.randomness import streams
from discreet.simulation.loop import Player

SHORT, TRIALS = 100, 400  # rounds of a short trial, and how many
DEALT = 2**16
MANY = 10_000, 1_000_000


def short_trials(name: str) -> Callable[[], object]:
    return lambda: simulate(name, arms=4, rounds=SHORT, trials=TRIALS, workers=1)


def playing(name: str, arms: int, rounds: int) -> Callable[[], object]:
    """Return the rounds of one learner on a short table, after one that compiles."""
    player = Player(algorithm(name).build(Setting(Arms(arms), rounds=10_000)).private, streams(1))
    game = ArmGame(np.random.default_rng(0).random((8, arms)))
    marks = np.array([8])
    player.play(game, marks)

    def run() -> None:
        for _ in range(math.ceil(rounds / 8)):
            player.play(game, marks)

    return run


def dealing(world: type) -> Callable[[], object]:
    environment = world(4)
    return lambda: environment.deal(0, DEALT, np.random.default_rng(1)).totals([0])


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield all rows."""
    for name in ("exp3", "tsallis-inf", "batched-htinf", "tracking-ucb"):
        (spent,) = in_turns(lambda name=name: short_trials(name), turns=turns)
        each = spent / TRIALS * 1e6
        yield Row(f"a trial of {SHORT} rounds, {name}", f"{each:.0f} µs", "", each, "µs", most=150.0)

    for name in ("tsallis-inf", "htinf"):
        few, many = MANY
        spent = in_turns(lambda n=name: playing(n, few, 64), lambda n=name: playing(n, many, 8), turns=turns)
        fewer, more = spent[0] / 64 / few * 1e9, spent[1] / 8 / many * 1e9
        what = f"{name}, a round at {many:,} arms, an arm"
        yield Row(what, f"{more:.2f} ns", f"{fewer:.2f} ns at {few:,} arms", more / fewer, "x", most=4.0)

    usual, walk = (
        spent / DEALT * 1e9 for spent in in_turns(lambda: dealing(Stochastic), lambda: dealing(SwitchingCosts))
    )
    yield Row(
        "dealing switching-costs, 4 arms",
        nanoseconds(walk),
        f"{nanoseconds(usual)} stochastic",
        walk / usual,
        "x",
        most=2.0,
    )

    arms, rounds = MANY[0], 2_000

    def whole() -> Callable[[], object]:
        return lambda: simulate("exp3", arms=arms, rounds=rounds, trials=1, workers=1)

    learner, everything = (
        spent / rounds * 1e6 for spent in in_turns(lambda: playing("exp3", arms, rounds), whole, turns=turns)
    )
    what = f"simulate, exp3, {arms:,} arms, a round"
    yield Row(what, f"{everything:.2f} µs", f"{learner:.2f} µs the learner", everything / learner, "x", most=20.0)

    (start,) = in_turns(lambda: lambda: equal_weights(MANY[1]), turns=turns)
    yield Row(f"equal_weights({MANY[1]:,})", f"{start * 1e3:.1f} ms", "", start * 1e3, "ms", most=20.0)
