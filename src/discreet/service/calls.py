"""A request as handlers see it: its token, run, body and arguments."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from discreet.service.core import Service
from discreet.service.forms import AnyJson
from discreet.service.groups import Writer
from discreet.service.hosted import Hosted
from discreet.service.problems import HttpProblem
from discreet.service.tokens import Grant

Result = TypeVar("Result")
Handler = Callable[["RouteCall"], Awaitable[Response]]
MOST_DIGITS = 15


@dataclass
class RouteCall:
    """One permitted request, with its body read and checked."""

    service: Service
    request: Request
    grant: Grant | None
    body: AnyJson = field(default_factory=dict)
    content: bytes = b""  # a body that is not JSON

    def path(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name])

    @property
    def writer(self) -> Writer:
        """The thread that changes the database."""
        return self.service.writer

    async def hosted(self) -> Hosted:
        """Return the run in the path."""
        return await self.service.run(self.path("run"))

    def query(self, *allowed: str) -> dict[str, str]:
        """Return the query arguments; each may be given once, and no others."""
        found: dict[str, str] = {}
        for name, value in self.request.query_params.multi_items():
            if name not in allowed:
                known = ", ".join(allowed) or "none"
                raise HttpProblem(
                    "invalid", f"the address has an unknown argument; it takes {known}."
                )
            if name in found:
                raise HttpProblem("invalid", f"{name} is given twice.")
            found[name] = value
        return found

    async def change(self, change: Callable[[], Result]) -> Result:
        """Make a change between two groups, and return its result."""
        return await self.writer.call(change)


def whole(given: dict[str, str], name: str, default: int, most: int) -> int:
    """Return a whole number from the query."""
    text = given.get(name)
    if text is None:
        return default
    if not text.isdigit() or not text.isascii() or len(text) > MOST_DIGITS or int(text) > most:
        raise HttpProblem("invalid", f"{name} must be a whole number of at most {most:,}.")
    return int(text)


def respond(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response."""
    body = json.dumps(content, allow_nan=False).encode()
    more = {"Cache-Control": "no-store", **(headers or {})}
    return Response(body, status, media_type="application/json", headers=more)


def nothing() -> Response:
    """Return a response without a body."""
    return Response(status_code=204, headers={"Cache-Control": "no-store"})
