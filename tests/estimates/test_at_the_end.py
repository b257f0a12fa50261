"""Intervals from sums that are released once, at the end."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import DiscreetError
from discreet.estimates import SumAtEnd, final, half_width, holdout
from discreet.mechanisms import Gaussian, Laplace, RandomisedResponse
from discreet.ranges import Range, make_range

# rounds an arm: half-widths for an arm and for a difference, at epsilon 1 and .5
TABLE = {
    20: (0.2605, 0.3678, 0.3619, 0.5074),
    40: (0.1701, 0.2403, 0.2102, 0.2962),
    333: (0.0543, 0.0769, 0.0563, 0.0795),
    666: (0.0382, 0.0540, 0.0389, 0.0550),
}
UNIT = make_range()
SUMS = [SumAtEnd(0, 40, 18.0), SumAtEnd(1, 20, 4.0)]


@pytest.mark.parametrize("rounds", TABLE)
def test_half_widths_of_a_hold_out(rounds):
    found = [
        half_width(sizes, Laplace(1.0 / epsilon), 0.95)
        for epsilon in (1.0, 0.5)
        for sizes in ([rounds], [rounds, rounds])
    ]
    assert found == pytest.approx(TABLE[rounds], abs=6e-5)


@pytest.mark.parametrize(("rounds", "epsilon"), [(20, 1.0), (20, 0.5), (333, 1.0)])
def test_intervals_of_a_hold_out_hold_as_often_as_they_say(rounds, epsilon):
    """Bernoulli outcomes: within 3.5 standard errors of 95 %, and .0012 for the normal part.

    A false alarm has a probability of less than 1e-3 in all.
    """
    rng, draws = np.random.default_rng(rounds), 40_000
    noise = Laplace(1.0 / epsilon)
    one, other = (
        rng.binomial(rounds, p, draws) + rng.laplace(0.0, noise.scale, draws) for p in (0.6, 0.5)
    )
    arm = np.mean(np.abs(other / rounds - 0.5) <= half_width([rounds], noise, 0.95))
    gap = np.abs((one - other) / rounds - 0.1) <= half_width([rounds, rounds], noise, 0.95)
    assert arm == pytest.approx(0.95, abs=0.005)
    assert np.mean(gap) == pytest.approx(0.95, abs=0.005)


def test_gaussian_noise_adds_its_variance():
    found = half_width([100], Gaussian(3.0, 1e-6), 0.95)
    assert found == pytest.approx(1.959964 * np.sqrt(0.25 / 100 + 9.0 / 100**2), abs=1e-6)


def test_other_noise_is_refused():
    with pytest.raises(DiscreetError, match=r"need laplace or gaussian noise\.$"):
        half_width([100], RandomisedResponse.calibrate(bounds=UNIT, epsilon=1.0), 0.95)


def test_a_hold_out_is_reported_in_the_units_of_the_outcomes():
    found = holdout(Laplace(1.0), SUMS, labels=("A", "B", "C"), bounds=Range(-1.0, 3.0))
    half = 4.0 * half_width([40], Laplace(1.0), 0.95)
    assert found.arms["A"] == pytest.approx((1.2, 1.2 - half, 1.2 + half, 40, 1), abs=1e-5)
    assert found.arms["C"][1:3] == (-1.0, 3.0)
    gap = found.difference("A", "B")
    assert gap.mean == pytest.approx(-1.0)
    assert gap.half_width == pytest.approx(4 * half_width([40, 20], Laplace(1.0), 0.95), abs=1e-5)
    assert found.difference("B", "A")[:3] == pytest.approx((1.0, -gap.high, -gap.low))
    assert found.difference("A", "C")[1:3] == (-4.0, 4.0)
    losses = holdout(
        Laplace(1.0), SUMS, labels=("A", "B", "C"), bounds=Range(-1.0, 3.0), outcomes="losses"
    )
    assert losses.arms["A"].mean == pytest.approx(0.8)
    assert losses.difference("A", "B").mean == pytest.approx(1.0)


def test_a_final_release_has_a_wider_interval_without_the_approximation():
    one = final(Laplace(1.0), SUMS, rounds=40.0, labels=("A", "B"), bounds=UNIT, outcomes="losses")
    other = holdout(Laplace(1.0), SUMS, labels=("A", "B"), bounds=UNIT, outcomes="losses")
    assert one.arms["A"].mean == other.arms["A"].mean
    assert 1.0 < one.arms["A"].half_width / other.arms["A"].half_width < 1.7
    assert one.difference("A", "B").low < other.difference("A", "B").low


def test_a_final_release_holds_at_the_end():
    """An adaptive number of rounds, stopped early if the mean is low: 400 runs, at most 5 % wrong.

    The allowed 9 % is 3.7 standard errors above: a false alarm has a probability of 1e-4.
    """
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(400):
        outcomes = rng.random(200) < 0.5
        number = 50 if outcomes[:50].mean() < 0.5 else 200
        total = outcomes[:number].sum() + rng.laplace()
        sums = [SumAtEnd(0, number, float(total))]
        found = final(
            Laplace(1.0), sums, rounds=100.0, labels=("A",), bounds=UNIT, outcomes="losses"
        ).arms["A"]
        wrong += not found.low <= 0.5 <= found.high
    assert wrong <= 36
