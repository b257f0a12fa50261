"""Attacks on the limits of users: lost logs, kills, old rows, and clocks."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from unittest import mock

import test_lost_log as logs
import test_user_kills as kills
from attack_report import attack
from makers import Clock

from discreet import Bandit, DiscreetError
from discreet.live.database import MemoryWitness, open_database


@attack(
    "a power loss cuts or tears the log of a run that counts users, at any place",
    holds="counts match decisions; an outcome whose decision was lost is refused",
    tries=300,
)
def cuts(tries):
    with tempfile.TemporaryDirectory() as folder:
        lost, faults = logs.cut_log(Path(folder), tries, seed=2)
    return tries, faults, f"from {min(lost)} to {max(lost)} of {logs.ASKS} decisions lost"


@attack(
    "SIGKILL to a run that counts users, at random moments",
    holds="every decision that was returned is counted once",
    tries=25,
)
def killed(tries):
    chance = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        kills.start(Path(folder))
        for _ in range(tries):
            kills.kill_one(Path(folder), chance)
        return tries, kills.faults_of(Path(folder))


@attack(
    "an earlier row of a user, or the whole table of users, is restored without the key",
    holds="refused with a one-sentence error",
    tries=40,
)
def old_rows(tries):
    chance, faults = random.Random(4), []
    with tempfile.TemporaryDirectory() as folder:
        path, place = Path(folder) / "run.db", {"key": Path(folder) / "run.key"}
        Bandit(2, 10**5, 1.0, path=path, max_rounds_per_user=10**5, **place).close()
        for _ in range(tries):
            tables = []
            for _ in range(2):
                with Bandit.open(path, **place) as bandit:
                    for _ in range(3):
                        bandit.ask(user=chance.randrange(5))
                with sqlite3.connect(path) as file:
                    tables.append(file.execute("SELECT * FROM usage").fetchall())
                file.close()
            before, after = tables
            changed = [row for row in before if row not in after]
            old = before if chance.random() < 0.3 else [chance.choice(changed)] if changed else []
            faults += put_back(path, place, old, after)
    return tries, faults


def put_back(path, place, old, after):
    """Put rows back, try to open the run, and repair it; return what is wrong."""
    file = sqlite3.connect(path)
    with file:
        file.executemany("INSERT OR REPLACE INTO usage VALUES (?, ?, ?)", old)
    try:
        Bandit.open(path, **place).close()
        faults = ["an earlier count is taken for the present one"] if old else []
    except DiscreetError as refusal:
        faults = [] if str(refusal).endswith(".") else [str(refusal)]
    with file:
        file.execute("DELETE FROM usage")
        file.executemany("INSERT INTO usage VALUES (?, ?, ?)", after)
    file.close()
    return faults


@attack(
    "rows of users are deleted or moved in a database, without its secret",
    holds="no user gets a round above the limit",
    tries=40,
)
def rows_gone(tries):
    chance, faults = random.Random(6), []
    for turn in range(tries):
        with tempfile.TemporaryDirectory() as folder:
            faults += third_rounds(Path(folder), MISSING[turn % 2], chance.randrange(1, 8_192))
    return tries, faults


MISSING = (
    "DELETE FROM discreet_usage WHERE number < ?",
    "UPDATE discreet_usage SET number = 10000 + number WHERE number < ?",
)


def third_rounds(folder, statement, most):
    """Remove the rows of users below a number; return which users get a third of two rounds."""

    def database():
        return open_database(f"sqlite:///{folder}/runs.db", secret=bytes(32), witness=witness)

    witness, users, faults = MemoryWitness(), range(12), []
    with database() as first:
        run = Bandit(2, 100, 1.0, store=first.store("a run"), max_rounds_per_user=2)
        for user in (*users, *users):
            run.ask(user=user)
    with sqlite3.connect(folder / "runs.db") as file:
        file.execute(statement, (most,))
    file.close()
    with database() as second:
        run = Bandit.open(store=second.store("a run"))
        for user in users:
            with contextlib.suppress(DiscreetError):
                run.ask(user=user)
                faults.append(f"user {user} has a third round")
    return faults


@attack(
    "learning fails, and the release that was drawn is deleted from a database, or never stored",
    holds="the run is refused; nobody is handed another value of the batch",
    tries=40,
)
def held_release_gone(tries):
    faults = []
    for turn in range(tries):
        with tempfile.TemporaryDirectory() as folder:
            values = values_of_one_batch(Path(folder), never_stored=turn % 2 == 1)
        faults += [f"{len(values)} values of one batch"] if len(values) != 1 else []
    return tries, faults


def values_of_one_batch(folder, *, never_stored):
    """Let learning fail three times, and remove what was drawn; return what was handed over."""
    path, witness, values = folder / "runs.db", MemoryWitness(), set()

    def sql(statement):
        with contextlib.closing(sqlite3.connect(path)) as file, file:
            file.execute(statement)

    def fail(self, trace, released):
        values.add(released)
        raise RuntimeError("learning fails")

    def database():
        return open_database(f"sqlite:///{path}", secret=bytes(32), witness=witness)

    with database() as first:
        run = Bandit(2, 100, 1.0, algorithm="batched-exp3", batch_size=2, store=first.store("a"))
        one, other = run.ask(), run.ask()
        run.tell(one, loss=0.5)
    if never_stored:
        sql("CREATE TRIGGER t BEFORE INSERT ON discreet_held BEGIN SELECT RAISE(IGNORE); END")
    learner = type(run._run._engine.learner)
    with mock.patch.object(learner, "learn", fail):
        for _ in range(3):
            with database() as again, contextlib.suppress(DiscreetError, RuntimeError):
                Bandit.open(store=again.store("a")).tell(other, loss=0.5)
            sql("DELETE FROM discreet_held")
    return values


@attack(
    "the clock of a run with periods per user is set forward and back",
    holds="no user gets more rounds in a window than the limit, or fewer than are due",
    tries=2_000,
)
def clock_of_periods(tries):
    chance, faults, day = random.Random(5), [], 86_400.0
    bandit = Bandit(2, tries, 1.0, max_rounds_per_user=3, per=timedelta(days=1))
    clock = bandit._run._clock = Clock()
    counts, window = Counter(), 0
    for _ in range(tries):
        clock.now = max(
            0.0, clock.now + chance.choice([1.0, -1.0, 0.0]) * chance.expovariate(1 / day)
        )
        window, user = max(window, int(clock.now // day)), chance.randrange(4)
        learns = bandit.ask(user=user, at_limit="serve").learns
        if learns != (counts[user, window] < 3):
            faults.append(f"a user with {counts[user, window]} rounds was counted: {learns}")
        counts[user, window] += learns
    return tries, faults
