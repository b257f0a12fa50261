"""One call of the service: its request, when to retry, and how to read the answer."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple

from typing_extensions import TypeVar

from discreet.client.refusals import ServiceUnreachable, refusal_of
from discreet.errors import DiscreetError
from discreet.guarantee_facts import Json

Result = TypeVar("Result", default=object)
AGAIN = (429, 502, 503, 504)  # a retry may succeed
FIRST_PAUSE = 0.05  # seconds before the second try; doubled each time
SLOW = 120.0  # seconds for calls that may have to compile an algorithm


class Reply(NamedTuple):
    """An answer of the service."""

    status: int
    content: object  # the JSON; None if there is none
    retry_after: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether the answer is a success."""
        return 200 <= self.status < 300

    @property
    def facts(self) -> Json:
        """The JSON object of the answer."""
        if not isinstance(self.content, dict):
            raise DiscreetError("the answer is not from a decision service: check the URL.")
        return self.content


@dataclass(frozen=True)
class ClientCall(Generic[Result]):
    """A request and how to read its answer. Its content may be raw, so it is not shown."""

    method: str
    path: str
    read: Callable[[Reply], Result] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)
    repeatable: bool = True  # whether the service counts it once, even if it is sent several times
    timeout: float | None = None  # seconds; None for the default of the connection


def encoded(body: Mapping[str, object]) -> bytes:
    """Return JSON of finite numbers, text, and lists or objects of these."""
    return json.dumps(body, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()


def reply_of(status: int, content: bytes, retry_after: str | None) -> Reply:
    """Return an answer from what was received."""
    try:
        found = json.loads(content) if content else None
    except ValueError:
        found = None
    try:
        pause = max(0.0, float(retry_after or 0.0))
    except ValueError:  # a date: use the default pause
        pause = 0.0
    return Reply(status, found, pause)


class Tries:
    """The tries of one call: how long each may take, and when the next one starts."""

    def __init__(self, call: ClientCall[Result], timeout: float, retries: int) -> None:
        self._repeatable, self._made, self._left = call.repeatable, 0, 1 + retries
        self._end = time.monotonic() + (call.timeout or timeout)

    def share(self) -> float:
        """Return the seconds for the next try: an equal share of what is left."""
        return max(self._end - time.monotonic(), 0.001) / self._left

    def pause_after_failure(self, why: str, *, sent: bool) -> float:
        """Return the pause before the next try, or raise if there is none left."""
        pause = self._next(0.0) if self._repeatable or not sent else None
        if pause is None:
            raise ServiceUnreachable(f"the service cannot be reached or is too slow: {why}.")
        return pause

    def pause_after(self, reply: Reply) -> float | None:
        """Return the pause before the next try; None if the answer is final."""
        if reply.status not in AGAIN or _is_old_copy(reply):
            return None
        return self._next(reply.retry_after)

    def _next(self, least: float) -> float | None:
        self._made, self._left = self._made + 1, self._left - 1
        usual = FIRST_PAUSE * 2.0 ** (self._made - 1)
        pause = max(usual * random.uniform(0.5, 1.5), least)
        return pause if self._left > 0 and time.monotonic() + pause < self._end else None


def _is_old_copy(reply: Reply) -> bool:
    return isinstance(reply.content, dict) and reply.content.get("type") == "urn:discreet:old-copy"


def answer(call: ClientCall[Result], reply: Reply, *, identified: bool) -> Result:
    """Return the result of a call, or raise the refusal."""
    if not reply.is_success:
        raise refusal_of(reply.status, reply.content, identified=identified)
    return call.read(reply)
