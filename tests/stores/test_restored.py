"""Restored backups and clones are refused by a witness; what is declared restored goes on."""

from __future__ import annotations

import random

import pytest
from copies import copy_file, dump, put_back
from group_requests import ask, tell
from makers import make
from servers import SECRET, database_at

from discreet import Bandit, BudgetExceeded, DiscreetError, Finished, NotGiven, OldCopy
from discreet.live import AskRequest
from discreet.live.database import FileWitness, MemoryWitness, open_database
from discreet.live.keys import NEW, new_name


def some_rounds(face, chance, left):
    """Ask and tell some; return the decisions that are open, and whether anything must last."""
    told = left[: chance.randrange(4)]
    results = face.exchange([tell(face, each) for each in told], [ask(face)] * chance.randrange(4))
    assert results[: len(told)] == [True] * len(told)
    return left[len(told) :] + results[len(told) :], bool(told)


def test_restored_copies_are_refused_in_100_of_100_tries(tmp_path):
    """SQLite: copies of random moments, opened after random changes, at random times."""
    chance, witness = random.Random(5), FileWitness(tmp_path / "witness")
    url = f"sqlite:///{tmp_path}/runs.db"
    refused = 0
    with database_at(url, witness) as database:
        face, left = make("batch", store=database.store("a run"), horizon=10_000), []
        left, _ = some_rounds(face, chance, left)
        for _ in range(100):
            copied, lasting = copy_file(url, tmp_path / "copy.db"), False
            while not lasting:
                left, told = some_rounds(face, chance, left)
                lasting |= told
            with database_at(copied, witness) as copy:
                with pytest.raises(OldCopy, match=r"is an old copy: it has [^.]*\.$"):
                    Bandit.open(store=copy.store("a run"))
                refused += 1
    assert refused == 100


def test_a_restored_postgres_database_is_refused(server):
    chance, witness, url = random.Random(6), MemoryWitness(), server.fresh_url()
    with database_at(url, witness) as database:
        face, left = make("batch", store=database.store("a run"), horizon=10_000), []
        left, _ = some_rounds(face, chance, left)
        for _ in range(5):
            rows, lasting = dump(url), False
            while not lasting:
                left, told = some_rounds(face, chance, left)
                lasting |= told
            newest = dump(url)
            put_back(url, rows)
            assert type(face.exchange([], [AskRequest()])[0]) is OldCopy
            with database_at(url, witness) as other, pytest.raises(OldCopy):
                Bandit.open(store=other.store("a run"))
            put_back(url, newest)
            left, _ = some_rounds(face, chance, left)


def test_of_two_clones_one_goes_on(tmp_path):
    """Nothing was lost yet, so either may; but the other is refused before anybody sees a draw."""
    witness, url = MemoryWitness(), f"sqlite:///{tmp_path}/runs.db"
    with database_at(url, witness) as database:
        face = make("batch", store=database.store("a run"), batch_size=1)
        decisions = face.exchange([], [AskRequest()] * 2)
        copied = copy_file(url, tmp_path / "copy.db")
        with database_at(copied, witness) as copy:
            clone = Bandit.open(store=copy.store("a run"))
            assert face.exchange([tell(face, decisions[0])]) == [True]
            before = clone._run._engine.learner_state.tobytes()
            with pytest.raises(OldCopy):
                clone.exchange([tell(clone, decisions[0])])
            assert clone._run._engine.learner_state.tobytes() == before
            for _ in range(2):
                assert type(clone.exchange([tell(clone, decisions[1])])[0]) is OldCopy
        assert face.exchange([tell(face, decisions[1])]) == [True]


def test_a_worker_that_ended_before_it_told_the_witness_is_made_up_for(url):
    witness = MemoryWitness()
    with database_at(url, witness) as database:
        face = make("batch", store=database.store("a run"), batch_size=2)
        decisions = face.exchange([], [AskRequest()] * 4)
        advance, witness.advance = witness.advance, lambda *_: (_ for _ in ()).throw(OSError)
        with pytest.raises(OSError):  # noqa: PT011 - ours
            face.exchange([tell(face, each) for each in decisions[:2]])
        witness.advance = advance
        other = Bandit.open(store=database.store("a run"))
        assert other.state().released == 1
        assert other.exchange([tell(other, each) for each in decisions[2:]]) == [True] * 2
        assert face.state().released == 2


def test_a_run_is_declared_restored(tmp_path):
    witness, url = MemoryWitness(), f"sqlite:///{tmp_path}/runs.db"
    with database_at(url, witness) as database:
        with make("batch", store=database.store("a run"), batch_size=4) as face:
            decisions = face.exchange([], [AskRequest()] * 6)
            copied = copy_file(url, tmp_path / "copy.db")
            face.exchange([tell(face, each) for each in decisions], [AskRequest()])
        with pytest.raises(DiscreetError, match="is not an old copy"):
            database.restored("a run")
    with database_at(copied, witness) as database:
        lost = database.restored("a run")
        assert (lost.releases, lost.batches, lost.decisions, lost.ended) == (1, 2, 6, None)
        assert str(lost) == (
            "The run 'a run' was restored from a backup: 1 release since then, and all outcomes "
            "since then, are lost; 2 unfinished batches and 6 open decisions are given up. "
            "The run continues."
        )
        face = Bandit.open(store=database.store("a run"))
        assert (face.state().open, face.state().lost) == (0, 2)
        refused = face.exchange([tell(face, decisions[5])])
        assert isinstance(refused[0], DiscreetError)
        decision = face.ask()
        with pytest.raises(DiscreetError, match="give the decision itself"):
            face.tell(decision.id, loss=0.5)  # an id may be that of a lost decision
        face.tell(decision, loss=0.5)
        with pytest.raises(DiscreetError, match="is not an old copy"):
            database.restored("a run")
    with database_at(url, witness) as database, pytest.raises(OldCopy):
        Bandit.open(store=database.store("a run"))


def test_the_learner_is_told_which_batches_are_lost(tmp_path):
    """Otherwise an index learner would count their rounds as open for ever."""
    witness, url = MemoryWitness(), f"sqlite:///{tmp_path}/runs.db"
    with database_at(url, witness) as database:
        options = {"algorithm": "batched-ucb", "arms": 3, "horizon": 4_000}
        face = make("batch", store=database.store("a run"), **options)
        for each in face.exchange([], [AskRequest()] * 40)[:20]:
            face.tell(each, loss=0.5)
        groups = face._run._store.rows.groups.values()
        expected = face._run._engine.without([trace for _, _, trace, *_ in groups])
        copied = copy_file(url, tmp_path / "copy.db")
        face.tell(face.ask(), loss=0.5)
    with database_at(copied, witness) as database:
        database.restored("a run")
        face = Bandit.open(store=database.store("a run"))
        assert face._run._store.rows.learner == expected
        for _ in range(20):
            face.tell(face.ask(), loss=0.5)


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("batch", {"max_rounds_per_user": 2}, "how many rounds each user had"),
        ("tree", {}, "running sum"),
        ("batch", {"final": 1.0}, "running sum"),
    ],
)
def test_runs_that_cannot_go_on_are_over(tmp_path, kind, options, why):
    witness, url = MemoryWitness(), f"sqlite:///{tmp_path}/runs.db"
    user = {"user": "Ada"} if "max_rounds_per_user" in options else {}
    with database_at(url, witness) as database:
        face = make(kind, store=database.store("a run"), **options)
        first = face.exchange([], [ask(face, **user)])
        copied = copy_file(url, tmp_path / "copy.db")
        face.exchange([tell(face, first[0])])
    with database_at(copied, witness) as database:
        assert why in database.restored("a run").ended
        face = type(face).open(store=database.store("a run"))
        assert type(face.exchange([], [ask(face, **user)])[0]) is Finished
        with pytest.raises(Finished, match=why):
            face.ask(**user)
        assert face.state().round == 1


def test_an_operator_ends_a_run(database):
    face = make("batch", store=database.store("a run"))
    decision = face.ask()
    database.end("a run")
    with pytest.raises(Finished):
        face.tell(decision, loss=0.5)
    assert face.state().round == 1


def test_a_restored_ledger_allows_no_more_charges(tmp_path):
    witness, url = MemoryWitness(), f"sqlite:///{tmp_path}/runs.db"
    with database_at(url, witness) as database:
        ledger = database.ledger(3.0)
        with make("batch", store=database.store("a"), ledger=ledger, epsilon=1.0) as face:
            copied = copy_file(url, tmp_path / "copy.db")
            face.tell(face.ask(), loss=0.5)
        make("batch", store=database.store("b"), ledger=ledger, epsilon=1.0).close()
    with database_at(copied, witness) as database:
        with pytest.raises(OldCopy, match="it has 1 charge, but had 2; use its latest"):
            database.ledger()
        database.restored("a")
        ledger = database.ledger()
        assert len(ledger.entries()) == 1
        with pytest.raises(BudgetExceeded, match="restored from a backup"):
            make("batch", store=database.store("c"), ledger=ledger, epsilon=1.0)
        assert database.run_names() == ["a"]
        with Bandit.open(store=database.store("a"), ledger=ledger) as face:
            face.tell(face.ask(), loss=0.5)


# Witnesses


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_witness_moves_by_compare_and_swap(kind, tmp_path):
    path = tmp_path / "folder" / "witness"
    witness = MemoryWitness() if kind == "memory" else FileWitness(path)
    tokens = [f"{number:016x}" for number in range(5)]
    assert witness.read(tokens[0]) is None
    first = NEW.with_release(new_name())
    for token in tokens:
        assert not witness.advance(token, first, first._replace(changes=7))
        assert witness.advance(token, None, first)
        assert witness.advance(token, None, first)  # again: it was told already
    second = first.with_release(new_name())
    assert witness.advance(tokens[3], first, second)
    assert not witness.advance(tokens[3], first, first.with_release(new_name()))
    if kind == "file":
        witness.close()
        witness = FileWitness(path)
        assert path.stat().st_mode & 0o777 == 0o600
    assert [witness.read(each) for each in tokens] == [first] * 3 + [second, first]


def test_postgres_needs_a_witness_and_files_of_other_kinds_are_refused(tmp_path):
    with pytest.raises(DiscreetError, match="witness is None"):
        open_database("postgresql://user:password@host/db", secret=SECRET)
    for url in ("mysql://user:password@host/db", "sqlite:///", 7):
        with pytest.raises(DiscreetError) as refusal:
            open_database(url, secret=SECRET)
        assert "password" not in str(refusal.value)
    (tmp_path / "other").write_bytes(b"something else" * 100)
    with pytest.raises(DiscreetError, match="another kind"):
        FileWitness(tmp_path / "other")
    with pytest.raises(DiscreetError, match="another kind"):
        open_database(f"sqlite:///{tmp_path}/other", secret=SECRET)
    with pytest.raises(DiscreetError, match="32 random bytes"):
        open_database(f"sqlite:///{tmp_path}/runs.db", secret=b"short")


def test_a_run_that_its_witness_does_not_know_is_refused(tmp_path):
    url = f"sqlite:///{tmp_path}/runs.db"
    with database_at(url) as database:
        make("batch", store=database.store("a run")).close()
    with database_at(url, MemoryWitness()) as database:
        with pytest.raises(OldCopy, match="not known to its witness"):
            Bandit.open(store=database.store("a run"))
        lost = database.restored("a run")
        assert (lost.releases, lost.ended) == (None, None)
        assert "an unknown number" in str(lost)
        with Bandit.open(store=database.store("a run")) as face:
            face.tell(face.ask(), loss=0.5)
            with pytest.raises(NotGiven):
                face.tell(face.ask()._replace(token="another"), loss=0.5)
