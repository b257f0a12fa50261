"""The fully oblivious and the oblivious adversary of Tossou & Dimitrakakis 2017, section 4."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.problems import ArmGame, Arms, ArmsEnvironment

SPREAD = 0.05
PERIOD = 200


@register_environment(
    "fully-oblivious",
    title="Bernoulli gains, new probabilities every round (Tossou & Dimitrakakis 2017, section 4)",
    problem=Arms,
)
class FullyOblivious(ArmsEnvironment):
    """Gains are Bernoulli with a success probability that is drawn for every round and arm; the loss is 1 - gain.

    The probability is uniform in [0.5, 0.5 + 2 s] for the first arm and in [0.5 - s, 0.5 + s] for
    all others, s = 0.05.

    >>> FullyOblivious(3).deal(0, 20_000, np.random.default_rng(1)).losses.mean(axis=0).round(2).tolist()
    [0.45, 0.5, 0.5]
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        return ArmGame(fresh_losses(rng, start, stop, self.arms))


@register_environment(
    "oblivious",
    title="the same, redrawn every 200 rounds (Tossou & Dimitrakakis 2017, section 4)",
    problem=Arms,
)
class Oblivious(ArmsEnvironment):
    """As fully oblivious in the first round and in every multiple of 200; in between, every arm repeats its last gain.

    >>> losses = Oblivious(3).deal(0, 1000, np.random.default_rng(1)).losses
    >>> np.flatnonzero(np.abs(np.diff(losses, axis=0)).sum(axis=1)).tolist()
    [198, 398, 598, 998]
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        period = (np.arange(start, stop) + 1) // PERIOD
        first, last = int(period[0]), int(period[-1])
        return ArmGame(fresh_losses(rng, first, last + 1, self.arms)[period - first])


def fresh_losses(rng: Generator, start: int, stop: int, arms: int) -> Floats:
    """Draw probabilities, and gains with those probabilities."""
    low = np.full(arms, 0.5 - SPREAD)
    low[0] = 0.5
    probability = low + 2.0 * SPREAD * uniforms(rng, start, stop, arms, purpose=0)
    return (uniforms(rng, start, stop, arms, purpose=1) >= probability).astype(np.float64)
