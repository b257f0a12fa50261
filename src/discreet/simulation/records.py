"""The outcomes of trials, collected as they finish: in memory, or in files (``parts``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.simulation.executors import Gave
from discreet.simulation.statistics import mean_intervals
from discreet.simulation.trial import Remembered, TrialOutcome

Takes = TypeVar("Takes", contravariant=True)
OracleCalls = Sequence[int | None]  # by contender; None if it uses no linear oracle


def add_calls(calls: Sequence[OracleCalls]) -> OracleCalls:
    """Return the sum over trials of the calls of each contender.

    >>> add_calls([(3, None), (4, None)])
    [7, None]
    """
    return [
        None if None in each else sum(number or 0 for number in each)
        for each in zip(*calls, strict=True)
    ]


class Sink(Protocol[Takes]):
    """A sink for the outcomes of trials."""

    @property
    def finished(self) -> int:
        """How many trials are there."""

    def missing(self, asked: int) -> list[range]:
        """Return which of the requested trials are still missing."""

    def add(self, trial: int, outcome: Takes) -> None:
        """Take the outcome of a trial."""

    def close(self) -> None:
        """Take no more."""


class Memory(Generic[Gave]):
    """A sink in memory."""

    def __init__(self) -> None:
        self.outcomes: dict[int, Gave] = {}

    @property
    def finished(self) -> int:
        """How many trials are there."""
        return len(self.outcomes)

    def missing(self, asked: int) -> list[range]:
        """Return all trials."""
        return [range(asked)]

    def add(self, trial: int, outcome: Gave) -> None:
        """Take the outcome of a trial, once."""
        assert trial not in self.outcomes, f"trial {trial} was played twice"
        self.outcomes[trial] = outcome

    def close(self) -> None:
        """Take no more."""


class RegretRecord(Protocol):
    """Regret and loss of all trials, in the order of their numbers."""

    @property
    def trials(self) -> Integers:
        """The numbers of all trials."""

    @property
    def seconds(self) -> Floats:
        """How long every contender played, summed over trials."""

    @property
    def clipped(self) -> int:
        """How many numbers were clipped."""

    @property
    def regret(self) -> Floats:
        """Contender, trial, checkpoint."""

    @property
    def loss(self) -> Floats:
        """Contender, trial, checkpoint."""

    @property
    def memory(self) -> Remembered:
        """The final memory of games about their players: contender, trial; not stored in files."""

    @property
    def calls(self) -> OracleCalls:
        """How often each contender called a linear oracle, summed over trials."""

    @property
    def final(self) -> Floats:
        """The regret at the end of the game: contender, trial."""

    @property
    def bands(self) -> Floats:
        """Mean regret over trials and the ends of its 95 % interval: contender, checkpoint, 3."""


@dataclass(frozen=True, kw_only=True)
class InMemory:
    """A record held in memory as a whole."""

    trials: Integers
    seconds: Floats
    clipped: int
    regret: Floats
    loss: Floats
    memory: Remembered = None
    calls: OracleCalls = ()

    @classmethod
    def of(cls, outcomes: Mapping[int, TrialOutcome]) -> InMemory:
        """Return the record of outcomes by trial."""
        order = sorted(outcomes)
        memories = [
            memory for memory in (outcomes[trial].memory for trial in order) if memory is not None
        ]
        return cls(
            trials=np.array(order, dtype=np.int64),
            seconds=np.sum([outcomes[trial].seconds for trial in order], axis=0),
            clipped=sum(outcomes[trial].clipped for trial in order),
            regret=np.array([outcomes[trial].regret for trial in order]).swapaxes(0, 1),
            loss=np.array([outcomes[trial].loss for trial in order]).swapaxes(0, 1),
            memory=np.array(memories).swapaxes(0, 1) if memories else None,
            calls=add_calls([outcomes[trial].calls for trial in order]),
        )

    @property
    def final(self) -> Floats:
        """The regret at the end of the game."""
        return self.regret[:, :, -1]

    @property
    def bands(self) -> Floats:
        """Mean regret over trials and the ends of its 95 % interval."""
        return mean_intervals(self.regret.swapaxes(1, 2))
