"""Stochastic losses: with fixed means, or with means that an oblivious adversary draws."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range, count, shorten
from discreet.problems import ArmGame, Arms, ArmsEnvironment, Coins, tossed
from discreet.ranges import Range, make_range

GAP = 0.05  # as a fraction of the range
UNIT = make_range()
SPREAD = 0.05  # of a success probability around its mean, for the oblivious adversaries
PERIOD = 200  # rounds for which the oblivious adversary repeats its gains


@register_environment(
    "stochastic",
    title="Bernoulli gains, one arm better by 0.05 (Tossou & Dimitrakakis 2017, section 4)",
    problem=Arms,
)
class Stochastic(ArmsEnvironment):
    """Independent losses with fixed means: the first arm is better by a gap, 0.05 of the range.

    All options are in the units of the declared range (``bounds``). The other arms have their mean
    in the middle of it; with ``means``, arm i has the mean means(i). Losses are one of the two ends
    of the range (Bernoulli); with ``spread`` they have that standard deviation and follow a beta
    distribution on the range.

    >>> game = Stochastic(3).deal(0, 10_000, np.random.default_rng(1))
    >>> game.losses.mean(axis=0).round(2).tolist()
    [0.45, 0.5, 0.5]
    >>> scored = Stochastic(3, means=(5.0, 5.5, 6.5), spread=1.5, bounds=Range(0.0, 10.0))
    >>> losses = 10.0 * scored.deal(0, 10_000, np.random.default_rng(1)).losses
    >>> losses.mean(axis=0).round(1).tolist(), losses.std(axis=0).round(1).tolist()
    ([5.0, 5.5, 6.5], [1.5, 1.5, 1.5])
    """

    on_unit_scale = True

    gap: float | None = None
    means: tuple[float, ...] = ()
    spread: float | None = None
    bounds: Range = UNIT

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop, as fractions of the range."""
        coins = self.coins()
        if coins is not None:
            return ArmGame(tossed(coins, stop - start, rng))
        means, size = self.mean_fractions(), (stop - start, self.arms)
        assert self.spread is not None, "without a spread there are coins"
        most = float(np.sqrt(means * (1.0 - means)).min())
        deviation = (
            check_range("spread", self.spread, 0.0, most * self.bounds.width) / self.bounds.width
        )
        if deviation == 0.0:
            return ArmGame(np.broadcast_to(means, size).copy())
        # at least 1e-9: at the largest spread the beta distribution would have parameters of 0
        strength = np.maximum(means * (1.0 - means) / deviation**2 - 1.0, 1e-9)
        return ArmGame(rng.beta(means * strength, (1.0 - means) * strength, size))

    def coins(self) -> Coins | None:
        """Return coins with the means of the arms, unless losses have a spread."""
        return (
            Coins(1.0 - self.mean_fractions(), np.zeros(self.arms)) if self.spread is None else None
        )

    def fixed_means(self) -> Floats:
        """Return the mean of every arm."""
        return self.mean_fractions()

    def mean_fractions(self) -> Floats:
        """Return every arm's mean as a fraction of the range, or refuse the options."""
        if isinstance(self.means, str) or not isinstance(self.means, tuple | list | np.ndarray):
            raise DiscreetError(
                f"means is {shorten(self.means)}, but must be one number for each arm."
            )
        if len(self.means):
            if self.gap is not None:
                raise DiscreetError(
                    f"gap is {self.gap!r}, but means are given too: give one of the two."
                )
            if len(self.means) != self.arms:
                raise DiscreetError(
                    f"means has {count(len(self.means), 'number')}, but there are {self.arms} arms."
                )
            low, high = self.bounds
            return np.array(
                [self.bounds.fraction(check_range("means", mean, low, high)) for mean in self.means]
            )
        gap = (
            GAP
            if self.gap is None
            else check_range("gap", self.gap, 0.0, self.bounds.width / 2) / self.bounds.width
        )
        means = np.full(self.arms, 0.5)
        means[0] -= gap
        return means


@register_environment(
    "fully-oblivious",
    title="Bernoulli gains, new probabilities every round (Tossou & Dimitrakakis 2017, section 4)",
    problem=Arms,
)
class FullyOblivious(ArmsEnvironment):
    """Bernoulli gains whose success probability is drawn for every round and arm.

    The loss is 1 - gain. The probability is uniform in [0.5, 0.5 + 2 s] for the first arm and in
    [0.5 - s, 0.5 + s] for all others, with s = 0.05.

    >>> game = FullyOblivious(3).deal(0, 20_000, np.random.default_rng(1))
    >>> game.losses.mean(axis=0).round(2).tolist()
    [0.45, 0.5, 0.5]
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        return ArmGame(fresh_losses(rng, start, stop, self.arms))


@register_environment(
    "oblivious",
    title="as fully-oblivious, redrawn every 200 rounds (Tossou & Dimitrakakis 2017, section 4)",
    problem=Arms,
)
class Oblivious(ArmsEnvironment):
    """Gains as in fully-oblivious, but redrawn only every 200 rounds.

    They are drawn in the first round and in every multiple of 200; in between, every arm repeats
    its last gain.

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
    """Draw probabilities, and losses with those probabilities."""
    low = np.full(arms, 0.5 - SPREAD)
    low[0] = 0.5
    probability = low + 2.0 * SPREAD * uniforms(rng, start, stop, arms, purpose=0)
    return (uniforms(rng, start, stop, arms, purpose=1) >= probability).astype(np.float64)
