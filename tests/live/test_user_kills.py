"""Kill runs that count their users: every decision that was given is counted, and none too often.

A worker asks for random users, tells, and writes down what it was given; SIGKILL ends it, and the
next one goes on.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
import traceback
import warnings
from collections import Counter

import pytest
from test_lost_log import counted

from discreet import Bandit
from discreet.live.file_store import FileStore

USERS, LIMIT, KILLS = 40, 1000, 25


def work(folder, given, ready):
    """Ask and tell until killed."""
    bandit, chance = Bandit.open(folder / "run.db"), random.Random(os.urandom(8))
    os.write(ready, b"!")
    while True:
        user = chance.randrange(USERS)
        decision = bandit.ask(user=user)
        os.write(given, b"%d\n" % user)
        if chance.random() < 0.5:
            bandit.tell(decision, loss=0.5)


def kill_one(folder, chance):
    """Let a worker work, and kill it."""
    given = os.open(folder / "given", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    reader, ready = os.pipe()
    with warnings.catch_warnings(action="ignore"):
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            work(folder, given, ready)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    for each in (given, ready):
        os.close(each)
    os.read(reader, 1)
    os.close(reader)
    time.sleep(chance.uniform(0.0, 0.04))
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def faults_of(folder):
    """Return what is wrong with the counts, in words."""
    given = Counter(map(int, (folder / "given").read_text().split()))
    with Bandit.open(folder / "run.db") as bandit:
        asked = bandit.state().round
        rounds = {user: bandit.rounds_of(user) for user in range(USERS)}
        total = counted(bandit)
    faults = [f"user {user} is counted too rarely" for user in given if rounds[user] < given[user]]
    if total != asked:
        faults.append(f"{total} rounds are counted, but {asked} were asked for")
    if asked > given.total() + KILLS:
        faults.append("more was asked for than one decision per kill explains")
    return faults


class CountsLater(FileStore):
    """A mistake: a count is committed after its decision, in another transaction."""

    def ask(self, *arguments):
        *facts, usage = arguments
        super().ask(*facts, None)
        time.sleep(0.005)  # where most kills then come
        with self._change(self.rows.counters, lasting=False):
            self._file.execute("INSERT OR REPLACE INTO usage VALUES (?, ?, ?)", usage)
            self._tag.put("usage", *usage)
        self.rows.usage[usage[0]] = usage[1:]


def start(folder):
    path = folder / "run.db"
    Bandit(3, 10**6, 1.0, path=path, max_rounds_per_user=LIMIT).close()


@pytest.mark.slow
def test_after_25_kills_every_decision_is_counted_once(tmp_path):
    start(tmp_path)
    chance = random.Random(1)
    for _ in range(KILLS):
        kill_one(tmp_path, chance)
    assert faults_of(tmp_path) == []


@pytest.mark.slow
def test_the_same_test_finds_counts_in_another_transaction(tmp_path, monkeypatch):
    start(tmp_path)
    chance, found = random.Random(2), []
    for _ in range(8 * KILLS):
        with monkeypatch.context() as patch:
            patch.setattr("discreet.live.stores.FileStore", CountsLater)
            kill_one(tmp_path, chance)
        with contextlib.suppress(FileNotFoundError):
            found = faults_of(tmp_path)
        if found:
            break
    assert any("rounds are counted, but" in each for each in found)
