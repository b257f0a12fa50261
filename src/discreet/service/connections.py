"""Closes connections whose requests begin too slowly; otherwise they would stay open forever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from discreet.service.problems import MEDIA_TYPE, HttpProblem


class TimedConnection(HttpToolsProtocol):
    """A connection that records since when it has waited for the headers of a request.

    Bodies have their own time limit (``bodies.Bodies``), and the web server closes idle
    connections.
    """

    waiting_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self.waiting_since = time.monotonic()

    def on_message_begin(self) -> None:
        """Wait for the headers of a request."""
        super().on_message_begin()
        self.waiting_since = time.monotonic()

    def on_headers_complete(self) -> None:
        """Stop waiting."""
        self.waiting_since = None
        super().on_headers_complete()

    def refuse_slow(self, patience: float) -> None:
        """Answer that the headers did not arrive in time, and close the connection."""
        self.waiting_since = None
        problem = HttpProblem("slow-body", f"no complete headers within {patience:g} seconds.")
        body = problem.body()
        head = (
            f"HTTP/1.1 408 Request Timeout\r\ncontent-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        if not self.transport.is_closing():
            self.transport.write(head.encode() + body)
            self.transport.close()


def sweep(connections: Iterable[object], patience: float) -> None:
    """Close all connections that have waited too long for headers."""
    before = time.monotonic() - patience
    slow = [
        each
        for each in connections
        if isinstance(each, TimedConnection)
        and each.waiting_since is not None
        and each.waiting_since < before
    ]
    for each in slow:
        each.refuse_slow(patience)
