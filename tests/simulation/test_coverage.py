"""Coverage of anytime intervals over all releases of simulated runs, and their widths."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from common import ROOT
from scipy.stats import binom

from discreet import DiscreetError, simulate
from discreet.algorithms import Setting, algorithm
from discreet.environments import environment
from discreet.environments.arms.stochastic import Stochastic
from discreet.problems import Arms
from discreet.ranges import Range, make_range
from discreet.simulation.coverage import keep_releases, measure_coverage

sys.path.insert(0, str(ROOT / "benchmarks"))
from estimates import EPSILONS, WIDTHS, measure

SHORT = {"rounds": 300, "trials": 1, "seed": 1, "compiled": False}
ALARM = 1e-4  # the probability of a false alarm of a test of coverage, at a true coverage of 95 %


def least(trials, tests=1):
    """Return the smallest count of right intervals that is not a false alarm."""
    return binom.ppf(ALARM / tests, trials, 0.95)


@pytest.mark.parametrize(("name", "trials"), [("batched-exp3", 240), ("one-bit-tsallis-inf", 240)])
@pytest.mark.long
def test_intervals_hold_after_every_release(name, trials):
    """Widths of 240 runs are within 15 % of the targets; they fix the seed."""
    cell = measure(name, 600, 1.0, trials)
    for row, width in zip(cell.rows, WIDTHS[600][name], strict=True):
        assert row.coverage * trials >= least(trials, 6)
        assert row.width == pytest.approx(width, rel=0.15)


@pytest.mark.full
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("rounds", WIDTHS)
@pytest.mark.parametrize("name", WIDTHS[600])
def test_intervals_hold_in_every_setting(name, rounds, epsilon):
    """Coverage of at least 95 % and widths within 10 % in every cell, with fixed seeds."""
    assert measure(name, rounds, epsilon, 999 if rounds == 600 else 1500).met


def built(name, rounds=300, **options):
    setting = Setting(Arms(2), rounds=rounds, epsilon=1.0, **options)
    return algorithm(name).build(setting).private


@pytest.mark.parametrize("name", ["batched-exp3", "batched-ucb"])
def test_all_releases_are_kept(name):
    private = built(name)
    game = Stochastic(2, means=(0.0, 1.0))
    (kept,) = keep_releases(private, game, **SHORT)
    assert 200 <= kept.sizes.sum() <= 300
    means = [float(kept.values[kept.arms == arm].mean()) for arm in range(2)]
    assert means[0] < means[1]
    assert sum(each.releases for each in kept.sums()) == kept.arms.size
    (again,) = keep_releases(private, game, **SHORT)
    assert np.array_equal(kept.values, again.values)


def test_widths_are_in_the_units_of_the_outcomes():
    rows = [
        measure_coverage(
            built("batched-exp3", bounds=bounds),
            Stochastic(2, bounds=bounds),
            rounds=300,
            trials=4,
            bounds=bounds,
        )
        for bounds in (make_range(), Range(0.0, 10.0))
    ]
    assert rows[1][2].width == pytest.approx(10.0 * rows[0][2].width, rel=1e-6)


def test_an_environment_with_changing_means_is_refused():
    game = environment("random-walk", Arms(2), rounds=300)
    with pytest.raises(DiscreetError, match="whose means are fixed"):
        measure_coverage(built("batched-exp3"), game, rounds=300, trials=1)


def test_simulate_reports_intervals():
    asked = {"environment": "stochastic", "arms": 2, "rounds": 300, "trials": 6, "seed": 2}
    found = simulate(["batched-exp3", "uniform", "exp3"], **asked, estimates=0.9)
    names = [row["interval"] for row in found.intervals]
    assert names == ["best arm", "next arm", "difference"]  # others release nothing private
    assert {row["level"] for row in found.intervals} == {0.9}
    assert all(0.0 < row["width"] <= 2.0 for row in found.intervals)
    assert found.manifest()["estimates"][0]["coverage"] == found.intervals[0]["coverage"]
    assert simulate("batched-exp3", **asked).intervals == ()


@pytest.mark.parametrize(
    ("names", "options", "words"),
    [
        ("exp3", {"estimates": 0.95}, "this run is not private"),
        ("batched-exp3", {"estimates": 95}, r"estimates is 95, but must be above 0 and below 1"),
        ("ftrl-ball", {"estimates": 0.95}, "estimates are for arms"),
        ("batched-exp3", {"estimates": 0.95, "environment": "random-walk"}, "means are fixed"),
    ],
)
def test_where_there_are_no_estimates_simulate_says_so(names, options, words):
    with pytest.raises(DiscreetError, match=words):
        simulate(names, rounds=50, trials=1, **options)


@pytest.mark.full
def test_late_outcomes_leave_intervals_valid():
    """With a delay of 50 of 600 rounds; a false alarm has a probability of 1e-4."""
    asked = {"environment": "stochastic", "arms": 2, "rounds": 600, "trials": 60, "seed": 4}
    found = simulate("batched-exp3", **asked, delay=50, estimates=0.95)
    for row in found.intervals:
        assert row["coverage"] * 60 >= least(60, 3)
    with pytest.raises(DiscreetError, match="missing outcomes count as the default"):
        simulate("batched-exp3", **asked, missing=0.1, default_loss=1.0, estimates=0.95)
