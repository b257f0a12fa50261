"""The running batch that some channels hold."""

from __future__ import annotations

from discreet.contracts import Floats
from discreet.kernel import helper
from discreet.ranges import Range, grid_for

NOT_YET = -1.0


@helper
def add_to_batch(held: Floats, bounds: Range, size: int, feedback: float) -> float:
    """Add a loss to a batch; return its sum in widths of the range and empty it, or NOT_YET while it is not full.

    ``held`` is the sum of the losses in steps of the grid, and how many they are. The sum is exact, so replacing one loss
    moves it by at most 1, whatever the range (docs/proofs.md: Exact sums).
    """
    grid = grid_for(size)
    held[0] += bounds.steps(feedback, grid)
    held[1] += 1.0
    if held[1] < size:
        return NOT_YET
    total = float(held[0]) / grid
    held[0] = 0.0
    held[1] = 0.0
    return total
