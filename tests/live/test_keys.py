"""The key of a run: raw rows on the disk are encrypted and authentic, old copies are refused."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import stat

import numpy as np
import pytest
from makers import make, tell

from discreet import Bandit, DiscreetError, Experts
from discreet.live import keys, row_cipher
from discreet.live.keys import Key, KeyPlace


def contents(folder):
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_what_is_encrypted_can_be_decrypted_and_looks_different_every_time(tmp_path):
    key = Key(tmp_path / "a.key", new=True)
    raw = np.arange(100.0).tobytes()
    stored = {key.encrypt(raw, b"row 1") for _ in range(20)}
    assert len(stored) == 20
    assert {len(each) for each in stored} == {len(raw) + 44}
    key.close()
    key.close()
    key = Key(tmp_path / "a.key", new=False)
    assert {key.decrypt(each, b"row 1") for each in stored} == {raw}
    assert not any(raw[8:16] in each for each in stored)
    other = Key(tmp_path / "b.key", new=True)
    for each in stored:
        with pytest.raises(ValueError, match="not authentic"):
            other.decrypt(each, b"row 1")
    assert other.fingerprint != key.fingerprint
    assert repr(key) == f"Key({str(tmp_path / 'a.key')!r})"


def test_a_row_that_was_modified_moved_or_cut_short_is_not_decrypted(tmp_path):
    key = Key(tmp_path / "a.key", new=True)
    stored = key.encrypt(b"raw", b"row 1")
    for place in range(len(stored)):
        changed = bytearray(stored)
        changed[place] ^= 1
        with pytest.raises(ValueError, match="not authentic"):
            key.decrypt(bytes(changed), b"row 1")
    with pytest.raises(ValueError, match="not authentic"):
        key.decrypt(stored, b"row 2")
    for length in range(len(stored)):
        with pytest.raises(ValueError, match=r"."):
            key.decrypt(stored[:length], b"row 1")


def test_every_opening_and_every_so_many_rows_have_a_fresh_subkey(tmp_path, monkeypatch):
    """Nonces are random: the number of rows per subkey is what keeps them from repeating."""
    monkeypatch.setattr(row_cipher, "ROWS_PER_SUBKEY", 3)
    key = Key(tmp_path / "a.key", new=True)
    stored = [key.encrypt(b"raw", b"row") for _ in range(9)]
    key.close()
    key = Key(tmp_path / "a.key", new=False)
    stored.append(key.encrypt(b"raw", b"row"))
    salts = [each[:16] for each in stored]
    assert [salts.count(salt) for salt in dict.fromkeys(salts)] == [3, 3, 3, 1]
    assert {key.decrypt(each, b"row") for each in stored} == {b"raw"}


def test_encrypted_bytes_are_as_good_as_random(tmp_path):
    """Each bit of 100,000 encrypted zeros is 1 half of the time; false alarms: below 1e-9."""
    key = Key(tmp_path / "a.key", new=True)
    rows = [key.encrypt(bytes(1000), b"row")[16:] for _ in range(100)]
    bits = np.unpackbits(np.frombuffer(b"".join(rows), np.uint8))
    assert abs(bits.mean() - 0.5) < 6.2 * 0.5 / np.sqrt(bits.size)


def test_keys_are_in_the_users_state_folder_unless_a_variable_names_another(tmp_path, monkeypatch):
    monkeypatch.delenv("DISCREET_KEYS", raising=False)
    monkeypatch.setattr(keys.platformdirs, "user_state_path", lambda *_, **__: tmp_path / "state")
    assert keys.usual_path("abc") == tmp_path / "state" / "keys" / "abc.key"
    monkeypatch.setenv("DISCREET_KEYS", str(tmp_path / "mine"))
    assert keys.usual_path("abc") == tmp_path / "mine" / "abc.key"


def test_a_key_in_the_former_folder_is_mentioned(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "former"))
    monkeypatch.setenv("DISCREET_KEYS", str(tmp_path / "new"))
    former = tmp_path / "former" / "discreet" / "keys" / "abc.key"
    with pytest.raises(DiscreetError, match=r"is not at .*abc\.key: give its path with key="):
        KeyPlace().find("abc", "")
    former.parent.mkdir(parents=True)
    former.touch()
    with pytest.raises(
        DiscreetError, match=rf"is not at .*abc\.key \(it is at {former}: move it\)"
    ):
        KeyPlace().find("abc", "")


def test_no_raw_number_is_in_the_file_while_a_batch_is_unfinished(tmp_path):
    """As batches keep it, and as it is told, in a run that waits: nowhere in the folder, the write-
    ahead log included.
    """
    folder = tmp_path / "run"
    folder.mkdir()
    path, key = folder / "run.db", tmp_path / "run.key"
    bandit = Bandit(
        arms=2, horizon=100, epsilon=1.0, algorithm="batched-exp3", batch_size=4, path=path, key=key
    )
    for _ in range(3):
        bandit.tell(bandit.ask(), loss=0.7390851332)
    held = bandit._run._store.rows.groups[0][-1]
    sums = [
        number.tobytes()
        for number in np.frombuffer(held)
        if number not in (0.0, 1.0, 2.0, 3.0, 4.0)
    ]
    assert sums, "there is something to look for"
    assert not any(each in contents(folder) for each in sums)
    experts = Experts(
        experts=2,
        horizon=10,
        epsilon=1.0,
        path=folder / "b.db",
        key=tmp_path / "b.key",
        wait=9,
        default_losses=[0, 0],
    )
    experts.tell(experts.ask(), losses=[0.7390851332, 0.25])
    assert np.float64(0.7390851332).tobytes() not in contents(folder)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    bandit.close()
    with Bandit.open(path, key=key) as again:
        assert again._run._store.rows.groups[0][-1] == held


@pytest.mark.parametrize("kind", ["batch", "blt"])
def test_a_restored_backup_is_refused(kind, tmp_path):
    """It would release a batch, or a sum, again: the key remembers how many releases there were."""
    path, backup = tmp_path / "run.db", tmp_path / "backup.db"
    face = make(kind, path=path)
    for _ in range(3):
        tell(face, face.ask())
    face.close()
    shutil.copy(path, backup)
    face = type(face).open(path)
    tell(face, face.ask())
    released = face.state().released
    face.close()
    shutil.copy(backup, path)
    with pytest.raises(
        DiscreetError, match=f"is an old copy: it has .* releases?, but the run made {released}"
    ):
        type(face).open(path)


def test_a_file_that_is_newer_than_its_key_goes_on(tmp_path):
    """A crash between the commit and the note of it: nothing is lost, and the key catches up."""
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    bandit = make("every round", path=path, wait=60.0, default_loss=0.0, key=key)
    before = key.read_bytes()
    clock = bandit._run._clock
    bandit.ask()
    bandit._run._clock = lambda: clock() + 60.0
    assert bandit.release_due() == 1
    bandit.close()
    key.write_bytes(before)
    Bandit.open(path, key=key).close()
    again = Key(key, new=False)
    assert again.version[:2] == (1, 1)
    again.close()


def test_without_its_key_a_run_goes_on_only_without_unfinished_batches(tmp_path):
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    bandit = make("batch", path=path, key=key)
    for _ in range(7):
        decision = bandit.ask()
        bandit.tell(decision, loss=0.5)
    bandit.ask()
    learned = bandit._run._store.rows.learner
    bandit.close()
    key.rename(tmp_path / "gone")
    with pytest.raises(
        DiscreetError, match=r"the key of this run is not at .*run\.key: give its path with key="
    ):
        Bandit.open(path, key=key)
    with Bandit.open(path, key=key, lost_key=True) as again:
        assert again.state()[3:] == (1, 0, 0, 1)
        assert again._run._store.rows.learner == learned
        again.tell(again.ask(), loss=0.5)
    Bandit.open(path, key=key).close()
    with pytest.raises(DiscreetError, match="but that is the key of another run"):
        Bandit.open(path, key=tmp_path / "gone")
    with pytest.raises(DiscreetError, match="where there is already a file: give a new path"):
        Bandit.open(path, key=key, lost_key=True)


def test_a_running_sum_is_lost_with_its_key(tmp_path):
    experts = make("tree", path=tmp_path / "run.db", key=tmp_path / "run.key")
    tell(experts, experts.ask())
    experts.close()
    with pytest.raises(
        DiscreetError,
        match="one running sum, which cannot be read without its key: start a new run",
    ):
        Experts.open(tmp_path / "run.db", key=tmp_path / "new.key", lost_key=True)


def test_other_files_are_no_keys(tmp_path):
    (tmp_path / "note").write_text(
        "a note, longer than a key would have to be, in order to be read as one"
    )
    bandit = make("batch", path=tmp_path / "run.db", key=tmp_path / "run.key")
    bandit.close()
    with pytest.raises(DiscreetError, match="is a file of another kind, not the key of a run"):
        Bandit.open(tmp_path / "run.db", key=tmp_path / "note")
    with pytest.raises(DiscreetError, match="where there is already a file: give a new path"):
        make("batch", path=tmp_path / "other.db", key=tmp_path / "run.key")
    make("batch", path=tmp_path / "other.db", key=tmp_path / "other.key").close()


def test_a_simulation_needs_no_key(tmp_path):
    key = tmp_path / "run.key"
    make("batch", path=tmp_path / "a.db", key=key, simulation=True).close()
    assert not key.exists()


def test_a_copy_of_the_file_is_refused_while_the_run_is_open(tmp_path):
    path, copied = tmp_path / "run.db", tmp_path / "copy.db"
    bandit = make("batch", path=path)
    decisions = [bandit.ask() for _ in range(4)]
    for decision in decisions[:3]:
        bandit.tell(decision, loss=0.5)
    bandit.close()
    shutil.copy(path, copied)
    with Bandit.open(path) as one:
        with pytest.raises(
            DiscreetError, match="which is in use: the same run, or a copy of its file, is open"
        ):
            Bandit.open(copied)
        one.tell(decisions[3], loss=0.5)
    with pytest.raises(
        DiscreetError, match="is an old copy: it has 0 releases, but the run made 1, so contin"
    ):
        Bandit.open(copied)


def test_outcomes_of_single_rounds_are_not_released_again_from_a_backup(tmp_path):
    path, backup = tmp_path / "run.db", tmp_path / "backup.db"
    bandit = make("every round", path=path)
    decision = bandit.ask()
    bandit.close()
    shutil.copy(path, backup)
    with Bandit.open(path) as again:
        again.tell(decision, loss=0.5)
    with pytest.raises(DiscreetError, match="is an old copy"):
        Bandit.open(backup)


def test_an_interrupt_at_the_commit_leaves_a_key_that_catches_up(tmp_path, monkeypatch):
    path, backup = tmp_path / "run.db", tmp_path / "backup.db"
    bandit = make("batch", path=path)
    decisions = [bandit.ask() for _ in range(4)]
    for decision in decisions[:3]:
        bandit.tell(decision, loss=0.5)
    bandit.close()
    shutil.copy(path, backup)
    bandit = Bandit.open(path)
    advance = Key.advance

    def interrupted(key, version, note=None):
        if note == b"":  # after the commit
            raise KeyboardInterrupt
        advance(key, version, note)

    with monkeypatch.context() as patch:
        patch.setattr(Key, "advance", interrupted)
        with pytest.raises(KeyboardInterrupt):
            bandit.tell(decisions[3], loss=0.5)
    bandit.close()
    with pytest.raises(DiscreetError, match="is an old copy"):
        Bandit.open(backup)


def test_a_key_that_cannot_be_written_says_what_has_happened(tmp_path, monkeypatch):
    bandit = make("batch", path=tmp_path / "run.db")
    decisions = [bandit.ask() for _ in range(4)]
    for decision in decisions[:3]:
        bandit.tell(decision, loss=0.5)
    with monkeypatch.context() as patch:
        patch.setattr(keys, "sync", lambda _: (_ for _ in ()).throw(OSError("the disk is full")))
        # a note that may be in the file must reach the disk before anything else happens
        for use in (lambda: bandit.tell(decisions[3], loss=0.5), bandit.ask, bandit.state):
            with pytest.raises(
                DiscreetError, match=r"nothing has changed, but the key .*the disk is full"
            ):
                use()
    assert bandit.state().released == 1
    bandit.tell(decisions[3], loss=0.5)
    assert bandit.state().released == 1
    advance = Key.advance

    def full(key, version, note=None):
        if note == b"":  # after the commit
            key._file.close()
        advance(key, version, note)

    decision = bandit.ask()
    with monkeypatch.context() as patch:
        patch.setattr(Key, "advance", full)
        with pytest.raises(
            DiscreetError, match=r"recorded outcomes and releases count, but the key .* closed"
        ):
            bandit.tell(decision, loss=0.5)
    bandit.close()


def test_closing_twice_closes_no_other_file(tmp_path):
    first = make("batch", path=tmp_path / "a.db")
    first.close()
    second = make("batch", path=tmp_path / "b.db")
    first.close()
    for decision in [second.ask() for _ in range(4)]:
        second.tell(decision, loss=0.5)
    assert second.state().released == 1
    second.close()


def test_who_has_answered_cannot_be_seen_in_the_file(tmp_path):
    """All rows of outcomes have the same size, and are hidden by the key."""
    bandit = make("batch", path=tmp_path / "run.db", wait=60.0, default_loss=0.0)
    decisions = [bandit.ask() for _ in range(3)]
    bandit.tell(decisions[1], loss=1.0)
    with contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as file:
        rows = file.execute("SELECT id, outcome FROM decision ORDER BY id").fetchall()
    assert [number for number, _ in rows] == [0, 1, 2]
    assert len({len(value) for _, value in rows}) == 1
    assert len({value for _, value in rows}) == 3
    bandit.close()


@pytest.mark.parametrize("name", ["x" * 5000, "x/" * 3000, "loop"])
def test_a_path_that_the_system_refuses_is_a_fault_of_the_key(name, tmp_path):
    path, key = tmp_path / "run.db", tmp_path / name
    make("batch", path=path).close()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    attempts = [lambda: Bandit.open(path, key=key)]
    if name != "loop":
        attempts += [
            lambda: Bandit.open(path, key=key, lost_key=True),
            lambda: make("batch", path=tmp_path / "another.db", key=key),
        ]
    for attempt in attempts:
        with pytest.raises(DiscreetError, match=r"^key is .*, but this file cannot be") as refusal:
            attempt()
        assert type(refusal.value) is DiscreetError
        assert len(str(refusal.value)) < 500
