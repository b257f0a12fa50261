"""Sorting and selecting into arrays that are there already: compiled methods allocate nothing."""

from __future__ import annotations

from componentjit import helper
from discreet.contracts import Floats, Integers


@helper
def sort_items(values: Floats | Integers, order: Integers) -> None:
    """Write all indices into ``order``, those of smaller values first, of equal ones the first (heap sort).

    >>> import numpy as np
    >>> order = np.zeros(4, dtype=np.int64)
    >>> sort_items([0.5, 0.1, 0.5, 0.0], order)
    >>> order.tolist()
    [3, 1, 0, 2]
    """
    make_heap(values, order, order.size)
    for end in range(order.size - 1, 0, -1):
        order[0], order[end] = order[end], order[0]
        sift(values, order, end)


@helper
def select_least(values: Floats | Integers, order: Integers, count: int) -> None:
    """Write the indices of the ``count`` smallest values to the front of ``order``, in no particular order.

    A heap holds the best so far, with the one to go first on top.

    >>> import numpy as np
    >>> order = np.zeros(4, dtype=np.int64)
    >>> select_least([0.5, 0.1, 0.5, 0.0], order, 2)
    >>> sorted(order[:2].tolist())
    [1, 3]
    """
    make_heap(values, order, count)
    for i in range(count, order.size):
        if values[i] < values[order[0]]:
            order[0] = i
            sift(values, order, count)


@helper
def make_heap(values: Floats | Integers, order: Integers, count: int) -> None:
    """Write the first indices into ``order`` as a heap: none comes after the one above it."""
    for end in range(count):
        place = end
        while place > 0 and comes_after(values, end, order[(place - 1) // 2]):
            order[place] = order[(place - 1) // 2]
            place = (place - 1) // 2
        order[place] = end


@helper
def sift(values: Floats | Integers, order: Integers, count: int) -> None:
    """Move the top of a heap down to where it belongs."""
    item, place = order[0], 0
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and comes_after(values, order[child + 1], order[child]):
            child += 1
        if not comes_after(values, order[child], item):
            break
        order[place] = order[child]
        place = child
    order[place] = item


@helper
def comes_after(values: Floats | Integers, one: int, other: int) -> bool:
    """Return whether an index is sorted behind another one."""
    if values[one] == values[other]:
        return one > other
    return bool(values[one] > values[other])
