"""The bound of tracking-ucb for losses that do not change: each step of its proof, and games."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from click.testing import CliRunner

from discreet import Setting, algorithm
from discreet.algorithms.arms.tracking_bounds import RATIO, ROUNDING, Tracking
from discreet.cli.commands import cli
from discreet.environments import environment
from discreet.learners import TrackingUcb
from discreet.learners.arms.radius import Windows, batch_weight, radius
from discreet.problems import Arms
from discreet.ranges import make_range
from discreet.simulation.trial import run_trial

EPSILONS = (3.0, 1.0, 0.1)


def tracking(epsilon, rounds=1 << 14, arms=4, interval=0.1):
    return Tracking(arms, rounds, math.ceil(1 / epsilon), 1 / epsilon, interval)


def replay(sure, means, seed):
    """Return every hold of a cautious learner, with the window of its arm before it, until the game
    is over.
    """
    learner = TrackingUcb.start(
        arms=sure.arms,
        noise=sure.noise,
        first=sure.first,
        rounds=sure.rounds,
        interval=sure.interval,
        caution=sure.caution,
        alarm=sure.alarm,
    )
    rng, t, holds = np.random.default_rng(seed), 0, []
    while t < sure.rounds:
        used = float(learner.check[1])
        arm, trace = learner.act(0, rng)
        begins = trace.checks and (learner.check[1] == 0.0 or used == 0.0)
        holds.append((arm, trace.rounds, trace.checks, begins, float(learner.windows.sums[arm, 2])))
        gains = rng.binomial(trace.rounds, means[arm]) + sure.noise * rng.laplace()
        learner.learn(trace, 1.0 - gains / trace.rounds)
        t += trace.rounds
    return learner, holds


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_checks_are_few_and_short_and_rounds_by_index_weigh_enough(epsilon):
    """What the proof says of every game without a change; and there is none in these."""
    sure = tracking(epsilon)
    for seed, means in enumerate(
        ([0.5, 0.5, 0.5, 0.5], [0.9, 0.3, 0.3, 0.3], [0.5, 0.45, 0.45, 0.2])
    ):
        learner, holds = replay(sure, means, seed)
        assert learner.clock[1] == 0.0, "no change"
        for arm in range(4):
            own = [hold for hold in holds if hold[0] == arm]
            by_index, checked, begun = 0, 0, 0
            for _, rounds, checks, begins, weight in own:
                if checks:
                    checked, begun = checked + rounds, begun + begins
                    assert checked <= 0.25 * (by_index + checked) + begun * sure.first
                else:
                    assert weight >= sure.weight_after(by_index) * (1 - 1e-9)
                    before = by_index + checked
                    assert rounds <= max(sure.first, math.ceil(before / 2))
                    by_index += rounds
            assert begun <= sure.checks
            played = sum(hold[1] for hold in own)
            assert learner.windows.length(arm) == played, "nothing was forgotten"


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_least_weight_is_below_that_of_any_batches_that_grow(epsilon):
    rng, sure = np.random.default_rng(1), tracking(epsilon)
    cap = math.floor(16 / epsilon**2)
    for _ in range(20):
        played, weight = 0, 0.0
        while played < 2_000:
            least = max(sure.first, min(math.ceil(played / 2), cap))
            batch = least if rng.random() < 0.7 else int(least * rng.uniform(1, 4))
            played, weight = played + batch, weight + batch_weight(float(batch), sure.noise)
            assert weight >= sure.weight_after(played) * (1 - 1e-9)


def test_radii_hold_for_batches_that_depend_on_releases():
    """An arm that stops at its luckiest, with lengths that follow its releases: at most G exp(-β)
    get out at β q.

    2,000 walks; the share is tested against that bound and, as G is generous, against exp(-β) times
    20 alone.
    """
    rng, noise, beta, sure = np.random.default_rng(3), 1.0, 3.0, tracking(1.0, rounds=4096)
    outside = 0
    for _ in range(2000):
        weight = laplace = largest = total = 0.0
        batch = 1
        for _ in range(14):
            each = batch_weight(float(batch), noise)
            scale = each * noise / batch
            total += each * (float(rng.binomial(batch, 0.5) + noise * rng.laplace()) / batch - 0.5)
            weight, laplace, largest = weight + each, laplace + scale**2, max(largest, scale)
            if total / weight > radius(weight, laplace, largest, RATIO * beta):
                outside += 1
                break
            batch = 1 if total > 0 else min(4 * batch, 256)  # careful with luck, bold without
    assert outside / 2000 <= min(1.0, sure.tilts * math.exp(-beta))
    assert outside / 2000 <= 20 * math.exp(-beta)


def test_the_radius_of_a_difference_is_no_less_than_two_radii_together():
    rng = np.random.default_rng(2)
    for _ in range(100):
        noise, beta = float(rng.choice([0.3, 1.0, 10.0])), float(rng.uniform(1, 30))
        new, old = (Windows.empty(1, noise) for _ in range(2))
        for window in (new, old):
            for _ in range(int(rng.integers(1, 12))):
                window.enter(0, int(rng.integers(1, 2000)), 0.5)
        (_, _, p, _, la, s, _), (_, _, po, _, lao, so, _) = (list(w.sums[0]) for w in (new, old))
        both = 1 / (1 / p + 1 / po)
        apart = radius(
            both, both**2 * (la / p**2 + lao / po**2), both * max(s / p, so / po), 2 * beta
        )
        assert apart >= (new.window_radius(0, beta) + old.window_radius(0, beta)) * (1 - 1e-9)


@pytest.mark.parametrize("noise", [1e-7, 1e-3, 1.0, 100.0])
def test_radii_are_precise_however_little_noise_there_is(noise):
    """Each is within a thousandth of the least over 20,000 tilts, which the constant in the bound
    rests on.
    """
    weight, largest, beta = 1e9, 4 * noise, 25.0
    laplace = min(weight / 2, 1e5 * largest**2)
    tilts = (
        np.geomspace(1e-4, 1.0, 20_000)
        * min(math.sqrt(2 * beta / weight), 1 / largest)
        * (1 - 1e-9)
    )
    moments = tilts**2 * (weight / 2 - laplace) - laplace / largest**2 * np.log1p(
        -((tilts * largest) ** 2)
    )
    least = float(((beta + moments) / (tilts * weight)).min())
    assert least / ROUNDING <= radius(weight, laplace, largest, beta) <= ROUNDING * least


def test_the_bound_is_above_the_cost_of_any_shares_of_the_rounds():
    sure = tracking(1.0, rounds=20_000, arms=3)
    worst = max(sure.cost(m, m) + sure.cost(20_000 - m, 20_000 - m) for m in range(1, 20_000, 7))
    hindsight = math.sqrt(10_000 * math.log(3))
    assert worst + 1 + hindsight <= sure.bound() < 1.1 * worst + hindsight
    assert tracking(1.0, rounds=1 << 18).bound() == pytest.approx(11_033, rel=0.001)
    assert tracking(0.1, rounds=1 << 18).bound() == pytest.approx(16_023, rel=0.001)
    assert tracking(0.01, rounds=1000).bound() == 1000.0


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_regret_is_below_the_bound_at_every_gap(epsilon):
    setting = Setting(Arms(4), rounds=1 << 16, epsilon=epsilon)
    instance = algorithm("tracking-ucb").build(setting, confidence="proved")
    for gap in (0.0, 0.02, 0.05, 0.15, 0.4):
        world = environment("stochastic", Arms(4), rounds=1 << 16, gap=gap)
        found = [
            run_trial(
                [instance.private],
                world,
                np.array([1 << 16]),
                seed=5,
                trial=trial,
                bounds=make_range(),
                clip=False,
                stop=threading.Event(),
            ).regret[0, -1]
            for trial in range(8)
        ]
        assert np.mean(found) < instance.stationary_bound


def test_what_is_stated():
    tuned = algorithm("tracking-ucb").build(Setting(Arms(4), rounds=10_000))
    assert tuned.regret_bound is None
    assert tuned.stationary_bound is None
    assert tuned.parameters["caution"] == 0.0
    narrow, wide = (
        algorithm("tracking-ucb").build(
            Setting(Arms(4), rounds=10_000, bounds=bounds), confidence="proved"
        )
        for bounds in ((0.0, 1.0), (0.0, 10.0))
    )
    assert narrow.regret_bound is None
    assert wide.stationary_bound == pytest.approx(10.0 * narrow.stationary_bound)
    told = (
        CliRunner().invoke(cli, ["describe", "tracking-ucb", "--set", "confidence=proved"]).output
    )
    assert "bounded only for losses that do not change" in told
    assert "docs/regret.md: Tracking" in told.replace("\n" + " " * 19, " ")
