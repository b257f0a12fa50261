"""Rounds that are held out: which, with which arms, and when they are released."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from holdout_runs import ARMS, PLACES, TINY, agree, bandit, held_out, loss_of, play, sums_of
from makers import Clock

from discreet import Bandit, DiscreetError
from discreet.channels import ArmSums
from discreet.live import MemoryStore
from discreet.live.holdout import HELD_OUT
from discreet.live.run import LiveRun

# Which rounds, and which arms


@PLACES
def test_every_block_has_every_arm_once(in_file, tmp_path):
    face = bandit(explore=0.5, path=tmp_path / "run.db" if in_file else None)
    arms = [each.arm for each in held_out(play(face, 120))]
    blocks = [arms[first : first + 3] for first in range(0, len(arms), 3)]
    assert len(blocks) > 10
    assert all(sorted(block) == ARMS for block in blocks[:-1])
    assert len({tuple(block) for block in blocks}) > 3  # a false alarm has a chance below 1e-4


def test_orders_of_blocks_and_coins_are_even():
    """Chi-square tests of six orders and of the coin, with a false-alarm rate of 1e-6 each."""
    face = bandit(explore=0.5, horizon=4_000, simulation=True, seed=5)
    decisions = play(face, 4_000)
    arms = [each.arm for each in held_out(decisions)]
    orders = [tuple(arms[first : first + 3]) for first in range(0, len(arms) - 2, 3)]
    counts = np.array([orders.count(order) for order in set(orders)])
    assert counts.size == 6
    assert ((counts - len(orders) / 6) ** 2).sum() / (len(orders) / 6) < 35.9
    assert abs(len(arms) - 2_000) < 4.9 * np.sqrt(1_000)


def test_a_number_for_each_arm_is_reached_and_not_exceeded():
    face = bandit(holdout=20)
    decisions = play(face, 300)
    assert {arm: rounds for arm, rounds, _ in face._run.held_out()} == {0: 20, 1: 20, 2: 20}
    assert len(held_out(decisions)) == 60
    last = max(each.id for each in held_out(decisions))
    assert all(each.probability > 0.08 for each in decisions[: last + 1])


def test_nobody_learns_from_what_is_held_out():
    """The learner's state, its batches and its releases are those of the other rounds alone."""
    one = bandit(explore=0.4, simulation=True, seed=3)
    two = bandit(explore=0.4, simulation=True, seed=3)
    for _ in range(200):
        first, second = one.ask(), two.ask()
        assert first._replace(token="") == second._replace(token="")
        other = 0.5 if first.batch == HELD_OUT else loss_of(first.id)
        one.tell(first, loss=loss_of(first.id))
        two.tell(second, loss=other)
    size = len(one._run._engine.learner_state)
    assert one._run._store.rows.learner[:size] == two._run._store.rows.learner[:size]


# When it is released


@PLACES
def test_it_is_released_once_all_its_outcomes_have_come(in_file, tmp_path):
    path = tmp_path / "run.db" if in_file else None
    face = bandit(horizon=60, explore=0.5, path=path)
    decisions = [face.ask() for _ in range(60)]
    aside = held_out(decisions)
    for each in decisions:
        if each != aside[-1]:
            face.tell(each, loss=loss_of(each.id))
    assert face.held_out is None
    if in_file:
        face.close()
        face = Bandit.open(path)
        assert [each.id for each in face.open_decisions] == [aside[-1].id]
    released = face.state().released
    face.tell(aside[-1], loss=loss_of(aside[-1].id))
    assert agree(face, aside)
    assert face.state().released == released + 1
    before = face.held_out
    face.finish_holdout()
    assert face.held_out == before
    if in_file:
        face.close()
        assert Bandit.open(path).held_out == before
        with sqlite3.connect(path) as file:
            count = "SELECT count(*) FROM release WHERE batch = ?"
            assert file.execute(count, (HELD_OUT,)).fetchone() == (1,)


@PLACES
def test_a_file_can_be_opened_again_at_any_round(in_file, tmp_path):
    path = tmp_path / "run.db" if in_file else None
    store = None if in_file else MemoryStore()
    rounds, decisions = 30, []
    face = bandit(horizon=rounds, explore=0.4, path=path, store=store)
    for _ in range(rounds):
        decisions.append(face.ask())
        face.close()
        face = Bandit.open(path, store=store)
        (found,) = face.open_decisions
        assert found.probability == pytest.approx(decisions[-1].probability)
        assert found.batch == decisions[-1].batch
        face.tell(decisions[-1], loss=loss_of(decisions[-1].id))
    assert agree(face, held_out(decisions))


def test_it_can_be_finished_early_and_without_some_outcomes():
    face = bandit(horizon=None, explore=0.5)
    decisions = [face.ask() for _ in range(80)]
    aside = held_out(decisions)
    missing = aside[::5]
    for each in decisions:
        if each not in missing:
            face.tell(each, loss=loss_of(each.id))
    assert face.finish_holdout() is False
    assert held_out(play(face, 40)) == []
    assert face.give_up(missing[0]) is False
    assert face.held_out is None
    assert face.finish_holdout(give_up=True) is True
    assert agree(face, [each for each in aside if each not in missing])
    with pytest.raises(DiscreetError, match="told already, or given up"):
        face.tell(missing[1], loss=0.5)


def test_a_batch_of_the_learner_can_be_given_up_beside_it(tmp_path):
    path = tmp_path / "run.db"
    face = bandit(horizon=60, explore=0.5, algorithm="tracking-ucb", batch_size=None, path=path)
    decisions = [face.ask() for _ in range(60)]
    own = next(each for each in decisions if each.batch != HELD_OUT)
    assert face.give_up(own) is True
    face.close()
    face = Bandit.open(path)
    for each in decisions:
        if each.batch != own.batch:
            face.tell(each, loss=loss_of(each.id))
    assert agree(face, held_out(decisions))


def test_with_deadlines_silence_counts_as_the_default():
    clock = Clock()
    face = bandit(horizon=60, explore=0.5, wait=10.0, default_loss=0.25, store=MemoryStore())
    run = face._run = LiveRun.start(face.plan, face._recipe, clock=clock)
    decisions = [face.ask() for _ in range(60)]
    silent = held_out(decisions)[:4]
    for each in decisions:
        if each not in silent:
            face.tell(each, loss=loss_of(each.id))
    assert [each.probability for each in face.open_decisions] == pytest.approx(
        [each.probability for each in decisions]
    )
    with pytest.raises(DiscreetError, match="a decision ends by its outcome or deadline only"):
        face.finish_holdout(give_up=True)
    assert face.finish_holdout() is False
    clock.now += 11.0
    for each in silent:
        assert run.tell_by_id(each.id, each.token, face._choice(each), 1.0) is False
    assert face.held_out is None  # no tell releases anything
    face.release_due()
    expected = sums_of(held_out(decisions))
    for each in silent:
        rounds, total = expected[each.arm]
        expected[each.arm] = rounds, total - loss_of(each.id) + 0.25
    released = {ARMS[arm]: (rounds, total) for arm, rounds, total in run.held_out()}
    for arm, (rounds, total) in expected.items():
        assert released[arm] == (rounds, pytest.approx(total, abs=TINY))


def test_it_outlives_the_epochs_of_a_run_without_a_horizon():
    face = bandit(horizon=None, explore=0.02, holdout=15)
    decisions = play(face, 4_000)
    assert face._run._store.rows.epoch[0] >= 1
    assert agree(face, held_out(decisions))
    assert [each.rounds for each in face.held_out] == [15, 15, 15]


def test_a_failure_in_the_middle_is_made_up_for(monkeypatch):
    """If the draw fails, the next operation makes it; if the learner fails, it sees one value."""
    face = bandit(horizon=40, explore=0.5)
    decisions, right = play(face, 39), ArmSums.release
    last = face.ask()

    def fail(self, query, rng):
        raise RuntimeError("on purpose")

    monkeypatch.setattr(ArmSums, "release", fail)
    with pytest.raises(RuntimeError, match="on purpose"):
        face.tell(last, loss=loss_of(last.id))
    monkeypatch.setattr(ArmSums, "release", right)
    seen = []

    def record(self, trace, released):
        seen.append(released.tolist())
        raise RuntimeError("on purpose")

    keep = type(face._run._side._state).learn
    monkeypatch.setattr(type(face._run._side._state), "learn", record)
    for _ in range(5):
        with pytest.raises(RuntimeError, match="on purpose"):
            face.release_due()
    monkeypatch.setattr(type(face._run._side._state), "learn", keep)
    face.release_due()
    assert all(each == seen[0] for each in seen)
    assert [total for _, _, total in face._run.held_out()] == seen[0]
    assert agree(face, held_out([*decisions, last]))
