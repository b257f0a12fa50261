"""A power loss cuts the write-ahead log anywhere: no user's count is lost without its decision."""

from __future__ import annotations

import random

import pytest

from discreet import Bandit, DiscreetError
from discreet.live.users import ENTRY, NAME

CUTS, ASKS, USERS, LIMIT = 300, 150, 60, 3


def counted(bandit):
    """Return the rounds of all users together."""
    entries = [
        users[at + NAME : at + ENTRY]
        for _, users in bandit._run._store.rows.usage.values()
        for at in range(0, len(users), ENTRY)
    ]
    return sum(int.from_bytes(entry, "big") for entry in entries)


def started(folder, **options):
    """Return a run in a file whose log is kept as a whole from here on."""
    options = {"path": folder / "run.db", "key": folder / "run.key"} | options
    bandit = Bandit(arms=3, horizon=10_000, epsilon=1.0, max_rounds_per_user=LIMIT, **options)
    file = bandit._run._store._file
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.execute("PRAGMA wal_autocheckpoint = 0")
    return bandit


def cut_log(folder, cuts, seed):
    """Cut the log of a run in many places; return how many asks each lost, and faults in words."""
    bandit, chance = started(folder), random.Random(seed)
    given = {}
    while len(given) < ASKS:
        decision = bandit.ask(user=f"user {chance.randrange(USERS)}", at_limit="serve")
        if decision.learns:
            given[decision.id] = decision
    log, bare, key = ((folder / f"run.{end}").read_bytes() for end in ("db-wal", "db", "key"))
    bandit.close()
    lost, faults = [], []
    for number in range(cuts):
        left = log[: chance.randrange(len(log) + 1)]
        if chance.random() < 0.3 and left:  # torn: the end is what the disk had there before
            torn = min(len(left), 3000)
            left = left[:-torn] + chance.randbytes(torn)
        for end, content in (("db", bare), ("db-wal", left), ("key", key)):
            (folder / f"cut.{end}").write_bytes(content)
        with Bandit.open(folder / "cut.db", key=folder / "cut.key") as again:
            asked = again.state().round
            if not counted(again) == asked == again.state().open:
                faults.append(f"{counted(again)} are counted, but {asked} were asked for")
            lost.append(ASKS - asked)
            if number % 10 == 0 and asked < ASKS:
                faults += tell_undone(again, given[asked])
    return lost, faults


def tell_undone(bandit, undone):
    """Give the id of a lost decision to another user; return what is wrong with its outcome."""
    fresh = bandit.ask(user="somebody else")
    faults = [] if fresh.id == undone.id else ["the id was not given again"]
    for each, words in ((undone, "does not belong to this run"), (undone.id, "counts its users")):
        try:
            bandit.tell(each, reward=1.0)
        except DiscreetError as refusal:
            if words in str(refusal):
                continue
        faults.append("the outcome of a decision that was lost is taken for another user's")
    bandit.tell(fresh, reward=1.0)
    return faults


@pytest.mark.long
def test_after_300_random_cuts_of_the_log_counts_are_decisions(tmp_path):
    lost, faults = cut_log(tmp_path, CUTS, seed=1)
    assert faults == []
    assert min(lost) < 15
    assert max(lost) > ASKS - 15


def test_a_release_waits_for_the_ask_of_every_outcome_in_it(tmp_path):
    """If only a note in the key were on the disk, the count of the last user would be lost."""
    bandit = started(tmp_path, algorithm="batched-exp3", batch_size=2)
    store, held = bandit._run._store, []

    def hold(drawn):
        store.hold(drawn)
        held.append("note" if store._key.note else "row" if store._in_table else "nowhere")

    bandit._run._commit_draw = hold
    ada = bandit.ask(user="Ada")
    bandit.tell(ada, reward=1.0)  # waits for the disk, and Ada's ask with it
    bob = bandit.ask(user="Bob")  # does not
    bandit.tell(bob, reward=1.0)
    ada, bob = bandit.ask(user="Ada"), bandit.ask(user="Bob")
    bandit.tell(ada, reward=1.0)  # and Bob's ask with it
    bandit.tell(bob, reward=1.0)
    assert held == ["row", "note"]
    bandit.close()
    with Bandit.open(tmp_path / "run.db", key=tmp_path / "run.key") as again:
        assert [again.rounds_of(user) for user in ("Ada", "Bob")] == [2, 2]
        assert again.state().released == 2


def test_a_run_without_its_key_cannot_count_its_users_and_ends(tmp_path):
    bandit = started(tmp_path)
    bandit.ask(user="Ada")
    bandit.close()
    (tmp_path / "run.key").unlink()
    with pytest.raises(DiscreetError, match="without the key the rounds of each user are unknown"):
        Bandit.open(tmp_path / "run.db", key=tmp_path / "other.key", lost_key=True)
