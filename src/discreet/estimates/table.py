"""Estimates of all arms with intervals, as a value with a table, JSON, CSV and a plot."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from discreet.display import Display, ShownTable
from discreet.drawing import plotter
from discreet.errors import DiscreetError, reason_of, shorten
from discreet.estimates.text import WIDTH, legend, numbered, text_table, wrapped

EstimateKind = Literal["anytime", "holdout", "final"]
Outcomes = Literal["rewards", "losses"]
COLUMNS = ("mean", "low", "high", "rounds", "releases")
MOST_PAIRS = 66  # maximum differences in tables and plots (12 arms); ``difference`` returns any


class MeanEstimate(NamedTuple):
    """A mean or a difference with its interval, in the units of the outcomes.

    Without a release, the mean is unknown (nan), and the interval is the whole range.
    """

    mean: float
    low: float
    high: float
    rounds: int
    releases: int

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2.0


@dataclass(frozen=True)
class MeanEstimates:
    """The mean outcome of every arm, and differences, with intervals.

    ``level`` holds for each mean or difference separately. With ``kind="anytime"``, all its
    intervals over time hold together with this probability: you may look at any time, and stop
    because of what you see.
    """

    kind: EstimateKind
    level: float
    outcomes: Outcomes
    arms: Mapping[Hashable, MeanEstimate]
    notes: tuple[str, ...]
    compare: Callable[[int, int], MeanEstimate]  # two arms, by number
    control: Hashable | None = None  # the arm to compare all others with; None: all pairs

    def difference(self, one: Hashable, other: Hashable) -> MeanEstimate:
        """Return the mean of one arm minus that of another, with its interval."""
        labels = list(self.arms)
        places = []
        for name, label in (("one", one), ("other", other)):
            if label not in labels:
                known = ", ".join(map(repr, labels[:8]))
                raise DiscreetError(f"{name} is {shorten(label)}, but must be one of {known}.")
            places.append(labels.index(label))
        if places[0] == places[1]:
            raise DiscreetError(f"other is {shorten(other)}, but must differ from one.")
        return self._difference(places[0], places[1])

    def _difference(self, one: int, other: int) -> MeanEstimate:
        """Return a difference; its mean is that of the means shown, clipped to the interval."""
        found, arms = self.compare(one, other), list(self.arms.values())
        apart = arms[one].mean - arms[other].mean
        return found._replace(mean=min(max(apart, found.low), found.high) + 0.0)  # not -0

    def against(self, control: Hashable) -> MeanEstimates:
        """Return the same estimates, with only the differences of all other arms from a control."""
        if control not in self.arms:
            known = ", ".join(map(repr, list(self.arms)[:8]))
            raise DiscreetError(f"control is {shorten(control)}, but must be one of {known}.")
        return replace(self, control=control)

    def differences(self) -> dict[tuple[Hashable, Hashable], MeanEstimate]:
        """Return the difference of every pair of arms that have a release.

        With a control, only differences from it; with many arms, only those from the best one.
        """
        labels = list(self.arms)
        known = [self.arms[label].releases > 0 for label in labels]
        pairs = list(itertools.combinations(range(len(labels)), 2))
        if self.control is not None:
            base = labels.index(self.control)
            pairs = [(i, base) for i in range(len(labels)) if i != base]
        elif len(pairs) > MOST_PAIRS:
            sign = 1.0 if self.outcomes == "rewards" else -1.0
            means = [sign * self.arms[label].mean for label in labels]
            best = max(
                (i for i in range(len(labels)) if known[i]), key=means.__getitem__, default=0
            )
            pairs = [(best, i) for i in range(len(labels)) if i != best]
        return {
            (labels[i], labels[j]): self._difference(i, j)
            for i, j in pairs
            if known[i] and known[j]
        }

    def rows(self, names: Mapping[Hashable, str] | None = None) -> list[tuple[str, MeanEstimate]]:
        """Return every arm and every difference, by name."""
        known = {label: str(label) for label in self.arms} if names is None else names
        arms = [(known[label], found) for label, found in self.arms.items()]
        pairs = self.differences().items()
        return arms + [(f"{known[one]} - {known[other]}", found) for (one, other), found in pairs]

    @property
    def title(self) -> str:
        """The heading of the estimates."""
        kinds = {
            "anytime": "from everything released, valid at all times",
            "holdout": "from the hold-out",
            "final": "from the final release",
        }
        words = "Mean rewards" if self.outcomes == "rewards" else "Mean losses"
        return f"{words} with {100.0 * self.level:g} % intervals, {kinds[self.kind]}"

    def cells(
        self, names: Mapping[Hashable, str] | None = None
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the head and the rows of a table, with ``names`` for arms if given."""
        head = ("", "mean", "interval", "rounds", "releases")
        rows: list[tuple[str, ...]] = [
            (
                name,
                f"{found.mean:.4g}" if found.releases else "unknown",
                f"{found.low:.4g} to {found.high:.4g}" if found.releases else "",
                f"{found.rounds:,}",
                f"{found.releases:,}",
            )
            for name, found in self.rows(names)
        ]
        return head, rows

    def lines(self, width: int) -> list[str]:
        """Return the table as lines of text; if names are too long, they are numbered."""
        table = text_table(*self.cells())
        if max(map(len, table)) <= width:
            return table
        names = numbered(self.arms)
        return [*legend(names, width), *text_table(*self.cells(names))]

    def __str__(self) -> str:
        """Return a table as text that fits a terminal."""
        notes = [line for note in self.notes for line in wrapped(note)]
        return "\n".join([*wrapped(self.title), *self.lines(WIDTH), *notes])

    def _repr_html_(self) -> str:
        rows = [
            (
                name,
                f"{found.mean:.4g}" if found.releases else "unknown",
                f"{found.low:.4g} to {found.high:.4g}" if found.releases else "",
                f"{found.rounds:,}",
                f"{found.releases:,}",
            )
            for name, found in self.rows()
        ]
        head = ("", "mean", "interval", "rounds", "releases")
        table = ShownTable(head, rows, right=range(1, len(head)))
        return Display((self.title, table, *self.notes))._repr_html_()

    def as_dict(self) -> dict[str, object]:
        """Return everything for JSON."""
        return {
            "kind": self.kind,
            "level": self.level,
            "outcomes": self.outcomes,
            "control": None if self.control is None else str(self.control),
            "arms": [
                {"arm": str(arm), **found._asdict()} | ({} if found.releases else {"mean": None})
                for arm, found in self.arms.items()
            ],
            "differences": [
                {"one": str(one), "other": str(other), **found._asdict()}
                for (one, other), found in self.differences().items()
            ],
            "notes": list(self.notes),
        }

    def to_json(self, path: Path | str | None = None) -> str:
        """Return the estimates as JSON, and write them to a file if a path is given."""
        return _written(json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n", path)

    def to_csv(self, path: Path | str | None = None) -> str:
        """Return a CSV row for each arm and difference, and write them if a path is given."""
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        table.writerow(("arm", "minus", *COLUMNS))
        for arm, found in self.arms.items():
            table.writerow((arm, "", found.mean if found.releases else "", *found[1:]))
        for (one, other), found in self.differences().items():
            table.writerow((one, other, *found))
        return _written(out.getvalue(), path)

    def plot(self, path: Path | str, *, control: Hashable | None = None) -> Path:
        """Draw all intervals into a file (a forest plot); return its path.

        With a ``control``, differences are those of all other arms from it.
        """
        return plotter().write(self if control is None else self.against(control), path)


def _written(text: str, path: Path | str | None) -> str:
    if path is not None:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except (OSError, TypeError) as reason:
            wrong = (
                f"path is {shorten(path)}, but no file can be written there ({reason_of(reason)})."
            )
            raise DiscreetError(wrong) from None
    return text
