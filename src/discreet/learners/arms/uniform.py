"""Plays every arm with the same probability and learns nothing: the baseline."""

from __future__ import annotations

from typing import NamedTuple

from discreet.contracts import Generator
from discreet.kernel import compiled
from discreet.learners.arms.draws import Draw


@compiled
class Uniform(NamedTuple):
    """Draws uniformly from ``arms`` arms."""

    arms: int

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        arm = int(rng.random() * self.arms)
        return arm, Draw(arm, float(self.arms))

    def query(self, trace: Draw) -> float:
        """Ask for the plain loss."""
        return 1.0

    def learn(self, trace: Draw, released: float) -> None:
        """Do nothing."""
