"""Checks of two whole numbers whose errors name both, in all backends.

Compiled code cannot format a message. It stores the numbers with a C function, which takes the
interpreter's lock, and raises an error that reads them.
"""

from __future__ import annotations

import ast
import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from componentjit.component import compiled_as
from componentjit.errors import ComponentError

Check = Callable[[int, int], None]
# What compiled code calls: a name, because code that is cached on disk cannot contain an address.
SYMBOL = "componentjit_note_numbers"


class GuardSpec(NamedTuple):
    """What a check requires: equal numbers, or else that the first is an index below the second."""

    equal: bool
    sentence: str
    error: type[ValueError]


guards: dict[Check, GuardSpec] = {}


def wrong(guard: GuardSpec, found: ast.expr, wanted: ast.expr) -> ast.expr:
    """Return, as syntax, the condition under which a check fails."""
    if guard.equal:
        return ast.Compare(found, [ast.NotEq()], [wanted])
    return ast.UnaryOp(
        ast.Not(), ast.Compare(ast.Constant(0), [ast.LtE(), ast.Lt()], [found, wanted])
    )


def refusal(guard: GuardSpec, found: ast.expr, wanted: ast.expr, note: str, error: str) -> ast.stmt:
    """Return an inlined check that uses the named functions; a call takes longer to compile."""
    tell = ast.Expr(ast.Call(ast.Name(note, ast.Load()), [found, wanted], []))
    refuse = ast.Raise(
        ast.Call(ast.Name(error, ast.Load()), [ast.Constant(guard.sentence)], []), None
    )
    return ast.If(wrong(guard, found, wanted), [tell, refuse], [])


class _Noted(threading.local):
    """The numbers that a thread stored last."""

    numbers: tuple[int, int] = (0, 0)


_noted = _Noted()


class GuardError(ComponentError):
    """Raised by a guard: its sentence has places for the two numbers that were stored."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence.format(*_noted.numbers))


def guard(sentence: str, *, equal: bool = False, error: type[GuardError] = GuardError) -> Check:
    """Return a check that two numbers are equal, or else that 0 <= the first < the second.

    >>> guard("arm {:,} was played, but there are {:,} arms.")(7, 4)
    Traceback (most recent call last):
    ...
    componentjit.guards.GuardError: arm 7 was played, but there are 4 arms.
    """

    def compiled_equal(found: int, wanted: int) -> None:
        if found != wanted:
            note_numbers(found, wanted)
            raise error(sentence)

    def compiled_below(found: int, wanted: int) -> None:
        if not 0 <= found < wanted:
            note_numbers(found, wanted)
            raise error(sentence)

    @compiled_as(compiled_equal if equal else compiled_below)
    def check(found: int, wanted: int) -> None:
        if not (found == wanted if equal else 0 <= found < wanted):
            note_numbers(int(found), int(wanted))
            raise error(sentence)

    guards[check] = GuardSpec(equal, sentence, error)
    return check


def note_numbers(found: int, wanted: int) -> None:
    """Store two numbers for an error that follows."""
    _noted.numbers = found, wanted


@functools.cache
def _c_function() -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(note_numbers)


def compiled_note() -> Callable[..., Any]:
    """Return what compiled code runs instead of ``note_numbers``."""
    from llvmlite import binding, ir
    from numba import types
    from numba.extending import intrinsic

    binding.add_symbol(SYMBOL, ctypes.cast(_c_function(), ctypes.c_void_p).value)

    def by_name(typing: Any, found: Any, wanted: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word, module = ir.IntType(64), builder.module
            kind = ir.FunctionType(ir.VoidType(), [word, word])
            builder.call(module.globals.get(SYMBOL) or ir.Function(module, kind, SYMBOL), arguments)
            return context.get_dummy_value()

        return types.none(types.int64, types.int64), generate

    note: Any = intrinsic(by_name)
    return lambda found, wanted: note(found, wanted)
