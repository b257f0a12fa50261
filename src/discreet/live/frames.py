"""Errors raised by live objects: without the stack frames that hold raw data."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from discreet.errors import DiscreetError

Error = TypeVar("Error", bound=BaseException)
Method = TypeVar("Method", bound=Callable[..., Any])


def without_frames(error: Error) -> Error:
    """Strip all frames from an error and its causes; return it, to be raised again.

    Error reporters record the local variables of every frame. Inside a live object, these are
    outcomes, sums and noise. An unexpected error keeps a note of where it came from.
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
        if not isinstance(each, DiscreetError) and each.__traceback__ is not None:
            place = traceback.extract_tb(each.__traceback__)[-1]
            each.add_note(
                f"raised in {place.name} ({place.filename}, line {place.lineno}); frames of live "
                "objects are withheld, because they hold raw data"
            )
        each.__traceback__ = None
        left += [each.__cause__, each.__context__]
    return error


def withhold_frames(method: Method) -> Method:
    """Decorate a public method: its errors carry no frames, and it drops its arguments."""

    @functools.wraps(method)
    def guarded(*arguments: object, **named: object) -> object:
        try:
            return method(*arguments, **named)
        except BaseException as error:
            arguments, named = (), {}
            raise without_frames(error)  # noqa: B904 - the same error, with its own chain

    return guarded  # type: ignore[return-value]
