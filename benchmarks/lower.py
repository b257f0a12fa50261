"""How far regret is from the optimum: measured regret divided by the private lower bound.

python benchmarks/lower.py [--trials N] [--rounds T] [--write docs/tracking.md]

The lower bound is ln T times ``private_rate`` (docs/regret.md: Lower bounds with marks), for arms
whose gains are independent with means that do not change, or constant.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NamedTuple

from discreet import simulate
from discreet.algorithms.arms.lower_bounds import private_rate
from discreet.environments import environment
from discreet.problems import Arms

START, END = "<!-- lower -->", "<!-- /lower -->"
EPSILONS, ARMS, SEED = (1.0, 0.1), 4, 2_718
PRIVATE = (
    "batched-ucb",
    "dp-klucb",
    "dp-imed",
    "tracking-ucb",
    "guarded-ucb",
    "adaptive-tsallis-inf",
    "moved-tsallis-inf",
    "one-bit-tsallis-inf",
    "batched-htinf",
    "batched-exp3",
)
ORDINARY = ("kl-ucb", "tsallis-inf")
FREE = 1e3  # an epsilon at which privacy costs nothing


class Row(NamedTuple):
    """Losses with a lower bound: mean gains, and whether they are constant."""

    title: str
    gains: tuple[float, ...]
    constant: bool = False


ROWS = (
    Row("gap 0.05", (0.55, 0.5, 0.5, 0.5)),
    Row("gap 0.2", (0.7, 0.5, 0.5, 0.5)),
    Row("mean losses 0.15 and 0.2", (0.85, 0.8, 0.8, 0.8)),
    Row("constant gains 0.38, 0.5, 0.33, 0", (0.5, 0.38, 1.0 / 3.0, 0.0), True),
)


def regrets(row: Row, epsilon: float, rounds: int, trials: int) -> dict[str, float]:
    """Return the mean regret of every algorithm against the best arm in hindsight."""
    losses = {"means": tuple(1.0 - gain for gain in row.gains)}
    if row.constant:
        losses["spread"] = 0.0
    results = simulate(
        PRIVATE if epsilon < FREE else ORDINARY,
        environment=environment("stochastic", Arms(ARMS), rounds=rounds, **losses),
        rounds=rounds,
        trials=trials,
        seed=SEED,
        epsilon=epsilon,
    )
    return {each["algorithm"]: each["regret_mean"] for each in results.summary()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=2**18)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    lines = []
    for epsilons, names in (((FREE,), ORDINARY), (EPSILONS, PRIVATE)):
        lines += ["| losses | ε | lower bound | " + " | ".join(names) + " |"]
        lines += ["|---|---|---|" + "---|" * len(names)]
        for row in ROWS:
            for epsilon in epsilons:
                rate = private_rate(row.gains, epsilon, constant=row.constant)
                least = rate * math.log(asked.rounds)
                found = regrets(row, epsilon, asked.rounds, asked.trials)
                shown = "none" if epsilon == FREE else f"{epsilon:g}"
                cells = [f"{found[name] / least:.2f}" for name in names]
                lines += [f"| {row.title} | {shown} | {least:,.0f} | " + " | ".join(cells) + " |"]
                print(lines[-1], flush=True)
        lines += [""]
    if asked.write is not None:
        text = asked.write.read_text()
        before, rest = text.split(START)
        table = "\n".join([START, "", *lines]) + END
        asked.write.write_text(before + table + rest.split(END)[1])


if __name__ == "__main__":
    main()
