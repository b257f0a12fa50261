"""Hold the action for some rounds, then release one randomised bit about the mean of their losses."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.channels.batch import BatchSums
from discreet.contracts import Factor, Generator, NoiseScale
from discreet.errors import check_int
from discreet.guarantee import Guarantee
from discreet.mechanisms import Coin, CoinShape
from discreet.ranges import Range, check_bounds


class OneBit(BatchSums[Factor]):
    """Releases 0 or 1 once per batch, 1 the more likely the larger its losses: an ordinary loss in [0, 1] for a learner.

    With m the mean of a batch of τ losses, as a fraction of the declared range, and u = e^ε - 1,

        P(1) = 1/2 + a (m - 1/2),   a = u τ / (2 + u τ).

    Formal guarantee: a round enters one bit, and replacing it changes the probability of either
    value by at most the factor e^ε; so epsilon holds for the whole run, for batches of any length,
    also if the learner chooses each of them from what was released before (docs/proofs.md: One
    bit).

    Edge cases: a last, incomplete batch is never released. Out-of-range losses are clamped before
    they are added.

    >>> channel = OneBit.over(size=10, epsilon=0.1, bounds=Range(0.0, 1.0))
    >>> channel.guarantee.short, round(channel.contrast, 3)
    ('0.1-differential privacy', 0.345)
    """

    noise: CoinShape

    @classmethod
    def over(cls, *, size: int, epsilon: float, bounds: Range) -> Self:
        """Return the channel before the first round."""
        rounds = check_int("batch_size", size, minimum=1)
        return cls(rounds, check_bounds(bounds), np.zeros(3), Coin.calibrate(epsilon=epsilon))

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.over(size=7, epsilon=0.5, bounds=Range(-1.0, 3.0))

    def release(self, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the bit of the batch."""
        length = int(self.batch_length())
        return True, query * self.noise.toss(self.empty(), length, rng)

    def _with_exact_noise(self) -> Self:
        """Return the channel with an exact coin."""
        return self._replace(noise=self.noise.exact(self.guarantee, sensitivity=1.0))

    @property
    def contrast(self) -> float:
        """By how much the mean of a bit grows with the mean of a batch of the usual size: a."""
        return self.noise.contrast_of(self.size)

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the coin that is really tossed."""
        return self.noise.guarantee(
            1.0, model="central", source="one randomised bit a batch (docs/proofs.md: One bit)"
        )

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One bit for each mean: how far both values reach from the middle, in the units of the losses."""
        return (self.noise.noise_scale._replace(scale=0.5 * self.bounds.width / self.contrast),)
