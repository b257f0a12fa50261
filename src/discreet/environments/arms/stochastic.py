"""The stochastic adversary of Tossou & Dimitrakakis 2017, section 4."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Environment, Floats, Generator
from discreet.environments.arms.game import ArmGame, least


class Stochastic(Environment):
    """Independent gains, Bernoulli(0.55) for the first arm and Bernoulli(0.5) for all others; the loss is 1 - gain.

    >>> game = Stochastic(3).deal(0, 10_000, np.random.default_rng(1))
    >>> game.losses.mean(axis=0).round(2).tolist()
    [0.45, 0.5, 0.5]
    """

    arms: int

    @property
    def actions(self) -> int:
        """The number of arms."""
        return self.arms

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        gain_probability = np.full(self.arms, 0.5)
        gain_probability[0] = 0.55
        return ArmGame((rng.random((stop - start, self.arms)) >= gain_probability).astype(np.float64))

    def best(self, total: Floats) -> float:
        """Return the loss of the best arm."""
        return least(total)
