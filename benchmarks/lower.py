"""How far regret is from the optimum: measured regret divided by the private lower bound.

python benchmarks/lower.py [--trials N] [--rounds T] [--write docs/tracking.md]

The lower bound is ln T times ``private_rate`` (docs/regret.md: Lower bounds with marks), for arms
whose gains are independent with means that do not change, or constant.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
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
    "dp-lambda-lap",
    "batched-exp3",
    "batched-ftpl",
    "noisy-exp2",
    "dp-exp3-lap",
    "local-tsallis-inf",
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


def table(epsilons: Sequence[float], names: Sequence[str], rounds: int, trials: int) -> list[str]:
    """Return the lines of a table: a row for each algorithm, a column for each game."""
    games = [(row, epsilon) for row in ROWS for epsilon in epsilons]
    least = [
        private_rate(row.gains, epsilon, constant=row.constant) * math.log(rounds)
        for row, epsilon in games
    ]
    found = [regrets(row, epsilon, rounds, trials) for row, epsilon in games]
    titles = [row.title + f", ε = {epsilon:g}" * (epsilon < FREE) for row, epsilon in games]
    cells = [["losses", *titles], ["*lower bound*", *(f"{each:,.0f}" for each in least)]]
    for name in names:
        ratios = [each[name] / bound for each, bound in zip(found, least, strict=True)]
        cells += [[f"`{name}`", *(f"{ratio:.2f}" for ratio in ratios)]]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return [lines[0], "|---" * len(cells[0]) + "|", *lines[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=2**18)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    lines = []
    for epsilons, names in (((FREE,), ORDINARY), (EPSILONS, PRIVATE)):
        lines += [*table(epsilons, names, asked.rounds, asked.trials), ""]
    print("\n".join(lines))
    if asked.write is not None:
        text = asked.write.read_text()
        before, rest = text.split(START)
        tables = "\n".join([START, "", *lines]) + END
        asked.write.write_text(before + tables + rest.split(END)[1])


if __name__ == "__main__":
    main()
