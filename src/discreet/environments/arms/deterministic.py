"""The deterministic adversary of Tossou & Dimitrakakis 2017, section 4."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.registry import register_environment
from discreet.problems import ArmGame, Arms, ArmsEnvironment


@register_environment(
    "deterministic",
    title="fixed gains that mislead (Tossou & Dimitrakakis 2017, section 4)",
    problem=Arms,
)
class Deterministic(ArmsEnvironment):
    """Gains that a greedy player misreads; the loss is 1 - gain.

    The first arm always gives 0.38; the second gives 1 in every even round; the third gives 1 in
    every round that is a multiple of 3; all others give 0. Rounds count from 1. The second arm is
    best in the long run, and uniform play on four arms loses 59/300 a round against it.

    >>> Deterministic(4).deal(0, 4, np.random.default_rng()).losses.round(2).tolist()
    [[0.62, 1.0, 1.0, 1.0], [0.62, 0.0, 1.0, 1.0], [0.62, 1.0, 0.0, 1.0], [0.62, 0.0, 1.0, 1.0]]
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        rounds = np.arange(start, stop) + 1
        losses = np.ones((stop - start, self.arms))
        losses[:, 0] = 1.0 - 0.38
        losses[rounds % 2 == 0, 1] = 0.0
        if self.arms > 2:
            losses[rounds % 3 == 0, 2] = 0.0
        return ArmGame(losses)
