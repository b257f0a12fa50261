"""Staying at the centre: what is left to do where nothing can be learned in time."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.contracts import Floats, Generator, Learner, Query, Release, Toss
from discreet.errors import check_int
from discreet.sets import L2Ball, LinearOracle


class Centre(Learner[Floats, Floats, Release, Query]):
    """Plays the centre of the set in every round, and learns nothing."""

    played: Floats
    size: int
    asked: Floats  # a query of no length, where the channel wants a vector

    @classmethod
    def start(cls, *, set: LinearOracle, points: int = 1) -> Self:  # noqa: A002
        """Return the learner for actions of one or two points."""
        middle = set.centre()
        both = check_int("points", points, minimum=1, maximum=2) == 2
        return cls(
            np.stack([middle, middle]) if both else middle, middle.size, np.zeros(middle.size)
        )

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls.start(set=L2Ball(5, 1.0))

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.size

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play the centre."""
        return self.played, self.asked

    def learn(self, trace: Floats, released: Release) -> None:
        """Ignore what is released."""


class SumCentre(Centre[Floats]):
    """The same behind a channel that wants a vector as its query."""

    def query(self, trace: Floats) -> Floats:
        """Ask for nothing."""
        return trace

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.size


class RoundedCentre(Centre[Floats, Toss]):
    """The same behind a channel that rounds outcomes."""

    def query(self, trace: Floats) -> Toss:
        """Ask for nothing."""
        return Toss(trace, 0.5)

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.size
