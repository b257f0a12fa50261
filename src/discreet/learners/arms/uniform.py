"""Plays every arm with the same probability and learns nothing: the baseline."""

from __future__ import annotations

from discreet.contracts import Generator, Learner
from discreet.learners.arms.draws import Draw


class Uniform(Learner):
    """Draws uniformly from ``arms`` arms."""

    arms: int

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
