"""The stores of the package do what every store must do, and are chosen by path, URL or object."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from makers import make, rows_of, tell

from discreet import Bandit, DiscreetError
from discreet.live import FileStore, MemoryStore, register_store, stores
from discreet.testing import DurableStoreConformance, StoreConformance


class TestMemoryStore(StoreConformance):
    @pytest.fixture
    def reach(self, tmp_path):
        store = MemoryStore()
        return lambda: store


class TestFileStore(DurableStoreConformance):
    @pytest.fixture
    def reach(self, tmp_path):
        return lambda: FileStore(tmp_path / "run.db")


class Forgetful(FileStore):
    """Keeps decisions in memory only."""

    def ask(self, *change, **named):
        self.rows.ask(*change, **named)


class Readable(FileStore):
    """Writes raw columns as they are."""

    def _encrypted(self, raw, kind, number=0, version=0):
        return raw

    def _decrypted(self, stored, kind, number=0, version=0):
        return stored


class Halfway(FileStore):
    """Commits statement by statement."""

    @contextlib.contextmanager
    def _change(self, counters, lasting=True, *, releasing=False, epoch=None):
        version = self._next(lasting=lasting, releases=int(releasing))
        yield
        self._seal(counters, epoch or self.rows.epoch, version)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Forgetful, "test_a_run_has_one_writer"),
        (Readable, "test_raw_columns_are_encrypted"),
        (Halfway, "test_a_group_is_released_once"),
    ],
)
def test_the_conformance_tests_find_mistakes(kind, name, tmp_path):
    def reach():
        return kind(tmp_path / "run.db")

    given = (reach, tmp_path) if kind is Readable else (reach,)
    with pytest.raises((AssertionError, DiscreetError)):
        getattr(DurableStoreConformance(), name)(*given)


# How a store is chosen


def test_a_run_is_kept_by_path_url_or_object(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    memory = MemoryStore()
    for number, (start, again) in enumerate(
        [
            ({"path": tmp_path / "0.db"}, {"path": tmp_path / "0.db"}),
            ({"path": "1.db"}, {"store": "sqlite:///1.db"}),
            ({"store": f"sqlite:///{tmp_path}/2.db"}, {"path": "2.db"}),
            ({"store": FileStore("3.db")}, {"store": FileStore("3.db")}),
            ({"store": memory}, {"store": memory}),
        ]
    ):
        with make("batch", **start) as bandit:
            late = bandit.ask()
            tell(bandit, bandit.ask())
            before = rows_of(bandit)
        with Bandit.open(**again) as bandit:
            assert rows_of(bandit) == before
            tell(bandit, late)
        assert (tmp_path / f"{number}.db").exists() == (number < 4)
    with make("batch", store="memory://") as bandit:
        tell(bandit, bandit.ask())


def test_a_snapshot_goes_to_any_store(tmp_path):
    bandit, copied = make("batch"), MemoryStore()
    for decision in [bandit.ask() for _ in range(4)]:
        tell(bandit, decision)
    bandit.snapshot(store=copied)
    with Bandit.open(store=copied) as again:
        assert again.state().released == 1
        assert again.ask().id == 4


def test_a_plugin_adds_a_scheme(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "_schemes", dict(stores._schemes))
    register_store("elsewhere", lambda url: FileStore(tmp_path / url.rpartition("/")[2]))
    make("batch", store="elsewhere://host/run.db").close()
    Bandit.open(tmp_path / "run.db").close()


def test_an_unknown_scheme_loads_plugins_and_never_shows_the_url(tmp_path, monkeypatch):
    plugin = tmp_path / "my_store.py"
    plugin.write_text(
        "from discreet.live import MemoryStore, register_store\nregister_store('mine', lambda "
        "url: MemoryStore())\n"
    )
    monkeypatch.setattr(stores, "_schemes", dict(stores._schemes))
    with pytest.raises(DiscreetError) as refusal:
        make("batch", store="mine://user:secret@host/db")
    assert "secret" not in str(refusal.value)
    monkeypatch.setenv("DISCREET_PLUGINS", str(plugin))
    make("batch", store="mine://user:secret@host/db").close()


def test_a_store_object_holds_one_run(tmp_path):
    store = FileStore(tmp_path / "run.db")
    bandit = make("batch", store=store)
    with pytest.raises(DiscreetError, match="is in use"):
        make("batch", store=store)
    with pytest.raises(DiscreetError, match="has one writer"):
        Bandit.open(store=store)
    tell(bandit, bandit.ask())
    bandit.close()
    with Bandit.open(store=store) as again:
        assert again.state().round == 1
    with contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as file:
        assert file.execute("SELECT count(*) FROM run").fetchone() == (1,)
