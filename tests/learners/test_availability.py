"""Learners that choose among the arms that are available, and weights of arms that come and go."""

from __future__ import annotations

import math

import numpy as np
import pytest

import componentjit
from discreet import DiscreetError, Setting, algorithm, learners, list_algorithms
from discreet.learners.arms.availability import act_among, can_choose_among
from discreet.learners.arms.priors import Known, has_means, known_of, learn_prior
from discreet.learners.arms.specialists import has_shares, let_go, shares
from discreet.problems import Arms

CAN = {
    "adap-klucb",
    "adaptive-tsallis-inf",
    "batched-exp3",
    "batched-htinf",
    "batched-tsallis-inf",
    "batched-ucb",
    "dp-exp3-lap",
    "dp-imed",
    "dp-klucb",
    "dp-lambda-lap",
    "exp2",
    "exp3",
    "exp3-gain",
    "exp3-ix",
    "exp3-tau",  # its learner can; its channel needs every draw in order, so a run refuses it
    "htinf",
    "local-tsallis-inf",
    "moved-tsallis-inf",
    "noisy-exp2",
    "one-bit-tsallis-inf",
    "tracking-ucb",
    "tsallis-inf",
    "uniform",
}


def learner_of(name, arms=5):
    return algorithm(name).build(Setting(Arms(arms), rounds=1000, epsilon=1.0)).private.learner


def taught(name, arms=5, draws=40):
    """Return a learner that has learned from some draws, with arm 0 the best."""
    learner, rng = learner_of(name, arms), np.random.default_rng(1)
    for _ in range(draws):
        arm, trace = learner.act(0, rng)
        learner.learn(trace, 0.1 + 0.15 * arm)
    return learner


def test_which_algorithms_can_is_no_accident():
    assert {name for name in list_algorithms(Arms) if can_choose_among(learner_of(name))} == CAN


@pytest.mark.parametrize("name", sorted(CAN))
def test_only_available_arms_are_played_and_learned(name):
    learner, rng, played = taught(name), np.random.default_rng(2), set()
    for turn in range(120):
        places = [(1, 2), (0, 3, 4), (4,)][turn % 3]
        arm, trace = act_among(learner, places, rng)
        assert arm == trace.arm
        assert arm in places
        learner.learn(trace, 0.5)
        played.add(arm)
    assert {4} < played


@pytest.mark.parametrize("name", sorted(CAN - {"tracking-ucb", "uniform"}))
def test_with_all_arms_it_is_the_learner_itself(name):
    """The same arm, trace and state; tracking-ucb computes all radii anew."""
    one, other = taught(name), taught(name)
    for seed in range(20):
        plain = one.act(0, np.random.default_rng(seed))
        among = act_among(other, (0, 1, 2, 3, 4), np.random.default_rng(seed))
        assert plain[0] == among[0]
        assert same_numbers(plain[1], among[1])
    arrays = zip(componentjit.arrays(one), componentjit.arrays(other), strict=True)
    assert all(np.allclose(mine, others) for (_, mine), (_, others) in arrays)


def same_numbers(one, other):
    return all(np.allclose(a, b, rtol=1e-12) for a, b in zip(one, other, strict=True))


def test_a_probability_is_that_among_available_arms():
    learner = learners.Exp3.start(arms=4, learning_rate=0.1, mixing=0.2)
    learner.weights.logs[:] = np.log([0.1, 0.2, 0.3, 0.4])
    for seed in range(20):
        arm, trace = act_among(learner, (1, 3), np.random.default_rng(seed))
        wanted = 0.8 * {1: 2 / 6, 3: 4 / 6}[arm] + 0.2 / 2
        assert trace.probability == pytest.approx(wanted)


def test_weights_far_apart_do_not_vanish():
    """Arms that stay go on losing; an arm that is away for long must not hide them."""
    learner = learners.Exp3.start(arms=3, learning_rate=0.1)
    learner.weights.logs[:] = [-5000.0, -5001.0, 0.0]
    arms = [act_among(learner, (0, 1), np.random.default_rng(seed))[0] for seed in range(40)]
    assert set(arms) == {0, 1}


WITH_SHARES = sorted(name for name in CAN if has_shares(learner_of(name)))


def unwrapped(learner):
    return learner.learner if isinstance(learner, learners.Accepting) else learner


@pytest.mark.parametrize("name", WITH_SHARES)
def test_an_arm_comes_back_with_the_share_it_had(name):
    learner, rng = taught(name), np.random.default_rng(3)
    whole = shares(unwrapped(learner), (0, 1, 2, 3, 4))
    away = let_go(learner, (0, 1, 2, 3, 4), (0, 1, 2), {})
    assert away[3].share == pytest.approx(whole[3])
    for _ in range(50):
        _, trace = act_among(learner, (0, 1, 2), rng)
        learner.learn(trace, 0.9)
    among = shares(unwrapped(learner), (0, 1, 2))
    assert let_go(learner, (0, 1, 2), (0, 1, 2, 3, 4), away) == {}
    later = shares(unwrapped(learner), (0, 1, 2, 3, 4))
    assert later[3:] == pytest.approx(whole[3:], rel=1e-6)
    assert later[:3] / later[:3].sum() == pytest.approx(among, rel=1e-6)


def test_without_that_rule_an_arm_that_was_away_would_look_best():
    """So the rule is needed: of two equal arms the one that was away would be played alone."""
    learner, rng = learners.TsallisInf.start(arms=2, learning_rate=2.0), np.random.default_rng(4)
    for _ in range(200):
        _, trace = act_among(learner, (0,), rng)
        learner.learn(trace, 0.5)
    assert shares(learner, (0, 1))[1] > 0.9


def test_an_outcome_that_comes_while_its_arm_is_away_is_not_forgotten():
    learner = learners.Exp3.start(arms=3, learning_rate=0.1)
    trace = learners.Draw(2, 3.0)
    away = let_go(learner, (0, 1, 2), (0, 1), {})
    learner.learn(trace, 1.0)
    let_go(learner, (0, 1), (0, 1, 2), away)
    found = shares(learner, (0, 1, 2))
    assert found[2] / found[0] == pytest.approx(math.exp(-0.1 * 3.0))


@pytest.mark.parametrize("name", WITH_SHARES)
def test_a_new_arm_begins_with_an_equal_share(name):
    learner = taught(name)
    let_go(learner, (0, 1, 2), (0, 1, 2, 4), {})
    assert shares(unwrapped(learner), (0, 1, 2, 4))[3] == pytest.approx(0.25)


def test_a_learner_that_needs_all_arms_refuses():
    with pytest.raises(DiscreetError, match="Ftpl cannot choose from a subset of its arms"):
        act_among(learner_of("batched-ftpl"), (0, 1), np.random.default_rng(0))
    with pytest.raises(DiscreetError, match="Ftpl has no weights"):
        shares(learner_of("batched-ftpl"), (0, 1))
    with pytest.raises(DiscreetError, match="Exp3 keeps no mean"):
        known_of(learner_of("exp3"))
    with pytest.raises(DiscreetError, match="Exp3 keeps no mean"):
        learn_prior(learner_of("exp3"), [Known(0.5, 3)])


@pytest.mark.parametrize(
    "name", ["batched-ucb", "dp-klucb", "dp-imed", "adap-klucb", "tracking-ucb"]
)
def test_a_prior_is_what_a_learner_then_knows(name):
    learner = learner_of(name, arms=3)
    assert has_means(learner)
    assert known_of(learner) == [None] * 3
    learn_prior(learner, [Known(0.75, 400), Known(0.25, 400), None])
    known = known_of(learner)
    assert known[0].gain == pytest.approx(0.75)
    assert (known[1].rounds, known[2]) == (400, None)
    arm, trace = learner.act(0, np.random.default_rng(0))
    assert arm == 2, "of which nothing is known"
    learner.learn(trace, 0.8)
    arm, _ = learner.act(0, np.random.default_rng(0))
    assert arm != 1
