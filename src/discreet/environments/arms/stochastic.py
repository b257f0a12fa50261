"""The stochastic adversary of Tossou & Dimitrakakis 2017, section 4."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range, count
from discreet.problems import ArmGame, Arms, ArmsEnvironment
from discreet.ranges import Range, make_range

GAP = 0.05
UNIT = make_range()


@register_environment(
    "stochastic", title="Bernoulli gains, one arm better by 0.05 (Tossou & Dimitrakakis 2017, section 4)", problem=Arms
)
class Stochastic(ArmsEnvironment):
    """Independent gains, Bernoulli(0.5 + gap) for the first arm, gap = 0.05, and Bernoulli(0.5) for all others.

    The loss is 1 - gain. With ``means`` arm i loses Bernoulli losses of mean means(i) instead, in the units of the
    declared range (``bounds``).

    >>> game = Stochastic(3).deal(0, 10_000, np.random.default_rng(1))
    >>> game.losses.mean(axis=0).round(2).tolist()
    [0.45, 0.5, 0.5]
    """

    on_unit_scale = True

    gap: float = GAP
    means: tuple[float, ...] = ()
    bounds: Range = UNIT

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        return ArmGame((rng.random((stop - start, self.arms)) >= self._gain_probability()).astype(np.float64))

    def _gain_probability(self) -> Floats:
        if self.means:
            if len(self.means) != self.arms:
                raise DiscreetError(f"means has {count(len(self.means), 'number')}, but there are {self.arms} arms.")
            low, high = self.bounds.low, self.bounds.high
            return np.array([1.0 - self.bounds.fraction(check_range("means", mean, low, high)) for mean in self.means])
        probability = np.full(self.arms, 0.5)
        probability[0] += check_range("gap", self.gap, 0.0, 0.5)
        return probability
