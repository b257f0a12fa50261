"""Errors raised by live objects: without the stack frames that hold raw data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from discreet.errors import DiscreetError

Error = TypeVar("Error", bound=BaseException)
Method = TypeVar("Method", bound=Callable[..., Any])


def without_frames(error: Error) -> Error:
    """Strip all frames from an error and its causes; return it, to be raised again.

    Error reporters record the local variables of every frame. Inside a live object, these are
    outcomes, sums and noise. An unexpected error keeps a note of where it came from.

    It calls no Python function, which could fail where the stack is nearly full. An interrupt in
    the middle of it is an error with those frames again: public methods have two layers of
    handlers, so that the outer one strips that.
    """
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, BaseExceptionGroup):
            left += each.exceptions
        left += [each.__cause__, each.__context__]
        last: TracebackType | None = each.__traceback__
        each.__traceback__ = None
        if last is None or isinstance(each, DiscreetError):
            continue
        while last.tb_next is not None:
            last = last.tb_next
        code, line = last.tb_frame.f_code, last.tb_lineno
        last = None
        try:  # noqa: SIM105 - contextlib calls Python functions
            each.add_note(
                f"raised in {code.co_name} ({code.co_filename}, line {line}); frames of live "
                "objects are withheld, because they hold raw data"
            )
        except Exception:  # some errors refuse notes
            pass
    return error


def withhold_frames(method: Method) -> Method:
    """Decorate a public method: its errors carry no frames, and it drops its arguments."""

    @functools.wraps(method)
    def guarded(*arguments: object, **named: object) -> object:
        try:
            try:
                return method(*arguments, **named)
            except BaseException as error:
                arguments, named = (), {}
                raise without_frames(error)  # noqa: B904 - the same error, with its own chain
        except BaseException as error:  # an interrupt while the first one was stripped
            raise without_frames(error)  # noqa: B904

    return guarded  # type: ignore[return-value]
