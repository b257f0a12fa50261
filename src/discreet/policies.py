"""How a device chooses, given a published model and what only it observes."""

from __future__ import annotations

import math

from discreet.contracts import Floats, Generator, Model, Policy
from discreet.models import GreedyModel, LinearModel

__all__ = ["Greedy", "Optimistic", "UniformChoice"]


class Greedy(Policy[GreedyModel, int, Floats]):
    """Plays the arm with the largest ⟨x, estimate⟩; ties go to the first."""

    margin: float = 0.0  # by which a later arm must be better, to break ties despite rounding

    @classmethod
    def example(cls) -> Greedy:
        """Return an example for the contract tests."""
        return cls()

    def choose(self, model: GreedyModel, observation: Floats, rng: Generator) -> int:
        """Return the arm that looks best."""
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
        size, widest = model.estimate.size, model.widest[0]
        best, most = 0, -math.inf
        for arm in range(observation.shape[0]):
            mean, length = 0.0, 0.0
            for i in range(size):
                part = observation[arm, i]
                mean += part * model.estimate[i]
                length += part * part
            if mean + self.slack * math.sqrt(max(widest * length, 0.0)) <= most:
                continue  # it cannot be the best arm, whatever its own uncertainty
            square = 0.0
            for i in range(size):
                part = 0.5 * observation[arm, i] * model.spread[i, i]
                for j in range(i):
                    part += observation[arm, j] * model.spread[i, j]
                square += 2.0 * observation[arm, i] * part
            score = mean + math.sqrt(max(square, 0.0))
            if score > most:
                best, most = arm, score
        return best


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
