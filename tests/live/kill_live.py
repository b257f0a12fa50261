"""Kill a live run at random moments, again and again, while somebody reads what it releases.

    python tests/live/kill_live.py [KILLS]

A worker opens the run in a file, asks and tells, and writes down which outcomes were acknowledged;
SIGKILL ends it, and the next one goes on. The outcome of a decision is a function of its number and
the noise is tiny, so that every released mean says which outcomes are in it. Faults that are found
are told in words; none should be.
"""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import sys
from pathlib import Path

import numpy as np
from killing import KilledRun, main

from discreet import Bandit, DiscreetError, Ledger
from discreet.ledger.guards import sqlite_lock
from discreet.live import client, stores
from discreet.live.file_store import FileStore
from discreet.live.run import LiveRun

SIZE = 3  # rounds of a batch
ROUNDS = 10_000_000
EPSILON = 1e4  # noise of about 1e-4 on the sum of a batch, whose outcomes are multiples of 1/8
AHEAD = 7  # decisions that are open at once


def loss_of(identity: int) -> float:
    return (identity * 2654435761 % 9) / 8.0


def work(folder: Path, acknowledged: int, ready: int) -> None:
    """Ask and tell until killed."""
    ledger = Ledger(EPSILON, path=folder / "ledger")
    bandit = Bandit.open(folder / "run.db", ledger=ledger)
    os.write(ready, b"!")
    chance = random.Random(os.urandom(8))
    while True:
        while len(bandit.open_decisions) < AHEAD:
            bandit.ask()
        ticket = chance.choice(bandit._run._store.rows.tickets())
        bandit._run.tell(ticket, loss_of(ticket.id))
        os.write(acknowledged, b"%d\n" % ticket.id)


class Killer(KilledRun):
    """A bandit in a file with a ledger, and all that is known of it from outside."""

    recent = 20 * SIZE

    def start(self) -> None:
        """Make the run."""
        options = {
            "algorithm": "batched-exp3",
            "batch_size": SIZE,
            "path": self.folder / "run.db",
            "ledger": Ledger(EPSILON, path=self.folder / "ledger"),
        }
        Bandit(arms=3, horizon=ROUNDS, epsilon=EPSILON, **options).close()

    def work(self, acknowledged: int, ready: int) -> None:
        """Ask and tell until killed."""
        work(self.folder, acknowledged, ready)

    def check(self) -> list[str]:
        """Return all faults: the run is opened once more, as after any crash, and compared with
        what was written down.
        """
        self.read()
        told = self.told()
        with Ledger(EPSILON, path=self.folder / "ledger") as ledger:
            if len(ledger.entries()) > 1:
                self.faults.append(f"the run was charged {len(ledger.entries())} times")
            try:
                with Bandit.open(self.folder / "run.db", ledger=ledger) as bandit:
                    self._compare(bandit, set(told))
            except DiscreetError as refusal:
                self.faults.append(f"the run cannot be opened: {refusal}")
        return self.faults

    def _compare(self, bandit: Bandit, told: set[int]) -> None:
        rows = bandit._run._store.rows
        asked, _, _, released, _ = rows.counters
        with contextlib.closing(
            sqlite3.connect(f"file:{self.folder}/run.db?mode=ro", uri=True)
        ) as file:
            releases = {
                batch: np.frombuffer(blob)[0]
                for batch, blob in file.execute("SELECT batch, value FROM release")
            }
        self.faults += [
            f"outcome {identity} was acknowledged and lost" for identity in told & set(rows.open)
        ]
        self.faults += [
            f"outcome {identity} was never asked for" for identity in told if identity >= asked
        ]
        if released != len(releases):
            self.faults.append(f"{released} releases were counted, but there are {len(releases)}")
        for batch in range(0, asked - SIZE + 1, SIZE):
            rounds = range(batch, batch + SIZE)
            if any(identity in rows.open for identity in rounds):
                if batch in releases:
                    self.faults.append(f"batch {batch} was released before all outcomes came")
            elif batch not in releases:
                self.faults.append(f"batch {batch} is complete, and will never be released")
            elif abs(releases[batch] * SIZE - sum(map(loss_of, rounds))) > 0.05:
                self.faults.append(f"the release of batch {batch} is not the mean of its outcomes")


# Two mistakes that must be found.


class TwoTransactions(LiveRun):
    """An outcome and its release are committed one after the other, and nobody makes up for a
    release that is missing; the key has counted it.
    """

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        commit = self._commit_tell

        def commit_twice(counters, decision, group, closed, released, *rest):
            if released is not None:
                rows = self._store.rows
                *before, told, held = rows.groups[closed]
                commit(rows.counters, decision, (*before, told + 1, held))
            commit(counters, decision, group, closed, released, *rest)

        self._commit_tell = commit_twice


class RepliesFirst(FileStore):
    """Acknowledges what it has not committed: three changes out of four wait for the next one."""

    changes = 0

    @contextlib.contextmanager
    def _change(self, counters, lasting=True, *, releasing=False, epoch=None):
        with sqlite_lock:
            if not self._file.in_transaction:
                self._file.execute("BEGIN IMMEDIATE")
            yield
            version = self._next(lasting=lasting, releases=int(releasing))
            self._seal(counters, self.rows.epoch, version)
            self.changes += 1
            if self.changes % 4 == 0:
                self._file.execute("COMMIT")


@contextlib.contextmanager
def mistaken(name: str, mistake: type):
    """Replace what is right by a mistake."""
    module = stores if name == "FileStore" else client
    right = getattr(module, name)
    setattr(module, name, mistake)
    try:
        yield
    finally:
        setattr(module, name, right)


if __name__ == "__main__":
    sys.exit(main(Killer, int(sys.argv[1]) if len(sys.argv) > 1 else 300))
