"""A budget is spent once: by threads, by processes, and with SIGKILL at any moment."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import sqlite3
import sys
import threading
import time
import traceback
import warnings
from collections import Counter

import pytest
from promises import KEY, charge_until_refused, exact, promise

from discreet.errors import DiscreetError
from discreet.ledger import BudgetExceeded, Ledger, UserLimitReached

# Threads and processes


def fork(work):
    """Run work in a child and return its process id; it ends with status 0 if work returned."""
    with warnings.catch_warnings():
        # Python 3.12 warns of forks beside threads
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process:
        return process
    status = 1
    signal.alarm(100)  # rather killed than waited for without end
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def joined(processes):
    assert [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes] == [
        0
    ] * len(processes)


@pytest.fixture
def eager_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("in_file", [False, True])
@pytest.mark.usefixtures("eager_threads")
def test_threads_spend_the_budget_once(in_file, tmp_path):
    where = {"path": tmp_path / "ledger", "key": KEY} if in_file else {}
    ledger = Ledger(1.0, max_rounds_per_user=30, **where)
    accepted, admitted = [], []

    def work():
        for _ in range(12):
            with contextlib.suppress(BudgetExceeded):
                accepted.append(ledger.charge(promise(0.02)))
            with contextlib.suppress(UserLimitReached):
                admitted.append(ledger.admit("Ada"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(accepted) == list(range(1, 51))
    assert sorted(admitted) == list(range(1, 31))
    assert ledger.spent.epsilon == 1.0


def test_processes_spend_the_budget_once(tmp_path):
    """Each opens the file itself; all begin at the same moment, which the closing of a pipe gives
    them.
    """
    waiting, go = os.pipe()

    def work():
        os.close(go)
        os.read(waiting, 1)
        with Ledger(1.0, max_rounds_per_user=10, path=tmp_path / "ledger", key=KEY) as ledger:
            number = charge_until_refused(ledger, promise(0.02))
            admitted = 0
            with contextlib.suppress(UserLimitReached):
                while True:
                    ledger.admit("Ada")
                    admitted += 1
        (tmp_path / f"accepted {os.getpid()}").write_text(f"{number} {admitted}")

    processes = [fork(work) for _ in range(4)]
    os.close(waiting)
    os.close(go)
    joined(processes)
    counts = [list(map(int, path.read_text().split())) for path in tmp_path.glob("accepted *")]
    assert len(counts) == 4
    assert [sum(column) for column in zip(*counts, strict=True)] == [50, 10]
    ledger = Ledger(1.0, max_rounds_per_user=10, path=tmp_path / "ledger", key=KEY)
    assert ledger.spent.epsilon == 1.0
    assert [entry.number for entry in ledger.entries()] == list(range(1, 51))


@pytest.mark.slow
@pytest.mark.usefixtures("eager_threads")
def test_children_may_go_on_with_a_file_even_if_forked_beside_busy_threads(tmp_path):
    ledger = Ledger(1.0, path=tmp_path / "ledger")
    done = threading.Event()
    charged = []

    def work():
        while not done.is_set():
            charged.append(ledger.charge(promise(1e-4)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        joined([fork(lambda: ledger.charge(promise(1e-4), label="child")) for _ in range(12)])
    finally:
        done.set()
        for thread in threads:
            thread.join()
    entries = ledger.entries()
    assert sum(entry.label == "child" for entry in entries) == 12
    assert len(entries) == 12 + len(charged)
    assert len(charged) > 0


def test_a_child_cannot_spend_a_budget_in_the_memory_of_its_parent():
    ledger = Ledger(1.0)

    def work():
        with pytest.raises(
            DiscreetError, match="this ledger is in the memory of another process: give it a path"
        ):
            ledger.charge(promise())

    joined([fork(work)])
    assert ledger.charge(promise()) == 1


def test_a_full_disk_refuses_the_charge_and_keeps_the_others(tmp_path):
    def work():
        ledger = Ledger(1.0, path=tmp_path / "ledger")
        size = (tmp_path / "ledger").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 512, size + 512))
        with pytest.raises(DiscreetError, match=r"cannot be used .*, so nothing may be released"):
            charge_until_refused(ledger, promise(0.001), label="x" * 400)

    joined([fork(work)])
    entries = Ledger(1.0, path=tmp_path / "ledger").entries()
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert 0 < len(entries) < 100
    assert Ledger(1.0, path=tmp_path / "ledger").charge(promise(0.001)) == len(entries) + 1


# SIGKILL

BUDGET = 1.0
SMALL = promise(1e-6)


def charge_then_release(ledger, output):
    while True:
        number = ledger.charge(SMALL)
        os.write(output, b"%d\n" % number)
        os.fsync(output)


def release_then_charge(ledger, output):
    """What must not be done: the negative control."""
    while True:
        number = len(ledger.entries()) + 1
        os.write(output, b"%d\n" % number)
        os.fsync(output)
        ledger.charge(SMALL)


class Killer:
    """Starts children that work on a ledger and kills them at random moments."""

    def __init__(self, directory, seed):
        self.path, self.output, self.random = (
            directory / "ledger",
            directory / "released",
            random.Random(seed),
        )
        probe = Ledger(BUDGET, path=directory / "probe")
        start = time.perf_counter()
        for _ in range(5):
            probe.charge(SMALL)
        # some charges, however slow the disk
        self.longest = min(0.15, 0.003 + 6 * (time.perf_counter() - start) / 5)

    def kill_one(self, loop):
        def work():
            output = os.open(self.output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            loop(Ledger(BUDGET, path=self.path), output)

        process = fork(work)
        time.sleep(self.random.uniform(0.0, self.longest))
        os.kill(process, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL, (
            "it was still at work"
        )

    def charged_and_released(self):
        charged = [entry.number for entry in Ledger(BUDGET, path=self.path).entries()]
        released = list(map(int, self.output.read_text().split())) if self.output.exists() else []
        return charged, released


def uncharged(charged, released):
    """Return the releases that no charge of their own stands for."""
    return sorted((Counter(released) - Counter(charged)).elements())


@pytest.mark.slow
@pytest.mark.parametrize("least", [60, pytest.param(200, marks=pytest.mark.full)])
def test_nothing_is_released_uncharged_after_many_kills(least, tmp_path):
    killer = Killer(tmp_path, seed=7)
    within_a_charge = between_charge_and_release = 0
    known, gap = [], 0
    kills = 0
    while kills < least or (
        len(known) < least // 2 and kills < 2000
    ):  # a busy machine needs more of them
        kills += 1
        killer.kill_one(charge_then_release)
        within_a_charge += (tmp_path / "ledger-journal").exists()
        charged, released = killer.charged_and_released()
        assert uncharged(charged, released) == []
        assert len(charged) >= len(released)
        assert charged[: len(known)] == known, "no charge is ever forgotten"
        assert charged == list(range(1, len(charged) + 1))
        between_charge_and_release += len(charged) - len(released) > gap
        known, gap = charged, len(charged) - len(released)
    ledger = Ledger(BUDGET, path=tmp_path / "ledger")
    assert exact(ledger.spent.epsilon) == len(known) * exact(1e-6)
    assert len(known) >= least // 2
    assert within_a_charge > 0
    assert between_charge_and_release > 0
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger")) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_kill_test_would_notice_a_release_before_its_charge(tmp_path):
    killer = Killer(tmp_path, seed=8)
    for _ in range(100):
        killer.kill_one(release_then_charge)
        caught = uncharged(*killer.charged_and_released())
        if caught:
            break
    assert caught != []


@pytest.mark.slow
def test_a_ledger_killed_while_it_is_made_can_be_made_again(tmp_path):
    chance = random.Random(9)
    found = set()
    for number in range(40):
        path = tmp_path / str(number)
        process = fork(lambda: [Ledger(BUDGET, path=path), signal.pause()])  # noqa: B023
        time.sleep(chance.uniform(0.0, 0.005 + 0.001 * number))  # a busy machine begins late
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        found.add(path.stat().st_size if path.exists() else None)
        ledger = Ledger(BUDGET, path=path)
        assert ledger.charge(SMALL) == 1
        assert path.stat().st_mode & 0o777 == 0o600
    assert len(found) > 1, "some were killed before they were done"
