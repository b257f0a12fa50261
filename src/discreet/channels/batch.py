"""Hold the action for some rounds, then release the mean of their losses with noise."""

from __future__ import annotations

from typing import Self

import numpy as np

from componentjit import Raw, as_list
from discreet.contracts import Channel, Factor, Floats, Generator, Noise, NoiseScale
from discreet.errors import DiscreetError, check_int
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace
from discreet.ranges import FINEST, FINEST_FOR, Range, check_bounds, grid_for

# Entries of ``held``: the length the learner asked for, how many losses were added, and their sum
# in steps of the grid.
WISH, COUNT, TOTAL = 0, 1, 2


UNREACHABLE = (
    "the sum of this batch is impossible for its outcomes: it was modified and cannot be released."
)


class BatchSums(Channel[float, Factor]):
    """Holds the action for a batch of rounds and adds up their losses, exactly.

    The action and the length of a batch are chosen before it begins. The length is ``size`` unless
    the learner asks for another one. Each round enters exactly one sum. Losses are added on a grid
    of 2^-40 of the range (coarser for batches above 8,192), so the sum is exact, and replacing one
    loss moves it by at most one width, whatever the range (docs/proofs.md: Exact sums). A last,
    incomplete batch is never released.
    """

    size: int
    bounds: Range
    held: Raw[Floats]

    def hold(self) -> int:
        """Return the size of the batch."""
        return self.size

    def begin(self, patience: int) -> int:
        """Begin a batch of the length that the learner asks for, or of the usual size.

        A batch in progress keeps its length: a sum on one grid must not be read on another.
        """
        if self.held[COUNT] != 0.0:
            return int(self.batch_length())
        length = int(patience if patience > 0 else self.size)
        self.held[WISH] = length
        return length

    def take(self, feedback: float, query: Factor) -> bool:
        """Add a loss; return whether the batch is full."""
        held = self.held
        before = as_list(held)
        wish, count = before[WISH], before[COUNT] + 1.0
        length = wish if wish > 0.0 else float(self.size)
        grid = FINEST if length <= FINEST_FOR else grid_for(length)
        held[TOTAL] = before[TOTAL] + self.bounds.steps(feedback, grid)
        held[COUNT] = count
        return bool(count >= length)

    def check_held(self) -> None:
        """Refuse a sum that so many losses in the range cannot have."""
        wish, count, total = self.held.tolist()
        length = wish if wish > 0.0 else float(self.size)
        grid = FINEST if length <= FINEST_FOR else grid_for(length)
        if not (0.0 <= count <= length and 0.0 <= total <= count * grid):
            raise DiscreetError(UNREACHABLE)

    def batch_length(self) -> float:
        """Return how many losses fill the current batch."""
        wish = float(self.held[WISH])
        return wish if wish > 0.0 else float(self.size)

    def empty(self) -> float:
        """Return the sum of the batch in widths of the range, and reset it."""
        return self.sum_of(self.batch_length())

    def sum_of(self, length: float) -> float:
        """Return the sum of a batch of this length in widths of the range, and reset it."""
        held = self.held
        total = float(held[TOTAL]) / grid_for(length)
        held[COUNT] = 0.0
        held[TOTAL] = 0.0
        return total

    def fork(self) -> Self:
        """Return a channel for another batch."""
        return self._replace(held=np.zeros(3))

    def rounds_seen(self) -> int:
        """Return how many losses of the current batch were received."""
        return int(self.held[COUNT])


class Batch(BatchSums[Factor]):
    """Releases ``mean of a batch + noise`` once per batch, as a fraction of the declared range.

    Formal guarantee: each round enters exactly one sum, and replacing it moves that sum by at most
    one width. Given everything released before, one density changes once. So epsilon = 1 / scale
    for the whole run, with the scale of the noise in widths (Faster rates 2025, Lemma 1; no bound
    on epsilon is needed; docs/proofs.md: Batches). This holds for batches of any length, even if
    the learner chooses each length from what was released before.

    Edge cases: a last, incomplete batch is never released. Out-of-range losses are clamped before
    they are added.

    >>> print(Batch.laplace(size=10, epsilon=0.1, bounds=Range(0.0, 1.0)))
    Batch(size=10, bounds=Range(low=0.0, high=1.0), held=<hidden>, noise=Laplace(scale=10.0))
    """

    noise: Noise  # noise on the sum of a batch, in widths of the range

    @classmethod
    def over(cls, *, size: int, bounds: Range, noise: Noise) -> Self:
        """Return the channel before the first round; ``noise`` is on batch sums, in widths."""
        rounds = check_int("batch_size", size, minimum=1)
        batch = cls(size=rounds, bounds=check_bounds(bounds), held=np.zeros(3), noise=noise)
        if noise.is_exact:
            raise DiscreetError(
                "Batch takes simulation noise here; call live() to get exact noise."
            )
        return batch

    @classmethod
    def laplace(cls, *, size: int, epsilon: float, bounds: Range) -> Self:
        """Return the channel with the least Laplace noise for epsilon."""
        return cls.over(
            size=size, bounds=bounds, noise=Laplace.calibrate(sensitivity=1.0, epsilon=epsilon)
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.laplace(size=7, epsilon=0.5, bounds=Range(-1.0, 3.0))

    def release(self, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the mean of the batch with noise."""
        length = self.batch_length()
        return True, query * (self.noise.add_noise(self.sum_of(length), rng) / length)

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise."""
        return self._replace(noise=self.noise.exact(self.guarantee, self.sensitivity))

    @property
    def sensitivity(self) -> float:
        """How far replacing one round moves the sum of a batch, in widths of the range."""
        return 1.0

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        source = "Faster rates 2025, Lemma 1, with the declared range (docs/proofs.md: Batches)"
        return self.noise.guarantee(self.sensitivity, model="central", source=source)

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.noise.is_gaussian

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One noise, on each mean, in the units of the losses."""
        one = self.noise.noise_scale
        return (one._replace(scale=one.scale * self.bounds.width / self.size),)
