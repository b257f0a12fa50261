"""Choosing blindly: who learns nothing."""

from __future__ import annotations

from discreet.contracts import Floats, Generator, Model, Policy


class UniformChoice(Policy[Model, int, Floats]):
    """Plays every arm with the same probability, whatever is shown and published."""

    arms: int

    @classmethod
    def example(cls) -> UniformChoice:
        """Return one to check the contract with."""
        return cls(4)

    def choose(self, model: Model, observation: Floats, rng: Generator) -> int:
        """Return any arm."""
        return min(int(rng.random() * self.arms), self.arms - 1)
