"""An environment for contexts: features of every arm, mean rewards, and a coin for each round.

DISCREET_PLUGINS=examples/templates/own_contexts.py discreet simulate linucb \
    --environment two-tastes --trials 4
"""

import numpy as np

from discreet import register_environment
from discreet.problems import Contexts, ContextsEnvironment


@register_environment("two-tastes", title="people of two tastes", problem=Contexts)
class TwoTastes(ContextsEnvironment):
    """Features are random directions; rewards depend on the first two of them."""

    def deal(self, start, stop, rng):
        rounds, shape = stop - start, (stop - start, self.arms, self.dimension)
        numbers = rng.random((rounds, self.arms * self.dimension + 1))  # one row per round
        features = 2.0 * numbers[:, :-1].reshape(shape) - 1.0
        features /= np.linalg.norm(
            features, axis=2, keepdims=True
        )  # played() scales them to the norm
        means = 0.5 + 0.25 * (features[:, :, 0] + features[:, :, 1])
        return self.played(features, means, coins=numbers[:, -1])
