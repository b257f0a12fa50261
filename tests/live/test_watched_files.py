"""Files that somebody deletes while a run is open: its next use says so."""

from __future__ import annotations

import os

import pytest
from makers import ask, make, tell

from discreet import Bandit, DiscreetError
from discreet.live.database import FileWitness, open_database

LOST = "was deleted, replaced or cut short while"


@pytest.mark.parametrize("durable", ["outcomes", "releases"])
def test_a_lost_log_is_noticed(durable, tmp_path):
    """It has what is not in the file yet; SQLite would go on writing to a log without a name."""
    path = tmp_path / "run.db"
    face = make("batch", path=path, durable=durable)
    decision, other = ask(face), ask(face)
    tell(face, decision)
    (tmp_path / "run.db-wal").unlink()
    for use in (lambda: tell(face, other), lambda: ask(face)):
        with pytest.raises(DiscreetError, match=f"run.db or its -wal file {LOST} it is open"):
            use()


def test_a_lost_key_is_noticed(tmp_path):
    """Without it, nobody can read what the run stores."""
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    face = make("batch", path=path, key=key)
    decision, kept = ask(face), tmp_path / "kept.key"
    os.link(key, kept)
    key.unlink()
    for use in (lambda: tell(face, decision), lambda: ask(face)):
        with pytest.raises(
            DiscreetError, match=r"the key .*run\.key was deleted while it is open, so"
        ):
            use()
    kept.replace(key)
    tell(face, decision)
    face.close()
    Bandit.open(path, key=key).close()


def test_a_lost_witness_is_noticed(tmp_path):
    place, kept = tmp_path / "witness", tmp_path / "kept"
    witness = FileWitness(place)
    with open_database(f"sqlite:///{tmp_path}/runs.db", secret=bytes(32), witness=witness) as runs:
        face = make("batch", store=runs.store("a run"))
        decision = face.ask()
        os.link(place, kept)
        place.unlink()
        with pytest.raises(
            DiscreetError, match=r"the witness .*witness was deleted while it is open"
        ):
            tell(face, decision)


def test_a_log_that_was_moved_to_the_file_is_not_lost(tmp_path):
    """As by a program that makes backups."""
    import sqlite3

    path = tmp_path / "run.db"
    face = make("batch", path=path)
    decision = ask(face)
    other = sqlite3.connect(path)
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    assert (tmp_path / "run.db-wal").stat().st_size == 0
    tell(face, decision)
    face.close()
    Bandit.open(path).verify()
