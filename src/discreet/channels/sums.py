"""The running batch that some channels hold."""

from __future__ import annotations

from typing import Self

import numpy as np

from componentjit import Raw
from discreet.contracts import Channel, Factor, Floats
from discreet.ranges import Range, grid_for

WISH, COUNT, TOTAL = (
    0,
    1,
    2,
)  # of the running batch: its length, how many losses came, their sum in steps of the grid


class BatchSums(Channel[float, Factor]):
    """Holds the action for a batch of rounds and adds up their losses, exactly.

    The action is the same throughout a batch and chosen before it, and so is the length of the
    batch: ``size``, unless the learner wishes another one. A round enters exactly one sum. Losses
    are added on a grid of 2^-40 of the range (coarser for batches above 8,192), so that the sum is
    exact and replacing one loss moves it by at most one width, whatever the range (docs/proofs.md:
    Exact sums). A last, incomplete batch is never released.
    """

    size: int
    bounds: Range
    held: Raw[Floats]

    def hold(self) -> int:
        """Return the size of the batch."""
        return self.size

    def begin(self, patience: int) -> int:
        """Begin a batch, as long as the learner wishes, or of the usual size.

        A batch that has begun keeps its length: losses that were added on one grid must not be read
        on another.
        """
        if self.held[COUNT] == 0.0:
            self.held[WISH] = patience if patience > 0 else self.size
        return int(self.batch_length())

    def take(self, feedback: float, query: Factor) -> bool:
        """Add a loss; return whether the batch is full."""
        held, length = self.held, self.batch_length()
        count = float(held[COUNT]) + 1.0
        held[TOTAL] += self.bounds.steps(feedback, grid_for(int(length)))
        held[COUNT] = count
        return count >= length

    def batch_length(self) -> float:
        """Return how many losses make the running batch full."""
        wish = float(self.held[WISH])
        return wish if wish > 0.0 else float(self.size)

    def empty(self) -> float:
        """Return the sum of the batch in widths of the range, and forget it."""
        total = float(self.held[TOTAL]) / grid_for(int(self.batch_length()))
        self.held[COUNT] = 0.0
        self.held[TOTAL] = 0.0
        return total

    def fork(self) -> Self:
        """Return the channel of another batch."""
        return self._replace(held=np.zeros(3))

    def rounds_seen(self) -> int:
        """Return how many losses of the running batch came."""
        return int(self.held[COUNT])
