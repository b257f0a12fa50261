"""Ledgers whose users have renewing periods, and users who are admitted together."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

import pytest

from discreet import DiscreetError, Guarantee, Ledger, UserLimitReached
from discreet.ledger import ledger as module

KEY = bytes(range(32))
DAY = timedelta(days=1)
ROUND = Guarantee(epsilon=0.1, delta=0.0, model="central", status="proved", source="a theorem")


@pytest.fixture
def clock(monkeypatch):
    """Return a list with the time, which tests may set."""
    now = [1e9]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    return now


def new(path=None, **options):
    usual = {"epsilon": 3.0, "max_rounds_per_user": 2, "per": DAY, "path": path, "key": KEY}
    return Ledger(**usual | options)


@pytest.mark.parametrize("in_file", [False, True])
def test_rounds_renew_with_the_period_and_never_with_a_clock_that_is_set_back(
    in_file, tmp_path, clock
):
    ledger = new(tmp_path / "ledger" if in_file else None)
    assert [ledger.admit("Ada"), ledger.admit("Ada")] == [1, 2]
    with pytest.raises(UserLimitReached, match="2 rounds in this period of 1 day, which is"):
        ledger.admit("Ada")
    clock[0] += 86_400
    assert ledger.rounds_of("Ada") == 0
    assert ledger.admit("Ada") == 1
    clock[0] -= 86_400
    assert ledger.rounds_of("Ada") == 1
    assert [ledger.admit("Bob"), ledger.admit("Bob")] == [1, 2]
    with pytest.raises(UserLimitReached):
        ledger.admit("Bob")
    clock[0] += 86_400
    with pytest.raises(UserLimitReached):
        ledger.admit("Bob")


def test_users_of_earlier_periods_are_forgotten(tmp_path, clock):
    ledger = new(tmp_path / "ledger")
    ledger.admit_all(["Ada", "Bob", "Eve"])
    clock[0] += 86_400
    ledger.admit("Ada")
    file = sqlite3.connect(tmp_path / "ledger")
    assert file.execute("SELECT count(*) FROM users").fetchone() == (1,)
    file.close()


def test_a_period_is_a_term_of_the_ledger(tmp_path):
    new(tmp_path / "ledger")
    for other in (None, timedelta(days=2)):
        with pytest.raises(
            DiscreetError, match=r"per is .*, but the ledger in .* was created with"
        ):
            new(tmp_path / "ledger", per=other)
    assert new(tmp_path / "ledger").per == DAY
    new(tmp_path / "ever", per=None)
    with pytest.raises(DiscreetError, match="was created with"):
        new(tmp_path / "ever")
    file = sqlite3.connect(tmp_path / "ever")
    assert file.execute("PRAGMA application_id").fetchone() == (module.MARK,), "as before"
    file.close()


def test_only_what_holds_for_the_period_is_charged():
    monthly = ROUND.for_user(rounds=2).in_period(timedelta(days=30))
    daily = ROUND.for_user(rounds=2).in_period(DAY)
    for ledger in (new(), new(per=None)):
        with pytest.raises(DiscreetError, match="give the ledger the same per"):
            ledger.charge(monthly)
    with pytest.raises(DiscreetError, match="but the budget is for one period of 1 day"):
        new().charge(daily.for_periods(2))
    ledger = new()
    ledger.charge(daily)
    ledger.charge(ROUND.for_user(rounds=2))  # for any two rounds, which is more
    assert ledger.spent.epsilon == 0.4


def test_users_are_admitted_together_all_or_none(tmp_path):
    for place in (None, tmp_path / "ledger"):
        ledger = new(place, per=None)
        assert ledger.admit_all(["Ada", "Bob", " ada", "Ada", "Ada"]) == [1, 1, 1, 2, None]
        assert ledger.admit_all(iter([])) == []
        with pytest.raises(DiscreetError, match="user is empty"):
            ledger.admit_all(["Eve", " "])
        assert [ledger.rounds_of(user) for user in ("Ada", "Bob", "ada", "Eve")] == [2, 1, 1, 0]
    for wrong in ("Ada", b"Ada", 17, None):
        with pytest.raises(DiscreetError, match="but must be a list of users"):
            ledger.admit_all(wrong)


def test_a_renewing_period_needs_a_timedelta():
    with pytest.raises(DiscreetError, match="per is 30, but must be a timedelta"):
        Ledger(1.0, per=30)
    assert Ledger(1.0, per=DAY).per == DAY
