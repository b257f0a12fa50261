"""Paired differences: how much more regret one algorithm has than another in the same trials.

All algorithms of a trial meet the same game and have the same random numbers. So the difference
within a trial varies less than the two regrets do, and its mean has a shorter interval.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from discreet.display import Display, ShownTable
from discreet.drawing import plotter
from discreet.errors import DiscreetError, check_flag, check_share, count, unknown_name
from discreet.simulation.exporting import write_csv
from discreet.simulation.shown import short, span
from discreet.simulation.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.simulation.measures import RegretRow
    from discreet.simulation.results import Results


class DifferenceRow(TypedDict):
    """The regret of one contender minus that of another; None for values that need more trials."""

    label: str
    minus: str
    difference: float
    low: float | None
    high: float | None
    lower: float  # share of the trials in which the first has less regret


@dataclass(frozen=True, kw_only=True)
class PairedDifferences:
    """Mean differences of final regret, each with Student's interval over trials."""

    rows: tuple[DifferenceRow, ...]
    minus: str | None  # the one to compare all others with; None for all pairs
    trials: int
    rounds: int
    confidence: float  # of each interval, or of all together
    simultaneous: bool

    @property
    def level_words(self) -> str:
        """The level of the intervals in words."""
        level = f"{100.0 * self.confidence:g} %"
        return f"{level} for all together" if self.simultaneous else f"{level} each"

    @property
    def display(self) -> Display:
        """The table that is printed."""
        rows = [
            [
                f"{row['label']} - {row['minus']}",
                short(row["difference"]),
                span(row["low"], row["high"]),
                f"{100.0 * row['lower']:.0f} %",
            ]
            for row in self.rows
        ]
        head = ("difference of regret", "mean", "interval", "less regret in")
        return Display(
            (
                f"Differences within {count(self.trials, 'trial')} after {self.rounds:,} rounds; "
                f"intervals: {self.level_words}",
                ShownTable(head, rows, right=(1, 2, 3)),
            )
        )

    def __repr__(self) -> str:
        to = "all pairs" if self.minus is None else f"to {self.minus}"
        return f"PairedDifferences({count(len(self.rows), 'row')}, {to}, {self.trials:,} trials)"

    def __str__(self) -> str:
        return str(self.display)

    def _repr_html_(self) -> str:
        return self.display._repr_html_()

    def to_csv(self, path: Path | str) -> Path:
        """Write all rows to a file of comma-separated values; return its path."""
        rows = [dict(row) for row in self.rows]
        return write_csv(
            {key: np.array([row[key] for row in rows], object) for key in rows[0]}, path
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        size: tuple[float, float] | None = None,
        path: Path | str | None = None,
    ) -> Axes:
        """Draw every difference with its interval into given axes, or into new ones."""
        axes = plotter().draw(self, ax, size=size)
        if path is not None:
            figure = axes.get_figure(root=True)
            assert figure is not None, "axes are in a figure"
            plotter().save(figure, path)
        return axes


def paired_differences(
    results: Results[RegretRow], to: str | None, *, confidence: float, simultaneous: bool
) -> PairedDifferences:
    """Return the differences to one contender, or of all pairs."""
    level = check_share("confidence", confidence)
    labels = [each.label for each in results.contenders]
    if len(labels) < 2:
        raise DiscreetError("differences need two algorithms, but these results have one.")
    final = results.regrets.record.final
    if to is None:
        pairs = [(other, one) for one, other in itertools.combinations(range(len(labels)), 2)]
    else:
        base = _place(results, to)
        pairs = [(other, base) for other in range(len(labels)) if other != base]
    each = 1.0 - (1.0 - level) / (len(pairs) if check_flag("simultaneous", simultaneous) else 1)
    rows = tuple(
        _row(labels[one], labels[other], final[one] - final[other], each) for one, other in pairs
    )
    return PairedDifferences(
        rows=rows,
        minus=None if to is None else rows[0]["minus"],
        trials=int(results.trials.size),
        rounds=results.rounds,
        confidence=level,
        simultaneous=simultaneous,
    )


def _row(label: str, minus: str, differences: Sequence[float], confidence: float) -> DifferenceRow:
    values = np.asarray(differences, dtype=np.float64)
    found = mean_interval(values, confidence=confidence)
    return {
        "label": label,
        "minus": minus,
        "difference": found.value,
        "low": None if np.isnan(found.low) else found.low,
        "high": None if np.isnan(found.high) else found.high,
        "lower": float((values < 0.0).mean()),
    }


def _place(results: Results[RegretRow], name: object) -> int:
    """Return the place of a contender, given its label, or its algorithm if that plays once."""
    labels = [each.label for each in results.contenders]
    if name in labels:
        return labels.index(str(name))
    found = [i for i, each in enumerate(results.contenders) if each.algorithm == name]
    if len(found) == 1:
        return found[0]
    if found:
        every = ", ".join(f"'{labels[i]}'" for i in found)
        raise DiscreetError(
            f"to is '{name}', which names {len(found)} curves: choose one of {every}."
        )
    raise unknown_name("algorithm or label", name, labels)
