"""Attackers who restore or edit a run file without its key: a batch still has one value."""

from __future__ import annotations

import contextlib
import sqlite3

import numpy as np
import pytest
from makers import ask, make, tell

from discreet import DiscreetError, LiveRun
from discreet.live import file_store, run_file
from discreet.live.keys import Key

TABLES = ("run", "batch", "decision", "choice", "drawn", "unlearned", "settled", "release")
SUFFIXES = ("", "-wal", "-shm")


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.db"


def save(path):
    """Return the files of a run as they are."""
    files = {end: path.with_name(path.name + end) for end in SUFFIXES[:2]}
    return {end: file.read_bytes() for end, file in files.items() if file.exists()}


def restore(path, saved):
    for end in SUFFIXES:
        path.with_name(path.name + end).unlink(missing_ok=True)
    for end, content in saved.items():
        path.with_name(path.name + end).write_bytes(content)


def kill(face, path):
    """Leave the files as a killed process does."""
    saved, store = save(path), face._run._store
    store._session = ""  # closing does not move the key
    store.close()
    restore(path, saved)


def killed_before_the_key_is_written(use):
    with pytest.MonkeyPatch.context() as patch:

        def die(*_, **__):
            raise Killed

        patch.setattr(Key, "advance", die)
        with pytest.raises(Killed):
            use()


def watch(face, monkeypatch):
    """Write down what its learner is handed."""
    learner, seen = type(face._run._engine.private.learner), []
    right = learner.learn

    def learn(self, trace, released):
        seen.append(np.array(released).tobytes())
        right(self, trace, released)

    monkeypatch.setattr(learner, "learn", learn)
    return seen


def contents(path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as file:
        return {table: file.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def write(file, rows):
    for table, kept in rows.items():
        file.execute(f"DELETE FROM {table}")
        for row in kept:
            file.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)


def overwrite(path, rows):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("BEGIN IMMEDIATE")
        write(file, rows)
        file.execute("COMMIT")


@pytest.mark.parametrize("kind", ["tree", "cube"])
def test_of_two_copies_that_went_on_one_is_refused(kind, path, monkeypatch):
    """Both have one release and one change, of the same round but with other noise."""
    face = make(kind, path=path)
    seen = watch(face, monkeypatch)
    decision = ask(face)
    before = save(path)
    killed_before_the_key_is_written(lambda: tell(face, decision))
    kill(face, path)
    after = save(path)
    restore(path, before)
    face = type(face).open(path)
    tell(face, face.open_decisions[0].id)
    kill(face, path)
    restore(path, after)
    with pytest.raises(
        DiscreetError, match="is an old copy: the run continued in another one; use"
    ):
        type(face).open(path)
    assert len(set(seen)) == 1


def test_a_note_is_for_one_history(path, monkeypatch):
    """Two copies have as many releases and changes, but other outcomes were told."""
    bandit = make("batch", path=path, batch_size=2)
    decisions = [bandit.ask() for _ in range(4)]
    before = save(path)
    killed_before_the_key_is_written(lambda: bandit.tell(decisions[2], loss=0.5))
    kill(bandit, path)
    after = save(path)
    restore(path, before)
    bandit = type(bandit).open(path)
    bandit.tell(decisions[0].id, loss=1.0)
    monkeypatch.setattr(bandit._run, "_commit_tell", lambda *_: (_ for _ in ()).throw(Killed))
    with pytest.raises(Killed):
        bandit.tell(decisions[1].id, loss=1.0)
    kill(bandit, path)
    restore(path, after)
    with pytest.raises(DiscreetError, match="is an old copy"):
        type(bandit).open(path)


def test_a_key_that_lost_changes_still_tells_releases_apart(path, tmp_path, monkeypatch):
    """A power loss comes before the key has counted a release, and takes its last changes too."""
    monkeypatch.setattr(file_store, "LONGEST_NOTE", 0)  # a row, as for large releases
    key = tmp_path / "run.key"
    bandit = make("batch", path=path, key=key)
    seen = watch(bandit, monkeypatch)
    decisions = [bandit.ask() for _ in range(8)]
    on_disk = key.read_bytes()
    bandit.tell(decisions[0], loss=0.5)
    before = save(path)
    for decision in decisions[1:3] + decisions[4:7]:
        bandit.tell(decision, loss=0.5)
    killed_before_the_key_is_written(lambda: bandit.tell(decisions[3], loss=0.5))
    kill(bandit, path)
    after = save(path)
    key.write_bytes(on_disk)
    restore(path, before)
    with type(bandit).open(path, key=key) as again:
        for decision in decisions[1:4]:
            again.tell(decision.id, loss=0.5)
    assert len(seen) == 1
    restore(path, after)
    with pytest.raises(DiscreetError, match="is an old copy: the run continued in another one"):
        type(bandit).open(path, key=key)
    assert len(seen) == 1


def test_a_note_that_is_no_longer_needed_names_no_other_release(path, tmp_path, monkeypatch):
    """Two power losses leave an old note in the key, and take all changes that came after it."""
    key, kept = tmp_path / "run.key", []
    right = Key.advance

    def advance(self, version, note=None):
        right(self, version, note)
        if note:
            kept.append(key.read_bytes())

    monkeypatch.setattr(Key, "advance", advance)
    bandit = make("batch", path=path, key=key)
    seen = watch(bandit, monkeypatch)
    decisions = [bandit.ask() for _ in range(8)]
    for decision in decisions[:4]:
        bandit.tell(decision, loss=0.5)
    (on_disk,) = kept
    before = save(path)
    for decision in decisions[4:7]:
        bandit.tell(decision, loss=0.5)
    kill(bandit, path)
    monkeypatch.setattr(file_store, "LONGEST_NOTE", 0)  # a row, as for large releases
    key.write_bytes(on_disk)
    bandit = type(bandit).open(path, key=key)
    killed_before_the_key_is_written(lambda: bandit.tell(decisions[7].id, loss=0.5))
    kill(bandit, path)
    after = save(path)
    key.write_bytes(on_disk)
    restore(path, before)
    with type(bandit).open(path, key=key) as again:
        again.tell_all(loss=[(decision.id, 0.5) for decision in decisions[4:]])
    assert len(seen) == 2
    restore(path, after)
    with pytest.raises(DiscreetError, match="is an old copy: the run continued in another one"):
        type(bandit).open(path, key=key)
    assert len(seen) == 2


def test_rows_that_are_set_back_while_the_run_is_open_are_refused(path, monkeypatch):
    """Their tag is right, and the session too: the key knows that the run went on."""
    bandit = make("batch", path=path)
    seen = watch(bandit, monkeypatch)
    decisions = [bandit.ask() for _ in range(4)]
    for decision in decisions[:3]:
        bandit.tell(decision, loss=0.5)
    old = contents(path)
    bandit.tell(decisions[3], loss=0.5)
    bandit._run._store._file.execute("PRAGMA busy_timeout = 0")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("BEGIN IMMEDIATE")
        write(file, old)
        with pytest.raises(DiscreetError, match="database is locked"):
            bandit.ask()
        file.execute("COMMIT")
    with pytest.raises(DiscreetError, match="is an old copy: it has 0 releases"):
        bandit.tell(decisions[3], loss=0.5)
    assert len(seen) == 1


EDIT = "UPDATE run SET recipe = replace(recipe, '\"epsilon\": ' || ?, '\"epsilon\": ' || ?)"
GAPS = ("_check_age", "_verify", "_begin_session", "_drop_undone", "recipe")


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("attack", ["before", "after", "recipe"])
def test_what_is_checked_is_what_is_used(gap, attack, path, monkeypatch):
    """Somebody writes in every gap between checks: it is locked out, or refused."""
    bandit = make("batch", path=path)
    seen = watch(bandit, monkeypatch)
    for _ in range(3):
        bandit.tell(bandit.ask(), loss=0.5)
    decision = bandit.ask()
    bandit.close()
    old = contents(path)
    with type(bandit).open(path) as again:
        again.tell(decision.id, loss=0.5)
    assert len(seen) == 1
    right = getattr(run_file.RunFile, gap)

    def race(change):
        with contextlib.suppress(sqlite3.OperationalError):  # it is locked
            file = sqlite3.connect(path, isolation_level=None, timeout=0)
            file.execute("BEGIN IMMEDIATE")
            change(file)
            file.execute("COMMIT")

    def racing(self, *arguments):
        if attack == "recipe":  # edited, and put back
            race(lambda file: file.execute(EDIT, ("1.0", "9.0")))
            found = right(self, *arguments)
            race(lambda file: file.execute(EDIT, ("9.0", "1.0")))
            return found
        if attack == "before":
            race(lambda file: write(file, old))
        found = right(self, *arguments)
        if attack == "after":
            race(lambda file: write(file, old))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(run_file.RunFile, gap, racing)
        try:
            bandit = type(bandit).open(path)
            assert bandit.guarantee.epsilon == 1.0
            bandit.tell(decision.id, loss=0.5)
        except DiscreetError:
            pass
    assert len(seen) == 1


def test_a_late_outcome_is_late_also_after_a_failure(monkeypatch):
    """With a wait time the default counts, whatever becomes of the release."""
    now = [0.0]
    bandit = make("batch", wait=10.0, default_loss=0.5)
    run: LiveRun = bandit._run
    run._clock = lambda: now[0]
    tickets = [run.ask(0) for _ in range(4)]
    learner = type(run._engine.private.learner)
    with monkeypatch.context() as patch:
        patch.setattr(learner, "learn", lambda *_: (_ for _ in ()).throw(Killed))
        now[0] = 20.0
        with pytest.raises(Killed):
            run.ask(0)
    assert not run.tell(tickets[3], 1.0)
    assert not run.tell(tickets[2], 1.0)
    assert run.state().released == 1
