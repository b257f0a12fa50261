"""The noise that a paper prints for batched EXP4: its guarantee, its size and its contract."""

from __future__ import annotations

import math

import numpy as np
import pytest

import componentjit
from discreet import DiscreetError, Range
from discreet.auditing.repeated import batches
from discreet.channels import Estimates
from discreet.channels.estimates import GROUPS, JOINT_GAUSSIAN
from discreet.checks import check_channel
from discreet.contracts import Estimate
from discreet_papers import calibrations

UNIT = Range(0.0, 1.0)
CHANNELS = (calibrations.PaperEstimates, calibrations.PerPoint)


class Middle:
    """Draws the median of every law: Laplace noise of 0."""

    def random(self):
        return 0.5


@pytest.mark.parametrize("kind", CHANNELS)
def test_every_channel_of_the_papers_keeps_its_contract(kind):
    check_channel(kind.example(), feedback=kind.example_feedback, query=kind.example_query)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_query_that_is_refused_contributes_nothing(bad):
    channel = calibrations.PaperEstimates.over(
        size=2, coordinates=2, bounds=UNIT, epsilon=1.0, delta=1e-6
    )
    good = Estimate(0, 1.0, np.ones(2), np.ones(2), 2.0)
    rng = np.random.default_rng(0)
    channel.offer(0.5, good, rng)
    with pytest.raises(DiscreetError, match="an entry that is not a finite number"):
        channel.offer(1.0, good._replace(vector=np.array([1e50, bad])), rng)
    assert np.array_equal(channel.sums, [0.5, 0.5])
    assert channel.offer(0.5, good, rng)[0]


def test_it_cuts_entries_and_states_what_composition_gives():
    channel = calibrations.PaperEstimates.over(
        size=2, coordinates=100, bounds=UNIT, epsilon=1.0, delta=1e-6, cap=5.0
    )
    query = Estimate(0, 1.0, np.full(100, 50.0), np.ones(100), 100.0)
    released = []
    for first in (0.0, 1.0):
        channel.offer(first, query, Middle())
        released.append(channel.offer(0.0, query, Middle())[1].copy())
    assert np.allclose(released[1] - released[0], 2.5)
    assert channel.strength == pytest.approx(3.0 * math.sqrt(100 * math.log(1e6)))
    assert channel.guarantee.epsilon == pytest.approx(0.35, abs=0.005)
    with pytest.raises(DiscreetError, match="needs delta above 0 and below 1"):
        calibrations.PaperEstimates.over(size=2, coordinates=3, bounds=UNIT, epsilon=1.0, delta=0.0)


def deviations(channel, queries, weights, count=4000):
    """Return the standard deviation of each coordinate, drawn by the compiled code."""
    found = np.empty((count, channel.sums.size))
    unreset, rng = np.zeros(0, np.uint8), np.random.default_rng(2)
    draw = componentjit.compile_for(batches, channel)
    draw(channel, unreset, unreset, np.zeros(len(queries)), queries, weights, found, rng)
    return found.std(axis=0)


def test_at_a_hundred_experts_it_is_more_than_three_times_as_large_as_ours():
    """4,000 draws of 100 coordinates: each deviation is off by 1.1 % (or 2 %) at one deviation."""
    queries, weights = np.full((1, 100), 8.0), np.ones(100)
    ours = Estimates.over(
        size=1, coordinates=100, groups=4, bounds=UNIT, epsilon=1.0, delta=1e-6, ceiling=0.0
    )
    paper = calibrations.PaperEstimates.over(
        size=1, coordinates=100, bounds=UNIT, epsilon=1.0, delta=1e-6, cap=8.0
    )
    one, other = deviations(ours, queries, weights), deviations(paper, queries, weights)
    assert ours.way[0] == JOINT_GAUSSIAN
    assert ours.guarantee.epsilon == pytest.approx(1.0)
    assert 3.6 < other.mean() / one.mean() < 3.9
    groups = ours._replace(ceiling=math.inf)
    least = deviations(groups, queries, weights)
    assert groups.way[0] == GROUPS
    assert other.mean() / least.mean() > 100, "and that is not even the least"
