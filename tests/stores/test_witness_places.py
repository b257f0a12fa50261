"""Witnesses in databases: the same promises as in a file, and never beside the runs."""

from __future__ import annotations

import random
import threading

import pytest
from copies import copy_file
from group_requests import tell
from makers import make
from servers import SECRET, database_at
from test_restored import some_rounds

from discreet import Bandit, DiscreetError, OldCopy
from discreet.live import AskRequest
from discreet.live.database import DatabaseWitness, FileWitness, MemoryWitness, open_database
from discreet.live.keys import NEW, new_name
from discreet.service.server import open_host
from discreet.service.settings import ServiceFolder


@pytest.fixture(params=["memory", "file", "sqlite", "postgres"])
def witness(request, tmp_path):
    if request.param == "memory":
        yield MemoryWitness()
        return
    if request.param == "file":
        found = FileWitness(tmp_path / "witness")
    elif request.param == "sqlite":
        found = DatabaseWitness(f"sqlite:///{tmp_path}/witness.db")
    else:
        found = DatabaseWitness(request.getfixturevalue("server").fresh_url())
    yield found
    found.close()


def test_an_entry_is_replaced_only_if_it_is_the_expected_one(witness):
    first, *others = [NEW._replace(changes=n, last_change=new_name()) for n in (1, 2, 2, 2)]
    assert witness.read("a") is None
    assert not witness.advance("a", first, others[0])
    assert witness.advance("a", None, first)
    assert witness.advance("a", None, first)  # again, after a lost answer
    assert not witness.advance("a", None, others[0])
    done = []
    threads = [
        threading.Thread(target=lambda new=new: done.append(witness.advance("a", first, new)))
        for new in others
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, True]
    assert witness.read("a") in others
    assert witness.read("b") is None
    released = witness.read("a").with_release(new_name(), 3)
    assert witness.advance("a", witness.read("a"), released)
    assert witness.read("a") == released


def refusals(tmp_path, witness, tries):
    """Return how many restored copies of a run are refused."""
    chance, url = random.Random(7), f"sqlite:///{tmp_path}/runs.db"
    refused = 0
    with database_at(url, witness) as database:
        face, left = make("batch", store=database.store("a run"), horizon=10_000), []
        left, _ = some_rounds(face, chance, left)
        for _ in range(tries):
            copied, lasting = copy_file(url, tmp_path / "copy.db"), False
            while not lasting:
                left, told = some_rounds(face, chance, left)
                lasting |= told
            with database_at(copied, witness) as copy, pytest.raises(OldCopy):
                Bandit.open(store=copy.store("a run"))
            refused += 1
    return refused


@pytest.mark.parametrize(
    ("place", "tries"),
    [
        ("sqlite", 3),
        ("postgres", 3),
        pytest.param("sqlite", 100, marks=pytest.mark.full),
        pytest.param("postgres", 100, marks=pytest.mark.full),
    ],
)
def test_a_witness_in_a_database_refuses_restored_copies(request, tmp_path, place, tries):
    if place == "sqlite":
        witness = DatabaseWitness(f"sqlite:///{tmp_path}/witness.db")
    else:
        witness = DatabaseWitness(request.getfixturevalue("server").fresh_url())
    assert refusals(tmp_path, witness, tries) == tries
    witness.close()


def test_workers_on_two_hosts_share_a_witness(server, tmp_path):
    """The runs are elsewhere than the witness; each worker has a connection of its own to both."""
    url, place = f"sqlite:///{tmp_path}/runs.db", server.fresh_url()
    mine, theirs = DatabaseWitness(place), DatabaseWitness(place)
    with database_at(url, mine) as database:
        face = make("batch", store=database.store("a run"), batch_size=1)
        (decision,) = face.exchange([], [AskRequest()])
        copied = copy_file(url, tmp_path / "copy.db")
        assert face.exchange([tell(face, decision)]) == [True]
    with database_at(copied, theirs) as database, pytest.raises(OldCopy):
        Bandit.open(store=database.store("a run"))
    with database_at(url, theirs) as database:
        assert Bandit.open(store=database.store("a run")).state().released == 1
    mine.close()
    theirs.close()


def test_a_witness_is_never_beside_the_runs(server, tmp_path):
    runs, other = server.fresh_url(), server.fresh_url()
    with database_at(runs, MemoryWitness()), pytest.raises(DiscreetError, match="which has runs"):
        DatabaseWitness(runs)
    witness = DatabaseWitness(other)
    with pytest.raises(DiscreetError, match="on the same server as the runs"):
        open_database(server.fresh_url(), secret=SECRET, witness=witness)
    with pytest.raises(DiscreetError, match="holds a witness"):
        open_database(other, secret=SECRET, witness=MemoryWitness())
    witness.close()
    path = f"sqlite:///{tmp_path}/w.db"
    DatabaseWitness(path).close()
    with pytest.raises(DiscreetError, match="holds a witness"):
        open_database(path, secret=SECRET)
    with pytest.raises(DiscreetError, match="must be 'sqlite:///path'"):
        DatabaseWitness("mysql://user:password@host/name")


def test_a_service_keeps_its_kind_of_witness(tmp_path):
    folder, place = ServiceFolder.make(tmp_path / "s"), f"sqlite:///{tmp_path}/w.db"
    spec = {"problem": "bandit", "arms": 2, "horizon": 10, "epsilon": 1.0, "wait_declined": True}
    host, _ = open_host(folder)
    host.close()
    host, _ = open_host(folder, witness=place)  # there are no runs yet
    host.create("r", spec)
    host.close()
    with pytest.raises(DiscreetError, match="the witness of this service is a database"):
        open_host(folder)
    host, _ = open_host(folder, witness=place)
    host.open_all()
    assert host.names() == ["r"]
    host.close()
