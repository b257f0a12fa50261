"""The bound of batched-ucb, what the index family says of itself, and live use."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from click.testing import CliRunner

from discreet import Bandit, Setting, algorithm, list_algorithms
from discreet.algorithms.arms.indices import (
    GrowingBatches,
    concave_majorant,
    covering_confidence,
    stationary_bound,
)
from discreet.cli.commands import cli
from discreet.environments import environment
from discreet.problems import Arms
from discreet.ranges import make_range
from discreet.simulation.trial import run_trial

FAMILY = ["batched-ucb", "dp-klucb", "dp-imed", "adap-klucb", "dp-successive-elimination"]


def regrets(private, world, rounds, trials):
    stop, marks = threading.Event(), np.array([rounds])
    runs = (
        run_trial(
            [private], world, marks, seed=5, trial=t, bounds=make_range(), clip=False, stop=stop
        )
        for t in range(trials)
    )
    return np.array([run.regret[0, -1] for run in runs])


def test_the_bound_is_the_largest_cost_of_any_arms():
    """Against all ways to share the rounds of a small game between the arms that are not best."""
    schedule, arms, rounds = GrowingBatches(2, 0.5, 0.5), 3, 5000
    lengths = schedule.lengths(rounds)
    assert lengths[:4] == [2, 2, 2, 3]
    assert sum(lengths[:-1]) < rounds <= sum(lengths)
    beta = math.log(arms * len(lengths) * rounds)
    assert covering_confidence(schedule, arms=arms, rounds=rounds) == pytest.approx(beta)
    radii, ends = [math.inf, *schedule.radii(lengths, beta)], np.cumsum(lengths)

    def cost(m):
        return m * min(1.0, 2.0 * radii[int(np.searchsorted(ends, m))]) if m else 0.0

    worst = max(cost(m) + cost(rounds - m) for m in range(rounds + 1))
    hindsight = math.sqrt(rounds * math.log(arms) / 2)
    bound = stationary_bound(schedule, arms=arms, rounds=rounds)
    assert worst + 1.0 + hindsight <= bound < 1.2 * worst + hindsight
    long = stationary_bound(GrowingBatches(1, 0.5, 1.0), arms=4, rounds=2**18)
    assert long == pytest.approx(6383 + math.sqrt(2**17 * math.log(4)), abs=2)


def test_a_concave_majorant_lies_above_its_points_and_bends_down():
    rng = np.random.default_rng(1)
    points = [(0.0, 0.0), *zip(np.cumsum(rng.random(20)), rng.random(20), strict=True)]
    places = np.linspace(0.01, points[-1][0], 200)
    values = np.array([concave_majorant(points, place) for place in places])
    assert all(concave_majorant(points, x) >= y - 1e-12 for x, y in points[1:])
    assert (np.diff(values) >= -1e-12).all()
    assert (np.diff(values, 2) <= 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 0.02, 0.1, 0.4])
@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_regret_is_below_the_stationary_bound_at_every_gap(gap, epsilon):
    setting = Setting(Arms(4), rounds=1 << 14, epsilon=epsilon)
    instance = algorithm("batched-ucb").build(setting, confidence="proved")
    world = environment("stochastic", Arms(4), rounds=1 << 14, gap=gap)
    assert regrets(instance.private, world, 1 << 14, 12).mean() < instance.stationary_bound


def test_bounds_are_stated_for_losses_that_do_not_change_only():
    for name in FAMILY:
        instance = algorithm(name).build(Setting(Arms(4), rounds=10_000))
        assert algorithm(name).stochastic
        assert instance.regret_bound is None
        assert instance.stationary_bound is None
        assert "only for losses that do not change" in instance.bound_source
    proved = algorithm("batched-ucb").build(
        Setting(Arms(4), rounds=10_000, bounds=(0.0, 10.0)), confidence="proved"
    )
    assert proved.regret_bound is None
    narrow = algorithm("batched-ucb").build(Setting(Arms(4), rounds=10_000), confidence="proved")
    assert proved.stationary_bound == pytest.approx(10.0 * narrow.stationary_bound)


def test_describe_says_so():
    told = CliRunner().invoke(cli, ["describe", "batched-ucb", "--set", "confidence=proved"]).output
    assert "bounded only for losses that do not change" in told
    assert "if losses do not change  at most" in told
    assert "for independent losses with fixed means only" in " ".join(told.split())
    assert "losses fixed in advance" not in told
    for name in FAMILY:
        told = " ".join(CliRunner().invoke(cli, ["describe", name]).output.split())
        assert "bounded only for losses that do not change" in told
        assert "with these constants no number is proved" in told
    assert "no bound proved" in CliRunner().invoke(cli, ["describe", "tracking-ucb"]).output


def test_the_interval_between_checks_shrinks_in_long_games():
    def interval(rounds, **options):
        return (
            algorithm("tracking-ucb")
            .build(Setting(Arms(4), rounds=rounds), **options)
            .parameters["interval"]
        )

    assert interval(1000) == interval(2**18) == 0.1
    assert interval(2**20) == pytest.approx(0.05)
    assert interval(2**18, watch=True) == 0.03
    assert interval(2**18, interval=0.2) == 0.2


@pytest.mark.slow
def test_tracking_follows_a_change_and_upper_confidence_bounds_do_not():
    """Means of 12 runs; the two are thousands apart, with a deviation of hundreds."""
    setting, world = (
        Setting(Arms(3), rounds=1 << 16),
        environment("switching", Arms(3), rounds=1 << 16),
    )
    tracking, fixed = (
        regrets(algorithm(name).build(setting).private, world, 1 << 16, 12).mean()
        for name in ("tracking-ucb", "batched-ucb")
    )
    assert tracking < -200 < fixed


@pytest.mark.parametrize("name", ["tracking-ucb", "adaptive-tsallis-inf", *FAMILY])
def test_live_use_with_exact_noise(name):
    bandit = Bandit(arms=["A", "B", "C"], horizon=400, epsilon=1.0, algorithm=name)
    for _ in range(60):
        decision = bandit.ask()
        bandit.tell(decision, reward=1.0 if decision.arm == "B" else 0.0)
    late = [bandit.ask() for _ in range(30)]
    for decision in reversed(late):
        bandit.tell(decision, loss=0.5)
    assert bandit.guarantee.short == "1-differential privacy"
    assert "exact noise" in repr(bandit)


def test_the_family_is_complete():
    assert {*FAMILY, "tracking-ucb"} <= set(list_algorithms(Arms))
