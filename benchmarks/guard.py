"""What the guard of tracking-ucb costs where losses do not change: regret with and without it.

python benchmarks/guard.py [--trials N] [--longest N] [--arms N ...]

Prints mean regret with the guard, divided by that without, and the standard error of this ratio.
The exit status says whether it is at most 1.15 in every cell, up to twice its error.
"""

from __future__ import annotations

import argparse
import sys
import threading

import numpy as np

from discreet import Setting, algorithm
from discreet.environments import environment
from discreet.problems import Arms
from discreet.ranges import make_range
from discreet.simulation.trial import run_trial

ALLOWED = 1.15
EPSILONS = (1.0, 0.1)
ARMS = (2, 4, 10, 50)
ROUNDS = (10_000, 2**18, 2**22)
SEED = 31_415
TITLES = ("gap 0.05", "gap 0.2", "means 0.15 and 0.2", "deterministic")


def losses(title: str, arms: int, rounds: int):
    """Return the environment of a column."""
    named = {
        "gap 0.05": ("stochastic", {"gap": 0.05}),
        "gap 0.2": ("stochastic", {"gap": 0.2}),
        "means 0.15 and 0.2": ("stochastic", {"means": (0.15,) + (0.2,) * (arms - 1)}),
        "deterministic": ("deterministic", {}),
    }
    name, options = named[title]
    return environment(name, Arms(arms), rounds=rounds, **options)


def ratio(title: str, arms: int, rounds: int, epsilon: float, trials: int):
    """Return mean regret without and with the guard, their ratio, and its standard error."""
    setting = Setting(Arms(arms), rounds=rounds, epsilon=epsilon)
    names = ("tracking-ucb", "guarded-ucb")
    privates = [algorithm(name).build(setting).private for name in names]
    world, marks = losses(title, arms, rounds), np.array([rounds])
    how = {"seed": SEED, "bounds": make_range(), "clip": False, "stop": threading.Event()}
    found = np.array(
        [run_trial(privates, world, marks, trial=t, **how).regret[:, -1] for t in range(trials)]
    )
    plain, guarded = found.mean(axis=0)
    error = (found[:, 1] - found[:, 0]).std() / np.sqrt(trials) / plain
    return plain, guarded, guarded / plain, error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=48, help="a sixth of them for 2^22 rounds")
    parser.add_argument("--longest", type=int, default=2**22, help="leave out longer games")
    parser.add_argument("--arms", type=int, nargs="*", default=ARMS, choices=ARMS)
    asked, good = parser.parse_args(), True
    print("| arms | rounds | ε | " + " | ".join(TITLES) + " |")
    print("|---" * (3 + len(TITLES)) + "|")
    for arms in asked.arms:
        for rounds in (each for each in ROUNDS if each <= asked.longest):
            trials = asked.trials if rounds <= 2**18 else max(4, asked.trials // 6)
            for epsilon in EPSILONS:
                cells = []
                for title in TITLES:
                    plain, guarded, found, error = ratio(title, arms, rounds, epsilon, trials)
                    good &= bool(found - 2.0 * error <= ALLOWED)
                    cells.append(f"{plain:,.0f}, {guarded:,.0f}: {found:.2f} ± {error:.2f}")
                print(
                    f"| {arms} | {rounds:,} | {epsilon:g} | " + " | ".join(cells) + " |", flush=True
                )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
