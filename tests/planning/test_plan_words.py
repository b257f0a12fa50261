"""Plans say what is no better, or worse, than equal randomisation."""

from __future__ import annotations

from dataclasses import replace

import pytest

import discreet
from discreet.planning.findings import Plan
from discreet.planning.words import table, verdict, why
from discreet.simulation.statistics import Interval


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Shared: to make it takes some seconds, most of them to compile."""
    return discreet.plan(arms=3, rounds=400, difference=0.3, epsilon=[1.0], trials=8, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gain", "mark", "result", "sentence"),
    [
        ((0.1, 0.2, 0.3), "", "keeps 50 % of the gain", ""),
        (
            (-0.1, 0.0, 0.1),
            " *",
            "learns nothing measurable (not significantly better than equal randomisation)",
            "If outcomes drift as simulated below, it is not significantly better than equal "
            "randomisation.",
        ),
        (
            (-0.3, -0.2, -0.1),
            " **",
            "does worse than equal randomisation",
            "If outcomes drift as simulated below, it is worse than equal randomisation.",
        ),
    ],
)
def test_a_plan_says_if_it_is_no_better_than_equal_randomisation(
    plan, gain, mark, result, sentence
):
    unchanging, drifting = plan.scenes
    low, value, high = gain
    share = Interval(0.5, 0.4, 0.6)
    rows = tuple(
        replace(row, gain=Interval(value, low, high), share_of_gain=share)
        for row in drifting.private
    )
    changed = replace(plan, scenes=(unchanging, replace(drifting, private=rows)))
    lines = [line for line in table(changed, changed.scenes[1]).splitlines() if "epsilon" in line]
    assert all(line.endswith(f"50 % (40 to 60){mark}") for line in lines[-1:])
    assert verdict(rows[0]) == result
    assert ("If outcomes drift" in why(changed)) is bool(sentence)
    assert sentence in why(changed)
