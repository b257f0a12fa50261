"""Wait times, defaults, what is given up, how it goes, and runs without a horizon."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from datetime import timedelta

import numpy as np
import pytest
from makers import ADVICE, Clock, ask, every_kind, make, tell

from discreet import Bandit, DiscreetError, Experts, VectorOptimizer
from discreet.contracts import Noise
from discreet.guarantee import Guarantee

HOUR = 3600.0


class Silent(Noise):
    """No noise, so that releases can be read."""

    compiles = False

    def add_noise(self, value, rng):
        return value

    def guarantee(self, sensitivity, *, model, source):
        return Guarantee.none("a test")


def waiting(size=4, **options):
    """Return a bandit with a wait of an hour and no noise, its clock, and the list of what its
    learner hears.
    """
    usual = {
        "algorithm": "batched-exp3",
        "batch_size": size,
        "wait": timedelta(hours=1),
        "default_reward": 0.0,
    }
    bandit = Bandit(**{"arms": ["a", "b"], "horizon": 400, "epsilon": 1.0} | usual | options)
    return bandit, silence(bandit), listen(bandit)


def silence(bandit):
    engine, bandit._run._clock = bandit._run._engine, Clock()
    channel = engine.private.channel._replace(noise=Silent())
    engine.private = engine.private._replace(channel=channel)
    return bandit._run._clock


def listen(bandit):
    engine = bandit._run._engine
    heard, learn = [], type(engine.private.learner).learn

    class Listening(type(engine.private.learner)):
        def learn(self, trace, released):
            heard.append(float(released))
            learn(self, trace, released)

    learner = Listening._make(engine.private.learner)
    engine.private = engine.private._replace(learner=learner)
    return heard


DEFAULTS = {
    Experts: {"default_losses": [0.0, 0.5, 1.0]},
    VectorOptimizer: {"default_loss": [0.0, 0.0, 0.0]},
}


@every_kind
def test_tell_says_whether_an_outcome_counts(kind):
    face = make(kind)
    assert tell(face, ask(face)) is True
    default = DEFAULTS.get(type(face), {"default_loss": 0.0})
    if kind == "pairs of points":
        default = {"default_loss": [0.0, 0.0]}
    face = make(kind, wait=HOUR, **default)
    face._run._clock = Clock()
    first, second = ask(face), ask(face)
    assert tell(face, first) is True
    face._run._clock.now += HOUR
    assert tell(face, second) is False
    assert tell(face, first) is False


def test_what_has_not_come_in_time_counts_as_the_default_and_what_comes_later_is_dropped():
    bandit, clock, heard = waiting()
    decisions = [bandit.ask() for _ in range(4)]
    clock.now += 0.5 * HOUR
    bandit.tell(decisions[1], reward=1.0)
    clock.now += 0.5 * HOUR
    bandit.tell(decisions[0], reward=1.0)
    bandit.ask()
    assert heard == [0.75], "one reward of 1, three defaults"
    bandit.tell(decisions[2], reward=1.0)
    assert bandit.state().released == 1


@pytest.mark.parametrize("told", [(), (0,), (3, 1), (0, 1, 2, 3)])
def test_a_release_comes_at_the_same_moment_whatever_was_told_when(told):
    """Else silence would be heard: if it means 0, an early release says that all were 1."""
    bandit, clock, heard = waiting()
    decisions = [bandit.ask() for _ in range(3)]
    clock.now += 0.25 * HOUR
    decisions.append(bandit.ask())
    for i in told:
        bandit.tell(decisions[i], reward=1.0)
    for minutes in (30.0, 44.0, 44.9):
        clock.now += minutes * 60.0 - (clock.now - 1e9 - 0.25 * HOUR)
        bandit.release_due()
        assert heard == []
    clock.now = 1e9 + 1.25 * HOUR
    assert bandit.release_due() == 1
    assert heard == [1.0 - len(told) / 4]


def test_telling_never_releases():
    bandit, clock, heard = waiting(size=1)
    first, second = bandit.ask(), bandit.ask()
    bandit.tell(first, reward=1.0)
    clock.now += HOUR
    third = bandit._run._store.rows.counters[0]
    bandit.tell(second, reward=1.0)
    assert (heard, third) == ([], 2), "or the time of a release would say when somebody answered"
    bandit.ask()
    assert heard == [0.0, 1.0]


def test_nothing_that_is_shown_says_what_was_told():
    one, other = waiting()[0], waiting()[0]
    for bandit, reward in ((one, None), (other, 1.0)):
        decision = bandit.ask()
        if reward is not None:
            bandit.tell(decision, reward=reward)
    assert [shown._replace(shares={}) for shown in (one.state(), other.state())] == [
        (1, 400, {}, 0, 1, 1, 0)
    ] * 2
    assert len(one.open_decisions) == len(other.open_decisions) == 1
    assert (
        "arrival times of outcomes are protected too, if decisions are not requested in response"
        in one.guarantee.source
    )
    assert (
        "if arrival times of outcomes are public"
        in Bandit(arms=2, horizon=9, epsilon=1.0).guarantee.source
    )


def test_an_outcome_that_waits_counts_once():
    bandit, clock, heard = waiting(size=1)
    decision = bandit.ask()
    bandit.tell(decision, reward=1.0)
    with pytest.raises(DiscreetError, match="decision 0 has been told already"):
        bandit.tell(decision, reward=0.0)
    clock.now += HOUR
    assert bandit.release_due() == 1
    assert heard == [0.0]


def test_a_repeated_outcome_is_written_like_the_first(tmp_path):
    """Otherwise its duration, or a disk that is full, would show who has answered."""
    with make("batch", path=tmp_path / "run.db", wait=HOUR, default_loss=0.5) as bandit:
        decision, written = bandit.ask(), []
        commit = bandit._run._commit
        bandit._run._commit = lambda change: written.append(change.outcome) or commit(change)
        bandit.tell(decision, loss=0.25)
        with pytest.raises(DiscreetError, match="has been told already"):
            bandit.tell(decision, loss=0.75)
        assert len(written) == 2
        assert written[0] == written[1], "the second one does not replace the first"


def test_running_sums_take_the_outcomes_in_the_order_of_asking():
    experts = Experts(experts=2, horizon=100, epsilon=1e3, wait=10.0, default_losses=[0.5, 0.25])
    clock = experts._run._clock = Clock()
    decisions = [experts.ask() for _ in range(3)]
    experts.tell(decisions[2], losses=[1.0, 0.0])
    experts.tell(decisions[0], losses=[0.0, 1.0])
    assert experts.state().released == 0
    clock.now += 10.0
    experts.ask()
    assert experts.state().released == 3
    assert set(experts._run._store.rows.outcomes) == {3}
    optimizer = VectorOptimizer("cube", 2, 100, 1.0, delta=1e-6, wait=10.0, default_loss=[0.0, 0.5])
    clock = optimizer._run._clock = Clock()
    optimizer.ask()
    clock.now += 10.0
    assert optimizer.release_due() == 1


@pytest.mark.parametrize(
    "kind", ["batch", "every round", "advice in batches", "advice every round"]
)
def test_a_run_that_waits_goes_on_in_a_file(kind, tmp_path):
    path = tmp_path / "run.db"
    face = make(kind, path=path, wait=60.0, default_loss=1.0)
    clock = face._run._clock = Clock()
    asked = (ADVICE,) if "advice" in kind else ()
    decisions = [face.ask(*asked) for _ in range(4)]
    face.tell(decisions[2], loss=0.0)
    face.close()
    face = type(face).open(path)
    face._run._clock = clock
    with pytest.raises(DiscreetError, match="decision 2 has been told already"):
        face.tell(decisions[2], loss=0.0)
    face.tell(decisions[1].id, loss=0.25)
    assert [one.id for one in face.open_decisions] == [0, 1, 2, 3]
    clock.now += 60.0
    face.release_due()
    assert face.open_decisions == ()
    assert face._run._store.rows.outcomes == {}
    with contextlib.closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM decision").fetchone() == (0,)


def test_a_deadline_that_fails_can_be_passed_again(monkeypatch):
    bandit, clock, heard = waiting()
    for _ in range(4):
        bandit.tell(bandit.ask(), reward=1.0)
    clock.now += HOUR
    with monkeypatch.context() as patch:
        patch.setattr(Silent, "add_noise", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            bandit.ask()
    bandit.ask()
    assert heard == [0.0]


def test_missing_outcomes_without_a_default_lose_batches_only_when_they_are_given_up():
    bandit = make("batch")
    clock = bandit._run._clock = Clock()
    decisions = [bandit.ask() for _ in range(6)]
    for decision in (*decisions[:3], decisions[4]):
        bandit.tell(decision, loss=0.5)
    clock.now += 90.0
    old = [one for one in bandit.open_decisions if one.age >= 60.0]
    assert [(one.id, one.choice, one.age) for one in old] == [
        (3, decisions[3].arm, 90.0),
        (5, decisions[5].arm, 90.0),
    ]
    assert bandit.give_up(old[0].id)
    assert bandit.give_up(decisions[5])
    assert bandit.state()[3:] == (0, 0, 0, 2), (
        "both batches are lost, one of them before its last round"
    )
    with pytest.raises(DiscreetError, match="decision 3 has been told already, or given up"):
        bandit.tell(decisions[3], loss=0.5)
    for decision in [bandit.ask() for _ in range(4)]:
        bandit.tell(decision, loss=0.5)
    assert bandit.state()[3:] == (1, 0, 0, 2)
    experts = make("tree")
    experts.ask()
    assert not experts.give_up(0), "a running sum goes on without it"
    assert experts.state()[3:] == (0, 0, 0, 0)


def test_what_is_given_up_is_erased_from_the_file(tmp_path):
    bandit = make("batch", path=tmp_path / "run.db")
    bandit.tell(bandit.ask(), loss=0.5)
    bandit.give_up(bandit.ask())
    bandit.close()
    with (
        Bandit.open(tmp_path / "run.db") as again,
        contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as file,
    ):
        assert again.state()[3:] == (0, 0, 0, 1)
        assert file.execute("SELECT count(*) FROM batch").fetchone() == (0,)
        assert again.ask().id == 2


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"wait": 5.0}, "wait and a default belong together"),
        ({"default_loss": 0.5}, "wait and a default belong together"),
        ({"wait": -1.0, "default_loss": 0.5}, r"wait is -1\.0, but must be"),
        ({"wait": "1 h", "default_loss": 0.5}, "wait is '1 h', but must be"),
        ({"wait": 5.0, "default_loss": 2.0}, "default_loss is outside the declared range 0 to 1"),
        (
            {"wait": 5.0, "default_loss": 0.5, "default_reward": 0.5},
            "default_reward and default_loss are both given",
        ),
        ({"key": "here.key"}, "key is given, but without path= or store="),
    ],
)
def test_bad_arguments_are_refused(options, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        Bandit(arms=2, horizon=10, epsilon=1.0, **options)


def test_a_run_that_waits_gives_nothing_up():
    bandit = waiting()[0]
    with pytest.raises(DiscreetError, match="this run has a wait, so a decision ends by"):
        bandit.give_up(bandit.ask())


def test_giving_up_asks_for_the_same_as_telling():
    one, other = make("batch"), make("batch")
    mine, theirs = one.ask(), other.ask()
    with pytest.raises(DiscreetError, match="decision 0 does not belong to this run"):
        other.give_up(mine)
    for wrong in (None, "0", np.int64(0), True, 0.0):
        with pytest.raises(
            DiscreetError, match=r"decision is of type .*, but must be the Decision"
        ):
            other.give_up(wrong)
    assert other.state().lost == 0
    assert other.give_up(theirs)


def test_who_comes_too_late_is_not_told_whether_somebody_was_in_time():
    bandit, clock, _ = waiting()
    first, second = bandit.ask(), bandit.ask()
    bandit.tell(first, reward=1.0)
    clock.now += HOUR
    for decision in (first, second):
        assert bandit.tell(decision, reward=1.0) is False


def test_a_clock_that_is_set_back_does_not_stop_a_run():
    bandit, clock, heard = waiting(size=1)
    clock.now += 1e7
    bandit.ask()
    clock.now -= 1e7
    bandit.ask()
    clock.now += HOUR
    assert bandit.release_due() == 2
    assert heard == [1.0, 1.0]


def test_many_deadlines_are_passed_in_linear_time():
    """Twice as many take twice as many function calls; four times as many would be quadratic."""

    def count_calls(count):
        calls = 0

        def note(frame, event, argument):
            nonlocal calls
            calls += event in ("call", "c_call")

        bandit, clock, _ = waiting(size=1, horizon=10**6)
        for _ in range(count):
            bandit.ask()
        clock.now += HOUR
        sys.setprofile(note)
        try:
            assert bandit.release_due() == count
        finally:
            sys.setprofile(None)
        return calls

    assert count_calls(2_000) < 2.1 * count_calls(1_000)


def test_shares_say_how_often_each_arm_was_chosen(tmp_path):
    path = tmp_path / "run.db"
    bandit = make("every round", path=path)
    arms = [bandit.ask().arm for _ in range(50)]
    bandit.close()
    with Bandit.open(path) as again:
        shares = again.state().shares
        assert shares == pytest.approx({arm: arms.count(arm) / 50 for arm in set(arms)})
        assert sum(shares.values()) == pytest.approx(1.0)
