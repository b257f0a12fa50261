"""Coverage and width of estimates, measured; docs/estimates.md shows the table.

    python benchmarks/estimates.py [--trials N] [--long-trials N] [--write docs/estimates.md]

Three arms with Bernoulli rewards of mean .6, .5 and .5; each of the three is the best arm equally
often. An interval counts as right if it was right after every release of the run. The exit status
says whether every coverage is at least 95 % and every width is within 10 % of its target.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from discreet.algorithms import Setting, algorithm
from discreet.environments.arms.stochastic import Stochastic
from discreet.private import Private
from discreet.problems import Arms
from discreet.simulation.coverage import CoverageRow, measure_coverage

ARMS, BEST, OTHER = 3, 0.4, 0.5  # mean losses
SEED = 20_261_118
# Target widths at epsilon 1: best arm, another arm, their difference.
WIDTHS = {
    600: {
        "tracking-ucb": (0.227, 0.357, 0.505),
        "dp-klucb": (0.235, 0.511, 0.819),
        "batched-exp3": (0.463, 0.549, 0.846),
        "one-bit-tsallis-inf": (0.428, 0.557, 0.865),
    },
    10_000: {
        "tracking-ucb": (0.035, 0.211, 0.263),
        "dp-klucb": (0.039, 0.250, 0.344),
        "batched-exp3": (0.089, 0.175, 0.233),
        "one-bit-tsallis-inf": (0.089, 0.272, 0.380),
    },
}
EPSILONS = (1.0, 0.5)
LEVEL, WITHIN = 0.95, 0.1
START, END = "<!-- measured -->", "<!-- end -->"


class Cell(NamedTuple):
    """One algorithm in one setting: coverage and width of three intervals."""

    name: str
    rounds: int
    epsilon: float
    rows: list[CoverageRow]
    targets: tuple[float, float, float] | None

    @property
    def met(self) -> bool:
        """Whether intervals hold often enough, and their widths are within 10 % of the targets."""
        targets = self.targets or tuple(row.width for row in self.rows)
        near = all(
            abs(row.width - target) <= WITHIN * target
            for row, target in zip(self.rows, targets, strict=True)
        )
        return near and all(row.coverage >= LEVEL for row in self.rows)

    def line(self) -> str:
        """Return the row of a table."""
        covered = " / ".join(f"{100.0 * row.coverage:.1f}" for row in self.rows)
        width = " / ".join(f"{row.width:.3f}" for row in self.rows)
        target = "" if self.targets is None else " / ".join(f"{each:.3f}" for each in self.targets)
        cells = (self.name, f"{self.rounds:,}", f"{self.epsilon:g}", covered, width, target)
        return f"| {' | '.join(cells)} | {'met' if self.met else 'MISSED'} |"


def measure(name: str, rounds: int, epsilon: float, trials: int, seed: int = SEED) -> Cell:
    """Return coverage and width; each arm is the best one equally often."""
    setting = Setting(Arms(ARMS), rounds=rounds, epsilon=epsilon)
    private = algorithm(name).build(setting).private
    assert isinstance(private, Private)
    each = -(-trials // ARMS)
    parts = []
    for best in range(ARMS):
        means = tuple(BEST if arm == best else OTHER for arm in range(ARMS))
        parts.append(
            measure_coverage(
                private,
                Stochastic(ARMS, means=means),
                rounds=rounds,
                trials=each,
                seed=seed,
                first=best * each,
                arms=(best, (best + 1) % ARMS),
            )
        )
    rows = [
        CoverageRow(
            same[0].name,
            sum(row.coverage for row in same) / ARMS,
            sum(row.width for row in same) / ARMS,
            each * ARMS,
        )
        for same in zip(*parts, strict=True)
    ]
    return Cell(name, rounds, epsilon, rows, WIDTHS[rounds][name] if epsilon == 1.0 else None)


def main() -> int:
    """Measure all cells; print the table, or write it into a document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=999, help="of 600 rounds")
    parser.add_argument("--long-trials", type=int, default=1500, help="of 10,000 rounds")
    parser.add_argument("--write", type=Path, help="the document whose table is replaced")
    given = parser.parse_args()
    lines = [
        "| algorithm | rounds | epsilon | coverage % | width | target width |  |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    good = True
    for rounds, widths in WIDTHS.items():
        for epsilon in EPSILONS:
            for name in widths:
                trials = given.trials if rounds == 600 else given.long_trials
                cell = measure(name, rounds, epsilon, trials)
                good &= cell.met
                lines.append(cell.line())
                print(lines[-1], flush=True)
    if given.write is not None:
        text = given.write.read_text()
        before, _, rest = text.partition(START)
        after = rest.partition(END)[2]
        table = "\n".join(lines)
        given.write.write_text(f"{before}{START}\n{table}\n{END}{after}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
