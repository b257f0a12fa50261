"""Refusals have kinds, so that a program can tell them apart without reading the sentence."""

from __future__ import annotations

import shutil

import pytest
from makers import bandit, make, tell

import discreet
from discreet import (
    AlreadyTold,
    Bandit,
    Busy,
    DiscreetError,
    Finished,
    HorizonUsed,
    LimitReached,
    NotGiven,
    OldCopy,
    UserLimitReached,
)

KINDS = [AlreadyTold, Busy, Finished, HorizonUsed, LimitReached, NotGiven, OldCopy]


def test_every_kind_has_a_name_and_a_status():
    kinds = [*KINDS, discreet.TooLate, discreet.BudgetExceeded]
    assert len({each.kind for each in kinds}) == len(kinds)
    assert all(issubclass(each, DiscreetError) and 400 <= each.status < 600 for each in kinds)
    assert (DiscreetError.kind, DiscreetError.status) == ("refused", 400)


def test_an_outcome_counts_once_and_needs_a_decision():
    face = make("batch")
    decision = face.ask()
    tell(face, decision)
    with pytest.raises(AlreadyTold):
        tell(face, decision)
    with pytest.raises(NotGiven):
        tell(face, decision._replace(id=17))
    with pytest.raises(NotGiven):
        tell(make("batch"), decision)
    with pytest.raises(AlreadyTold, match=r"pairs\[0\]"):
        face.tell_all(loss=[(decision, 0.5)])


def test_with_a_wait_a_second_outcome_is_refused_in_the_same_way():
    face = make("batch", wait=100.0, default_loss=0.5)
    decision = face.ask()
    tell(face, decision)
    with pytest.raises(AlreadyTold):
        tell(face, decision)


def test_a_run_ends_at_its_horizon_or_with_its_final_release():
    face = bandit(horizon=2)
    face.ask_many(2)
    with pytest.raises(HorizonUsed):
        face.ask()
    with pytest.raises(HorizonUsed):
        face.ask_many(1)
    face = bandit(final=1.0)
    face.finish()
    with pytest.raises(Finished):
        face.ask()


def test_a_user_at_the_limit_is_a_limit_reached():
    face = bandit(max_rounds_per_user=1)
    face.ask(user="Ada")
    with pytest.raises(LimitReached) as refusal:
        face.ask(user="Ada")
    assert type(refusal.value) is UserLimitReached


def test_an_old_copy_of_a_file_and_a_file_in_use_are_refused(tmp_path):
    make("batch", path=tmp_path / "run.db").close()
    shutil.copy(tmp_path / "run.db", tmp_path / "copy.db")
    with Bandit.open(tmp_path / "run.db") as face:
        tell(face, face.ask())
        with pytest.raises(Busy):
            Bandit.open(tmp_path / "run.db")
    with pytest.raises(OldCopy):
        Bandit.open(tmp_path / "copy.db")
