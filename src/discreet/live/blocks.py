"""The state of a component as one piece of memory, which is copied, kept and put back in one step."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from componentjit import arrays, map_arrays

Part = TypeVar("Part")
Array = NDArray[np.generic]

ALIGNED = 16


def packed(component: Part) -> tuple[Part, memoryview]:
    """Return the component with its arrays side by side in one block, and that block: what is in it is its state.

    >>> pair, block = packed((np.array([1.0, 2.0]), np.array([3])))
    >>> before = block.tobytes()
    >>> pair[0][:] = 7.0
    >>> block[:] = before
    >>> pair
    (array([1., 2.]), array([3]))
    """
    sizes = [-(-array.nbytes // ALIGNED) * ALIGNED for _, array in arrays(component)]
    block = np.zeros(sum(sizes), np.uint8)
    starts = iter(np.cumsum([0, *sizes]).tolist())

    def placed(array: Array) -> Array:
        start = next(starts)
        view: Array = block[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        view[...] = array
        return view

    return map_arrays(component, placed), memoryview(block.data)
