"""Parts of a database: records, the ledger, versions of the schema, tampering, large runs."""

from __future__ import annotations

import contextlib
import sqlite3
import time

import pytest
from group_requests import tell
from makers import make, rows_of
from servers import SECRET, database_at

from discreet import Bandit, BudgetExceeded, Busy, DiscreetError, NotGiven
from discreet.live import AskRequest
from discreet.live.database import MemoryWitness, lazy_rows, schema
from discreet.live.database.tables import TABLES

RAW = 0.123456789012345


def test_records_are_kept_by_kind_and_name(database):
    records = database.records
    records.put("token", "a", b"\0\1", 5.0)
    records.put("token", "b", b"two", 6.0, run="a run")
    records.put("task", "a", b"three", 7.0)
    with pytest.raises(DiscreetError, match="there is already a token named 'a'"):
        records.put("token", "a", b"another", 8.0)
    records.put("token", "b", b"another", 8.0, replace=True)
    assert records.get("token", "a") == b"\0\1"
    assert (records.get("token", "b"), records.get("token", "c")) == (b"another", None)
    assert records.names("token") == ["a", "b"]
    assert (records.delete("token", "b"), records.delete("token", "b")) == (True, False)
    records.purge("token", 6.0)
    assert (records.names("token"), records.names("task")) == ([], ["a"])


def test_records_within_a_transaction_are_made_whole_or_not_at_all(database):
    with pytest.raises(ZeroDivisionError), database._connections.transaction():  # noqa: PT012
        database.records.put("token", "a", b"x", 5.0)
        assert database.records.get("token", "a") == b"x"
        raise ZeroDivisionError
    assert database.records.names("token") == []


def test_a_run_is_charged_in_the_transaction_that_makes_it(url):
    witness = MemoryWitness()
    with database_at(url, witness) as database:
        ledger = database.ledger(2.0)
        options = {"ledger": ledger, "epsilon": 1.0}
        make("batch", store=database.store("a"), **options)
        with pytest.raises(DiscreetError):
            make("batch", store=database.store("a"), **options)  # there is one
        assert ledger.spent.epsilon == 1.0
        make("batch", store=database.store("b"), **options)
        with pytest.raises(BudgetExceeded):
            make("batch", store=database.store("c"), **options)
        assert (database.run_names(), ledger.remaining.epsilon) == (["a", "b"], 0.0)
        with pytest.raises(DiscreetError, match="was created with"):
            database.ledger(3.0)
    with database_at(url, witness) as database:
        ledger = database.ledger()
        assert [entry.epsilon for entry in ledger.entries()] == [1.0, 1.0]
        with Bandit.open(store=database.store("a"), ledger=ledger) as face:
            face.tell(face.ask(), loss=0.5)
        assert len(ledger.entries()) == 2
        with pytest.raises(DiscreetError, match="does not count users"):
            ledger.admit("Ada")


def test_without_terms_there_is_no_ledger(database):
    with pytest.raises(DiscreetError, match="has no ledger yet"):
        database.ledger()


# Versions of the schema


def test_a_database_of_each_earlier_version_is_brought_up_to_date(url, monkeypatch):
    """By steps that are tried here: one that adds a column, and one that fills it."""
    witness = MemoryWitness()
    with database_at(url, witness) as database:
        face = make("batch", store=database.store("a run"))
        face.tell(face.ask(), loss=0.5)
        before = rows_of(face)
    done = []

    def add(session, dialect):
        session.execute("ALTER TABLE discreet_schema ADD COLUMN remark TEXT")
        done.append(1)

    def fill(session, dialect):
        session.execute("UPDATE discreet_schema SET remark = ?", ("filled",))
        done.append(2)

    monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA + 2)
    monkeypatch.setattr(
        schema, "STEPS", {schema.SCHEMA - 2: add, schema.SCHEMA - 1: lambda *_: 1 / 0}
    )
    with pytest.raises(ZeroDivisionError):
        database_at(url, witness)
    monkeypatch.setitem(schema.STEPS, schema.SCHEMA - 1, fill)  # nothing of the first try is left
    for _ in range(2):
        with database_at(url, witness) as database:
            with database._connections.session() as session:
                found = session.execute("SELECT version, remark FROM discreet_schema")
            assert found == [(schema.SCHEMA, "filled")]
            with Bandit.open(store=database.store("a run")) as face:
                assert rows_of(face) == before
    assert done == [1, 1, 2]
    monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA - 1)
    with pytest.raises(DiscreetError, match="use a newer one"):
        database_at(url, witness)
    monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA + 2)
    monkeypatch.setattr(schema, "STEPS", {})
    with pytest.raises(DiscreetError, match="use an older one first"):
        database_at(url, witness)


def test_every_earlier_version_has_a_step():
    assert sorted(schema.STEPS) == list(range(1, schema.SCHEMA))


# Secrets


def test_another_secret_is_refused(url):
    database_at(url).close()
    with pytest.raises(DiscreetError, match="secret is not the one"):
        database_at(url, secret=SECRET[::-1])


def test_no_outcome_and_no_name_is_in_a_database_while_a_batch_is_unfinished(tmp_path):
    canary = repr(RAW).encode()[:12]
    url = f"sqlite:///{tmp_path}/runs.db"
    with database_at(url) as database:
        face = make("batch", store=database.store("a run"), batch_size=50, low=0.0, high=1.0)
        decisions = face.exchange([], [AskRequest(f"Ada {n}") for n in range(20)])
        for each in decisions:
            face.tell(each, loss=RAW)
        waiting = make("batch", store=database.store("b"), wait=100.0, default_loss=0.0)
        waiting.tell(waiting.ask(), loss=RAW)
        import struct

        for path in tmp_path.iterdir():
            stored = path.read_bytes()
            assert canary not in stored
            assert struct.pack("<d", RAW) not in stored
            assert b"Ada" not in stored
    with pytest.raises(DiscreetError, match="secret is not the one"):
        database_at(url, secret=SECRET[::-1])


@pytest.mark.parametrize("table", [table.name for table in TABLES if table.name != "discreet_held"])
def test_changed_rows_are_refused(table, tmp_path):
    """Any column of any row of a run: it is refused when it is read, at the latest by verify."""
    url, witness = f"sqlite:///{tmp_path}/runs.db", MemoryWitness()
    with database_at(url, witness) as database:
        ledger = database.ledger(5.0)
        options = {"max_rounds_per_user": 30, "epsilon": 0.1, "ledger": ledger, "batch_size": 2}
        face = make("batch", store=database.store("a run"), **options)
        asks = [AskRequest(f"name {n}", {"user": "Ada"}) for n in range(5)]
        decisions = face.exchange([], asks)
        face.exchange([tell(face, each) for each in decisions[:3]])
        face.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "runs.db")) as file:
        names = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
        first, *values = file.execute(f"SELECT rowid, * FROM {table}").fetchone()
    keys = {"run", "number", "name", "kind", "at", "version", "label", "time", "status", "rho"}
    for place, name in enumerate(names):
        value = values[place]
        if name in keys or value is None:
            continue
        other = value[:-1] + bytes([value[-1] ^ 1]) if isinstance(value, bytes) else value
        other = value + "?" if isinstance(value, str) else other
        other = value + 1 if isinstance(value, int | float) else other
        with contextlib.closing(sqlite3.connect(tmp_path / "runs.db")) as file:
            file.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (other, first))
            file.commit()
        with pytest.raises(DiscreetError), database_at(url, witness) as database:  # noqa: PT012
            ledger = database.ledger()
            with Bandit.open(store=database.store("a run"), ledger=ledger) as face:
                face.verify()
                for each in face.exchange([], asks):
                    if isinstance(each, DiscreetError):
                        raise each
        with contextlib.closing(sqlite3.connect(tmp_path / "runs.db")) as file:
            file.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (value, first))
            file.commit()
    with database_at(url, witness) as database:
        Bandit.open(store=database.store("a run"), ledger=database.ledger()).verify()


# Large runs, threads and processes


def test_open_decisions_stay_in_the_database(url, monkeypatch):
    """Opening reads none of them; those that are told, due or listed are read then."""
    monkeypatch.setattr(lazy_rows, "MOST_KEPT", 50)
    witness = MemoryWitness()
    with database_at(url, witness) as database:
        face = make("batch", store=database.store("a run"), horizon=10_000, batch_size=2)
        decisions = [each for _ in range(4) for each in face.exchange([], [AskRequest()] * 300)]
        again = Bandit.open(store=database.store("a run"))
        assert len(again._run._store.rows.open._memory) == 0
        assert (len(again.open_decisions), again.state().open) == (1_200, 1_200)
        assert [each.id for each in again.open_decisions.page(after=700, limit=3)] == [
            701,
            702,
            703,
        ]
        some = decisions[5:1_000:7]
        assert again.exchange([tell(again, each) for each in some]) == [True] * len(some)
        assert again.ask().id == 1_200
        left = sorted({each.id for each in decisions} - {each.id for each in some})
        assert [each.id for each in face.open_decisions] == [*left, 1_200]
        again.verify()


def test_a_sqlite_database_has_one_process(tmp_path):
    url = f"sqlite:///{tmp_path}/runs.db"
    with database_at(url), pytest.raises(Busy, match="in use"):
        database_at(url)
    database_at(url).close()


def test_a_closed_run_and_a_closed_database_say_so(database):
    face = make("batch", store=database.store("a run"))
    other = Bandit.open(store=database.store("a run"))
    face.close()
    with pytest.raises(DiscreetError, match="closed"):
        face.ask()
    other.ask()
    database.close()
    with pytest.raises(DiscreetError, match="closed"):
        other.ask()


def test_the_clock_is_that_of_the_database(database):
    assert abs(database.now() - time.time()) < 100.0
    face = make("batch", store=database.store("a run"), wait=50.0, default_loss=0.5)
    face.ask()
    assert abs(face._run._clock() - time.time()) < 100.0


def test_a_lost_connection_begins_a_new_session(server):
    with database_at(server.fresh_url()) as database:
        face = make("batch", store=database.store("a run"))
        first = face.ask()
        for session in database._connections._idle:
            session._connection.close()
        second = face.ask()
        assert (first.id, second.id) == (0, 1)
        assert first.token != second.token
        face.tell(first, loss=0.5)
        with pytest.raises(NotGiven):
            face.tell(second._replace(token=first.token), loss=0.5)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE sqlite_master SET sql = 'x' WHERE name = 'discreet_run'",
        "UPDATE discreet_run SET recipe = CAST(X'41646120FF' AS TEXT)",
    ],
)
def test_a_damaged_file_says_so_and_shows_no_content(change, tmp_path):
    path, witness = tmp_path / "runs.db", MemoryWitness()
    with database_at(f"sqlite:///{path}", witness) as database:
        make("batch", store=database.store("a run")).close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA writable_schema = ON")
        file.execute(change)
        file.commit()
    with (
        pytest.raises(DiscreetError, match="is damaged: it cannot be read") as refusal,
        database_at(f"sqlite:///{path}", witness) as database,
    ):
        Bandit.open(store=database.store("a run"))
    assert type(refusal.value) is DiscreetError
