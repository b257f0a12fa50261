"""What a round of functions costs on the ball, on slates, and where the oracle of the set is in Python.

python benchmarks/functions.py [--repetitions N]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import numpy as np

from discreet import algorithm
from discreet.cli.text import table
from discreet.randomness import streams
from discreet.simulation.loop import Player

TOTAL = 2**20  # rounds that algorithms are made for
CASES = (  # algorithm, domain, rounds that are played, microseconds of processor time a round at most
    ("private-projection-free", "ball(10)", 2**18, 1.0 / 1.5),
    ("private-projection-free", "k-sets(10,3)", 2**18, 1.0),
    ("private-linear-oracle", "k-sets(10,3)", 2**18, 1.0),
    ("private-projection-free", "assignments(10)", 2**14, 40.0),
    ("private-linear-oracle", "assignments(10)", 2**14, 40.0),
)


def microseconds(name: str, domain: str, rounds: int, repetitions: int) -> float:
    """Return what a round costs, after a first one that compiles."""
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    asked = parser.parse_args()
    rows, fast = [], True
    for name, domain, rounds, most in CASES:
        cost = microseconds(name, domain, rounds, asked.repetitions)
        fast = fast and cost <= most
        rows.append([name, domain, f"{cost:.2f}", f"{1e6 / cost:,.0f}", f"{most:.2f}", "yes" if cost <= most else "no"])
    table(["algorithm", "domain", "us a round", "rounds a second", "us at most", "reached"], rows, right=(2, 3, 4))
    return 0 if fast else 1


if __name__ == "__main__":
    sys.exit(main())
