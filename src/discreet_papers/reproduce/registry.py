"""What a reproduction is, and where all of them are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from discreet.errors import check_int, unknown_name
from discreet.plot import save
from discreet.simulation.executors import Executor, executor
from discreet_papers.reproduce.files import Row, write_table
from discreet_papers.reproduce.plan import Plan, Step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = TypeVar("Cell")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What came out of a sweep: tables, by the names of their files, and what to say; drawings need more."""

    tables: Mapping[str, Sequence[Row]]
    text: str
    trials: int = 0  # that were played, of which all numbers are means; 0 where nothing is drawn


Found = TypeVar("Found", bound=Findings)


@dataclass(frozen=True, kw_only=True)
class Reproduction(Generic[Cell, Outcome, Found]):
    """A figure or table of a paper: its usual size, and the four steps that make it; none knows of a later one."""

    name: str
    title: str
    trials: int
    rounds: int
    sweep: Callable[
        [int], tuple[Cell, ...]
    ]  # what to play, for a number of rounds: data, nothing is computed
    play: Callable[[Sequence[Cell], Plan], Sequence[Outcome]]
    analyse: Callable[[Sequence[Outcome]], Found]
    draw: Callable[[Found], Mapping[str, Figure]]  # by the names of their files

    def run(
        self,
        folder: Path,
        *,
        trials: int | None = None,
        rounds: int | None = None,
        seed: int = 1,
        on: str | Executor = "threads",
        step: Step | None = None,
    ) -> str:
        """Compute everything, write it into a folder, and return what to say about it."""
        plan = Plan(
            trials=check_int("trials", self.trials if trials is None else trials, minimum=1),
            rounds=check_int("rounds", self.rounds if rounds is None else rounds, minimum=100),
            seed=check_int("seed", seed, minimum=0),
            on=executor(on, workers=None),
            step=step or (lambda _: None),
        )
        found = self.analyse(self.play(self.sweep(plan.rounds), plan))
        for name, rows in found.tables.items():
            played = {"trials": found.trials} if found.trials else {}
            write_table(folder / f"{name}.csv", [{**row, **played} for row in rows])
        for name, figure in self.draw(found).items():
            save(figure, folder / f"{name}.png")
        return found.text


Known = Reproduction[Any, Any, Any]  # each has its own games, outcomes and findings

_known: dict[str, Known] = {}


def register(reproduction: Known) -> None:
    """Declare a reproduction."""
    _known[reproduction.name] = reproduction


def reproductions() -> dict[str, Known]:
    """Return all reproductions."""
    return dict(_known)


def reproduction(name: str) -> Known:
    """Return the reproduction of that name, or suggest the nearest."""
    if name not in _known:
        raise unknown_name("reproduction", name, _known)
    return _known[name]
