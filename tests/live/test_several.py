"""Several decisions and outcomes at once: as one by one, in one transaction, all or none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from makers import ADVICE, MAKERS, Clock, ask, decided_twice, every_kind, make, rows_of, tell

from discreet import (
    Advisor,
    Bandit,
    ContextualBandit,
    DiscreetError,
    Experts,
    Ledger,
    Optimizer,
    SlateBandit,
    VectorOptimizer,
)
from discreet.live.rows import Rows

PLACES = [False, True]
in_both_places = pytest.mark.parametrize("in_file", PLACES, ids=["memory", "file"])


def outcome(face, number):
    """Return an outcome of the kind that a face takes, and the name of its argument."""
    loss = (number % 4) / 4.0
    if isinstance(face, Experts):
        return "losses", [loss, 0.5, 1.0]
    if isinstance(face, VectorOptimizer):
        return "loss", [loss, 0.0, -0.25]
    if isinstance(face, SlateBandit):
        return "losses", [loss, 0.5]
    if isinstance(face, Optimizer) and decided_twice(face):
        return "loss", [loss, 0.5]
    return "loss", loss


def ask_many(face, n):
    if isinstance(face, ContextualBandit):
        return face.ask_many([[0.5]] * n)
    return face.ask_many([ADVICE] * n) if isinstance(face, Advisor) else face.ask_many(n)


def tell_all(face, decisions, wrong=None):
    name = outcome(face, 0)[0]
    pairs = [(each, outcome(face, each.id)[1]) for each in decisions]
    if wrong is not None:
        pairs.insert(wrong[0], wrong[1])
    return face.tell_all(**{name: pairs})


def tell_one(face, decision):
    name, given = outcome(face, decision.id)
    face.tell(decision, **{name: given})


def break_learner(face, monkeypatch, seen):
    """Let the learner fail when it has seen a second value."""
    learner = type(face._run._engine.private.learner)
    right = learner.learn

    def fail(self, trace, released):
        seen.append(np.array(released, copy=True).tobytes())
        right(self, trace, released)
        if len(seen) % 2 == 0:
            raise RuntimeError("on purpose")

    monkeypatch.setattr(learner, "learn", fail)
    return learner, right


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind != "square root"])
@in_both_places
def test_several_are_the_same_as_one_by_one(kind, in_file, tmp_path):
    """Decisions, releases and the learner, bit for bit, with outcomes in another order."""
    path = tmp_path / "run.db" if in_file else None
    one = make(kind, simulation=True, seed=3)
    other = make(kind, simulation=True, seed=3, path=path)
    for _ in range(3):
        singly, together = [ask(one) for _ in range(10)], ask_many(other, 10)
        assert [each.id for each in singly] == [each.id for each in together]
        assert all(np.array_equal(a[0], b[0]) for a, b in zip(singly, together, strict=True))
        for decision in singly[::-1]:
            tell_one(one, decision)
        assert tell_all(other, together[::-1]) == 10
        assert one.state() == other.state()
    assert rows_of(one) == rows_of(other)
    if in_file:
        other.close()
        other = type(other).open(path, unprotected=True)
        assert rows_of(one) == rows_of(other)


@every_kind
@in_both_places
def test_if_one_is_refused_none_is_told(kind, in_file, tmp_path):
    face = make(kind, path=tmp_path / "run.db" if in_file else None)
    decisions = ask_many(face, 9)
    tell_one(face, decisions[8])
    before, good = rows_of(face), outcome(face, 0)[1]
    for place, wrong, complaint in (
        (5, (decisions[8], good), "decision 8 has been told already"),
        (3, (decisions[0], good), "decision 0 has been told already"),  # twice in the same pairs
        (0, (99, good), "decision 99 does not belong to this run"),
        (8, (decisions[8], "much"), "finite number"),
        (4, ("first", good), "decision is of type str"),
        (2, (decisions[8]._replace(token="other"), good), "decision 8 does not belong to this run"),
    ):
        sentence = rf"^pairs\[{place}\] is refused, so nothing was recorded: .*{complaint}.*\.$"
        with pytest.raises(DiscreetError, match=sentence):
            tell_all(face, decisions[:8], wrong=(place, wrong))
        assert rows_of(face) == before
    assert tell_all(face, decisions[:8]) == 8
    assert face.open_decisions == ()


def test_what_is_no_pair_is_refused_in_one_sentence():
    bandit = make("batch")
    decision = bandit.ask()
    for wrong in (decision, 3, (decision,), (decision, 0.5, 0.5), "ab"):
        with pytest.raises(DiscreetError, match=r"^pairs\[1\] is not a pair \(decision, outcome\)"):
            bandit.tell_all(loss=[(decision, 0.25), wrong])
    for wrong in ("pairs", 3.0):
        with pytest.raises(DiscreetError, match=r"^reward is of type .*, but must be pairs of a"):
            bandit.tell_all(reward=wrong)
    for wrong in ({}, {"loss": [], "reward": []}):
        with pytest.raises(DiscreetError, match=r"^tell_all needs pairs of one kind: reward or l"):
            bandit.tell_all(**wrong)
    assert bandit.tell_all(loss=[]) == 0
    assert bandit.tell_all(reward=((one.id, 1.0) for one in bandit.open_decisions)) == 1


@in_both_places
def test_a_request_for_too_many_asks_for_none(in_file, tmp_path):
    bandit = make("batch", horizon=10, path=tmp_path / "run.db" if in_file else None)
    bandit.ask_many(7)
    before = rows_of(bandit)
    with pytest.raises(DiscreetError, match="needs 4 decisions, but"):
        bandit.ask_many(4)
    for wrong in (0, -1, 2.0, "3", True, None):
        with pytest.raises(DiscreetError, match=r"^n is .*, but must be"):
            bandit.ask_many(wrong)
    with pytest.raises(DiscreetError, match="user is given, but this run does not limit"):
        bandit.ask_many(2, users=["a", "b"])
    with pytest.raises(DiscreetError, match="users has 1 name, but must have one for each of 2"):
        bandit.ask_many(2, users=["a"])
    assert rows_of(bandit) == before
    for kind, words in (
        ("contexts", "contexts is 3, but"),
        ("advice every round", "advice is 3, but"),
    ):
        with pytest.raises(DiscreetError, match=f"^{words} must be a list with one entry per"):
            make(kind).ask_many(3)
    assert [each.id for each in bandit.ask_many(3)] == [7, 8, 9]


@in_both_places
def test_users_are_counted_and_their_limit_refuses_all(in_file, tmp_path):
    ledger = Ledger(2.0, max_rounds_per_user=2)
    path = tmp_path / "run.db" if in_file else None
    bandit = make("batch", ledger=ledger, path=path)
    assert len(bandit.ask_many(3, users=["a", "b", "a"])) == 3
    with pytest.raises(DiscreetError):
        bandit.ask_many(2, users=["b", "a"])
    assert (bandit.state().round, len(bandit.open_decisions)) == (3, 3)
    with pytest.raises(DiscreetError, match="ask needs the user"):
        bandit.ask_many(1)


def test_the_horizonless_begin_an_epoch_in_the_middle_of_nothing():
    bandit = Bandit(2, None, 1.0, algorithm="batched-exp3", batch_size=4)
    for _ in range(8):
        bandit.tell_all(loss=[(each, 0.5) for each in bandit.ask_many(256)])
    assert bandit._run._store.rows.epoch == (1, 1024)
    assert bandit.state()[:1] + bandit.state()[3:] == (2048, 512, 0, 0, 0)


def test_an_algorithm_that_needs_all_outcomes_refuses_several_draws():
    bandit = Bandit(3, 100, 1.0, delta=1e-6, algorithm="exp3-tau", simulation=True, seed=1)
    with pytest.raises(DiscreetError, match="is private only if you tell all outcomes before"):
        bandit.ask_many(5000 if bandit.state().horizon > 5000 else 90)
    assert bandit.state().round == 0


@in_both_places
def test_with_deadlines_several_wait_like_one(in_file, tmp_path):
    options = {"wait": 60.0, "default_loss": 1.0, "batch_size": 4}
    face = make("batch", path=tmp_path / "run.db" if in_file else None, **options)
    clock = face._run._clock = Clock()
    early = face.ask_many(4)
    clock.now += 30.0
    late = face.ask_many(4)
    clock.now += 30.0
    assert face.tell_all(loss=[(each, 0.5) for each in early[:2] + late[:2]]) == 2
    assert face.state()[3:6] == (0, 8, 2)
    with pytest.raises(DiscreetError, match=r"pairs\[1\] is refused.*decision 5 has been told alr"):
        face.tell_all(loss=[(late[2], 0.5), (late[1], 0.5)])
    assert face.release_due() == 1
    assert face.tell_all(loss=[(late[2], 0.5)]) == 1
    clock.now += 30.0
    assert face.release_due() == 1
    assert face.open_decisions == ()


@every_kind
@in_both_places
def test_a_learner_that_fails_sees_the_same_values_again(kind, in_file, tmp_path, monkeypatch):
    """All are drawn and stored before it sees the first; retries draw nothing."""
    path = tmp_path / "run.db" if in_file else None
    face, seen = make(kind, path=path), []
    decisions = ask_many(face, 12)
    learner, right = break_learner(face, monkeypatch, seen)
    with pytest.raises(RuntimeError, match="on purpose"):
        tell_all(face, decisions)
    released = face.state().released
    assert released >= 2
    for _ in range(2):
        with pytest.raises(RuntimeError, match="on purpose"):
            ask(face)
    if in_file:
        face.close()
        face = type(face).open(path)
        with pytest.raises(RuntimeError, match="on purpose"):
            ask(face)
    assert len(set(seen)) == len(set(seen[:2]))
    assert seen[::2] == [seen[0]] * len(seen[::2])
    assert seen[1::2] == [seen[1]] * len(seen[1::2])
    whole = []

    def watch(self, trace, value):
        whole.append(np.array(value, copy=True).tobytes())
        right(self, trace, value)

    monkeypatch.setattr(learner, "learn", watch)
    tell(face, ask(face))
    assert whole[:2] == seen[:2]
    assert len(whole) >= released
    assert face.state().open == 0
    with pytest.raises(DiscreetError, match="has been told already"):
        tell_all(face, decisions[:1])


@in_both_places
@pytest.mark.parametrize("failing", ["tell", "defer", "commit"])
def test_an_interrupt_in_the_middle_changes_nothing(failing, in_file, tmp_path, monkeypatch):
    face = make("batch", path=tmp_path / "run.db" if in_file else None)
    decisions = face.ask_many(9)
    before, store = rows_of(face), face._run._store
    calls = 0

    def interrupt(*_, **__):
        nonlocal calls
        calls += 1
        if calls > 5 or failing == "defer":
            raise KeyboardInterrupt
        return commit(*_, **__)

    commit = face._run._commit_tell
    with monkeypatch.context() as patch:
        if failing == "tell":
            patch.setattr(face._run, "_commit_tell", interrupt)
        elif failing == "defer":
            patch.setattr(store, "defer", interrupt)
        elif in_file:
            patch.setattr(store, "_seal", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        else:
            patch.setattr(Rows, "commit", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            tell_all(face, decisions)
    assert face.state().released == 0
    assert rows_of(face) == before
    assert tell_all(face, decisions) == 9
    assert face.state()[3:] == (2, 0, 1, 0)


def test_several_need_fewer_statements_than_one_by_one(tmp_path):
    """The number behind the duration: of tells to a file without a release, per outcome."""
    found = []
    for several in PLACES:
        bandit = make("batch", path=tmp_path / f"{several}.db", batch_size=400)
        decisions = bandit.ask_many(100)
        statements = []
        bandit._run._store._file.set_trace_callback(statements.append)
        if several:
            tell_all(bandit, decisions)
        else:
            for decision in decisions:
                tell_one(bandit, decision)
        commits = statements.count("COMMIT")
        found.append((math.ceil(len(statements) / 100), commits))
    assert found == [(6, 100), (3, 1)]
