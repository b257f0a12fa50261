"""A named algorithm: a learner behind a channel.

DISCREET_PLUGINS=examples/templates/own_algorithm.py discreet simulate greedy exp3 --trials 4
"""

import numpy as np

from discreet import Private, Setting, register_algorithm
from discreet.channels import Batch
from discreet.contracts import Learner
from discreet.problems import Arms


class Greedy(Learner[int, int, float]):
    """Plays the arm with the smallest mean released loss; in one round of 20, any arm."""

    sums: np.ndarray
    counts: np.ndarray

    def act(self, observation, rng):
        arm = int(rng.random() * self.sums.size)
        if rng.random() >= 0.05:
            arm = int(np.argmin(self.sums / self.counts))
        return arm, arm  # the action, and the trace that learn will get

    def learn(self, trace, released):
        self.sums[trace] += released
        self.counts[trace] += 1.0


@register_algorithm(name="greedy", title="greedy on noisy means of batches", problem=Arms)
def greedy(setting: Setting, *, size: int = 20) -> Private:
    """Play greedily with batches of ``size`` losses."""
    channel = Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
    arms = setting.problem.arms
    return Private(channel, Greedy(np.zeros(arms), np.ones(arms)))
