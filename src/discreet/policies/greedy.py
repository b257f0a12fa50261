"""Choosing what looks best."""

from __future__ import annotations

import math

from discreet.contracts import Floats, Generator, Policy
from discreet.models import GreedyModel


class Greedy(Policy[GreedyModel, int, Floats]):
    """Plays the arm with the largest ⟨x, estimate⟩, the first of several."""

    margin: float = 0.0  # by which a later arm must be better, against ties by rounding

    @classmethod
    def example(cls) -> Greedy:
        """Return one to check the contract with."""
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
