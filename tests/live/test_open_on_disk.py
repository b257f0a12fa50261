"""Many open decisions stay in the file: blocks of rows, each checked before it is used."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter

import numpy as np
import pytest
from makers import Clock, ask, make, rows_of, tell

from discreet import Bandit, DiscreetError
from discreet.live import FileStore, blocks, file_access, row_tables
from discreet.testing import DurableStoreConformance

BLOCK = 4  # numbers of a block, in these tests


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 4 rows, of which few are in memory: small runs then are like large ones."""
    for module in (blocks, row_tables):
        monkeypatch.setattr(module, "BITS", 2)
    monkeypatch.setattr(blocks, "UNSETTLED", 12)
    monkeypatch.setattr(blocks, "CACHED", 24)
    monkeypatch.setattr(file_access, "LARGE", 0)


@pytest.mark.usefixtures("small_blocks")
class TestStoreInBlocks(DurableStoreConformance):
    @pytest.fixture
    def reach(self, tmp_path):
        return lambda: FileStore(tmp_path / "run.db")


def edit(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as file:
        for statement in statements:
            file.execute(statement)
        file.commit()


def rows_in(path, table):
    with contextlib.closing(sqlite3.connect(path)) as file:
        return file.execute(f"SELECT * FROM {table}").fetchall()


def traced(store):
    """Count the statements of a store from now on, by their first two words."""
    found: Counter[str] = Counter()
    store._file.set_trace_callback(lambda text: found.update([" ".join(text.split()[:2])]))
    return found


def waiting(path, count, *, size=4, **options):
    """Return a run with many open decisions that wait, and its clock."""
    usual = {"wait": 60.0, "default_loss": 0.0, "horizon": 10**6, "batch_size": size}
    face = make("batch", path=path, **usual | options)
    clock = face._run._clock = Clock()
    for _ in range(count):
        clock.now += 0.001
        face.ask()
    return face, clock


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", ["batch", "one bit", "every round", "tree"])
def test_a_run_in_blocks_is_the_run_in_memory(kind, tmp_path):
    """The same games, told in random order with 60 open, opened again and again."""
    path = tmp_path / "run.db"
    one = make(kind, simulation=True, seed=3)
    other = make(kind, simulation=True, seed=3, path=path)
    decided = []
    for face in (one, other):
        chance, late, made = np.random.default_rng(1), [], []
        for turn in range(150):
            late.append(ask(face))
            made.append(late[-1][0])
            if len(late) > 60:
                tell(face, late.pop(int(chance.integers(60))).id)
            if turn % 40 == 39 and face is other:
                face.close()
                face = other = type(face).open(path, unprotected=True)
        decided.append(made)
        assert len(face.open_decisions) == 60
    assert rows_in(path, "settled")
    assert decided[0] == decided[1]
    assert rows_of(one) == rows_of(other)
    other.verify()


@pytest.mark.usefixtures("small_blocks")
def test_memory_keeps_few_rows_of_many(tmp_path):
    face, _ = waiting(tmp_path / "run.db", 400)
    store = face._run._store
    for _ in range(2):
        assert len(store.rows.open.memory) < 60
        assert len(store.rows.open) == len(face.open_decisions) == 400
        assert [one.id for one in face.open_decisions] == list(range(400))
        face.close()
        face = Bandit.open(tmp_path / "run.db")
        store = face._run._store


@pytest.mark.usefixtures("small_blocks")
def test_opening_and_asking_read_as_much_with_many_open_as_with_few(tmp_path, monkeypatch):
    """Rows that opening reads, and statements of an ask: the numbers behind the durations."""
    read, statements = [], []
    right = blocks.Blocks.put
    for count in (100, 800):
        path = tmp_path / f"{count}.db"
        face, clock = waiting(path, count)
        face.close()
        hashed = Counter()

        def counting(self, table, number, *columns, hashed=hashed):
            hashed[table] += 1
            right(self, table, number, *columns)

        with monkeypatch.context() as patch:
            patch.setattr(blocks.Blocks, "put", counting)
            face = Bandit.open(path)
        face._run._clock = clock
        read.append(hashed["decision"] + hashed["batch"])
        found = traced(face._run._store)
        for _ in range(8):
            face.ask()
        statements.append(sum(found.values()))
        assert not any("FROM" in text for text in found)
    assert max(read) <= 24
    assert abs(statements[0] - statements[1]) <= 2 * 8  # a block is settled now and then


@pytest.mark.parametrize(("size", "chunks"), [(1, 1), (4, 1), (4, 2)])
def test_what_is_due_is_counted_in_two_transactions(size, chunks, tmp_path, monkeypatch):
    """One with all outcomes and what is drawn from them, one for what is learned from it."""
    monkeypatch.setattr("discreet.live.several.CHUNK", 300 // chunks)
    face, clock = waiting(tmp_path / "run.db", 300, size=size)
    clock.now += 59.0
    assert face.release_due() == 0
    found = traced(face._run._store)
    clock.now += 60.0
    assert face.release_due() == 300 // size
    assert found["COMMIT"] == found["BEGIN IMMEDIATE"] == 2 * chunks
    assert face.open_decisions == ()
    face.ask()


def test_the_clock_is_set_back_by_one_update(tmp_path):
    face, clock = waiting(tmp_path / "run.db", 200)
    found = traced(face._run._store)
    clock.now -= 1e6
    assert face.release_due() == 0
    assert found["UPDATE run"] == 1
    assert found["UPDATE decision"] == 0
    face.ask()
    face.close()
    face = Bandit.open(tmp_path / "run.db")
    face._run._clock = clock
    assert max(one.age for one in face.open_decisions) == 0.0
    clock.now += 30.0
    face.ask()
    clock.now -= 10.0  # again: the first ones stay as they are, the last is 20 seconds old
    assert [one.age for one in face.open_decisions][-3:] == [20.0, 20.0, 0.0]
    face.ask()
    clock.now += 40.0
    assert face.release_due() == 50
    assert [one.id for one in face.open_decisions] == [201, 202]


def test_open_decisions_are_read_in_pages(tmp_path):
    face, _ = waiting(tmp_path / "run.db", 30)
    seen, page = [], face.open_decisions.page(limit=7)
    while page:
        seen += page
        page = face.open_decisions.page(after=page[-1].id, limit=7)
    assert [one.id for one in seen] == list(range(30))
    assert face.open_decisions[0].id == 0
    assert repr(face.open_decisions) == "OpenDecisions(30 open)"
    for wrong in ({"limit": 0}, {"after": -1}, {"after": "3"}):
        with pytest.raises(DiscreetError, match=r"^(limit|after) is .*, but must be"):
            face.open_decisions.page(**wrong)


def test_giving_up_finds_all_of_a_batch_in_a_large_run(tmp_path, small_blocks):
    face = make("batch", path=tmp_path / "run.db", horizon=1000)
    decisions = face.ask_many(200)
    tell(face, decisions[41])
    assert face.give_up(decisions[43])
    assert len(face.open_decisions) == 196
    assert [one.id for one in face.open_decisions.page(after=38, limit=2)] == [39, 44]


# Attacks: who can write the file has no key

USED = 5  # a decision of the block that is attacked: numbers 4 to 7, a whole batch


def attacked(tmp_path):
    """Return a run of which block 1 is settled, and rows that it had before."""
    path = tmp_path / "run.db"
    face = make("batch", path=path, horizon=1000)
    decisions = face.ask_many(60)
    before = {table: rows_in(path, table) for table in ("decision", "batch", "settled")}
    tell(face, decisions[6])
    tell(face, decisions[17])
    face.close()
    return path, before


def put(table, row):
    values = ["NULL" if each is None else repr(each) for each in row]
    values = [
        f"x'{each.hex()}'" if isinstance(each, bytes) else text
        for each, text in zip(row, values, strict=True)
    ]
    return f"INSERT OR REPLACE INTO {table} VALUES ({', '.join(values)})"


EDITS = {
    "changed": lambda _: ["UPDATE decision SET choice = 1 - choice WHERE id = 7"],
    "dated": lambda _: ["UPDATE decision SET asked_at = 0.0 WHERE id = 5"],
    "deleted": lambda _: ["DELETE FROM decision WHERE id = 5"],
    "moved": lambda _: ["UPDATE decision SET id = 6 WHERE id = 5"],
    "batch": lambda _: ["UPDATE batch SET size = 3 WHERE number = 4"],
    "sum": lambda _: ["UPDATE batch SET held = zeroblob(length(held)) WHERE number = 4"],
    "another's": lambda _: [
        "UPDATE batch SET held = (SELECT held FROM batch WHERE number = 16) WHERE number = 4"
    ],
    "told again": lambda old: [put("decision", old["decision"][6])],
    "older sum": lambda old: [put("batch", old["batch"][1])],
    "older block": lambda old: [
        put("decision", old["decision"][6]),
        put("batch", old["batch"][1]),
    ],
    "another row": lambda old: [put("decision", (6, 4, 0, "t", 1.0, None))],
}


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_a_settled_block_is_refused_when_it_is_used(name, tmp_path):
    """Also an old row with its own authentic content: the block is no longer the same."""
    path, old = attacked(tmp_path)
    edit(path, *EDITS[name](old))
    face = Bandit.open(path)
    released = face.state().released
    uses = (
        lambda: tell(face, USED),
        lambda: tell(face, 6),
        lambda: face.give_up(USED),
        lambda: face.tell_all(loss=[(20, 0.5), (USED, 0.5)]),
        lambda: list(face.open_decisions),
        face.verify,
    )
    for use in uses:
        with pytest.raises(DiscreetError, match=r"decisions 4 to 7\) fails authentication"):
            use()
    assert face.state().released == released
    for number in (40, 41, 42, 43):  # the rest of the run goes on
        tell(face, number)
    assert face.state().released == released + 1
    face.close()


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE settled SET decisions = decisions + 1 WHERE number = 1",
        "UPDATE settled SET tag = zeroblob(32) WHERE number = 1",
        "DELETE FROM settled WHERE number = 1",
        "UPDATE settled SET number = 99 WHERE number = 1",
        "UPDATE settled SET kind = 'release' WHERE number = 1",
        "UPDATE settled SET kind = 'other' WHERE number = 1",
        "UPDATE settled SET tag = 'text'",
        "INSERT INTO settled VALUES ('open', 1000, 1, 1, zeroblob(32))",
        "INSERT INTO decision VALUES (4000, 4000, 0, 't', 1.0, NULL)",
    ],
)
def test_an_edit_of_what_authenticates_blocks_is_refused_at_opening(statement, tmp_path):
    path, _ = attacked(tmp_path)
    edit(path, statement)
    with pytest.raises(DiscreetError, match=r"fails authentication|is damaged: it cannot be"):
        Bandit.open(path)


@pytest.mark.usefixtures("small_blocks")
def test_an_old_block_with_its_own_authentication_is_refused_at_opening(tmp_path):
    path, old = attacked(tmp_path)
    found = [row for row in old["settled"] if row[:2] == ("open", 1)]
    edit(path, *EDITS["older block"](old), put("settled", found[0]))
    with pytest.raises(DiscreetError, match="the run fails authentication"):
        Bandit.open(path)


@pytest.mark.usefixtures("small_blocks")
def test_releases_are_checked_in_blocks_too(tmp_path):
    path = tmp_path / "run.db"
    face = make("every round", path=path, horizon=1000)
    for _ in range(60):
        tell(face, ask(face))
    face.verify()
    face.close()
    assert any(row[0] == "release" for row in rows_in(path, "settled"))
    edit(path, "UPDATE release SET value = zeroblob(8) WHERE batch = 3")
    face = Bandit.open(path)
    tell(face, ask(face))
    with pytest.raises(DiscreetError, match=r"releases 0 to 3\) fails authentication"):
        face.verify()


def test_a_large_file_with_a_damaged_page_says_so_in_one_sentence(tmp_path, small_blocks):
    path = tmp_path / "run.db"
    face = make("batch", path=path, horizon=10_000)
    face.ask_many(1_000)
    face.close()
    content = bytearray(path.read_bytes())
    content[-4096:] = b"\xff" * 4096
    path.write_bytes(content)
    refused = 0
    with contextlib.suppress(DiscreetError), Bandit.open(path) as face:
        for number in range(0, 1_000, 25):
            with contextlib.suppress(DiscreetError):
                tell(face, number)
                continue
            refused += 1
        assert refused
        with pytest.raises(DiscreetError):
            face.verify()
