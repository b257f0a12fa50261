"""The cost of a device server: reports to a file, one by one and 500 at once, and opening it."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import LEAST_TURNS, Row

from discreet import LocalServer
from discreet.live.messages import pack_report
from discreet.mechanisms.exact_directions import SEED

TASK = {"dimension": 10, "horizon": 10**6, "epsilon": 1.0}
AT_ONCE = 500


def some_reports(server: LocalServer, number: int) -> list[bytes]:
    """Return reports with payloads that devices could have sent."""
    payloads = (secrets.token_bytes(SEED) + bytes([secrets.randbelow(2)]) for _ in range(number))
    return [pack_report(server._task, 0, payload) for payload in payloads]


def report_times(turns: int, number: int = 4_000) -> tuple[float, float, float]:
    """Return microseconds per report, one by one and at once, and milliseconds to open the file."""
    singly, at_once, opening = [], [], []
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "server.db"
            server = LocalServer(**TASK, path=path)
            messages = some_reports(server, number + number % AT_ONCE)
            half = len(messages) // 2
            start = time.perf_counter()  # writing is not processor time
            for message in messages[:half]:
                server.receive(message)
            singly.append((time.perf_counter() - start) / half * 1e6)
            start = time.perf_counter()
            for first in range(half, len(messages), AT_ONCE):
                server.receive_all(messages[first : first + AT_ONCE])
            at_once.append((time.perf_counter() - start) / half * 1e6)
            server.close()
            start = time.perf_counter()
            LocalServer.open(path).close()
            opening.append((time.perf_counter() - start) * 1e3)
    return min(singly), min(at_once), min(opening)


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for reports one by one, and at once."""
    singly, at_once, opening = report_times(turns)
    yield Row("report to a server in a file", f"{singly:.0f} µs", "", singly, "µs", most=150.0)
    name = f"... {AT_ONCE} at once"
    yield Row(name, f"{at_once:.0f} µs", "", at_once, "µs", most=75.0)
    yield Row("open a server of 4,000 reports", f"{opening:.1f} ms", "", opening, "ms", most=50.0)
