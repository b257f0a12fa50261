"""Kill live runs while they release their hold-out.

    python tests/live/kill_holdout.py [KILLS]

A worker plays a run in a file, with some rounds held out, and ends the hold-out; SIGKILL comes at a
random moment around its release. Then the run is opened again, and the hold-out is finished. Its
noise is tiny, so that the released sums say which outcomes are in them. A worker writes down which
outcomes were acknowledged, and every value that its learner was handed. Faults that are found are
told in words; none should be.
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from killing import kill_after

from discreet import Bandit
from discreet.live.holdout import HELD_OUT, HeldOutRounds

ARMS, ROUNDS = 3, 10
EPSILON = 1e4  # noise of about 1e-4 on sums of multiples of 1/8
OPTIONS = {"algorithm": "batched-exp3", "batch_size": 3, "explore": 0.5}
# seconds after the worker says that it begins to finish, as powers of ten
SOONEST, LATEST = -4.0, -0.8


def loss_of(identity: int) -> float:
    return (identity * 2654435761 % 9) / 8.0


def work(path: Path, log: int, ready: int) -> None:
    """Open the run, play it and release its hold-out; all that is known of it is written down."""
    keep = HeldOutRounds.learn

    def learn(self, trace, released):
        os.write(log, b"seen %s\n" % np.asarray(released).tobytes().hex().encode())
        keep(self, trace, released)

    HeldOutRounds.learn = learn
    bandit = Bandit.open(path)
    for _ in range(ROUNDS):
        decision = bandit.ask()
        bandit.tell(decision, loss=loss_of(decision.id))
        if decision.batch == HELD_OUT:
            os.write(log, b"told %d %d\n" % (decision.id, decision.arm))
    os.write(ready, b"!")
    bandit.finish_holdout()
    while True:
        time.sleep(1.0)


class Killer:
    """Runs, each killed once, and what went wrong."""

    options = OPTIONS
    work = staticmethod(work)

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random, self.faults = folder, random.Random(seed), []
        self.kills = self.before = 0  # and how many had released something already

    def kill_one(self) -> None:
        """Play a run, kill it, open it again, and compare."""
        path = self.folder / f"run-{self.kills}.db"
        Bandit(ARMS, 1_000, EPSILON, path=path, **self.options).close()
        log = os.open(path.with_suffix(".log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

        def wait(reader: int) -> None:
            os.read(reader, 1)
            self.wait(reader)

        if not kill_after(lambda ready: self.work(path, log, ready), wait):
            self.faults.append("a worker stopped by itself")
        os.close(log)
        self.kills += 1
        self.check(path)

    def wait(self, reader: int) -> None:
        """Wait for the moment of the kill; the pipe to the worker ends with it."""
        time.sleep(10.0 ** self.random.uniform(SOONEST, LATEST))

    def check(self, path: Path) -> None:
        """Finish the hold-out, and compare it with what was written down."""
        lines = [line.split() for line in path.with_suffix(".log").read_text().splitlines()]
        seen = [np.frombuffer(bytes.fromhex(line[1])).tolist() for line in lines if len(line) == 2]
        before = self.released(path)
        self.before += before is not None
        told = [(int(line[1]), int(line[2])) for line in lines if len(line) == 3]
        with Bandit.open(path) as bandit:
            bandit.finish_holdout()
            sums = bandit._run.held_out()
        if not told:
            if sums is not None:
                self.faults.append("something was released, but nothing was told")
            return
        if sums is None:
            self.faults.append("the hold-out is complete, and was not released")
            return
        values = [total for _, _, total in sums]
        if any(each != values for each in seen):
            self.faults.append("a learner was handed another value")
        if before not in (None, values) or self.released(path) != values:
            self.faults.append("the release has changed")
        for arm, rounds, total in sums:
            mine = [loss_of(identity) for identity, of in told if of == arm]
            if rounds != len(mine) or abs(total - sum(mine)) > 0.05:
                self.faults.append(f"the sum of arm {arm} is not that of its outcomes")

    def released(self, path: Path) -> list[float] | None:
        """Return what anybody can read of the release."""
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            rows = file.execute("SELECT value FROM release WHERE batch = ?", (HELD_OUT,)).fetchall()
        return np.frombuffer(rows[0][0]).tolist() if rows else None


def main(kills: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        os.environ["DISCREET_KEYS"] = name
        killer = Killer(Path(name), seed=int.from_bytes(os.urandom(4), "big"))
        while killer.kills < kills:
            killer.kill_one()
        print(f"{kills} kills, {killer.before} after the release: {len(killer.faults)} faults")
        print("\n".join(killer.faults[:20]))
    return 1 if killer.faults else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
