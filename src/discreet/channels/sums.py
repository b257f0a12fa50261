"""The running batch that some channels hold."""

from __future__ import annotations

from discreet.contracts import Floats
from discreet.kernel import helper
from discreet.ranges import Range, grid_for

NOT_YET = -1.0


@helper
def add_to_batch(held: Floats, bounds: Range, size: int, feedback: float) -> float:
    """Add a loss to a batch; return its mean as a fraction of the range and empty it, or NOT_YET while it is not full.

    ``held`` is the sum of the losses in steps of the grid, and how many they are.
    """
    grid = grid_for(size)
    held[0] += bounds.steps(feedback, grid)
    held[1] += 1.0
    if held[1] < size:
        return NOT_YET
    mean = float(held[0]) / (grid * size)
    held[0] = 0.0
    held[1] = 0.0
    return mean
