"""A server of devices in a file: reopened bit for bit, after crashes, kills and power losses."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import warnings

import pytest
from server_reports import TASK, everything, folded, reports

from discreet import Device, DiscreetError, LocalServer
from discreet.live import local_server
from discreet.live.report_file import FAMILY


@pytest.fixture
def path(tmp_path):
    return tmp_path / "server.db"


@pytest.mark.parametrize("algorithm", ["local-greedy", "local-linucb"])
@pytest.mark.parametrize("every", [7, 1000])
def test_a_server_is_reopened_bit_for_bit(path, algorithm, every, monkeypatch):
    """At any moment, with a checkpoint between or without, and as if it had stayed in memory."""
    monkeypatch.setattr(local_server, "EVERY", every)
    server = LocalServer(**TASK, algorithm=algorithm, path=path)
    memory = LocalServer(**TASK, algorithm=algorithm)
    messages = reports(server, 40)
    for step, message in enumerate(messages):
        assert server.receive(message) == memory.receive(message) == step + 1
        if step % 9 == 3:
            assert server.model() == memory.model()
        if step % 11 == 5:
            before = everything(server)
            if step % 2:
                server.close()
            else:
                server._kept.close()  # as if killed: nothing more is written
            server = LocalServer.open(path)
            assert everything(server) == before
    assert everything(server) == everything(memory)
    assert server.estimate.tolist() == memory.estimate.tolist()
    server.close()


def test_duplicates_are_refused_after_reopening_too(path):
    with LocalServer(**TASK, lag=2, path=path) as server:
        first, second = reports(server, 2)
        server.receive(first)
    with LocalServer.open(path) as server:
        with pytest.raises(
            DiscreetError, match="this report was received before: each report counts once"
        ):
            server.receive(first)
        assert server.receive_all([first, second, b"nonsense", second]) == [
            False,
            True,
            False,
            False,
        ]
        assert server.reports == 2
        for step in range(2):
            server.model()
            server.receive(*reports(server, 1, version=step + 1, seed=9 + step))
        server.model()
    with LocalServer.open(path) as server:
        with pytest.raises(DiscreetError, match="version 0 of the model, but versions 2 to 3"):
            server.receive(first)
        seeds = server._kept._file.execute("SELECT DISTINCT version FROM seen").fetchall()
        assert seeds == [(2,)], "seeds of versions that no longer count are forgotten"


def test_reports_at_once_are_those_one_by_one(path, tmp_path, monkeypatch):
    monkeypatch.setattr(local_server, "EVERY", 10)
    server, memory = LocalServer(**TASK, path=path), LocalServer(**TASK)
    messages = reports(server, 33)
    assert server.receive_all(messages) == memory.receive_all(messages) == [True] * 33
    assert everything(server) == everything(memory)
    assert server._block.tobytes() == folded(messages)
    assert not any(server.receive_all(messages))
    server.close()


def test_a_published_version_is_on_the_disk_and_keeps_its_model(path, tmp_path):
    """The write-ahead log is cut at random after the model was published: 40 power losses.

    What is left is a prefix: the seeds that are known are those of the reports that were learned.
    """
    chance = random.Random(3)
    server = LocalServer(**TASK, path=path)
    messages = reports(server, 12)
    server.receive_all(messages)
    published = server.model()
    later = reports(server, 30, version=1, seed=1)
    log = path.with_name(path.name + "-wal")
    durable = log.stat().st_size
    for message in later:
        server.receive(message)
    assert log.stat().st_size > durable
    states = [folded(messages + later[:k]) for k in range(31)]
    lengths = set()
    for cut in range(40):
        folder = tmp_path / f"loss{cut}"
        folder.mkdir()
        for part in (path, log):
            shutil.copy(part, folder)
        with (folder / log.name).open("r+b") as file:
            file.truncate(chance.randint(durable, log.stat().st_size))
            if cut % 2:  # a torn page
                file.seek(-1, os.SEEK_END) if file.seek(0, os.SEEK_END) > durable else None
                if file.tell() > durable:
                    file.write(b"\xff")
        with LocalServer.open(folder / path.name) as after:
            kept = after.reports - 12
            lengths.add(kept)
            assert after.model() != published if kept else after.model() == published
            assert after._published.version == (2 if kept else 1)
            assert after._block.tobytes() == states[kept]
            assert after.receive_all(later) == [False] * kept + [True] * (30 - kept)
    assert len(lengths) > 8
    server.close()


def test_whoever_kills_the_server_loses_no_report_that_counted(path):
    """8 kills by signal: what was acknowledged is there, once, and at most one report more."""
    server = LocalServer(**TASK, path=path)
    messages = reports(server, 4000)
    server.close()
    counted, chance = 0, random.Random(5)
    for _ in range(8):
        reader, writer = os.pipe()
        with warnings.catch_warnings(action="ignore"):
            child = os.fork()
        if child == 0:
            try:
                signal.alarm(60)
                with LocalServer.open(path) as mine:
                    for message in messages[counted:]:
                        mine.receive(message)
                        os.write(writer, b".")
                        if chance.random() < 0.05:
                            mine.model()
            finally:
                os._exit(1)
        os.close(writer)
        wanted, acknowledged = chance.randint(0, 60), 0
        while acknowledged < wanted:
            acknowledged += len(os.read(reader, 1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        acknowledged += len(os.read(reader, 1 << 20))
        os.close(reader)
        with LocalServer.open(path) as server:
            assert counted + acknowledged <= server.reports <= counted + acknowledged + 1
            counted = server.reports
            assert server._block.tobytes() == folded(messages[:counted])
            assert not any(server.receive_all(messages[:counted]))
    assert counted > 50


@pytest.mark.parametrize("fails", ["learn", "enter", "commit"])
@pytest.mark.parametrize("kept", [True, False])
def test_a_failure_changes_nothing(path, monkeypatch, fails, kept):
    server = LocalServer(**TASK, path=path if kept else None)
    messages = reports(server, 6)
    server.receive_all(messages[:3])
    before = everything(server)
    calls = []

    def fail(real):
        def instead(*arguments):
            calls.append(real(*arguments))
            if len(calls) == 2:
                raise KeyboardInterrupt
            return calls[-1]

        return instead

    with monkeypatch.context() as patch:
        if fails == "commit" and kept:
            patch.setattr(server._kept, "checkpoint", fail(server._kept.checkpoint))
            patch.setattr(local_server, "EVERY", 1)
            calls.append(None)
        elif fails == "enter":
            patch.setattr(server._kept, "enter", fail(server._kept.enter))
        else:
            patch.setattr(server, "_learn", fail(server._learn))
        with pytest.raises(KeyboardInterrupt):
            server.receive_all(messages[3:])
    assert server.receive(messages[5]) == 4, "the state is that before"
    assert server._block.tobytes() == folded([*messages[:3], messages[5]])
    assert before[1] == server._published
    server.close()


def test_devices_and_a_server_in_a_file_work_together(path):
    task = {"dimension": 2, "epsilon": 1.0}
    server = LocalServer(**task, horizon=1000, path=path)
    device = Device(**task)
    device.update(server.model())
    for _ in range(3):
        device.choose([[0.6, 0.0], [0.0, 0.8]])
        server.receive(device.report(reward=1.0))
    device.update(server.model())
    device.choose([[0.6, 0.0], [0.0, 0.8]])
    message = device.report(reward=0.0)
    server.close()
    with LocalServer.open(path) as again:
        assert again.receive(message) == 4
        assert Device(dimension=2, epsilon=1).update(again.model()) is None, "1 is 1.0"


def test_one_process_has_the_file(path):
    server = LocalServer(**TASK, path=path)
    with pytest.raises(DiscreetError, match="is in use"):
        LocalServer.open(path)
    with pytest.raises(DiscreetError, match="is in use"):
        LocalServer(**TASK, path=path)
    reader, writer = os.pipe()
    with warnings.catch_warnings(action="ignore"):
        child = os.fork()
    if child == 0:
        try:
            server.receive(*reports(server, 1))
        except DiscreetError as refusal:
            os.write(writer, str(refusal).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert b"belongs to another process" in os.read(reader, 1000)
    server.close()
    with pytest.raises(DiscreetError, match="which already holds a server"):
        LocalServer(**TASK, path=path)
    with pytest.raises(DiscreetError, match=r"cannot be used .*closed"):
        server.receive(*reports(server, 1))


def test_damaged_files_are_refused_in_one_sentence(path, tmp_path):
    """Every byte in turn of a small file is changed (each 61st): refused, or without effect."""
    with LocalServer(**TASK, path=path) as server:
        server.receive_all(reports(server, 5))
        server.model()
        server.receive_all(reports(server, 5, version=1, seed=4))
        server._stale = True  # no checkpoint: reports stay rows of the file
    with LocalServer.open(path) as server:
        good = everything(server)
        server._stale = True
    content = path.read_bytes()
    broken, refusals = tmp_path / "broken.db", []
    for place in range(0, len(content), 61):
        broken.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            with LocalServer.open(broken) as server:
                assert everything(server) == good
                server._stale = True
        except DiscreetError as refusal:
            refusals.append(str(refusal))
    assert len(refusals) > 12
    assert all(text.startswith(f"{broken} ") and ". " not in text for text in refusals)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (f"PRAGMA application_id = {(FAMILY << 8) + ord('9')}", "by a newer version of discreet"),
        (f"PRAGMA application_id = {(FAMILY << 8) + ord('0')}", "by an older version of discreet"),
        ("PRAGMA application_id = 7", "is a file of another kind, not a server"),
        ("UPDATE server SET version = 7", "is damaged: it cannot be read"),
        ("UPDATE report SET payload = zeroblob(17) WHERE number = 1", "is damaged"),
        ("DELETE FROM report WHERE number = 0", "is damaged"),
        ("DROP TABLE seen", "is damaged"),
        ("UPDATE server SET recipe = CAST(X'41646120FF' AS TEXT)", "is damaged: it cannot be read"),
    ],
)
def test_other_formats_and_changed_rows_are_refused(path, change, complaint):
    server = LocalServer(**TASK, path=path)
    server.receive_all(reports(server, 3))
    server._kept.close()
    file = sqlite3.connect(path)
    file.execute(change)
    file.commit()
    file.close()
    with pytest.raises(DiscreetError, match=complaint):
        LocalServer.open(path)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text").write_text("nothing of the kind" * 100)
    (tmp_path / "empty").touch()
    with pytest.raises(DiscreetError, match="is a file of another kind, not a server"):
        LocalServer.open(tmp_path / "text")
    with pytest.raises(DiscreetError, match="is a file of another kind, not a server"):
        LocalServer.open(tmp_path / "empty")
    with pytest.raises(DiscreetError, match="but there is no file"):
        LocalServer.open(tmp_path / "none")
    with pytest.raises(DiscreetError, match="path is 3"):
        LocalServer(**TASK, path=3)
    with pytest.raises(DiscreetError, match="path is 3"):
        LocalServer.open(3)


def test_a_server_says_what_it_guarantees_and_how_far_it_is(tmp_path):
    path, numbers = tmp_path / "server.db", {"dimension": 2, "epsilon": 0.5}
    device = Device(**numbers)
    with LocalServer(**numbers, horizon=1000, lag=2, path=path) as server:
        assert server.guarantee == device.guarantee
        assert (server.guarantee.epsilon, server.guarantee.model) == (0.5, "local")
        assert server.state() == (0, 0, 0, 0)
        for made in range(3):
            device.update(server.model())
            device.choose([[0.6, 0.0], [0.0, 0.8]])
            server.receive(device.report(reward=1.0))
            assert server.state() == (made + 1, made, 1, max(0, made - 1))
        before = server.state()
    with LocalServer.open(path) as server:
        assert server.state() == before
        assert server.guarantee == device.guarantee
        server.model()
        assert server.state()._asdict() == {
            "reports": 3,
            "version": 3,
            "unpublished": 0,
            "oldest": 2,
        }
