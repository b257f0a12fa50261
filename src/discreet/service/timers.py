"""Jobs at fixed times, independent of outcomes: releases, publishing, purging, saving."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

from discreet.service.groups import Writer
from discreet.service.logs import log_failure
from discreet.service.problems import HttpProblem
from discreet.service.tokens import Tokens

NAMES_KEPT = 24 * 3600.0  # seconds for which the same name gets the same decision
PURGE_EVERY, SAVE_EVERY, REFRESH_EVERY, PROBE_EVERY = 600.0, 10.0, 2.0, 5.0  # seconds


def next_time(now: float, period: float) -> float:
    """Return the next multiple of a period, after now."""
    return (math.floor(now / period) + 1) * period


class Timers:
    """Calls functions at multiples of their periods, by the database's clock."""

    def __init__(self, writer: Writer, tokens: Tokens) -> None:
        self._writer, self._tokens, self._host = writer, tokens, writer.host
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, release_every: float) -> None:
        """Start; needs a running event loop."""
        self.every(release_every, self.release)
        self.every(PURGE_EVERY, self.purge)
        self.every(SAVE_EVERY, self.save)
        self.every(REFRESH_EVERY, self.refresh)
        self.every(PURGE_EVERY, self.compare_clocks)
        self.every(PROBE_EVERY, self.probe)

    def every(self, period: float, do: Callable[[], Awaitable[None]]) -> None:
        """Call a function at all multiples of a period, unless the last call still runs."""
        self._tasks.append(asyncio.get_running_loop().create_task(self._repeat(period, do)))

    async def _repeat(self, period: float, do: Callable[[], Awaitable[None]]) -> None:
        while True:
            now = self._host.now()
            await asyncio.sleep(max(0.0, next_time(now, period) - now))
            try:
                await do()
            except HttpProblem:
                continue  # busy or closing: wait for the next time
            except Exception as error:
                log_failure("a timer", error)

    async def release(self) -> None:
        """Make all due releases, one run at a time, so that requests come in between."""
        for name in self._host.names():
            await self._writer.call(lambda name=name: self._release(name))  # type: ignore[misc]

    def _release(self, name: str) -> None:
        found = self._host.get(name)
        if found.wait is not None:
            found.live.release_due()
        self._host.count_releases(found)

    async def purge(self) -> None:
        """Delete the names of decisions that are older than a day."""
        before = self._host.now() - NAMES_KEPT
        await self._writer.call(lambda: self._host.records.purge("name", before))

    async def save(self) -> None:
        """Write the history of all runs."""
        await self._writer.call(self._host.save_histories)

    async def refresh(self) -> None:
        """Reread what another process may have changed: tokens, and which runs are over."""
        await self._writer.call(self._tokens.refresh)
        await self._writer.call(self._host.refresh)

    async def compare_clocks(self) -> None:
        """Compare the database's clock with this machine's."""
        await self._writer.call(self._host.set_clock)

    async def probe(self) -> None:
        """Test whether the database can be written."""
        await self._writer.call(self._host.probe)

    async def stop(self) -> None:
        """End all timers."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
