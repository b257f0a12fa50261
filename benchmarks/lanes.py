"""Trials side by side, compared with one by one: nanoseconds per round and trial, and ratios.

Processor time of one thread, measured in turns; medians. The first rows are for the loop alone, on
losses that were dealt in advance and lie in the cache; ``with dealing`` is everything that a
simulation does in a round; the last rows are whole trials of 100 rounds, in microseconds. Both ways
give the same numbers; this is checked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
from measuring import LEAST_TURNS, Row, in_turns

from componentjit.lanes import LANES
from discreet import Setting, simulate
from discreet.algorithms import list_algorithms
from discreet.environments import Stochastic
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation import jobs
from discreet.simulation.backends import run_trials
from discreet.simulation.loop import Player, Prototype
from discreet.simulation.side_by_side import lanes_of
from discreet.simulation.trial import checkpoints

PIECE, UNIT = 2**11, make_range()
NAMES = (
    "exp3",
    "dp-exp3-lap",
    "tsallis-inf",
    "htinf",
    "batched-exp3",
    "batched-tsallis-inf",
    "ucb",
)
# Minimum speedups.
TARGETS = {"exp3": 4.5, "dp-exp3-lap": 4.0, "tsallis-inf": 4.0, "htinf": 4.0}
SIZES = ((4, 2**17, NAMES), (16, 2**15, NAMES[:4]), (100, 2**13, NAMES[:4]))  # arms, rounds


def compare(name, arms, rounds, turns):
    """Return nanoseconds of the learner's loop, and with dealing, in lanes and one by one."""
    world, marks = Stochastic(arms), checkpoints(rounds)
    private = list_algorithms()[name].build(Setting(Arms(arms), rounds=rounds, epsilon=1.0)).private
    program, shared = lanes_of(private, world, UNIT), Prototype(private)
    program.compile()
    games = [world.deal(0, PIECE, streams(1, trial=trial).environment) for trial in range(LANES)]
    table, end = (
        np.ascontiguousarray(np.stack([game.losses for game in games], axis=-1)),
        np.array([PIECE]),
    )
    kept = {}
    whole = [game._replace(losses=np.tile(game.losses, (rounds // PIECE, 1))) for game in games]

    def learner_in_lanes():
        own = [streams(1, trial=trial) for trial in range(LANES)]
        generators = {
            "learner_rng": [each.learner for each in own],
            "privacy_rng": [each.privacy for each in own],
        }
        lanes, kept["lanes"] = program.start(private, generators), np.empty((1, LANES))

        def run():
            for _ in range(rounds // PIECE):
                handed = {"game.losses": table, "marks": end, "scores": kept["lanes"]}
                program.run(lanes, handed | {"t": 0, "mark": 0})

        return run

    def learner_one_by_one():
        players = [Player(shared, streams(1, trial=trial)) for trial in range(LANES)]

        def run():
            scores = [
                player.play(game, np.array([rounds]))
                for player, game in zip(players, whole, strict=True)
            ]
            kept["single"] = np.array(scores).T

        return run

    def everything(programs):
        how = {
            "seed": 1,
            "trials": range(LANES),
            "bounds": UNIT,
            "clip": False,
            "stop": threading.Event(),
        }
        return run_trials([private], world, marks, ways=programs, **how)

    learner = in_turns(learner_in_lanes, learner_one_by_one, turns=turns)
    assert np.array_equal(kept["lanes"], kept["single"]), name
    all_of_it = in_turns(
        lambda: lambda: everything((program,)), lambda: lambda: everything(()), turns=turns
    )
    return [1e9 * seconds / rounds / LANES for seconds in (*learner, *all_of_it)]


def short_trials(name, turns, trials=1024):
    """Return microseconds of a trial of 100 rounds, in lanes and one by one."""

    def way(in_lanes):
        def chosen(private, world, rounds, trials, bounds, **_):
            program = lanes_of(private, world, bounds) if in_lanes else None
            if program:
                program.compile()
            return program

        return chosen

    def all_of(in_lanes):
        jobs.choose_backend = way(in_lanes)
        return lambda: simulate(name, rounds=100, trials=trials, workers=1)

    usual = jobs.choose_backend
    spent = in_turns(lambda: all_of(True), lambda: all_of(False), turns=turns)
    jobs.choose_backend = usual
    return [1e6 * seconds / trials for seconds in spent]


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield how much faster trials are side by side: the loop, with dealing, short trials."""
    for arms, rounds, names in SIZES:
        for name in names:
            lanes, single, all_lanes, all_single = compare(name, arms, rounds, turns)
            least = TARGETS.get(name) if arms == 4 else None
            what, beside = (
                f"{name}, {arms} arms, trials side by side",
                f"{single:.1f} ns one by one",
            )
            yield Row(what, f"{lanes:.1f} ns", beside, single / lanes, "x faster", least=least)
            beside = f"{all_single:.1f} ns one by one"
            times = all_single / all_lanes
            yield Row(
                f"{what}, with dealing",
                f"{all_lanes:.1f} ns",
                beside,
                times,
                "x faster",
                least=least and 3.0,
            )
    for name in ("exp3", "batched-tsallis-inf"):
        lanes, single = short_trials(name, turns)
        what = f"a trial of 100 rounds, {name}, side by side"
        yield Row(what, f"{lanes:.0f} µs", f"{single:.0f} µs one by one", lanes, "µs", most=150.0)
