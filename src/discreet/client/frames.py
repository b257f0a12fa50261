"""Errors of the client's coroutines: without the stack frames that hold raw data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from discreet.live.frames import without_frames

Method = TypeVar("Method", bound=Callable[..., Any])


def withhold_async_frames(method: Method) -> Method:
    """Decorate a coroutine: its errors carry no frames, and it drops its arguments."""

    @functools.wraps(method)
    async def guarded(*arguments: object, **named: object) -> object:
        try:
            return await method(*arguments, **named)
        except BaseException as error:
            arguments, named = (), {}
            raise without_frames(error)  # noqa: B904 - the same error, with its own chain

    return guarded  # type: ignore[return-value]
