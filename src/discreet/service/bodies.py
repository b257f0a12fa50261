"""Bodies of requests: at most so large, within so many seconds, and strict JSON."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterable, MutableMapping
from typing import Any, NoReturn

from starlette.types import Receive

from discreet.service.problems import HttpProblem

SMALL = 64 * 1024  # bytes: of a decision or an outcome
LARGE = 1024 * 1024  # of anything else
PATIENCE = 10.0  # seconds within which a body must have come
DEEP = 32  # levels of lists and objects


class ClientGone(Exception):
    """The client has closed the connection: nobody waits for an answer."""


async def read_body(
    receive: Receive,
    headers: Iterable[tuple[bytes, bytes]],
    limit: int,
    patience: float = PATIENCE,
    media: bytes = b"application/json",
) -> bytes:
    """Return the body of a request, or refuse one that is too large, too slow, or of another kind.

    A body without a type is taken for the right one.
    """
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
    try:
        async with asyncio.timeout(patience):
            message = await receive()
            body: bytes = _part(message)
            if not message.get("more_body"):
                if len(body) > limit:
                    raise _too_large(limit)
                return body
            parts, size = [body], len(body)
            while message.get("more_body"):
                if size > limit:
                    raise _too_large(limit)
                message = await receive()
                parts.append(_part(message))
                size += len(parts[-1])
    except TimeoutError:
        raise HttpProblem(
            "slow-body",
            f"the body did not come within {patience:g} seconds.",
            headers={"Connection": "close"},
        ) from None
    if size > limit:
        raise _too_large(limit)
    return b"".join(parts)


def _part(message: MutableMapping[str, Any]) -> bytes:
    if message["type"] == "http.disconnect":
        raise ClientGone
    part: bytes = message.get("body", b"")
    return part


def _too_large(limit: int) -> HttpProblem:
    return HttpProblem(
        "too-large",
        f"the body is too large: at most {limit // 1024} KiB are possible.",
        headers={"Connection": "close"},
    )


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the object that a body is; an empty body is an empty object.

    No error shows any part of the body.
    """
    if not body:
        return {}
    wrong: HttpProblem | None = None
    try:
        found = _decoder.decode(body.decode("utf-8"))
        if not isinstance(found, dict):
            wrong = HttpProblem("bad-request", "the body must be an object of JSON.")
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
    if wrong is not None:  # outside of the handler: the error that led to it has the body
        raise wrong
    return found  # type: ignore[no-any-return]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise HttpProblem("bad-request", "the body has a name twice in one object.")
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
    """Return how many levels of lists and objects there are."""
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
    """Refuse text that cannot be stored or sent again: half of a pair of surrogates, or NUL."""
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
