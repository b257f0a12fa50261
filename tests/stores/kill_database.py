"""Kill workers of a run in a database, or the database itself, again and again.

    python tests/stores/kill_database.py [KILLS] [sqlite | postgres | server]

Workers ask and tell in groups, and write down which outcomes were acknowledged; SIGKILL ends one of
them, or the PostgreSQL server, and the next goes on. An observer outside reads what is released.
The outcome of a decision is a function of its number, and the noise is tiny, so every released mean
says which outcomes are in it. Faults that are found are told in words; none should be.
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
from servers import Server, database_at

from discreet import Bandit, Busy, DiscreetError
from discreet.live import AskRequest, TellRequest
from discreet.live.database import FileWitness

SIZE = 3  # rounds of a batch
ROUNDS = 10_000_000
EPSILON = 1e4  # noise of about 1e-4 on the sum of a batch, whose outcomes are multiples of 1/8
AHEAD = 9  # decisions that are open at once
NAME = "a run"
RELEASES = "SELECT number, value FROM discreet_release WHERE number > {}"


def loss_of(identity: int) -> float:
    return (identity * 2654435761 % 9) / 8.0


def work(url: str, witness: Path, acknowledged: int, ready: int) -> None:
    """Ask and tell until killed; while the server is away, try again."""
    bandit, chance, known = None, random.Random(os.urandom(8)), FileWitness(witness)
    while True:
        try:
            if bandit is None:
                database = database_at(url, known)
                bandit = Bandit.open(store=database.store(NAME), ledger=database.ledger())
                os.write(ready, b"!")
            page = bandit.open_decisions.page(limit=3 * AHEAD)
            some = chance.sample(page, min(len(page), chance.randrange(6)))
            tells = [TellRequest(each.id, None, {"loss": loss_of(each.id)}) for each in some]
            results = bandit.exchange(tells, [AskRequest()] * max(0, AHEAD - len(page)))
        except Busy:
            time.sleep(0.02)
            continue
        counted = [each.id for each, told in zip(some, results, strict=False) if told is True]
        os.write(acknowledged, b"".join(b"%d\n" % each for each in counted))


class Killer:
    """A run, and all that is known of it from outside."""

    def __init__(self, folder: Path, kind: str, seed: int, server: Server | None = None) -> None:
        self.folder, self.kind, self.server = folder, kind, server
        self.random, self.faults, self.kills = random.Random(seed), [], 0
        self.seen: dict[int, float] = {}  # releases that somebody has read
        self.workers: list[int] = []
        self.url = f"sqlite:///{folder}/runs.db" if server is None else server.fresh_url()
        self.witness = folder / "witness"
        options = {"algorithm": "batched-exp3", "batch_size": SIZE}
        with database_at(self.url, FileWitness(self.witness)) as database:
            options |= {"store": database.store(NAME), "ledger": database.ledger(2 * EPSILON)}
            Bandit(arms=3, horizon=ROUNDS, epsilon=EPSILON, **options).close()
        if server is not None:
            self._query("CHECKPOINT")  # or a store that never waits for the disk would lose this

    def kill_one(self) -> None:
        """Let workers work, read what they release, and kill: a worker, or the server."""
        while len(self.workers) < (1 if self.kind == "sqlite" else 2):
            self.workers.append(self._start())
        end = time.perf_counter() + self.random.uniform(0.0, 0.12)
        while time.perf_counter() < end:
            self.read()
            time.sleep(0.001)
        if self.kind == "server":
            self._kill_server()
            if self.random.random() < 0.7:  # most workers wait until it is there again
                self.kills += 1
                return
        self._end(self.workers.pop(self.random.randrange(len(self.workers))))
        self.kills += 1
        self.read()

    def _start(self) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        acknowledged = os.open(self.folder / "acknowledged", flags, 0o600)
        reader, ready = os.pipe()
        with warnings.catch_warnings(action="ignore"):
            child = os.fork()
        if child == 0:
            try:
                signal.alarm(300)
                work(self.url, self.witness, acknowledged, ready)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(acknowledged)
        os.close(ready)
        if self.random.random() < 0.8:  # now and then it is killed while it opens the run
            os.read(reader, 1)
        os.close(reader)
        return child

    def _end(self, child: int) -> None:
        os.kill(child, signal.SIGKILL)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
            self.faults.append("a worker stopped by itself")

    def _kill_server(self) -> None:
        assert self.server is not None
        self.server.kill()
        self.server.start_again()

    def read(self) -> None:
        """Read what is released, as anybody might, while workers are at work."""
        last = max(self.seen, default=-1) - 20 * SIZE
        rows = self._query(RELEASES.format(last))
        if rows is None:
            return
        found = {batch: float(np.frombuffer(blob)[0]) for batch, blob in rows}
        for batch, value in found.items():
            if self.seen.setdefault(batch, value) != value:
                self.faults.append(f"the release of batch {batch} has changed")
        # A crash of the server may undo that a release was learned from, until the next operation.
        if self.kind != "server":
            self.faults += [
                f"the release of batch {batch} has vanished"
                for batch in self.seen
                if batch > last and batch not in found
            ]

    def _query(self, statement: str) -> list | None:
        if self.server is None:
            path = self.url.removeprefix("sqlite:///")
            with contextlib.closing(
                sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5.0)
            ) as file:
                return file.execute(statement).fetchall()
        import psycopg

        try:
            with psycopg.connect(self.url, autocommit=True) as connection:
                cursor = connection.execute(statement)
                return cursor.fetchall() if cursor.description else []
        except psycopg.OperationalError:
            return None

    def check(self) -> list[str]:
        """Return all faults: the run is opened once more, and compared with what was written."""
        for child in self.workers:
            self._end(child)
        self.workers = []
        self.read()
        path = self.folder / "acknowledged"
        told = [int(line) for line in path.read_text().split()] if path.exists() else []
        if len(set(told)) < len(told):
            self.faults.append("an outcome was acknowledged twice")
        with database_at(self.url, FileWitness(self.witness)) as database:
            try:
                ledger = database.ledger()
                if len(ledger.entries()) != 1:
                    self.faults.append(f"the run was charged {len(ledger.entries())} times")
                with Bandit.open(store=database.store(NAME), ledger=ledger) as bandit:
                    for refused in bandit.exchange([], [AskRequest()]):
                        if isinstance(refused, DiscreetError):
                            raise refused
                    bandit.verify()
                    self._compare(bandit, set(told))
            except DiscreetError as refusal:
                self.faults.append(f"the run cannot be opened: {refusal}")
        return self.faults

    def _compare(self, bandit: Bandit, told: set[int]) -> None:
        rows = bandit._run._store.rows
        asked, _, _, released, _ = rows.counters
        waiting = set(rows.open)
        found = self._query(RELEASES.format(-1))
        releases = {batch: np.frombuffer(blob)[0] for batch, blob in found or []}
        self.faults += [
            f"the release of batch {batch} has vanished, or changed"
            for batch, value in self.seen.items()
            if releases.get(batch) != value
        ]
        self.faults += [f"outcome {n} was acknowledged and lost" for n in told & waiting]
        self.faults += [f"outcome {n} was never asked for" for n in told if n >= asked]
        if released != len(releases):
            self.faults.append(f"{released} releases were counted, but there are {len(releases)}")
        for batch in range(0, asked - SIZE + 1, SIZE):
            rounds = range(batch, batch + SIZE)
            if any(identity in waiting for identity in rounds):
                if batch in releases:
                    self.faults.append(f"batch {batch} was released before all outcomes came")
            elif batch not in releases:
                self.faults.append(f"batch {batch} is complete, and will never be released")
            elif abs(releases[batch] * SIZE - sum(map(loss_of, rounds))) > 0.05:
                self.faults.append(f"the release of batch {batch} is not the mean of its outcomes")


def kill(kills: int, kind: str, seed: int, server: Server | None, until_found: bool = False):
    """Kill so often; return the killer, and what it has found."""
    with tempfile.TemporaryDirectory(prefix="discreet-kill-") as name:
        killer = Killer(Path(name), kind, seed, None if kind == "sqlite" else server)
        try:
            while killer.kills < kills and not (until_found and killer.faults):
                killer.kill_one()
        finally:
            faults = killer.check()
        return killer, faults


def main(kills: int, kind: str) -> int:
    server = None if kind == "sqlite" else Server()
    try:
        killer, faults = kill(kills, kind, int.from_bytes(os.urandom(4), "big"), server)
    finally:
        if server is not None:
            server.stop()
    print(f"{kind}: {killer.kills} kills, {len(killer.seen):,} releases: {len(faults)} faults")
    print("\n".join(faults[:20]))
    return 1 if faults else 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(int(given[0]) if given else 300, given[1] if len(given) > 1 else "sqlite"))
