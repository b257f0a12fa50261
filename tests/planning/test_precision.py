"""Plans say how precisely a difference will be known."""

from __future__ import annotations

import pytest

from discreet.estimates import half_width
from discreet.mechanisms import Laplace
from discreet.planning.precision import precision_of
from discreet.planning.question import Question


def asked(**options):
    usual = {"arms": 3, "rounds": 600, "low": 0.0, "high": 1.0, "difference": 0.1}
    return Question(**usual | {"epsilons": (0.5, 1.0), "may_drift": False, "trials": 12} | options)


def test_a_difference_is_known_better_with_a_larger_epsilon():
    """The target width of tracking-ucb is .505; 12 simulated studies are within 20 % of it."""
    found = precision_of(asked(), "tracking-ucb")
    assert found[1.0].learning == pytest.approx(0.505 / 2, rel=0.2)
    assert found[0.5].learning > found[1.0].learning
    assert found[1.0].equal == half_width([200, 200], Laplace(1.0), 0.95)
    assert found[1.0].trials == 12


def test_precision_has_the_units_of_the_outcomes():
    one = precision_of(asked(), "batched-exp3")[1.0]
    other = precision_of(asked(high=10.0, difference=1.0), "batched-exp3")[1.0]
    assert other.learning == pytest.approx(10.0 * one.learning, rel=0.02)
    assert other.equal == pytest.approx(10.0 * one.equal)


def test_where_all_outcomes_are_seen_there_are_no_estimates():
    assert precision_of(asked(sees_all=True), "private-ftrl-experts") == {}
