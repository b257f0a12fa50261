"""Groups of operations: outcomes and decisions together, one result for each request."""

from __future__ import annotations

import time

import pytest
from group_requests import ask, tell
from makers import bandit, every_kind, make, rows_of, searcher

from discreet import (
    AlreadyTold,
    Bandit,
    DiscreetError,
    Finished,
    NotGiven,
    UserLimitReached,
)
from discreet.errors import Failed
from discreet.live import AskRequest, FileStore, TellRequest


@every_kind
def test_every_live_class_works_in_groups(kind, tmp_path):
    face = make(kind, path=tmp_path / "run.db")
    decisions = face.exchange([], [ask(face)] * 3)
    for _ in range(8):
        results = face.exchange([tell(face, each) for each in decisions], [ask(face)] * 3)
        assert results[:3] == [True] * 3
        decisions = results[3:]
        assert [type(each) for each in decisions] == [type(decisions[0])] * 3
    assert [each.id for each in decisions] == [24, 25, 26]
    assert (face.state().round, face.state().open) == (27, 3)
    before = rows_of(face)
    face.close()
    with type(face).open(tmp_path / "run.db") as again:
        assert rows_of(again) == before


def test_a_group_gives_what_single_calls_give():
    """With a seed: the same outcomes one by one, and in groups, end in the same state."""
    one, many = (bandit(simulation=True, seed=3, batch_size=3) for _ in range(2))
    for _ in range(20):
        decisions = [one.ask() for _ in range(3)]
        assert many.exchange([], [AskRequest()] * 3) == [
            each._replace(token=many._run._token) for each in decisions
        ]
        for each in decisions:
            one.tell(each, loss=0.75)
        told = [TellRequest(each.id, None, {"loss": 0.75}) for each in decisions]
        assert many.exchange(told) == [True] * 3
    assert rows_of(one) == rows_of(many)


def test_a_refused_request_spoils_no_other():
    face = bandit(max_rounds_per_user=2)
    first, second = face.exchange([], [AskRequest(None, {"user": "Ada"})] * 2)
    results = face.exchange(
        [
            TellRequest(first.id, first.token, {"reward": 2.0}),
            TellRequest(first.id, first.token, {"reward": float("nan")}),
            TellRequest(first.id, first.token, {"reward": 1.0, "loss": 0.0}),
            TellRequest(first.id, first.token, {"prize": 1.0}),
            TellRequest(first.id, "another token", {"reward": 1.0}),
            TellRequest("0", None, {"reward": 1.0}),
            TellRequest(10**30, None, {"reward": 1.0}),
            TellRequest(first.id, first.token, {"reward": 1.0}),
            TellRequest(first.id, first.token, {"reward": 1.0}),
            TellRequest(77, None, {"reward": 1.0}),
            TellRequest(second.id, second.token, {"loss": [1.0]}),
        ],
        [
            AskRequest(None, {"user": "Ada"}),
            AskRequest(None, {"user": "Ada", "at_limit": "serve"}),
            AskRequest(None, {"user": "Ada", "at_limit": "maybe"}),
            AskRequest(None, {}),
            AskRequest(None, {"colour": "red"}),
            AskRequest("a name", {"user": "Bob"}),
            AskRequest(None, {"user": "Bob"}),
            AskRequest(None, {"user": "Bob", "available": ["another arm"]}),
        ],
    )
    kinds = [type(each) for each in results]
    assert kinds[:4] == [DiscreetError] * 4
    assert kinds[4:7] == [NotGiven] * 3
    assert results[7] is True
    assert kinds[8:11] == [AlreadyTold, NotGiven, DiscreetError]
    assert kinds[11] is UserLimitReached
    assert (results[12].id, results[12].learns) == (-1, False)
    assert kinds[13:17] == [DiscreetError] * 4
    assert (results[17].id, results[17].learns) == (2, True)
    assert isinstance(results[18], DiscreetError)
    assert (face.state().round, face.state().open) == (3, 2)
    assert all(each.__traceback__ is None for each in results if isinstance(each, DiscreetError))


def test_decisions_of_a_group_are_made_with_what_its_outcomes_taught():
    seen = []
    face = bandit(algorithm="batched-ucb", batch_size=2, simulation=True, seed=1)
    learner = face._run._engine.private.learner
    learn, act = type(learner).learn, type(learner).act

    class Watched(type(learner)):
        def learn(self, trace, released):
            seen.append("learn")
            learn(self, trace, released)

        def act(self, observation, rng):
            seen.append("act")
            return act(self, observation, rng)

    watched = Watched(*learner)
    face._run._engine.private = face._run._engine.private._replace(learner=watched)
    decisions = face.exchange([], [AskRequest()] * 4)
    assert seen == ["act", "act"]
    told = [TellRequest(each.id, None, {"loss": 0.5}) for each in decisions]
    face.exchange(told, [AskRequest()] * 2)
    assert seen == ["act", "act", "learn", "learn", "act"]


def test_requests_are_read_when_the_run_is_locked():
    face, owned = bandit(), []

    def drain():
        owned.append(face._run._inside())
        return [], [AskRequest()]

    assert face.exchange(drain)[0].id == 0
    assert owned == [True]
    assert face.ask().id == 1


def test_a_group_is_one_transaction_or_two(tmp_path):
    transactions = []

    class Counting(FileStore):
        def together(self, *, lasting=True):
            transactions.append(lasting)
            return super().together(lasting=lasting)

    face = bandit(batch_size=2, store=Counting(tmp_path / "run.db"))
    decisions = face.exchange([], [AskRequest()] * 5)
    assert transactions == [False]
    face.exchange([tell(face, decisions[0])], [AskRequest()])
    assert transactions == [False, True]
    face.exchange([tell(face, decisions[1]), tell(face, decisions[2])], [AskRequest()])
    assert transactions == [False, True, True, False]
    face.close()


def test_outcomes_alone_make_nothing_due(monkeypatch):
    now = [1e9]
    monkeypatch.setattr(time, "time", lambda: now[0])
    face = bandit(batch_size=2, wait=10.0, default_loss=0.5)
    face._run._clock = lambda: now[0]
    decisions = face.exchange([], [AskRequest()] * 3)
    assert face.exchange([tell(face, decisions[0])]) == [True]
    now[0] += 10.0
    results = face.exchange([tell(face, decisions[0]), tell(face, decisions[1])])
    assert (results, face.state().released) == ([False, False], 0)
    face.exchange([], [AskRequest()])
    assert (face.state().released, face.state().open) == (1, 1)


def test_many_deadlines_pass_in_one_group():
    now = [1e9]
    face = bandit(batch_size=2, horizon=10_000, wait=10.0, default_loss=0.5)
    face._run._clock = lambda: now[0]
    face.exchange([], [AskRequest()] * 5_000)
    now[0] += 10.0
    face.exchange([], [AskRequest()])
    assert (face.state().released, face.state().open) == (2_500, 1)


def test_a_search_refuses_decisions_once_it_has_its_answer():
    face = searcher(simulation=True, seed=1, horizon=60, error=0.1)
    refused = False
    for _ in range(40):
        results = face.exchange([], [AskRequest()] * 4)
        decisions = [each for each in results if not isinstance(each, DiscreetError)]
        arms = [TellRequest(each.id, None, {"loss": float(each.arm)}) for each in decisions]
        results = face.exchange(arms, [AskRequest()])
        refused = isinstance(results[-1], Finished)
        if refused:
            break
        face.exchange([TellRequest(results[-1].id, None, {"loss": float(results[-1].arm)})])
    assert refused
    assert face.finished


def test_arms_come_and_go_in_groups():
    face = bandit(algorithm="batched-ucb", batch_size=2, capacity=3, arms=["A", "B"])
    only = face.exchange([], [AskRequest(None, {"available": ["B"]})] * 3)
    assert [each.arm for each in only] == ["B"] * 3
    face.retire_arm("B")
    (given,) = face.exchange([], [AskRequest()])
    assert given.arm == "A"
    (refused,) = face.exchange([], [AskRequest(None, {"available": ["B"]})])
    assert isinstance(refused, DiscreetError)


def test_a_run_that_is_over_refuses_every_request():
    face = bandit(final=1.0)
    (decision,) = face.exchange([], [AskRequest()])
    face.finish()
    results = face.exchange([tell(face, decision)], [AskRequest()])
    assert [type(each) for each in results] == [Finished, Finished]


def test_a_hold_out_is_released_before_the_decisions_of_a_group():
    face = bandit(holdout=1, explore=0.99, batch_size=1)
    decisions = face.exchange([], [AskRequest()] * 8)
    told = [tell(face, each) for each in decisions]
    assert all(each is True for each in face.exchange(told, [AskRequest()])[:8])
    assert face.held_out is not None


class FailsOnce(Exception):
    pass


@pytest.mark.parametrize("moment", ["act", "learn"])
def test_an_unforeseen_failure_takes_back_one_request_only(moment, tmp_path):
    """The group is taken back, and its requests are made one by one; what was told counts once."""
    face = bandit(batch_size=2, path=tmp_path / "run.db")
    decisions = face.exchange([], [AskRequest()] * 4)
    learner, left = face._run._engine.private.learner, [1]

    class Broken(type(learner)):
        pass

    def fail(self, *given):
        if left[0]:
            left[0] -= 1
            raise FailsOnce("with a raw outcome in it")
        return getattr(type(learner), moment)(self, *given)

    setattr(Broken, moment, fail)
    broken = face._run._engine.private._replace(learner=Broken(*learner))
    face._run._engine.private = broken
    results = face.exchange([tell(face, each) for each in decisions], [AskRequest()] * 3)
    assert results[:4] == [True] * 4
    failed = [each for each in results if isinstance(each, DiscreetError)]
    if moment == "learn":  # nothing was decided, and the releases are handed over later
        assert len(failed) == 3
    assert all(type(each) is Failed and "raw" not in str(each) for each in failed)
    assert face.exchange([], [AskRequest()])[0].id >= 4
    state = face.state()
    assert state.released == 2
    assert state.open == state.round - 4
    face.close()
    with Bandit.open(tmp_path / "run.db") as again:
        assert again.state() == state


def test_what_is_not_a_list_of_requests_is_refused_without_showing_it():
    face, nothing = make("batch"), ()
    for name, given in (("tells", (5, 5)), ("asks", (nothing, 5))):
        with pytest.raises(DiscreetError, match=f"^{name} is of type int, but must be a list of"):
            face.exchange(*given)
    for given in (None, 5, (nothing,), [nothing, nothing, nothing]):
        with pytest.raises(DiscreetError, match="it must return two lists of requests"):
            face.exchange(lambda given=given: given)
    with pytest.raises(DiscreetError, match="repeated is 5, but must be a list"):
        face.exchange([], [ask(face)], repeated=5)
    assert face.state().round == 0
    assert face.exchange(lambda: [[], [ask(face)]])[0].id == 0
