"""The cost of one round of functions on the ball, on slates, and with an oracle in Python."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import numpy as np
from measuring import LEAST_TURNS, Row

from discreet import algorithm
from discreet.randomness import streams
from discreet.simulation.loop import Player

TOTAL = 2**20  # the horizon that algorithms are tuned for
# algorithm, domain, rounds that are played, maximum microseconds of processor time per round
CASES = (
    ("private-projection-free", "ball(10)", 2**18, 1.0 / 1.5),
    ("private-projection-free", "k-sets(10,3)", 2**18, 1.0),
    ("private-linear-oracle", "k-sets(10,3)", 2**18, 1.0),
    ("private-projection-free", "assignments(10)", 2**14, 40.0),
    ("private-linear-oracle", "assignments(10)", 2**14, 40.0),
)


def microseconds(name: str, domain: str, rounds: int, repetitions: int) -> float:
    """Return what a round costs, after a short game that compiles."""
    known = algorithm(name)
    setting = known.setting(domain=domain, rounds=TOTAL, delta=1e-6)
    private = known.build(setting, when_vacuous="play").private
    game = setting.problem.probe(rounds, np.random.default_rng(1))
    Player(private, streams(1)).play(game, np.array([2]))
    costs = []
    for seed in range(repetitions):
        player = Player(private, streams(seed))
        start = time.thread_time()
        player.play(game, np.array([rounds]))
        costs.append((time.thread_time() - start) / rounds * 1e6)
    return statistics.median(costs)


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for each case."""
    for name, domain, rounds, most in CASES:
        cost = microseconds(name, domain, rounds, turns)
        yield Row(f"{name}, {domain}", f"{cost:.2f} µs", "", cost, "µs", most=most)
