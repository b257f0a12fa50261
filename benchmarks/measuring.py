"""How all benchmarks measure: processor time, in turns, as ratios where there is a rival.

Seconds depend on the machine and its load; ratios of times that are measured in turns depend on
both much less.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
LEAST_TURNS = 5

Job = Callable[[], Callable[[], object]]  # prepares, and returns the function that is timed


class Row(NamedTuple):
    """One line of the table: what was measured, compared with what, and the target."""

    what: str
    ours: str
    rival: str
    figure: float
    unit: str
    most: float | None = None  # the largest figure that meets the target
    least: float | None = None  # or the smallest

    @property
    def met(self) -> bool:
        return (self.most is None or self.figure <= self.most) and (
            self.least is None or self.figure >= self.least
        )

    @property
    def cells(self) -> list[str]:
        goals = [
            f"{sign} {goal:g} {self.unit}"
            for sign, goal in (("≤", self.most), ("≥", self.least))
            if goal is not None
        ]
        verdict = ("met" if self.met else "MISSED") if goals else ""
        return [
            self.what,
            self.ours,
            self.rival,
            f"{self.figure:.3g} {self.unit}",
            " and ".join(goals),
            verdict,
        ]


def in_turns(*jobs: Job, turns: int = LEAST_TURNS) -> list[float]:
    """Return the median processor seconds of each job, without the first turn, which compiles."""
    spent: list[list[float]] = [[] for _ in jobs]
    for _ in range(max(turns, LEAST_TURNS) + 1):
        for times, job in zip(spent, jobs, strict=True):
            run = job()
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
    return [statistics.median(times[1:]) for times in spent]


def compile_c(name: str, folder: Path) -> Path | None:
    """Return a compiled program, or None where there is no compiler."""
    if shutil.which("gcc") is None:
        return None
    program = folder / name
    subprocess.run(
        ["gcc", "-Ofast", "-march=native", HERE / f"{name}.c", "-o", program, "-lm"], check=True
    )
    return program


def nanoseconds(value: float) -> str:
    return f"{value:,.1f} ns" if value < 100 else f"{value:,.0f} ns"
