"""How a device chooses an arm, given a published model and its own observations."""

from __future__ import annotations

import math

from discreet.contracts import Floats, Generator, Model, Policy
from discreet.least_squares import most_plausible
from discreet.models import GreedyModel, LinearModel

__all__ = ["Greedy", "Optimistic", "OptimisticRandomly", "UniformChoice"]


class Greedy(Policy[GreedyModel, int, Floats]):
    """Plays the arm with the largest ⟨x, estimate⟩; ties go to the first."""

    margin: float = 0.0  # a later arm must be better by this, so that rounding decides no ties

    @classmethod
    def example(cls) -> Greedy:
        """Return an example for the contract tests."""
        return cls()

    def choose(self, model: GreedyModel, observation: Floats, rng: Generator) -> int:
        """Return the arm with the largest estimate."""
        best, most = 0, -math.inf
        for arm in range(observation.shape[0]):
            score = 0.0
            for i in range(observation.shape[1]):
                score += observation[arm, i] * model.estimate[i]
            if score > most + self.margin:
                best, most = arm, score
        return best


class Optimistic(Policy[LinearModel, int, Floats]):
    """Plays the arm with the largest plausible reward, ⟨x, estimate⟩ + sqrt(x' spread x)."""

    slack: float = 1.0 + 1e-9  # for rounding

    @classmethod
    def example(cls) -> Optimistic:
        """Return an example for the contract tests."""
        return cls()

    def choose(self, model: LinearModel, observation: Floats, rng: Generator) -> int:
        """Return the arm with the largest plausible reward; ties go to the first."""
        return most_plausible(
            model.estimate, model.spread, model.widest[0], observation, self.slack, 0
        )


class OptimisticRandomly(Policy[LinearModel, int, Floats]):
    """``Optimistic`` with ties broken at random.

    If every arm has its own block with the same features, there are ties until the first fit, and
    between arms that were never played.
    """

    slack: float = 1.0 + 1e-9  # for rounding

    @classmethod
    def example(cls) -> OptimisticRandomly:
        """Return an example for the contract tests."""
        return cls()

    def choose(self, model: LinearModel, observation: Floats, rng: Generator) -> int:
        """Return the arm with the largest plausible reward; ties go to the first from a random arm.

        One number is drawn in every round, tie or not.
        """
        arms = observation.shape[0]
        first = min(int(rng.random() * arms), arms - 1)
        return most_plausible(
            model.estimate, model.spread, model.widest[0], observation, self.slack, first
        )


class UniformChoice(Policy[Model, int, Floats]):
    """Plays every arm with the same probability: the baseline that learns nothing."""

    arms: int

    @classmethod
    def example(cls) -> UniformChoice:
        """Return an example for the contract tests."""
        return cls(4)

    def choose(self, model: Model, observation: Floats, rng: Generator) -> int:
        """Return a random arm."""
        return min(int(rng.random() * self.arms), self.arms - 1)
