"""Hold the action for some rounds, then release the mean of their losses with noise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet.channels.sums import NOT_YET, add_to_batch
from discreet.contracts import Floats, Generator, Mechanism
from discreet.errors import check_int
from discreet.guarantee import Guarantee
from discreet.kernel import compiled
from discreet.mechanisms import Laplace
from discreet.ranges import Range, make_range


@compiled
class Batch(NamedTuple):
    """Releases ``mean of size losses + noise`` once per batch, as a fraction of the declared range.

    Formal guarantee: the action is the same throughout a batch and chosen before it, so a round enters exactly one
    sum, and replacing it moves that sum by at most one width. Given everything released before, one density changes
    once: epsilon = 1 / scale for the whole run, with the scale of the noise in widths (Faster rates 2025, Lemma 1; no
    bound on epsilon is needed; docs/proofs.md: Batches).

    Edge cases: a last, incomplete batch is never released. Out-of-range losses are clamped before they are added. Losses
    are added on a grid of 2^-40 of the range (coarser for batches above 8,192), so that the sum is exact.

    >>> print(Batch.laplace(size=10, epsilon=0.1, bounds=Range(0.0, 1.0)))
    Batch(size=10, bounds=Range(low=0.0, high=1.0), mechanism=Laplace(scale=10.0), held=<hidden>)
    """

    size: int
    bounds: Range
    mechanism: Mechanism  # noise on the sum of a batch, in widths of the range
    held: Floats  # sum of the losses of the running batch, in steps of the grid, and how many they are

    @classmethod
    def laplace(cls, *, size: int, epsilon: float, bounds: Range) -> Batch:
        """Return the channel with the least Laplace noise for epsilon."""
        rounds = check_int("batch_size", size, least=1)
        bounds = make_range(*bounds)
        return cls(rounds, bounds, Laplace.calibrate(sensitivity=1.0, epsilon=epsilon), np.zeros(2))

    def hold(self) -> int:
        """Return the size of the batch."""
        return self.size

    def offer(self, feedback: float, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add the loss to the batch; when the batch is full, release its mean with noise."""
        total = add_to_batch(self.held, self.bounds, self.size, feedback)
        if total == NOT_YET:
            return False, query * 0.0
        return True, query * (self.mechanism.release(total, rng) / self.size)

    def live(self) -> Batch:
        """Return the channel with exact noise."""
        return self._replace(mechanism=self.mechanism.exactly(self.sensitivity))

    def fork(self) -> Batch:
        """Return the channel of another batch."""
        return self._replace(held=np.zeros(2))

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves what the mechanism gets: the sum of a batch, in widths of the range."""
        return 1.0

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        source = "Faster rates 2025, Lemma 1, with the declared range (docs/proofs.md: Batches)"
        return self.mechanism.guarantee(self.sensitivity, model="central", source=source)

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """One noise, on each mean, in the units of the losses."""
        noise = self.mechanism.noise()
        return (noise | {"scale": noise["scale"] * self.bounds.width / self.size},)

    def __repr__(self) -> str:
        return f"Batch(size={self.size}, bounds={self.bounds}, mechanism={self.mechanism}, held=<hidden>)"
