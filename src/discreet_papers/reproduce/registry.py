"""What a reproduction is, how it runs, and how to register one.

A reproduction has four steps. The *sweep* lists what to play: plain data; nothing is computed yet.
*Play* runs it. *Analyse* turns the outcomes into tables and text. *Draw* turns those into figures.
No step knows the later ones.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from discreet.errors import check_choice, check_int, unknown_name
from discreet.plot import save
from discreet.plugins import load_plugins
from discreet.simulation import Executor, executor
from discreet_papers.reproduce.curves import curve_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BUILT_IN = (
    "agarwal_singh_privacy_for_free",
    "agarwal_singh_table_1",
    "agarwal_singh_table_2",
    "ene_theorem_1",
    "faster_rates_figure_1",
    "faster_rates_lemma_15",
    "faster_rates_table_1",
    "faster_rates_table_1_experts",
    "noise_in_the_local_model",
    "price_of_privacy",
    "privacy_models",
    "slates",
    "tossou_figure_1",
    "zheng_table_1",
    "zheng_table_1_contextual",
    "zheng_theorem_12",
)

FORMATS = ("png", "pdf", "svg")
TableRow = Mapping[str, object]
ShowProgress = Callable[[int, int], None]  # trials finished, trials in all
# announces a part of the work, returns its progress
AnnouncePart = Callable[[str], ShowProgress | None]

SweepCell = TypeVar("SweepCell")
SweepOutcome = TypeVar("SweepOutcome")


def _stay_silent(part: str) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class SweepPlan:
    """How much to compute; ``rounds`` is the longest game where there are several."""

    trials: int
    rounds: int
    seed: int = 1
    on: str | Executor = "threads"
    step: AnnouncePart = _stay_silent


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The results of a sweep: tables by file name, and text. Subclasses add what drawings need."""

    tables: Mapping[str, Sequence[TableRow]]
    text: str
    trials: int = 0  # all numbers are means over these trials; 0 if the tables should not say


SweepFindings = TypeVar("SweepFindings", bound=Findings)


@dataclass(frozen=True, kw_only=True)
class Reproduction(Generic[SweepCell, SweepOutcome, SweepFindings]):
    """A figure or table of a paper: its usual size, and the four steps that make it."""

    name: str
    title: str
    trials: int
    rounds: int
    sweep: Callable[[int], tuple[SweepCell, ...]]  # what to play, for a number of rounds
    play: Callable[[Sequence[SweepCell], SweepPlan], Sequence[SweepOutcome]]
    analyse: Callable[[Sequence[SweepOutcome]], SweepFindings]
    draw: Callable[[SweepFindings], Mapping[str, Figure]]  # figures by file name

    def run(
        self,
        folder: Path,
        *,
        trials: int | None = None,
        rounds: int | None = None,
        seed: int = 1,
        on: str | Executor = "threads",
        step: AnnouncePart | None = None,
        formats: Sequence[str] = ("png",),
    ) -> str:
        """Compute everything, write figures and tables into a folder, and return the text.

        ``formats`` are those of the figures: png, pdf, svg. The points of all curves are also
        written as tables.
        """
        kinds = [check_choice("formats", each, FORMATS) for each in formats]
        plan = SweepPlan(
            trials=check_int("trials", self.trials if trials is None else trials, minimum=1),
            rounds=check_int("rounds", self.rounds if rounds is None else rounds, minimum=100),
            seed=check_int("seed", seed, minimum=0),
            on=executor(on, workers=None),
            step=step or _stay_silent,
        )
        found = self.analyse(self.play(self.sweep(plan.rounds), plan))
        played = {"trials": found.trials} if found.trials else {}
        for name, rows in found.tables.items():
            write_table(folder / f"{name}.csv", [{**row, **played} for row in rows])
        for name, figure in self.draw(found).items():
            for kind in kinds:
                save(figure, folder / f"{name}.{kind}")
            if points := curve_rows(figure):
                write_table(
                    folder / f"{name}-curves.csv", [{**point, **played} for point in points]
                )
        return found.text


AnyReproduction = Reproduction[Any, Any, Any]  # each has its own cells, outcomes and findings

_known: dict[str, AnyReproduction] = {}


def register_reproduction(reproduction: AnyReproduction) -> None:
    """Make a reproduction known to ``discreet reproduce``."""
    _known[reproduction.name] = reproduction


def reproductions() -> dict[str, AnyReproduction]:
    """Return all reproductions by name: ours, and those of plugins."""
    for module in BUILT_IN:
        import_module(f"discreet_papers.reproduce.{module}")
    load_plugins()
    return dict(_known)


def reproduction(name: str) -> AnyReproduction:
    """Return the reproduction of that name, or suggest the nearest name."""
    known = reproductions()
    if name not in known:
        raise unknown_name("reproduction", name, known)
    return known[name]


# Tables


def write_table(path: Path, rows: Sequence[TableRow]) -> None:
    """Write rows as a CSV file; missing values and NaN become empty cells."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            # NaN is the only value that differs from itself
            writer.writerow({key: "" if x is None or x != x else x for key, x in row.items()})


def select_columns(row: TableRow, columns: Iterable[str]) -> TableRow:
    """Return some columns of a row."""
    return {name: row[name] for name in columns}


def read_number(row: TableRow, column: str) -> float:
    """Return the number in a column."""
    found = row[column]
    assert isinstance(found, Real), f"{column} is not a number"
    return cast(float, found)
