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

    A full stack or an interrupt can make this fail. Then the new error is raised, without frames
    and without anything that led to it.
    """
    try:
        _strip(error)
    except BaseException as second:
        # Calls could fail again, even of built-in functions; and Python handles signals at calls.
        error.__traceback__ = error.__cause__ = error.__context__ = None
        second.__traceback__ = second.__cause__ = second.__context__ = None
        raise second
    return error


def _strip(error: BaseException) -> None:
    """Strip all frames from an error and its causes, and note where each came from."""
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


def withhold_frames(method: Method) -> Method:
    """Decorate a public method: its errors carry no frames, and it drops its arguments."""

    @functools.wraps(method)
    def guarded(*arguments: object, **named: object) -> object:
        try:
            return method(*arguments, **named)
        except BaseException as error:
            del arguments, named
            try:
                without_frames(error)
            except BaseException as second:  # perhaps raised before a line of it ran
                error.__traceback__ = error.__cause__ = error.__context__ = None
                second.__traceback__ = second.__cause__ = second.__context__ = None
                raise second
            raise error

    return guarded  # type: ignore[return-value]
