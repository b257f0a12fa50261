"""A lost key: the learner is told which batches are gone, and does not wait for them."""

from __future__ import annotations

import numpy as np
import pytest
from makers import MAKERS, ask, make, tell

from discreet import Bandit, DiscreetError
from discreet.learners.arms.tracking_ucb import CHECK

STUDY = {"arms": ["a", "b", "c"], "horizon": 4000, "epsilon": 1.0}


def lost(path, key, **options):
    """Return a run that has released something, has many open batches, and has lost its key."""
    face = Bandit(**STUDY, path=path, key=key, **options)
    for _ in range(200):
        face.tell(face.ask(), reward=0.5)
    for _ in range(400):
        face.ask()
    asked, expected = rounds_asked(face), face._run._engine.without(traces(face))
    face.close()
    key.unlink()
    return Bandit.open(path, key=key, lost_key=True), asked, expected


def traces(face):
    return [group[2] for group in face._run._store.rows.groups.values()]


def rounds_asked(face):
    return face._run.read_learner(lambda learner: float(learner.asked.sum()))


def open_rounds(face):
    """Return how many rounds the learner takes to be outstanding."""
    return face._run.read_learner(lambda learner: float((learner.asked - learner.counts).sum()))


@pytest.mark.parametrize("algorithm", ["batched-ucb", "dp-klucb", "dp-imed", "adap-klucb"])
def test_index_learners_do_not_wait_for_lost_batches(algorithm, tmp_path):
    face, before, expected = lost(tmp_path / "run.db", tmp_path / "run.key", algorithm=algorithm)
    assert before >= 600
    assert rounds_asked(face) <= 200
    assert open_rounds(face) == 0
    assert face._run._store.rows.learner == expected
    assert face.state().lost > 0
    assert face.state().open == face.state().waiting == 0
    for _ in range(50):
        face.tell(face.ask(), reward=0.5)
    face.close()
    Bandit.open(tmp_path / "run.db", key=tmp_path / "run.key").verify()


def test_a_check_that_was_lost_ends(tmp_path):
    """tracking-ucb begins no other check while one is open, so it would never check again."""
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    face = Bandit(**STUDY, algorithm="best", path=path, key=key, durable="releases")
    rng = np.random.default_rng(1)
    while not is_checking(face):
        decision = face.ask()
        if not is_checking(face):
            face.tell(decision, reward=float(rng.random() < (0.9 if decision.arm == "a" else 0.1)))
    expected = face._run._engine.without(traces(face))
    face.close()
    key.unlink()
    face = Bandit.open(path, key=key, lost_key=True)
    assert not is_checking(face)
    assert face._run._store.rows.learner == expected


def is_checking(face):
    return face._run.read_learner(lambda learner: learner.check[CHECK] > 0.0)


def test_the_hold_out_keeps_its_public_state(tmp_path):
    face, _, expected = lost(
        tmp_path / "run.db", tmp_path / "run.key", algorithm="batched-ucb", explore=0.3
    )
    assert face._run._store.rows.learner[: len(expected)] == expected
    assert len(face._run._store.rows.learner) > len(expected)
    assert face.held_out is None
    for _ in range(50):
        face.tell(face.ask(), reward=0.5)


def test_a_later_epoch_has_another_learner(tmp_path):
    made = {**STUDY, "horizon": None, "algorithm": "batched-ucb"}
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    face = Bandit(**made, path=path, key=key, durable="releases")
    for _ in range(1100):  # the first epoch has 1,024
        face.tell(face.ask(), reward=0.5)
    for _ in range(100):
        face.ask()
    face.close()
    key.unlink()
    face = Bandit.open(path, key=key, lost_key=True)
    assert open_rounds(face) == 0
    face.tell(face.ask(), reward=0.5)


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_goes_on_or_says_why_not(kind, tmp_path):
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    face = make(kind, path=path, key=key)
    for _ in range(9):
        tell(face, ask(face))
    ask(face)
    streams = face._run._engine.streaming
    face.close()
    key.unlink()
    if streams:
        with pytest.raises(DiscreetError, match="has one running sum, which cannot be read"):
            type(face).open(path, key=key, lost_key=True)
        return
    face = type(face).open(path, key=key, lost_key=True)
    for _ in range(9):
        tell(face, ask(face))
