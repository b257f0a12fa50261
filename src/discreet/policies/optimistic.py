"""Choosing by the largest reward that is still plausible."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Policy
from discreet.models import LinearModel


class Optimistic(Policy):
    """Plays the arm with the largest ⟨x, estimate⟩ + sqrt(x' spread x)."""

    product: Floats  # to work in

    @classmethod
    def start(cls, dimension: int) -> Optimistic:
        """Return the policy for so many features."""
        return cls(np.zeros(dimension))

    @classmethod
    def example(cls) -> Optimistic:
        """Return one to check the contract with."""
        return cls.start(3)

    def choose(self, model: LinearModel, observation: Floats, rng: Generator) -> int:
        """Return the arm with the largest plausible reward, the first of several."""
        size = self.product.size
        best, most = 0, -math.inf
        for arm in range(observation.shape[0]):
            for i in range(size):
                self.product[i] = 0.0
            for j in range(size):  # column by column: so the compiler can add several entries at once
                part = observation[arm, j]
                for i in range(size):
                    self.product[i] += part * model.spread[j, i]
            mean, square = 0.0, 0.0
            for i in range(size):
                mean += observation[arm, i] * model.estimate[i]
                square += observation[arm, i] * self.product[i]
            score = mean + math.sqrt(max(square, 0.0))
            if score > most:
                best, most = arm, score
        for i in range(size):
            self.product[i] = 0.0
        return best
