"""Samples and errors of best-arm search: one mean gain of 0.6, nine of 0.4, error at most 0.1.

python benchmarks/searches.py [trials]
"""

from __future__ import annotations

import sys

from discreet import search

MEANS = (0.4, *[0.6] * 9)  # losses: one arm gains 0.6, and nine gain 0.4
TARGETS = {"local-lucb": 16_000, "local-lil-ucb": 12_500, "local-track-and-stop": 8_500}
NAMES = ("lil-ucb", "lucb", "successive-elimination", "track-and-stop")


def main(trials: int = 1000) -> int:
    """Print a row for each search; return how many targets are missed."""
    names = [f"{prefix}{name}" for name in NAMES for prefix in ("", "local-", "batched-")]
    rows = search(names, arms=10, options={"means": MEANS}, trials=trials, seed=20).summary()
    missed = 0
    print(f"{'':32} {'mean':>8} {'± 95 %':>8} {'target':>8} {'wrong':>6} {'error at most':>14}")
    for row in rows:
        target = TARGETS.get(row["algorithm"])
        mean, half = row["samples_mean"], (row["samples_high"] - row["samples_low"]) / 2
        fails = row["error_low"] > row["error"] or (target is not None and mean > target)
        missed += fails
        goal = f"{target:,}" if target else "-"
        print(
            f"{row['algorithm']:32} {mean:8,.0f} {half:8,.0f} {goal:>8} {row['wrong']:6} "
            f"{row['error_high']:14.4f}{'  MISSED' if fails else ''}"
        )
    return missed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
