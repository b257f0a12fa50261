"""What asking for a decision and telling its outcome costs in memory, with all guards on, beside river's Exp3.

    python benchmarks/live.py [--repetitions N]

Time of the processor, in turns; the median of several repetitions, also of the ratios to river in the same turn. Without
river (``pip install river``) its line is left out. The exit code says whether the target was met.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from operator import truediv
from typing import Any

from discreet import Bandit
from discreet.cli.text import table

ROUNDS = 4_000
CASES: tuple[tuple[str, bool], ...] = (  # whether noise is for simulation
    ("exp3", False),
    ("tsallis-inf", False),
    ("batched-tsallis-inf", True),
    ("batched-exp3", False),
    ("batched-htinf", False),
    ("noisy-exp2", False),
)
MOST = 1.5  # times river, for exp3
PEER = "river's Exp3"


def rounds_of(name: str, simulation: bool) -> Callable[[], None]:
    with warnings.catch_warnings(action="ignore"):
        bandit = Bandit(arms=4, horizon=10**7, epsilon=1.0, algorithm=name, simulation=simulation)

    def run() -> None:
        for _ in range(ROUNDS):
            decision = bandit.ask()
            bandit.tell(decision, reward=0.0 if decision.arm else 1.0)

    return run


def rounds_of_river(policies: Any) -> Callable[[], None]:
    def run() -> None:
        policy, arms = policies.Exp3(gamma=0.02, seed=1), [0, 1, 2, 3]  # a new one: its weights overflow in long runs
        for _ in range(ROUNDS):
            arm = policy.pull(arms)
            policy.update(arm, 0.0 if arm else 1.0)

    return run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7)
    asked = parser.parse_args()
    jobs: dict[str, Callable[[], None]] = {}
    try:
        from river import bandit as policies

        jobs[PEER] = rounds_of_river(policies)
    except ImportError:
        pass
    jobs |= {f"{name}, {'simulated' if simulated else 'live'}": rounds_of(name, simulated) for name, simulated in CASES}
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(asked.repetitions + 1):
        for name, run in jobs.items():
            start = time.process_time()
            run()
            times[name].append((time.process_time() - start) / ROUNDS * 1e6)
    taken = {name: each[1:] for name, each in times.items()}  # the first turn warms up
    peers = taken.get(PEER)
    ratios: dict[str, float] = {}
    if peers is not None:
        ratios = {name: statistics.median(map(truediv, each, peers)) for name, each in taken.items()}
    rows = [
        [name, f"{statistics.median(each):.1f}", f"{ratios[name]:.2f}" if ratios else ""] for name, each in taken.items()
    ]
    table(["ask and tell, 4 arms", "µs a round", "times river"], rows, right=(1, 2))
    return int(ratios.get("exp3, live", 0.0) > MOST)


if __name__ == "__main__":
    sys.exit(main())
