"""The cost of operations in groups: pairs of ask and tell per second, by the size of a group.

    python benchmarks/groups.py [SECONDS] [POSTGRES_URL]

In memory, in SQLite, and in PostgreSQL if its URL is given; with and without a user limit.
"""

from __future__ import annotations

import secrets
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from discreet import Bandit
from discreet.live import AskRequest, TellRequest
from discreet.live.database import FileWitness, open_database

SIZES = (1, 8, 64, 256)
SECRET = secrets.token_bytes(32)


def measure(bandit: Bandit, size: int, seconds: float, users: bool) -> tuple[float, float, list]:
    """Return pairs per second, microseconds of this process per pair, and latencies in ms."""
    pairs, times, number = 0, [], bandit.state().round
    begun, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < seconds:
        asks = [
            AskRequest(None, {"user": f"user {number + each}"} if users else {})
            for each in range(size)
        ]
        number += size
        first = time.perf_counter()
        decisions = bandit.exchange([], asks)
        second = time.perf_counter()
        tells = [TellRequest(each.id, each.token, {"reward": 1.0}) for each in decisions]
        bandit.exchange(tells)
        pairs += size
        times.append((second - first, time.perf_counter() - second))
    took = time.perf_counter() - begun
    return pairs / took, (time.process_time() - used) / pairs * 1e6, times


def main(seconds: float, postgres: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        places = {"memory": None, "sqlite": f"sqlite:///{folder}/runs.db"}
        if postgres:
            places["postgres"] = postgres
        for place, url in places.items():
            witness = FileWitness(Path(folder) / f"{place}.witness")
            database = None if url is None else open_database(url, secret=SECRET, witness=witness)
            for algorithm in ("proved", "batched-exp3"):
                for users in (False, True):
                    store = None
                    if database is not None:
                        store = database.store(f"{algorithm} {users} {secrets.token_hex(4)}")
                    limit = {"max_rounds_per_user": 2} if users else {}
                    bandit = Bandit(5, 10**7, 1.0, algorithm=algorithm, store=store, **limit)
                    for size in SIZES:
                        rate, used, times = measure(bandit, size, seconds, users)
                        asks, tells = 1e3 * np.array(times).T
                        print(
                            f"{place:9s} {algorithm:13s} {'users' if users else '-----'} groups of "
                            f"{size:4d}: {rate:9.0f} pairs/s, {used:6.0f} us of CPU per pair; "
                            f"ms p50/p99/max: ask {np.median(asks):.2f} "
                            f"{np.percentile(asks, 99):.2f} {asks.max():.2f}, tell "
                            f"{np.median(tells):.2f} {np.percentile(tells, 99):.2f} "
                            f"{tells.max():.2f}",
                            flush=True,
                        )


if __name__ == "__main__":
    main(float((sys.argv[1:] or ["1"])[0]), sys.argv[2] if len(sys.argv) > 2 else None)
