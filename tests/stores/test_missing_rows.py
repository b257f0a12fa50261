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
