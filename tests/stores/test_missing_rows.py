"""Rows that somebody deletes from a database, without its secret: missed where they count."""

from __future__ import annotations

import pytest
from makers import make, tell
from servers import database_at

from discreet import Bandit, DiscreetError, UserLimitReached
from discreet.live.database import MemoryWitness


def execute(database, statement):
    with database._connections.transaction() as session:
        session.write(statement, ())


def limited(database, users):
    """A run in which each user has both of two rounds."""
    face = make("batch", store=database.store("a run"), max_rounds_per_user=2)
    for user in users:
        for _ in range(2):
            tell(face, face.ask(user=user))
    return face


def test_a_user_at_the_limit_stays_there_if_rows_of_users_are_deleted(url):
    witness, users = MemoryWitness(), [f"user {number}" for number in range(20)]
    with database_at(url, witness) as database:
        limited(database, users)
        execute(database, "DELETE FROM discreet_usage WHERE number < 4000")
    with database_at(url, witness) as database:
        face = Bandit.open(store=database.store("a run"))
        refused = 0
        for user in users:
            try:
                face.ask(user=user)
            except UserLimitReached:
                pass
            except DiscreetError as error:
                refused += "the number of rows of 'usage' fails authentication" in str(error)
            else:
                pytest.fail(f"{user} has a third round")
        assert refused > 0
        for use in (face.users_at_limit, face.verify):
            with pytest.raises(DiscreetError, match="the number of rows of 'usage'"):
                use()


MOVED = "UPDATE discreet_usage SET number = -1 - number"
REPLACED = (
    "DELETE FROM discreet_usage WHERE number >= 4000",
    "INSERT INTO discreet_usage SELECT run, number + 9000, last_window, users, tag "
    "FROM discreet_usage",
)


@pytest.mark.parametrize("statements", [(MOVED,), REPLACED])
def test_nor_if_others_take_their_place(statements, url):
    """So that the number of rows is right."""
    witness, users = MemoryWitness(), [f"user {number}" for number in range(20)]
    with database_at(url, witness) as database:
        limited(database, users)
        for statement in statements:
            execute(database, statement)
    with database_at(url, witness) as database:
        face = Bandit.open(store=database.store("a run"))
        for user in users:
            with pytest.raises((UserLimitReached, DiscreetError)):
                face.ask(user=user)
        with pytest.raises(DiscreetError, match="of the table 'usage' fails authentication"):
            face.ask(user="another user")


def test_new_users_of_other_workers_are_known(server):
    url, witness = server.fresh_url(), MemoryWitness()
    with database_at(url, witness) as one, database_at(url, witness) as other:
        first = limited(one, ["anna"])
        second = Bandit.open(store=other.store("a run"))
        for number in range(30):
            tell(first, first.ask(user=f"first {number}"))
            tell(second, second.ask(user=f"second {number}"))
        users = ("first 29", "second 29", "anna", "new")
        assert [[each.rounds_of(user) for user in users] for each in (first, second)] == [
            [1, 1, 2, 0],
            [1, 1, 2, 0],
        ]
        first.verify()


FAILS = "the number of rows of '{}' fails authentication"


@pytest.mark.parametrize("again", [False, True])
def test_a_held_release_that_is_deleted_is_not_drawn_again(again, url, monkeypatch):
    """The learner fails, and the value that it was handed is gone."""
    seen, witness = [], MemoryWitness()

    def broken(self, trace, released):
        seen.append(released)
        raise RuntimeError("learning fails")

    with database_at(url, witness) as database:
        face = make("batch", store=database.store("a run"))
        decisions = [face.ask() for _ in range(4)]
        for decision in decisions[:3]:
            tell(face, decision)
        monkeypatch.setattr(type(face._run._engine.learner), "learn", broken)
        with pytest.raises(RuntimeError, match="learning fails"):
            tell(face, decisions[3])
        execute(database, "DELETE FROM discreet_held")
        if not again:
            with pytest.raises(DiscreetError, match=FAILS.format("held")):
                tell(face, decisions[3])
    if again:
        with (
            database_at(url, witness) as database,
            pytest.raises(DiscreetError, match=FAILS.format("held")),
        ):
            tell(Bandit.open(store=database.store("a run")), decisions[3])
    assert len(seen) == 1


@pytest.mark.parametrize("table", ["batch", "decision"])
def test_an_outcome_is_not_lost_with_a_deleted_row(table, url):
    witness = MemoryWitness()
    with database_at(url, witness) as database:
        face = make("batch", store=database.store("a run"))
        decision = face.ask()
        execute(database, f"DELETE FROM discreet_{table}")
    with database_at(url, witness) as database:
        face = Bandit.open(store=database.store("a run"))
        with pytest.raises(DiscreetError, match=FAILS.format(table)):
            tell(face, decision)


def test_rows_that_an_older_version_adds_are_accepted(url):
    """It does not count them."""
    witness = MemoryWitness()
    with database_at(url, witness) as database:
        face = limited(database, ["anna", "bert"])
        face._run._store._user_rows = 0
        tell(face, face.ask(user="carl"))
    with database_at(url, witness) as database:
        face = Bandit.open(store=database.store("a run"))
        assert [face.rounds_of(user) for user in ("anna", "carl", "dora")] == [2, 1, 0]
        face.verify()


def test_a_release_that_is_deleted_is_missed(url):
    with database_at(url) as database:
        face = make("batch", store=database.store("a run"))
        for _ in range(8):
            tell(face, face.ask())
        assert len(face._run.releases()) == 2
        execute(database, "DELETE FROM discreet_release WHERE number = 0")
        for use in (face._run.releases, face.verify):
            with pytest.raises(DiscreetError, match="the number of rows of 'release'"):
                use()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM discreet_schema",
        "INSERT INTO discreet_schema SELECT 0, secret FROM discreet_schema",
    ],
)
def test_a_schema_without_one_version_is_refused_in_one_sentence(url, damage):
    with database_at(url) as database:
        execute(database, damage)
    with pytest.raises(DiscreetError, match="is damaged: the table discreet_schema must have one"):
        database_at(url)
