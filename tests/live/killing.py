"""What tests that kill runs share: a worker in a process of its own, and what others read of it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np


def kill_after(work: Callable[[int], None], wait: Callable[[int], None]) -> bool:
    """Let a worker work, wait with the pipe that it can write to, and kill it.

    Returns whether it was alive until then.
    """
    reader, ready = os.pipe()
    with warnings.catch_warnings(action="ignore"):
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            work(ready)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(ready)
    wait(reader)
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


class KilledRun:
    """A run in a folder that is killed again and again, and all that is known of it from outside.

    A subclass has its ``work``, which writes down what was acknowledged, and its ``check``.
    """

    recent: int | None = None  # how many rounds back releases are read again; None: all
    opened = 0.8  # the share of kills that wait until the run is open

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random, self.faults = folder, random.Random(seed), []
        self.kills = 0
        self.seen: dict[int, object] = {}  # releases that somebody has read
        self.start()

    def start(self) -> None:
        """Make the run."""
        raise NotImplementedError

    def work(self, acknowledged: int, ready: int) -> None:
        """Ask and tell until killed."""
        raise NotImplementedError

    def check(self) -> list[str]:
        """Return all faults."""
        raise NotImplementedError

    def kill_one(self) -> None:
        """Let a worker work, read what it releases, and kill it; now and then while it opens."""
        log = os.open(self.folder / "acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        if not kill_after(lambda ready: self.work(log, ready), self.wait):
            self.faults.append("a worker stopped by itself")
        os.close(log)
        self.kills += 1
        self.read()

    def wait(self, reader: int) -> None:
        """Wait until the run is open, usually, and then for a moment, and read meanwhile."""
        if self.random.random() < self.opened:
            os.read(reader, 1)
        end = time.perf_counter() + self.random.uniform(0.0, 0.06)
        while time.perf_counter() < end:
            self.read()
            time.sleep(0.0005)

    def read(self) -> None:
        """Read what is released, as anybody might, while the worker is at work."""
        last = -1 if self.recent is None else max(self.seen, default=-1) - self.recent
        with contextlib.closing(
            sqlite3.connect(f"file:{self.folder}/run.db?mode=ro", uri=True, timeout=5.0)
        ) as file:
            rows = dict(file.execute("SELECT batch, value FROM release WHERE batch > ?", (last,)))
        for batch, blob in rows.items():
            value = np.frombuffer(blob).tolist()
            if self.seen.setdefault(batch, value) != value:
                self.faults.append(f"the release of batch {batch} has changed")
        self.faults += [
            f"the release of batch {b} has vanished"
            for b in self.seen
            if b > last and b not in rows
        ]

    def told(self) -> list[int]:
        """Return the decisions whose outcomes were acknowledged; none may be there twice."""
        lines = self.folder / "acknowledged"
        told = [int(line) for line in lines.read_text().split()] if lines.exists() else []
        if len(set(told)) < len(told):
            self.faults.append("an outcome was acknowledged twice")
        return told


def main(kind: type[KilledRun], kills: int) -> int:
    """Kill a run many times, and print what is wrong with it."""
    with tempfile.TemporaryDirectory() as name:
        os.environ["DISCREET_KEYS"] = name
        killer = kind(Path(name), seed=int.from_bytes(os.urandom(4), "big"))
        while killer.kills < kills:
            killer.kill_one()
        faults = killer.check()
        print(f"{killer.kills} kills, {len(killer.seen):,} releases read: {len(faults)} faults")
        print("\n".join(faults[:20]))
    return 1 if faults else 0
