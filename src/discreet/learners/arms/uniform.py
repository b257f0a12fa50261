"""Plays every arm with the same probability and learns nothing: the baseline."""

from __future__ import annotations

from typing import Self

from discreet.contracts import Generator, Learner
from discreet.errors import check_int
from discreet.learners.arms.draws import Draw


class Uniform(Learner[int, Draw, float]):
    """Draws uniformly from ``arms`` arms."""

    arms: int

    def __new__(cls, arms: int) -> Self:
        """Return the learner for at least two arms."""
        return cls._make((check_int("arms", arms, minimum=2),))

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.arms

    @classmethod
    def example(cls) -> Uniform:
        """Return one to check the contract with."""
        return cls(5)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        arm = int(rng.random() * self.arms)
        return arm, Draw(arm, float(self.arms))

    def learn(self, trace: Draw, released: float) -> None:
        """Do nothing."""
