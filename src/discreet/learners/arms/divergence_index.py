"""What learners with an index by the private divergence have in common (Azize et al. 2025)."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.holding import IndexLearner


class DivergenceIndex(IndexLearner):
    """Holds the arm of the largest index for a batch in proportion to its rounds n; a subclass says what the index is.

    The private divergence is d(x, y) = min over z of ε |z - x| + kl(z, y). Means are over all
    rounds of an arm with the noise of all its batches, cut to [0, 1]; nothing is forgotten.

    Regret against independent Bernoulli losses: asymptotically Σ Δ ln T / d(μ, μ*), up to a factor
    that grows with the batches (Azize et al. 2025). Departures: the first batch of an arm has 1 / ε
    rounds instead of one.
    """

    epsilon: float

    @classmethod
    def start(cls, *, arms: int, epsilon: float, first: int, growth: float = 0.5) -> Self:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            first=check_int("first", first, minimum=1),
            growth=check_range("growth", growth, 0.0, 1e3),
            asked=np.zeros(count),
            counts=np.zeros(count),
            gains=np.zeros(count),
            clock=np.zeros(2),
            epsilon=check_positive("epsilon", epsilon),
        )
