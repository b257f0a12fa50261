"""Losses that move: slowly drifting means, and random walks."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.problems import ArmGame, Arms, ArmsEnvironment

CYCLES = 2.0  # of the drift, over the whole game
STRIDE = 64  # rounds between two steps of a walk
STEP = 0.02


@register_environment(
    "drifting", title="Bernoulli losses whose means rise and fall in turn", problem=Arms
)
class Drifting(ArmsEnvironment):
    """Bernoulli losses whose means rise and fall, each arm a little later than the one before.

    The mean of arm i in round t is 1/2 - 0.4 cos(2 π (2 t / T - i / K)); every arm is best for a
    while, twice.
    """

    on_unit_scale = True

    rounds: int

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        phase = (
            CYCLES * np.arange(start, stop)[:, None] / self.rounds
            - np.arange(self.arms) / self.arms
        )
        means = 0.5 - 0.4 * np.cos(2.0 * np.pi * phase)
        return ArmGame((uniforms(rng, start, stop, self.arms) < means).astype(np.float64))


@register_environment("random-walk", title="every loss a reflected random walk", problem=Arms)
class RandomWalk(ArmsEnvironment):
    """Every arm's loss is a random walk, reflected at 0 and 1, that starts at 1/2 and steps every 64 rounds.

    >>> losses = RandomWalk(2).deal(0, 6400, np.random.default_rng(1)).losses
    >>> float(losses.min()) >= 0.0, float(losses.max()) <= 1.0, losses[:64].tolist() == [[0.5, 0.5]] * 64
    (True, True, True)
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        period = np.arange(start, stop) // STRIDE
        steps = STEP * (2.0 * uniforms(rng, 0, int(period[-1]) + 1, self.arms) - 1.0)
        steps[0] = 0.5
        position = np.cumsum(steps, axis=0)[int(period[0]) :]
        folded = np.abs((position + 1.0) % 2.0 - 1.0)
        return ArmGame(folded[period - int(period[0])])
