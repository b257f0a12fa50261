"""What a reproduction is, and where all of them are found."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import check_int, unknown_name
from discreet.simulation.experiment import Progress

Step = Callable[[str], Progress | None]  # announces a part of the work, and gives its progress


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much to compute, and where the results go."""

    folder: Path
    trials: int
    rounds: int
    seed: int
    step: Step


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A figure or table of a paper; ``run`` writes files and returns what to say about them."""

    name: str
    title: str
    trials: int
    rounds: int
    make: Callable[[Plan], str]

    def run(
        self,
        folder: Path,
        *,
        trials: int | None = None,
        rounds: int | None = None,
        seed: int = 1,
        step: Step | None = None,
    ) -> str:
        """Compute everything and write it into a folder."""
        plan = Plan(
            folder=folder,
            trials=check_int("trials", self.trials if trials is None else trials, least=1),
            rounds=check_int("rounds", self.rounds if rounds is None else rounds, least=100),
            seed=check_int("seed", seed, least=0),
            step=step or (lambda _: None),
        )
        return self.make(plan)


_known: dict[str, Reproduction] = {}


def register(
    *, name: str, title: str, trials: int, rounds: int
) -> Callable[[Callable[[Plan], str]], Callable[[Plan], str]]:
    """Declare the reproduction that the decorated function makes."""

    def keep(make: Callable[[Plan], str]) -> Callable[[Plan], str]:
        _known[name] = Reproduction(name=name, title=title, trials=trials, rounds=rounds, make=make)
        return make

    return keep


def reproductions() -> dict[str, Reproduction]:
    """Return all reproductions."""
    return dict(_known)


def reproduction(name: str) -> Reproduction:
    """Return the reproduction of that name, or suggest the nearest."""
    if name not in _known:
        raise unknown_name("reproduction", name, _known)
    return _known[name]


def write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
