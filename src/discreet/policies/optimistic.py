"""Choosing by the largest reward that is still plausible."""

from __future__ import annotations

import math

from discreet.contracts import Floats, Generator, Policy
from discreet.models import LinearModel


class Optimistic(Policy[LinearModel, int, Floats]):
    """Plays the arm with the largest ⟨x, estimate⟩ + sqrt(x' spread x)."""

    slack: float = 1.0 + 1e-9  # for rounding

    @classmethod
    def example(cls) -> Optimistic:
        """Return one to check the contract with."""
        return cls()

    def choose(self, model: LinearModel, observation: Floats, rng: Generator) -> int:
        """Return the arm with the largest plausible reward, the first of several."""
        size, widest = model.estimate.size, model.widest[0]
        best, most = 0, -math.inf
        for arm in range(observation.shape[0]):
            mean, length = 0.0, 0.0
            for i in range(size):
                part = observation[arm, i]
                mean += part * model.estimate[i]
                length += part * part
            if mean + self.slack * math.sqrt(max(widest * length, 0.0)) <= most:
                continue  # it cannot be the best one: that is seen without its uncertainty
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
