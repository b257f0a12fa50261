"""Learners agree with slow, independent implementations, and their inner problems are solved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from common import in_full
from hypothesis import given, settings
from hypothesis import strategies as some

import componentjit
from discreet import learners
from discreet.checks import CheckFailed, check_learner
from discreet.learners import (
    Exp3,
    TsallisInf,
    Uniform,
)
from discreet.learners.arms import tsallis_inf
from discreet.learners.arms.draws import draw, draw_evenly
from discreet.learners.arms.tsallis_inf import solve

ADVICE = np.random.default_rng(3).dirichlet(np.ones(3), size=5).T
# Draw is a trace
EXAMPLES = {name: getattr(learners, name).example() for name in learners.__all__ if name != "Draw"}
# the room of each
IN = {name: type(example).__module__.split(".")[2] for name, example in EXAMPLES.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_learner_keeps_its_contract(name):
    """A release is a noisy number, noisy estimates of losses, or a noisy running sum (larger)."""
    size, spread = EXAMPLES[name].release_size(), 20.0 if IN[name] == "points" else 2.0
    releases = (lambda rng: rng.normal(0.0, spread, size)) if size else None
    check_learner(
        EXAMPLES[name], observation=ADVICE if IN[name] == "advice" else 0, releases=releases
    )


class Forgetful(TsallisInf):
    """Learns from its newest draw instead of the trace."""

    def learn(self, trace, released):
        self.losses[trace.arm] += (
            released / self.probabilities[trace.arm] / (trace.baselines is self.baselines)
        )


class Moody(Uniform):
    def act(self, observation, rng):
        return super().act(observation, np.random.default_rng())


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Forgetful(*EXAMPLES["TsallisInf"]), "if the trace is a copy|not finite"),
        (Moody(5), "not a function of its state"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_the_contract_check_finds_broken_learners(broken, complaint):
    with pytest.raises(CheckFailed, match=complaint):
        check_learner(broken)


def slow_exp3(losses, rate, mixing, rng):
    """EXP3 with mixing as in Faster rates 2025, Algorithm 3, from scratch in every round."""
    arms = losses.shape[1]
    totals = np.zeros(arms)
    arms_played = []
    for row in losses:
        weights = np.exp(-rate * (totals - totals.min()))
        p = (1 - mixing) * weights / weights.sum() + mixing / arms
        u = rng.random()
        if u < mixing:
            arm = int(u / mixing * arms)
        else:
            arm = int(
                np.searchsorted(
                    np.cumsum(weights / weights.sum()), (u - mixing) / (1 - mixing), side="right"
                )
            )
        totals[arm] += row[arm] / p[arm]
        arms_played.append(arm)
    return arms_played, totals


@pytest.mark.parametrize("arms", [2, 4, 30, 600])
@pytest.mark.parametrize("mixing", [0.0, 0.2])
def test_exp3_agrees_with_a_slow_implementation(arms, mixing):
    """Without mixing, EXP3 on losses grows a rounding error by up to 1 + tanh(E / 4) per play.

    So that run is short.
    """
    rng = np.random.default_rng(arms)
    low = 0.0 if mixing == 0.0 else -3.0
    losses = rng.uniform(low, 3.0, (3000 if mixing else 400, arms))
    fast = Exp3.start(arms=arms, learning_rate=0.02, mixing=mixing)
    stream = np.random.default_rng(9)
    played = []
    for row in losses:
        arm, trace = fast.act(0, stream)
        fast.learn(trace, row[arm])
        played.append(arm)
    expected, totals = slow_exp3(losses, 0.02, mixing, np.random.default_rng(9))
    assert played == expected
    np.testing.assert_allclose(fast.weights.logs, -0.02 * totals, rtol=1e-9, atol=1e-9)


def test_exp3_survives_losses_that_would_overflow():
    learner = Exp3.start(arms=3, learning_rate=5.0)
    rng = np.random.default_rng(0)
    for step in range(2000):
        _, trace = learner.act(0, rng)
        learner.learn(trace, -200.0 if step % 3 else 300.0)
        assert np.isfinite(learner.weights.values).all()
        assert learner.weights.values.sum() == pytest.approx(learner.weights.scale[0], rel=1e-9)
        assert trace.probability > 0.0


@settings(max_examples=300, deadline=None)
@given(
    some.lists(some.floats(0.0, 1e6), min_size=2, max_size=40),
    some.floats(1e-5, 10.0),
    some.floats(0.0, 1e6),
)
def test_tsallis_weights_minimise_their_objective(losses, rate, start):
    losses = np.array(losses)
    weights = np.empty(losses.size)
    shift = solve(losses, rate, start, weights)
    assert weights.min() > 0.0
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    # First-order optimality: the gradient L - (2 / rate) / sqrt(w) is the same number for every
    # arm.
    gradient = losses - 2.0 / (rate * np.sqrt(weights))
    spread = (2.0 / rate) * math.sqrt(losses.size) + losses.max()
    assert np.ptp(gradient) <= 1e-9 * spread
    assert 2.0 / rate <= shift * (1 + 1e-12)
    assert shift <= 2.0 * math.sqrt(losses.size) / rate * (1 + 1e-9)


class Passes(list):
    """Losses that count how often the first of them is read."""

    count = 0

    def __getitem__(self, place):
        self.count += place == 0
        return super().__getitem__(place)


@pytest.mark.slow
@pytest.mark.parametrize("arms", [4, in_full(300_000)])
def test_newton_stops_where_only_rounding_errors_are_left(arms, monkeypatch):
    """A sum of many numbers is not exact to the last digits: once s stops climbing, stop, too."""
    losses = np.random.default_rng(1).random(arms) * 50.0
    seen = Passes(losses.tolist())
    monkeypatch.setattr(tsallis_inf, "as_list", lambda array: seen)
    weights, start, most = np.empty(arms), 0.0, 0
    for rate in (0.002, 0.00199, 0.00198):
        seen.count = 0
        start = solve(losses, rate, start, weights)
        most = max(most, seen.count - 2)  # the least loss and the weights take one pass each
        assert weights.sum() == pytest.approx(1.0, abs=1e-9)
    assert most <= 8


def slow_tsallis(losses, rate, baseline, rng):
    """Tsallis-INF by bisection, every round from scratch."""
    arms = losses.shape[1]
    totals = np.zeros(arms)
    played = []
    for t, row in enumerate(losses, start=1):
        eta = rate / math.sqrt(t)
        low, high = totals.min() - 2 * math.sqrt(arms) / eta, totals.min() - 2 / eta
        for _ in range(200):
            x = (low + high) / 2
            low, high = (x, high) if (4 / (eta * (totals - x)) ** 2).sum() < 1 else (low, x)
        w = 4 / (eta * (totals - x)) ** 2
        w /= w.sum()
        arm = int(np.searchsorted(np.cumsum(w), rng.random(), side="right"))
        b = np.where(w >= eta**2, baseline, 0.0)
        totals = totals + b
        totals[arm] += (row[arm] - b[arm]) / w[arm]
        played.append(arm)
    return played, totals


@pytest.mark.parametrize(("baseline", "rate"), [(0.0, 2.0), (0.5, 4.0)])
def test_tsallis_inf_agrees_with_a_slow_implementation(baseline, rate):
    # few rounds: estimates of losses amplify rounding errors
    losses = np.random.default_rng(2).random((300, 6))
    fast = TsallisInf.start(arms=6, learning_rate=rate, baseline=baseline)
    stream = np.random.default_rng(9)
    played = []
    for row in losses:
        arm, trace = fast.act(0, stream)
        fast.learn(trace, row[arm])
        played.append(arm)
    expected, totals = slow_tsallis(losses, rate, baseline, np.random.default_rng(9))
    assert played == expected
    np.testing.assert_allclose(fast.losses, totals, rtol=1e-6)


@pytest.mark.parametrize("baseline", [0.0, 0.5])
def test_loss_estimates_are_unbiased(baseline):
    """The exact expectation of one step's estimate, over all arms, is the loss of every arm."""
    learner = TsallisInf.start(arms=4, learning_rate=2.0, baseline=baseline)
    rng = np.random.default_rng(4)
    for _ in range(60):
        arm, trace = learner.act(0, rng)
        learner.learn(trace, 0.2 * arm + 0.1)
    losses = np.array([0.3, -1.5, 0.9, 2.0])
    _, trace = learner.act(0, rng)
    weights = learner.probabilities.copy()
    expected = np.zeros(4)
    for arm in range(4):
        copy = componentjit.copy(learner)
        copy.learn(trace._replace(arm=arm, probability=weights[arm]), losses[arm])
        expected += weights[arm] * (copy.losses - learner.losses)
    np.testing.assert_allclose(expected, losses, atol=1e-9)


@given(
    some.lists(some.floats(0.0, 1.0), min_size=1, max_size=10).filter(any), some.floats(0.0, 1.0)
)
def test_draws_never_hit_an_arm_of_weight_zero(weights, fraction):
    array = np.array(weights)
    assert array[draw(array, fraction * array.sum())] > 0.0


def test_draws_follow_the_weights():
    """Chi-squared on 20,000 draws, fixed seed; on fresh seeds a false alarm once in 1,000 runs."""
    from scipy.stats import chisquare

    weights = np.array([0.1, 0.0, 0.4, 0.2, 0.3])
    rng = np.random.default_rng(3)
    counts = np.bincount([draw(weights, rng.random()) for _ in range(20_000)], minlength=5)
    keep = weights > 0
    assert counts[1] == 0
    assert chisquare(counts[keep], 20_000 * weights[keep]).pvalue > 1e-3


@pytest.mark.parametrize("share", [1.0, 0.3, 1e-6, 2.0**-53, 1e-17, 1e-310, 5e-324])
@pytest.mark.parametrize("arms", [2, 3, 7, 512, 10**6])
def test_evenly_drawn_arms_are_arms_and_the_ends_are_reached(arms, share):
    assert draw_evenly(0.0, share, arms) == 0
    last = math.nextafter(share, 0.0)
    assert 0 <= draw_evenly(last, share, arms) < arms
    if share > 1e-15:
        assert draw_evenly(last, share, arms) == arms - 1
