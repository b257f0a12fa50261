"""Several workers share a run: every live class, threads and processes, commits that fail."""

from __future__ import annotations

import os
import random
import threading
import traceback
import warnings

import pytest
from group_requests import ask, outcome, tell
from makers import every_kind, make
from servers import database_at

from discreet import Bandit, DiscreetError, LimitReached
from discreet.live import AskRequest, TellRequest
from discreet.live.database import FileWitness


def opened(face, database, name="a run"):
    return type(face).open(store=database.store(name))


def take_turns(faces, rounds, chance):
    """Ask one worker, and tell another; return the decisions that are still open."""
    left = []
    for _ in range(rounds):
        face, other = chance.choice(faces), chance.choice(faces)
        told, left = left[:2], left[2:]
        results = face.exchange([tell(face, each) for each in told], [ask(face)] * 2)
        assert results[: len(told)] == [True] * len(told)
        left += results[len(told) :]
        assert not [each for each in left if isinstance(each, DiscreetError)]
        if len(left) > 6:
            results = other.exchange([tell(other, each) for each in left[:3]])
            assert results == [True] * 3
            left = left[3:]
    return left


@every_kind
def test_two_workers_share_a_run_of_every_live_class(kind, url):
    """Decisions of one are told to the other; both see one run, whose counts are exact."""
    with database_at(url) as database:
        face = make(kind, store=database.store("a run"))
        faces = [face, opened(face, database)]
        left = take_turns(faces, 16, random.Random(1))
        states = [each.state() for each in faces]
        assert states[0] == states[1]
        assert (states[0].round, states[0].open) == (32, len(left))
        face.verify()
        third = opened(face, database)
        assert third.state() == states[0]
        assert [row.batch for row in third._run.releases()] == [
            row.batch for row in face._run.releases()
        ]
        assert third.exchange([tell(third, each) for each in left]) == [True] * len(left)


def work(url, witness, name, rounds, write):
    """Ask and tell in a process of its own; write what was acknowledged."""
    with database_at(url, FileWitness(witness)) as database:
        face = Bandit.open(store=database.store(name))
        for _ in range(rounds):
            decisions = face.exchange([], [AskRequest()] * 3)
            results = face.exchange([tell(face, each) for each in decisions])
            assert results == [True] * 3
            os.write(write, b"".join(b"%d\n" % each.id for each in decisions))


def test_processes_share_a_run_on_postgres(server, tmp_path):
    url, rounds = server.fresh_url(), 15
    witness = tmp_path / "witness"
    with database_at(url, FileWitness(witness)) as database:
        face = make("batch", store=database.store("a run"), horizon=10_000)
        face.close()
    read, write = os.pipe()
    with warnings.catch_warnings(action="ignore"):
        children = [os.fork() for _ in range(1)]
        if children[-1] != 0:
            children.append(os.fork())
    if 0 in children:
        try:
            work(url, witness, "a run", rounds, write)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(write)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    with os.fdopen(read) as acknowledged:
        told = [int(line) for line in acknowledged]
    assert sorted(told) == list(range(3 * 2 * rounds))
    with database_at(url, FileWitness(witness)) as database:
        state = Bandit.open(store=database.store("a run")).state()
    assert (state.round, state.open, state.released) == (90, 0, 22)


def test_threads_with_workers_of_their_own_count_exactly(url):
    with database_at(url) as database:
        face = make("batch", store=database.store("a run"), horizon=10_000)
        failures = []

        def run():
            try:
                mine = opened(face, database)
                for _ in range(12):
                    mine.tell(mine.ask(), loss=0.5)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        state = face.state()
        assert (state.round, state.open, state.released) == (48, 0, 12)


def test_runs_of_one_database_do_not_meet(database):
    faces = {name: make("batch", store=database.store(name)) for name in ("a", "b", "c")}
    given = {name: face.exchange([], [AskRequest()] * 5) for name, face in faces.items()}
    for name, face in faces.items():
        others = [each for other in faces if other != name for each in given[other]]
        refused = face.exchange([tell(face, each) for each in others])
        assert all(isinstance(each, DiscreetError) for each in refused)
        assert face.exchange([tell(face, each) for each in given[name]]) == [True] * 5
    assert database.run_names() == ["a", "b", "c"]
    assert database.recipe_of("b")["algorithm"] == "batched-exp3"
    with pytest.raises(DiscreetError, match="already exists"):
        make("batch", store=database.store("b"))
    with pytest.raises(DiscreetError, match="has no run 'd'"):
        database.recipe_of("d")


def test_users_are_counted_over_all_workers(url):
    with database_at(url) as database:
        face = make("batch", store=database.store("a run"), max_rounds_per_user=3)
        faces = [face, opened(face, database)]
        asks = [AskRequest(None, {"user": user}) for user in ("Ada", "Bob")]
        for turn in range(3):
            results = faces[turn % 2].exchange([], asks)
            assert not any(isinstance(each, DiscreetError) for each in results)
        for each in faces:
            assert all(isinstance(one, LimitReached) for one in each.exchange([], asks))
            assert each.rounds_of("Ada") == 3
        assert face.state().round == 6


def test_the_same_name_gets_the_same_decision(url):
    with database_at(url) as database:
        face = make("cube", store=database.store("a run"), delta=1e-6)
        other = opened(face, database)
        first, again = face.exchange([], [AskRequest("order 17")] * 2)
        third, another = other.exchange([], [AskRequest("order 17"), AskRequest("order 18")])
        assert [each.id for each in (first, again, third, another)] == [0, 0, 0, 1]
        assert first.token == third.token
        assert first.point.tolist() == third.point.tolist()
        assert other.exchange([tell(other, first)]) == [True]
        assert database.records.names("name") != ["order 17", "order 18"]  # they may be secrets
        database.records.purge("name", database.now() + 1.0)
        assert face.exchange([], [AskRequest("order 17")])[0].id == 2


def test_arms_that_come_and_go_are_known_to_all_workers(url):
    with database_at(url) as database:
        options = {"algorithm": "batched-ucb", "batch_size": 2, "capacity": 3, "arms": ["A", "B"]}
        face = make("batch", store=database.store("a run"), **options)
        other = opened(face, database)
        face.add_arm("C")
        for _ in range(6):
            given = [*other.exchange([], [AskRequest()] * 2), other.ask()]
            assert {each.arm for each in given} <= {"A", "B", "C"}
            other.exchange([TellRequest(e.id, e.token, {"loss": 1.0}) for e in given])
        assert other.arms == ("A", "B", "C")


class Unlucky(Exception):
    pass


def test_commits_that_fail_count_for_nothing(url, monkeypatch):
    """A third of all commits fails, before or after it took effect; counts are exact."""
    chance, failing = random.Random(7), [False]
    with database_at(url) as database:
        face = make("batch", store=database.store("a run"), horizon=10_000, batch_size=3)
        connections = database._connections
        with connections.session() as session:
            kind = type(session)
        commit, happened = kind.commit, [0]

        def fail(self):
            if failing[0] and chance.random() < 0.33:
                happened[0] += 1
                raise Unlucky
            commit(self)

        monkeypatch.setattr(kind, "commit", fail)
        failing[0] = True
        left, told, given = [], 0, set()
        for _ in range(120):
            some = left[: chance.randrange(5)]
            try:
                results = face.exchange(
                    [tell(face, each) for each in some], [AskRequest()] * chance.randrange(4)
                )
            except Unlucky:
                continue
            assert results[: len(some)] == [True] * len(some)
            told += len(some)
            new = [each for each in results[len(some) :] if not isinstance(each, DiscreetError)]
            assert not given & {each.id for each in new}
            given |= {each.id for each in new}
            left = left[len(some) :] + new
        failing[0] = False
        assert happened[0] > 20
        face._run.state()
        face.exchange([], [])
        rows, size = face._run._store.rows, 3
        assert rows.counters[0] == len(given)
        assert sorted(rows.open) == sorted(each.id for each in left)
        held = sum(told for *_, told, _ in rows.groups.values())
        assert told == rows.counters[3] * size + held
        assert outcome(face) == {"loss": 0.25}
