"""Calls from compiled code back into Python, for a part that cannot be compiled.

Compiled code knows a :class:`Call` by two numbers: the address of one C function, which takes the
interpreter's lock, and the number of the call there. Arguments and results pass through an array
that both sides share.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from componentjit.errors import ComponentError


class PythonFailed(ComponentError):
    """Raised by compiled code when a call has failed; the call stores the reason."""


class Call:
    """A Python function of one number that compiled code can call as long as this object lives.

    Compiled code writes 0 into ``done`` before a call, and finds 1 after it, unless it has failed.
    The returned value would not show that: an interrupt may come before the first line of the call,
    and then ctypes returns an arbitrary value.
    """

    def __init__(self, function: Callable[[int], None]) -> None:
        self.function, self.number = function, next(_numbers)
        self.done = np.zeros(1, np.int64)
        self.failure: BaseException | None = None
        _calls[self.number] = self

    @property
    def address(self) -> int:
        """Where compiled code finds the C function."""
        return _c_function()[1]


_numbers = itertools.count()
_calls: weakref.WeakValueDictionary[int, Call] = weakref.WeakValueDictionary()


def call_python(address: int, number: int, what: int) -> int:
    """Run a call, and return 0.

    The call stores an exception, because none can pass through compiled code.
    """
    call = _calls[number]
    try:
        call.function(what)
        call.done[0] = 1
    except BaseException as failure:
        call.failure = failure
    return 0


@functools.cache
def _c_function() -> tuple[object, int]:
    """Return the C function, which must be kept, and its address."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    function = kind(functools.partial(call_python, 0))
    return function, int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def compiled_call() -> Callable[..., Any]:
    """Return what compiled code runs instead of ``call_python``."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def at_address(typing: Any, address: Any, number: Any, what: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(64)
            function = builder.inttoptr(
                arguments[0], ir.FunctionType(word, [word, word]).as_pointer()
            )
            return builder.call(function, arguments[1:])

        return types.int64(types.int64, types.int64, types.int64), generate

    call: Any = intrinsic(at_address)
    return lambda address, number, what: call(address, number, what)
