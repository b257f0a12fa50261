"""The bandit that a program uses: late and unordered outcomes, refusals."""

from __future__ import annotations

import math
import random
import sys
import threading
import warnings
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import componentjit
from discreet import Bandit, Decision, DiscreetError, Ledger, list_algorithms
from discreet.checks.parts import same_state
from discreet.environments import Table
from discreet.live.arguments import loss_of
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.simulation.loop import Player, Prototype

NAMES = list(list_algorithms(Arms))


def new(name="batched-exp3", **changes):
    arguments = {
        "arms": ["a", "b", "c"],
        "horizon": 500,
        "epsilon": 0.5,
        "algorithm": name,
        "simulation": True,
        "seed": 1,
    } | changes
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* is not private")
        return Bandit(**arguments)


def test_asking_for_privacy_from_an_algorithm_without_it_warns():
    with pytest.warns(UserWarning, match="exp3 is not private: epsilon is not used"):
        Bandit(arms=3, horizon=100, epsilon=1.0, algorithm="exp3")


def reward(decision):
    return {"a": 0.1, "b": 0.9, "c": 0.4}[decision.arm]


def run(bandit, rounds):
    arms = []
    for _ in range(rounds):
        decision = bandit.ask()
        arms.append(decision.arm)
        bandit.tell(decision, reward=reward(decision))
    return arms


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_bandit_plays_what_the_simulation_plays(name):
    losses = np.random.default_rng(0).random((500, 3))
    bandit = new(name, arms=3)
    total = 0.0
    for row in losses:
        decision = bandit.ask()
        total += row[decision.arm]
        bandit.tell(decision, loss=row[decision.arm])
    player = Player(Prototype(new(name)._run._engine.private, compiled=False), streams(1))
    scores = player.play(Table(losses).deal(0, 500, np.random.default_rng()), np.array([500]))
    assert scores[0] == pytest.approx(total, rel=1e-12)
    assert same_state(player.private.learner, bandit._run._engine.private.learner) is None


LATE = [name for name in NAMES if name != "exp3-tau"]


def test_exp3_tau_refuses_to_draw_before_all_outcomes_are_told():
    """Its proof needs it: with 100 decisions open at once, two histories drift to 3.5 times the
    proved window.
    """
    bandit = new("exp3-tau", delta=1e-6, batch_size=3)
    batch = [bandit.ask() for _ in range(3)]
    bandit.tell(batch[2], reward=1.0)
    with pytest.raises(
        DiscreetError,
        match=r"exp3-tau is private only if you tell all outcomes .* 2 outcomes still missing",
    ):
        bandit.ask()
    bandit.tell(batch[0], reward=1.0)
    bandit.tell(batch[1], reward=1.0)
    assert bandit.ask().id == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", LATE)
def test_outcomes_may_come_late_and_in_any_order(name):
    bandit = new(name, horizon=2000)
    shuffle = random.Random(4)
    waiting = []
    for _ in range(2000):
        waiting.append(bandit.ask())
        if len(waiting) > 60:
            decision = waiting.pop(shuffle.randrange(len(waiting)))
            bandit.tell(decision, reward=reward(decision))
    assert {one.id for one in bandit.open_decisions} == {decision.id for decision in waiting}
    for decision in reversed(waiting):
        bandit.tell(decision, reward=reward(decision))
    assert bandit.open_decisions == ()
    assert all(
        np.isfinite(array).all()
        for _, array in componentjit.arrays(bandit._run._engine.private.learner)
    )


def test_late_feedback_is_weighted_with_the_probability_of_its_own_decision():
    bandit = new("exp3", learning_rate=0.5)
    decisions = [bandit.ask() for _ in range(20)]
    at_first = bandit._run._engine.private.learner.weights.logs.copy()
    bandit.tell(decisions[0], loss=1.0)
    moved = at_first - bandit._run._engine.private.learner.weights.logs
    first = {"a": 0, "b": 1, "c": 2}[decisions[0].arm]
    later = next(d for d in decisions[1:] if d.arm == decisions[0].arm)
    bandit.tell(later, loss=1.0)
    twice = at_first - bandit._run._engine.private.learner.weights.logs
    assert moved[first] == pytest.approx(0.5 * 1.0 / (1 / 3))
    assert twice[first] == pytest.approx(2 * moved[first]), "both were drawn with probability 1/3"


def test_it_learns():
    arms = run(new("batched-tsallis-inf", horizon=5000, epsilon=1.0), 5000)
    assert arms[-1000:].count("b") > 900


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_bandit_in_a_file_goes_on_bit_for_bit(name, tmp_path):
    bandit, twin = new(name), new(name, path=tmp_path / "run.db")
    assert run(bandit, 101) == run(twin, 101)
    late = [(bandit.ask(), twin.ask()) for _ in range(7 if name in LATE else 1)]
    twin.close()
    twin = Bandit.open(tmp_path / "run.db", unprotected=True)
    for one, other in late[::-1]:
        bandit.tell(one, reward=reward(one))
        twin.tell(other, reward=reward(other))
    assert run(bandit, 200) == run(twin, 200)
    assert (
        same_state(bandit._run._engine.private.learner, twin._run._engine.private.learner) is None
    )
    assert repr(bandit) == repr(twin)
    assert bandit.guarantee == twin.guarantee
    assert bandit.state() == twin.state()


def test_threads_may_share_a_bandit():
    bandit = new("batched-exp3", horizon=4000, batch_size=4)
    seen = []

    def work():
        for _ in range(500):
            decision = bandit.ask()
            seen.append(decision.id)
            bandit.tell(decision, reward=reward(decision))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sorted(seen) == list(range(4000))
    assert bandit.open_decisions == ()
    assert bandit._run._store.rows.groups == {}


def test_telling_twice_or_of_unknown_decisions_is_refused():
    bandit = new()
    decision = bandit.ask()
    bandit.tell(decision, reward=1.0)
    with pytest.raises(DiscreetError, match="decision 0 has been told already"):
        bandit.tell(decision, reward=1.0)
    with pytest.raises(DiscreetError, match="decision 7 does not belong to this run"):
        bandit.tell(Decision("a", 7), reward=1.0)
    other = bandit.ask()
    wrong = other._replace(arm="a" if other.arm != "a" else "b")
    with pytest.raises(DiscreetError, match="decision 1 does not belong to this run"):
        bandit.tell(wrong, reward=1.0)
    for none in (None, 1.0, True, "1", ("a", 1), other._replace(id="1"), other._replace(id=True)):
        with pytest.raises(
            DiscreetError,
            match=r"decision is of type .*, but must be the Decision that ask\(\) returned",
        ):
            bandit.tell(none, reward=1.0)
    with pytest.raises(DiscreetError, match="decision 1 does not belong to this run"):
        bandit.tell(other._replace(token=None), reward=1.0)
    for wrong in (7, -1):
        with pytest.raises(DiscreetError, match=f"decision {wrong} does not belong to this run"):
            bandit.tell(wrong, reward=1.0)
    bandit.tell(other.id, reward=1.0)
    with pytest.raises(DiscreetError, match="decision 1 has been told already"):
        bandit.tell(other, reward=1.0)


def test_asking_after_the_horizon_is_refused():
    bandit = new(horizon=3)
    run(bandit, 3)
    with pytest.raises(DiscreetError, match="the horizon of 3 rounds is used up"):
        bandit.ask()


@pytest.mark.parametrize(
    "outcome",
    [
        {},
        {"reward": 1.0, "loss": 0.0},
        {"reward": 123.25},
        {"loss": -0.25},
        {"loss": math.nan},
        {"reward": "good"},
    ],
)
def test_bad_outcomes_are_refused_without_showing_them_and_can_be_told_again(outcome):
    bandit = new()
    decision = bandit.ask()
    with pytest.raises(DiscreetError) as refusal:
        bandit.tell(decision, **outcome)
    assert "123.25" not in str(refusal.value)
    assert "good" not in str(refusal.value)
    assert refusal.value.__context__ is None
    bandit.tell(decision, reward=1.0)


def test_clipping_brings_outcomes_into_range():
    clipping, plain = new("exp3", clip=True, low=-1.0), new("exp3", low=-1.0)
    clipping.tell(clipping.ask(), loss=50.0)
    plain.tell(plain.ask(), loss=1.0)
    assert (
        same_state(clipping._run._engine.private.learner, plain._run._engine.private.learner)
        is None
    )
    for outcome in (math.nan, math.inf):
        with pytest.raises(DiscreetError, match="the loss is not a finite number"):
            clipping.tell(clipping.ask(), loss=outcome)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_clipped_outcomes_are_exact(value, one, other):
    low, high = sorted((one, other))
    assert loss_of(None, value, (low, high), clip=True) == min(max(value, low), high)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("0.734219587", "is of type str, but must be a finite number"),
        (b"0.734219587", "is of type bytes, but must be a finite number"),
        (0.734219587j, "is of type complex, but must be a finite number"),
        (np.timedelta64(734219587), "is of type timedelta64, but must be a finite number"),
        (Decimal("sNaN734219587"), "is not a finite number"),
        (734219587**100, "is not a finite number"),
        (np.array("0.734219587"), "is of type ndarray, but must be a finite number"),
        (np.array(math.nan), "is not a finite number"),
        (np.float32("nan"), "is not a finite number"),
    ],
)
def test_an_outcome_that_is_no_number_is_refused_by_its_type_only(outcome, words):
    bandit = new("exp3")
    for name in ("reward", "loss"):
        with pytest.raises(DiscreetError, match=f"^the {name} {words}[.]$") as refusal:
            bandit.tell(bandit.ask(), **{name: outcome})
        assert "7342" not in str(refusal.value)


def test_a_reward_is_the_mirrored_loss():
    one, two = new("exp3", low=-1.0, high=3.0), new("exp3", low=-1.0, high=3.0)
    one.tell(one.ask(), reward=2.5)
    two.tell(two.ask(), loss=-0.5)
    assert same_state(one._run._engine.private.learner, two._run._engine.private.learner) is None


def test_it_does_not_claim_more_than_it_does():
    bandit = new(seed=None)
    assert bandit.guarantee.epsilon == 0.5
    assert "simulation only" in repr(bandit)
    assert "floating-point noise, for simulation only" in str(bandit.guarantee)
    assert "reproducible from its seed" in str(new(seed=2).guarantee)
    assert "caveat" in bandit.guarantee.as_dict()


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"arms": 1}, "arms is 1"),
        ({"arms": ["a"]}, "arms has 1 label, but"),
        ({"arms": [[1], [2]]}, "label that is not allowed"),
        ({"clip": "no"}, "clip is 'no'"),
        ({"algorithm": None}, "unknown algorithm None"),
        ({"arms": ["a", "a"]}, "arms has the label 'a' twice"),
        ({"arms": "abc"}, "arms is 'abc', but must be a list of labels"),
        ({"horizon": 1}, "horizon is 1"),
        ({"epsilon": 0.0}, "epsilon is 0.0"),
        ({"low": 1.0}, "low must be below high"),
        ({"seed": -3}, "seed is -3"),
        ({"algorithm": "exp33"}, "did you mean 'exp3'"),
        ({"batchsize": 3}, "did you mean 'batch_size'"),
    ],
)
def test_bad_arguments_are_refused(changes, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        new(**changes)


def test_with_a_limit_the_guarantee_is_what_holds_for_a_user():
    ledger = Ledger(1.0, max_rounds_per_user=4)
    bandit = Bandit(3, horizon=100, epsilon=ledger.epsilon_a_round(), ledger=ledger)
    assert bandit.guarantee.epsilon == 1.0
    assert bandit.guarantee.rounds == 4
    assert "up to 4 rounds" in str(bandit.guarantee)
    bandit.tell(bandit.ask(user=17), reward=1.0)
    assert ledger.remaining.epsilon == 0.0
    assert ledger.rounds_of("17") == 1


def test_labels_that_print_alike_are_refused():
    with pytest.raises(DiscreetError, match="arms has the labels 1 and '1', which print alike"):
        Bandit(arms=[1, "1"], horizon=100, epsilon=1.0)
    bandit = Bandit(arms=[1, 2], horizon=100, epsilon=1.0, algorithm="batched-ucb", capacity=3)
    with pytest.raises(DiscreetError, match="label is '1', which prints like the arm 1: choose a"):
        bandit.add_arm("1")
    assert bandit.arms == (1, 2)
