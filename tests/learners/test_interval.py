"""Interval search agrees with a slow implementation, keeps the minimum and its bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import DiscreetError, Setting, algorithm
from discreet.learners import IntervalSearch
from discreet.learners.functions.interval import certainty_for, ends_of, interval_bound, most_epochs
from discreet.mechanisms import Laplace, report_noise
from discreet.problems import Functions
from discreet.ranges import make_range
from discreet.sets import Box, L2Ball, Simplex

UNIT = make_range()


def test_it_agrees_with_a_slow_implementation():
    """All values are kept, and means, limits and cuts computed from scratch after each."""
    learner = IntervalSearch.start(
        set=Box.cube(1, -1.0, 3.0), certainty=2.0, spread=0.3, tail=0.05, finest=0.01
    )
    rng, low, high, values, turn = np.random.default_rng(4), -1.0, 3.0, [[], [], []], 0
    cuts = 0
    for _ in range(3000):
        point, trace = learner.act(0, rng)
        assert trace.point == turn
        assert point[0] == pytest.approx(low + (high - low) * (turn + 1) / 4.0)
        value = abs(point[0] - 0.4) / 4.0 + rng.normal(0.0, 0.3)
        values[turn].append(value)
        turn = (turn + 1) % 3
        learner.learn(trace, value)
        if min(map(len, values)) and high - low > 0.04:
            number = min(map(len, values))
            limit = 2.0 * math.sqrt(0.3 * 2.0 / number) + 0.05 * 2.0 / number
            left, middle, right = map(np.mean, values)
            quarter = (high - low) / 4.0
            cut_left, cut_right = (
                left - min(middle, right) > limit,
                right - min(left, middle) > limit,
            )
            low, high = low + quarter * cut_left, high - quarter * cut_right
            if cut_left or cut_right:
                values, turn, cuts = [[], [], []], 0, cuts + 1
    assert cuts > 3
    assert low <= 0.4 <= high


def test_late_values_of_an_earlier_epoch_do_not_count():
    learner = IntervalSearch.start(set=L2Ball(1, 1.0), certainty=1e-6, spread=0.25)
    decisions = [learner.act(0, np.random.default_rng(0)) for _ in range(4)]
    traces = [trace for _, trace in decisions]
    for trace, value in zip(traces[:3], (1.0, 0.0, 0.0), strict=True):
        learner.learn(trace, value)
    assert learner.ends.tolist() == [0.25, 1.0]
    learner.learn(traces[3], 5.0)
    assert not learner.counts.any()


@pytest.mark.parametrize(
    ("segment", "ends"), [(L2Ball(1, 2.0), ([-2.0], [2.0])), (Simplex(2), ([0.0, 1.0], [1.0, 0.0]))]
)
def test_every_set_of_one_dimension_is_an_interval(segment, ends):
    assert sorted(end.tolist() for end in ends_of(segment)) == sorted(ends)


def test_sets_of_more_dimensions_are_refused():
    with pytest.raises(
        DiscreetError, match="type L2Ball has a hull of dimension 3, but it must be 1"
    ):
        ends_of(L2Ball(3, 1.0))
    for name, other in (
        ("stochastic-convex", "smooth-strongly-convex-bandit"),
        ("local-stochastic-convex", "local-smooth-strongly-convex"),
    ):
        with pytest.raises(DiscreetError, match=f"{name} searches one dimension: use {other} and"):
            algorithm(name).build(Setting(Functions("ball(3)")))


def test_what_is_recommended_instead_has_a_bound():
    """In two and ten dimensions, as shares of T; the numbers of docs/departures.md."""
    for size, power, share in ((2, 16, 0.091), (2, 20, 0.025), (10, 20, 0.127)):
        place = Functions(f"ball({size})", curvature=0.5, smoothness=0.5)
        setting = Setting(place, rounds=2**power, epsilon=1.0)
        found = algorithm("local-smooth-strongly-convex").build(setting)
        assert found.regret_bound / 2**power == pytest.approx(share, abs=6e-4)


@pytest.mark.parametrize("name", ["response", "laplace", "gaussian"])
def test_confidence_widths_cover_the_errors_of_noisy_means(name):
    """Certainty ln 20 is exceeded by at most 5 % of 4,000 means: 0 to 240 alarms at 3 sigma."""
    noise = report_noise(name, bounds=UNIT, epsilon=1.0, delta=1e-6)
    spread, tail = (
        noise.square_around_middle(1.0),
        noise.scale if isinstance(noise, Laplace) else 0.0,
    )
    rng = np.random.default_rng(9)
    draws = np.array(
        [noise.add_noise(float(rng.random() < 0.5), rng) for _ in range(2 * 30 * 4000)]
    )
    one, other = draws.reshape(2, 4000, 30).mean(axis=2)
    limit = 2.0 * math.sqrt(spread * math.log(20.0) / 30) + tail * math.log(20.0) / 30
    assert ((one - other) > limit).mean() < 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / 4000)


def played(shape, rounds, spread, epsilon, rng):
    """Return the regret against the mean function's minimum; values are ends of the range."""
    learner = IntervalSearch.start(
        set=L2Ball(1, 1.0), certainty=certainty_for(rounds), spread=spread
    )
    tilt = 1.0 if epsilon is None else math.tanh(epsilon / 2.0)
    grid = np.linspace(-1.0, 1.0, 2001)
    total, least = 0.0, shape(grid).min()
    for chance in rng.random(rounds):
        point, trace = learner.act(0, rng)
        value = float(shape(point[0]))
        total += value - least
        learner.learn(trace, 0.5 + (0.5 if chance < 0.5 + tilt * (value - 0.5) else -0.5) / tilt)
    best = grid[shape(grid).argmin()]
    left, right = 2.0 * learner.ends - 1.0
    return total, left <= best <= right


SHAPES = {
    "kink": lambda x: 0.5 * np.abs(x - 0.31),
    "edge": lambda x: 0.5 + 0.5 * x,
    "flat": lambda x: 0.25 * (x + 0.2) ** 2,
    "steep on one side": lambda x: np.maximum(0.02 * (0.5 - x), x - 0.5) + 0.3,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("epsilon", [None, 2.0])
def test_regret_is_below_the_bound_and_the_minimum_is_never_cut_off(shape, epsilon):
    """Each of 8 games of 10,000 rounds has a wrong cut with probability 1 / 100; fixed seed."""
    spread = 0.25 if epsilon is None else 0.25 / math.tanh(epsilon / 2.0) ** 2
    rounds = 10_000
    regret, kept = played(shape, rounds, spread, epsilon, np.random.default_rng(5))
    bound = interval_bound(rounds=rounds, outer=1.0, slope=1.0, widest=1.0, spread=spread, tail=0.0)
    assert kept
    assert regret <= bound
    assert regret <= rounds


def test_the_bound_by_hand():
    """T = 10^8, v = 1/4, one law; the best number of epochs by trying all."""
    rounds = 10**8
    certain = math.log(6.0 * math.ceil(math.log(rounds) / math.log(4.0 / 3.0)) * rounds**1.5)
    assert certainty_for(rounds) == pytest.approx(certain)
    by_hand = min(
        40.0 * math.sqrt(0.25 * certain * e * (rounds / 3 + e)) + 1.5 * 0.75**e * rounds + 12.0
        for e in range(1, most_epochs(rounds) + 1)
    )
    found = interval_bound(rounds=rounds, outer=1.0, slope=1.0, widest=1.0, spread=0.25, tail=0.0)
    assert found == pytest.approx(by_hand + 3.0 * 1e4)
    assert found < 0.05 * rounds


def test_what_it_says_of_its_regret():
    build = algorithm("local-stochastic-convex").build
    setting = Setting(Functions("cube(1)"), rounds=10**6)
    usual = build(setting)
    assert usual.regret_bound is None, "it is not for functions that change"
    assert (
        "for functions drawn independently from one distribution; no bound otherwise"
        in usual.bound_source
    )
    assert "no bound proved for this certainty" in build(setting, certainty=2.0).bound_source
    paper = build(Setting(Functions("cube(1)"), delta=1e-5), calibration="paper")
    assert paper.private.channel.noise_scales[0].scale == pytest.approx(
        math.sqrt(2.0 * math.log(1.25e5))
    )
