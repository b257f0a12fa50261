"""A clock of one's own: for simulations, and for nothing else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from makers import Clock, every_kind, make

from discreet import Bandit, DiscreetError, Ledger

STUDY = {"arms": ["a", "b"], "horizon": 400, "epsilon": 1.0, "algorithm": "batched-exp3"}
WAITING = {"wait": timedelta(days=30), "default_reward": 0.0}


def test_a_month_passes_at_once(tmp_path):
    path, clock = tmp_path / "run.db", Clock()
    made = {**STUDY, **WAITING, "batch_size": 2, "simulation": True, "seed": 1}
    bandit = Bandit(**made, path=path, clock=clock)
    for _ in range(2):
        bandit.tell(bandit.ask(), reward=1.0)
    assert bandit.release_due() == 0
    clock.now += timedelta(days=29).total_seconds()
    bandit.close()
    bandit = Bandit.open(path, unprotected=True, clock=clock)
    assert bandit.release_due() == 0
    clock.now += timedelta(days=2).total_seconds()
    assert bandit.release_due() == 1


def test_periods_of_users_follow_it():
    clock = Clock()
    limit = {"max_rounds_per_user": 1, "per": timedelta(days=30)}
    bandit = Bandit(**STUDY, **limit, simulation=True, clock=clock)
    bandit.ask(user="u")
    with pytest.raises(DiscreetError, match="has had 1 round"):
        bandit.ask(user="u")
    clock.now += timedelta(days=31).total_seconds()
    bandit.ask(user="u")


@every_kind
def test_a_live_run_refuses_it(kind):
    with pytest.raises(DiscreetError, match="only simulation=True takes a clock"):
        make(kind, clock=Clock())
    assert make(kind, clock=Clock(), simulation=True).state().round == 0


def test_nor_does_opening_one_take_it(tmp_path):
    path = tmp_path / "run.db"
    Bandit(**STUDY, path=path).close()
    with pytest.raises(DiscreetError, match="only simulation=True takes a clock"):
        Bandit.open(path, clock=Clock())
    Bandit.open(path).close()


@pytest.mark.parametrize(
    ("clock", "words"),
    [(3.0, "clock is 3.0"), (lambda: "noon", "clock returns is 'noon'"), (lambda: None, "is None")],
)
def test_what_is_no_clock_is_refused(clock, words):
    with pytest.raises(DiscreetError, match=words):
        Bandit(**STUDY, simulation=True, clock=clock)


def test_no_ledger_is_charged_by_a_run_with_another_clock():
    with pytest.raises(DiscreetError, match="protects nobody"):
        Bandit(**STUDY, simulation=True, clock=Clock(), ledger=Ledger(epsilon=1.0))
