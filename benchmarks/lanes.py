"""Trials side by side against trials one by one: nanoseconds a round and trial, and how many times faster.

CPU time of one thread, the two alternating, medians. The first columns are the loop alone, on losses that are dealt
before and lie in fast memory; ``with dealing`` is everything that a simulation does for a round; in the end whole trials
of 100 rounds, in microseconds. Both ways give the same numbers, which is checked on the way.
"""

from __future__ import annotations

import statistics
import threading
import time

import numpy as np

from discreet import Setting, simulate
from discreet.algorithms import algorithms
from discreet.environments import Stochastic
from discreet.kernel.lanes import LANES
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation import side_by_side
from discreet.simulation.loop import Player, Prototype
from discreet.simulation.side_by_side import lanes_of, run_trials
from discreet.simulation.trial import checkpoints

PIECE, REPEATS, UNIT = 2**11, 5, make_range()
NAMES = ("exp3", "dp-exp3-lap", "tsallis-inf", "htinf", "batched-exp3", "batched-tsallis-inf", "ucb")
SIZES = ((4, 2**17, NAMES), (16, 2**15, NAMES[:4]), (100, 2**13, NAMES[:4]))  # arms, rounds


def median_times(*ways, repeats=REPEATS):
    """Return the median CPU time of each way, measured in turn."""
    times = [[] for _ in ways]
    for way in ways:
        way()  # compiles
    for _ in range(repeats):
        for way, kept in zip(ways, times, strict=True):
            before = time.thread_time()
            way()
            kept.append(time.thread_time() - before)
    return [statistics.median(kept) for kept in times]


def compare(name, arms, rounds):
    """Return nanoseconds of the learner's loop, and with dealing, in lanes and one by one."""
    world, marks = Stochastic(arms), checkpoints(rounds)
    private = algorithms()[name].build(Setting(Arms(arms), rounds=rounds, epsilon=1.0)).private
    program, shared = lanes_of(private, world, UNIT), Prototype(private)
    program.compile()
    games = [world.deal(0, PIECE, streams(1, trial=trial).environment) for trial in range(LANES)]
    table, end = np.ascontiguousarray(np.stack([game.losses for game in games], axis=-1)), np.array([PIECE])
    kept = {}

    def learner_in_lanes():
        own = [streams(1, trial=trial) for trial in range(LANES)]
        generators = {"learner_rng": [each.learner for each in own], "privacy_rng": [each.privacy for each in own]}
        lanes, kept["lanes"] = program.start(private, generators), np.empty((1, LANES))
        for _ in range(rounds // PIECE):
            program.run(lanes, {"game.losses": table, "marks": end, "scores": kept["lanes"]})

    whole = [game._replace(losses=np.tile(game.losses, (rounds // PIECE, 1))) for game in games]

    def learner_one_by_one():
        players = [Player(shared, streams(1, trial=trial)) for trial in range(LANES)]
        scores = [player.play(game, np.array([rounds])) for player, game in zip(players, whole, strict=True)]
        kept["single"] = np.array(scores).T

    def everything(programs):
        how = {"seed": 1, "trials": range(LANES), "bounds": UNIT, "clip": False, "stop": threading.Event()}
        return run_trials([private], world, marks, programs=programs, **how)

    learner = median_times(learner_in_lanes, learner_one_by_one)
    assert np.array_equal(kept["lanes"], kept["single"]), name
    all_of_it = median_times(lambda: everything((program,)), lambda: everything(()))
    return [1e9 * seconds / rounds / LANES for seconds in (*learner, *all_of_it)]


def short_trials(name, trials=1024):
    """Return microseconds of a trial of 100 rounds, in lanes and one by one."""

    def all_of(enough):
        side_by_side.ENOUGH = side_by_side.ENOUGH_IF_COMPILED = enough
        simulate(name, rounds=100, trials=trials, workers=1)

    def cpu(enough):
        before = time.process_time()
        all_of(enough)
        return time.process_time() - before

    for enough in (0, 2**62):
        all_of(enough)
    times = [[cpu(enough) for enough in (0, 2**62)] for _ in range(REPEATS)]
    return [1e6 * statistics.median(each) / trials for each in zip(*times, strict=True)]


def main():
    """Print the tables."""
    heads = ("lanes", "one by one", "times faster", "lanes with dealing", "one by one", "times faster")
    print(f"{'':30s} " + " ".join(f"{head:>18s}" for head in heads))
    for arms, rounds, names in SIZES:
        for name in names:
            lanes, single, all_lanes, all_single = compare(name, arms, rounds)
            numbers = (lanes, single, single / lanes, all_lanes, all_single, all_single / all_lanes)
            print(f"{name + f', {arms} arms':30s} " + " ".join(f"{number:18.1f}" for number in numbers), flush=True)
    for name in ("exp3", "batched-tsallis-inf"):
        lanes, single = short_trials(name)
        print(f"{name}, 100 rounds: {lanes:.0f} us a trial in lanes, {single:.0f} us one by one", flush=True)


if __name__ == "__main__":
    main()
