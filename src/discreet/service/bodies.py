"""Request bodies: limited in size and time, and strict JSON."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Iterable, MutableMapping
from typing import Any, NoReturn

from starlette.types import Receive

from discreet.service.problems import HttpProblem

SMALL = 64 * 1024  # bytes, for a decision or an outcome
LARGE = 1024 * 1024  # bytes, for anything else
PATIENCE = 10.0  # seconds within which a body must arrive
DEEP = 32  # levels of lists and objects


class ClientGone(Exception):
    """The client has closed the connection: nobody waits for an answer."""


class Bodies:
    """Reads request bodies, each within a time limit.

    One timer for all of them (``sweep``) finds slow ones: a timer for each would take a tenth of
    the time of a request.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._since: dict[asyncio.Task[Any] | None, float] = {}
        self._slow: set[asyncio.Task[Any] | None] = set()

    async def sweep(self) -> None:
        """Give up bodies that take too long."""
        now = time.monotonic()
        for task, since in list(self._since.items()):
            if task is not None and now - since > self.patience and task not in self._slow:
                self._slow.add(task)
                task.cancel()

    async def read(
        self,
        receive: Receive,
        headers: Iterable[tuple[bytes, bytes]],
        limit: int,
        media: bytes = b"application/json",
    ) -> bytes:
        """Return the body of a request; refuse it if too large, too slow, or not JSON.

        A body without a type is assumed to have the right one.
        """
        check_headers(headers, limit, media)
        task = asyncio.current_task()
        self._since[task] = time.monotonic()
        try:
            return await _whole(receive, limit)
        except asyncio.CancelledError:
            if task is None or task not in self._slow:
                raise
            task.uncancel()
            raise slow_body(self.patience) from None
        finally:
            self._since.pop(task, None)
            self._slow.discard(task)


def check_headers(headers: Iterable[tuple[bytes, bytes]], limit: int, media: bytes) -> None:
    """Refuse a body on account of its headers."""
    for name, value in headers:
        if name == b"content-length":
            if not value.isdigit() or len(value) > 12 or int(value) > limit:
                raise _too_large(limit)
        elif name == b"content-type":
            if value != media and value.partition(b";")[0].strip().lower() != media:
                raise HttpProblem(
                    "unsupported-media", f"the body must be of the type {media.decode()}."
                )
        elif name == b"content-encoding" and value.lower() != b"identity":
            raise HttpProblem("unsupported-media", "the body must not be compressed.")


async def _whole(receive: Receive, limit: int) -> bytes:
    message = await receive()
    parts = [_part(message)]
    size = len(parts[0])
    while message.get("more_body") and size <= limit:
        message = await receive()
        parts.append(_part(message))
        size += len(parts[-1])
    if size > limit:
        raise _too_large(limit)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _part(message: MutableMapping[str, Any]) -> bytes:
    if message["type"] == "http.disconnect":
        raise ClientGone
    part: bytes = message.get("body", b"")
    return part


def slow_body(patience: float) -> HttpProblem:
    """Return the refusal of a body that did not arrive in time."""
    return HttpProblem(
        "slow-body",
        f"the body did not arrive within {patience:g} seconds.",
        headers={"Connection": "close"},
    )


def _too_large(limit: int) -> HttpProblem:
    return HttpProblem(
        "too-large",
        f"the body is too large: at most {limit // 1024} KiB are allowed.",
        headers={"Connection": "close"},
    )


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body; an empty body is an empty object.

    No error shows any part of the body.
    """
    if not body or body == b"{}":
        return {}
    wrong: HttpProblem | None = None
    try:
        found = _decoder.decode(body.decode("utf-8"))
        if not isinstance(found, dict):
            wrong = HttpProblem("bad-request", "the body must be a JSON object.")
        elif body.count(b"[") + body.count(b"{") > DEEP and _depth(found) > DEEP:
            wrong = HttpProblem(
                "bad-request", f"the body has more than {DEEP} levels of lists and objects."
            )
        elif b"\\u" in body:
            _check_texts(found)
    except HttpProblem as refused:
        wrong = HttpProblem(refused.kind, refused.detail)
    except (ValueError, RecursionError):
        wrong = HttpProblem("bad-request", "the body must be JSON in UTF-8.")
    if wrong is not None:  # outside the handler: the error that led to it holds the body
        raise wrong
    return found  # type: ignore[no-any-return]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise HttpProblem("bad-request", "the body has an object with a duplicate name.")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise HttpProblem("bad-request", "the body has a number that is too large.")
    return number


def _no_constant(name: str) -> NoReturn:
    raise HttpProblem("bad-request", f"the body has {name}, which is not JSON.")


_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_finite, parse_constant=_no_constant
)


def _depth(value: object) -> int:
    """Return the number of nested levels of lists and objects."""
    level: list[object] = [value]
    depth = 0
    while level and depth <= DEEP:
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                inner += each.values()
            elif isinstance(each, list):
                inner += each
        level = [each for each in inner if isinstance(each, dict | list)]
        depth += 1
    return depth


def _check_texts(value: object) -> None:
    """Refuse text that cannot be stored or sent again: a lone surrogate, or NUL."""
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise HttpProblem("bad-request", "the body has text with NUL or lone surrogates.")
    elif isinstance(value, dict):
        for name, each in value.items():
            _check_texts(name)
            _check_texts(each)
    elif isinstance(value, list):
        for each in value:
            _check_texts(each)
