"""A small load generator: HTTP/1.1 connections that are kept open, one request at a time on each.

It implements just enough HTTP for the service, so that most of the measured time is spent in the
service.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple


class Measured(NamedTuple):
    """How many requests were answered in how long, and how long each took (in seconds)."""

    number: int
    seconds: float
    latencies: list[float]

    @property
    def rate(self) -> float:
        return self.number / self.seconds

    def quantile(self, share: float) -> float:
        """Return a quantile of the latencies, in milliseconds."""
        ordered = sorted(self.latencies)
        return 1000.0 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]

    @property
    def words(self) -> str:
        shown = (self.quantile(0.5), self.quantile(0.99), 1000.0 * max(self.latencies))
        return " / ".join(f"{each:.1f}" for each in shown) + " ms"


class LoadConnection(asyncio.Protocol):
    """One connection; ``exchange`` sends a request and returns status and body."""

    def __init__(self) -> None:
        self._buffer, self._waiting = bytearray(), None
        self.latencies: list[float] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(ConnectionError("the service has closed a connection"))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 or self._waiting is None:
            return
        head = bytes(self._buffer[:end]).lower()
        place = head.find(b"content-length:")
        size = int(head[place + 15 :].split(b"\r\n", 1)[0]) if place >= 0 else 0
        if len(self._buffer) < end + 4 + size:
            return
        status, body = int(head[9:12]), bytes(self._buffer[end + 4 : end + 4 + size])
        del self._buffer[: end + 4 + size]
        self._waiting.set_result((status, body))

    async def exchange(self, request: bytes) -> tuple[int, bytes]:
        """Send a request and wait for its answer."""
        self._waiting = asyncio.get_running_loop().create_future()
        start = time.perf_counter()
        self._transport.write(request)
        answer = await self._waiting
        self.latencies.append(time.perf_counter() - start)
        return answer

    @property
    def is_closed(self) -> bool:
        return self._transport.is_closing()

    def close(self) -> None:
        self._transport.close()


def request(method: str, path: str, token: str, body: bytes = b"") -> bytes:
    """Return the bytes of a request."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + kind).encode() + body


@asynccontextmanager
async def connections(ports: list[int], number: int) -> AsyncIterator[list[LoadConnection]]:
    """Open connections to the workers in turns, and close them at the end."""
    loop, made = asyncio.get_running_loop(), []
    try:
        for each in range(number):
            port = ports[each % len(ports)]
            made.append((await loop.create_connection(LoadConnection, "127.0.0.1", port))[1])
        yield made
    finally:
        for connection in made:
            connection.close()


async def measured(
    ports: list[int],
    number: int,
    seconds: float,
    turn: Callable[[LoadConnection, int], Awaitable[None]],
    warm: float = 1.0,
) -> Measured:
    """Let every connection repeat its turn for some seconds; the warm-up does not count."""
    async with connections(ports, number) as made:
        until, turns = time.perf_counter() + warm, [0]

        async def work(connection: LoadConnection, place: int) -> None:
            while time.perf_counter() < until:
                await turn(connection, place)
                turns[0] += 1

        await asyncio.gather(*(work(each, place) for place, each in enumerate(made)))
        for connection in made:
            connection.latencies.clear()
        turns[0], start = 0, time.perf_counter()
        until = start + seconds
        await asyncio.gather(*(work(each, place) for place, each in enumerate(made)))
        taken = time.perf_counter() - start
        return Measured(turns[0], taken, [each for one in made for each in one.latencies])
