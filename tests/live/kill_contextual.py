"""Kill a run with contexts at random moments, again and again, while somebody reads its releases.

    python tests/live/kill_contextual.py [KILLS]

As ``kill_live.py``, for running sums of moments: contexts and outcomes are functions of a
decision's number, and the noise is tiny, so that every release says how many records are in it, and
the last one whether these are the records that were told.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

from discreet import ContextualBandit, DiscreetError, Features

HORIZON = 100_000
EPSILON = 1e4  # noise of about 0.1 on a sum
AHEAD = 7  # decisions that are open at once
CONSTANTS = [2, 5]  # where a release has the moments of the constants, of two arms
CONTEXTS = [0, 3]


def context_of(identity: int) -> float:
    return (identity * 2654435761 % 9) / 4.0 - 1.0


def reward_of(identity: int) -> float:
    return (identity * 40503 % 5) / 4.0


def work(folder: Path, acknowledged: int, ready: int) -> None:
    """Ask and tell until killed."""
    bandit = ContextualBandit.open(folder / "run.db")
    os.write(ready, b"!")
    chance = random.Random(os.urandom(8))
    while True:
        while len(bandit.open_decisions) < AHEAD:
            bandit.ask([context_of(bandit._run.round)])
        identity = chance.choice([one.id for one in bandit.open_decisions])
        bandit.tell(identity, reward=reward_of(identity))
        os.write(acknowledged, b"%d\n" % identity)


class ContextualKiller:
    """A run, and all that is known of it from outside."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random, self.faults = folder, random.Random(seed), []
        self.kills = self.asked = 0
        self.seen: dict[int, bytes] = {}  # releases that somebody has read
        bandit = ContextualBandit(
            Features(2, context=1),
            HORIZON,
            EPSILON,
            delta=1e-6,
            first=3,
            growth=1.05,
            path=folder / "run.db",
        )
        self.times = bandit.plan.private.channel.times
        bandit.close()

    def kill_one(self) -> None:
        """Let a worker work, read what it releases, and kill it."""
        acknowledged = os.open(
            self.folder / "acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
        )
        reader, ready = os.pipe()
        with warnings.catch_warnings(action="ignore"):
            child = os.fork()
        if child == 0:
            try:
                signal.alarm(60)
                work(self.folder, acknowledged, ready)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(acknowledged)
        os.close(ready)
        if self.random.random() < 0.9:
            os.read(reader, 1)
        os.close(reader)
        end = time.perf_counter() + self.random.uniform(0.0, 0.06)
        while time.perf_counter() < end:
            self.read()
            time.sleep(0.0005)
        os.kill(child, signal.SIGKILL)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
            self.faults.append("a worker stopped by itself")
        self.kills += 1
        self.read()

    def read(self) -> None:
        """Read what is released, as anybody might, while the worker is at work."""
        with contextlib.closing(
            sqlite3.connect(f"file:{self.folder}/run.db?mode=ro", uri=True, timeout=5.0)
        ) as file:
            rows = dict(file.execute("SELECT batch, value FROM release"))
        for batch, value in rows.items():
            if self.seen.setdefault(batch, value) != value:
                self.faults.append(f"release {batch} has changed")
        self.faults += [f"release {batch} has vanished" for batch in self.seen if batch not in rows]

    def check(self) -> list[str]:
        """Return all faults, after the run has told everything up to one more release."""
        lines = self.folder / "acknowledged"
        told = [int(line) for line in lines.read_text().split()] if lines.exists() else []
        if len(set(told)) < len(told):
            self.faults.append("an outcome was acknowledged twice")
        try:
            with ContextualBandit.open(self.folder / "run.db") as bandit:
                bandit.release_due()  # a release that was drawn before a kill is completed first
                self.faults += [
                    f"outcome {one.id} was acknowledged and lost"
                    for one in bandit.open_decisions
                    if one.id in told
                ]
                self._finish(bandit)
        except DiscreetError as refusal:
            self.faults.append(f"the run cannot be opened: {refusal}")
        self.read()
        self._compare()
        return self.faults

    def _finish(self, bandit: ContextualBandit) -> None:
        for one in bandit.open_decisions:
            bandit.tell(one.id, reward=reward_of(one.id))
        released = bandit.state().released
        while bandit.state().released == released:
            number = bandit._run.round
            bandit.tell(bandit.ask([context_of(number)]), reward=reward_of(number))
        self.asked = bandit._run.round

    def _compare(self) -> None:
        releases = sorted(
            (np.frombuffer(blob) for blob in self.seen.values()), key=lambda v: v[CONSTANTS].sum()
        )
        # a constant is sqrt(1/2), and so is the largest context
        counts = [2.0 * value[CONSTANTS].sum() for value in releases]
        expected = self.times[: len(counts)]
        if not np.allclose(counts, expected, atol=4.0 * 0.12, rtol=0.0):
            self.faults.append("releases are not those of the first times")
        everybody = range(self.asked)
        squares = sum(min(1.0, abs(context_of(i))) ** 2 for i in everybody) / 2.0
        rewards = sum(2.0 * reward_of(i) - 1.0 for i in everybody) / np.sqrt(2.0)
        last = releases[-1]
        if abs(last[CONTEXTS].sum() - squares) > 1.0 or abs(last[[7, 9]].sum() - rewards) > 1.0:
            self.faults.append("the last release is not the sum of everything that was told")


def main(kills: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        os.environ["DISCREET_KEYS"] = name
        killer = ContextualKiller(Path(name), seed=int.from_bytes(os.urandom(4), "big"))
        while killer.kills < kills:
            killer.kill_one()
        faults = killer.check()
        print(f"{killer.kills} kills, {len(killer.seen):,} releases read: {len(faults)} faults")
        print("\n".join(faults[:20]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
