"""How much a reproduction computes, and how it tells about its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discreet.simulation.executors import Executor
from discreet.simulation.experiment import Progress

Step = Callable[[str], Progress | None]  # announces a part of the work, and gives its progress


def _silent(part: str) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much to compute; ``rounds`` is the longest game where there are several."""

    trials: int
    rounds: int
    seed: int = 1
    on: str | Executor = "threads"
    step: Step = _silent
