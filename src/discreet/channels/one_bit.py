"""Hold the action for some rounds, then release one random bit about the mean of their losses."""

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
    """Releases one random bit per batch: 1 is likelier for larger losses.

    With m the mean of a batch of τ losses, as a fraction of the declared range, and Ω = e^ε - 1,

        P(1) = 1/2 + a (m - 1/2),   a = Ω τ / (2 + Ω τ).

    To a learner the bit is an ordinary loss in [0, 1].

    Formal guarantee: each round enters one bit, and replacing it changes the probability of either
    value by at most the factor e^ε. So epsilon holds for the whole run, for batches of any length,
    even if the learner chooses each length from what was released before (docs/proofs.md: One bit).

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
        length = self.batch_length()
        return True, query * self.noise.toss(self.sum_of(length), int(length), rng)

    def _with_exact_noise(self) -> Self:
        """Return the channel with an exact coin."""
        return self._replace(noise=self.noise.exact(self.guarantee, sensitivity=1.0))

    @property
    def contrast(self) -> float:
        """a: how much the mean of a bit grows with the mean of a batch of the usual size."""
        return self.noise.contrast_of(self.size)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the coin that is actually tossed."""
        return self.noise.guarantee(
            1.0, model="central", source="one randomised bit per batch (docs/proofs.md: One bit)"
        )

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One bit per mean: the distance of both values from the middle, in units of the losses."""
        return (self.noise.noise_scale._replace(scale=0.5 * self.bounds.width / self.contrast),)
