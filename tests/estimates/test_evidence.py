"""Evidence about means: values of another program, moments, supermartingales, brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from discreet.estimates import BitEvidence, NoisySums, SumEvidence, difference
from discreet.estimates.bits import GRID
from discreet.estimates.pairs import largest
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.optimal import OptimalNoise

LIMIT = math.log(20.0)
SIZES = (1, 1, 1, 2, 3, 5, 8, 12, 18, 27, 40, 60)
RESPONSE = math.tanh(0.5)


def laplace(usual=16.0, **options):
    return NoisySums(Laplace(1.0), rounds=200.0, usual=usual, **options)


def evidence(sizes, mean, sums=None):
    found = SumEvidence(sums or laplace())
    for size in sizes:
        found.add(size, mean)
    return found


def bits(ones, number):
    found = BitEvidence()
    found.add(RESPONSE, 1, ones, number)
    return found


def test_noisy_sums_give_the_values_of_an_independent_program():
    one, other = evidence(SIZES, 0.45), evidence(SIZES[:9], 0.55)
    assert one.interval(LIMIT) == pytest.approx((0.3116179137, 0.5883820863), abs=1e-9)
    assert other.interval(LIMIT) == pytest.approx((0.2287501129, 0.8712498871), abs=1e-9)
    # the other program stops its golden section early, and adds 1 / 2000 of the radius
    assert difference(one, other, LIMIT) == pytest.approx((-0.50388, 0.30388), abs=2e-5)
    tilts = laplace().tilts[[0, 15, 31, 32, 63]]
    assert tilts == pytest.approx([0.00655416, 0.21756644, 0.80907, 0.02621662, 0.95], abs=1e-5)


def test_bits_give_the_values_of_an_independent_program():
    """It has a grid of 1/400, and ends one step outside."""
    one, other = bits(100, 200), bits(25, 100)
    assert one.interval(LIMIT) == pytest.approx((0.2675, 0.7325), abs=1 / 400)
    assert other.interval(LIMIT) == pytest.approx((0.0, 0.3025), abs=1 / 400)
    assert difference(one, other, LIMIT) == pytest.approx((0.055, 0.785), abs=2 / 400)
    assert (one.mean, other.mean) == pytest.approx((0.5, -0.04098835343), abs=1e-9)


def test_one_release_at_the_end_gives_the_value_of_an_independent_program():
    found = evidence([200], 0.45, laplace(usual=200.0, weigh=False)).interval(LIMIT)
    assert found == pytest.approx((0.3358514375, 0.5641485625), abs=1e-9)


def test_several_releases_of_one_size_count_like_one_after_the_other():
    one, other = SumEvidence(laplace()), SumEvidence(laplace())
    for value in (0.2, 0.9, 0.4):
        one.add(7, value)
    other.add(7, 0.5, releases=3)
    assert one.interval(LIMIT) == pytest.approx(other.interval(LIMIT), abs=1e-12)
    assert (one.rounds, one.releases) == (other.rounds, other.releases) == (21, 3)


@pytest.mark.parametrize("found", [evidence(SIZES, 0.45), bits(70, 100), bits(0, 3), bits(4, 4)])
def test_the_ends_of_an_interval_are_where_the_evidence_reaches_the_limit(found):
    low, high = found.interval(LIMIT)
    for end, outside in ((low, 0.0), (high, 1.0)):
        if end not in (0.0, 1.0):
            assert found.log_evidence(end) == pytest.approx(LIMIT, abs=1e-6)
        assert (end - 0.5) * (outside - 0.5) >= 0 or found.log_evidence(outside) > LIMIT
    assert found.log_evidence(0.5 * (low + high)) < LIMIT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (evidence(SIZES, 0.45), evidence(SIZES[:9], 0.55)),
        (bits(70, 100), bits(25, 100)),
        (bits(40, 100), evidence(SIZES, 0.3)),
    ],
)
def test_differences_agree_with_a_search_over_all_pairs(one, other):
    """Pairs: on a grid of 1/400, which can miss two steps; kinds may be mixed."""
    means = np.linspace(-0.5, 1.5, 801)
    levels = []
    for each in (one, other):
        inside = (means >= 0.0) & (means <= 1.0) | isinstance(each, SumEvidence)
        levels.append(
            [each.log_evidence(m) if ok else np.inf for m, ok in zip(means, inside, strict=True)]
        )
    allowed = np.add.outer(*levels) < LIMIT
    gaps = np.subtract.outer(means, means)[allowed]
    low, high = difference(one, other, LIMIT)
    assert low - 1e-6 <= gaps.min() <= low + 2 / 400
    assert high - 2 / 400 <= gaps.max() <= high + 1e-6


def test_without_a_release_nothing_is_known():
    empty = SumEvidence(laplace())
    assert empty.interval(LIMIT) == (-math.inf, math.inf)
    assert difference(empty, evidence(SIZES, 0.45), LIMIT) == (-1.0, 1.0)
    assert BitEvidence().interval(LIMIT) == (0.0, 1.0)


@pytest.mark.parametrize("steps", [0.3, 1.0, 7.0, 2.0**20])
def test_noise_on_a_grid_has_no_larger_moments_than_continuous_noise(steps):
    """Anytime estimates: exact Laplace noise in closed form and as a sum, exact Gaussian noise."""
    for share in (0.01, 0.3, 0.95):
        tilt = share / steps
        closed = 1.0 / (1.0 - (math.sinh(tilt / 2) / math.sinh(0.5 / steps)) ** 2)
        assert closed <= 1.0 / (1.0 - share**2) * (1.0 + 1e-12)
        if steps <= 7.0:
            z = np.arange(-4000, 4001)
            chances = np.exp(-np.abs(z) / steps)
            moment = np.exp(tilt * z - np.abs(z) / steps).sum() / chances.sum()
            assert moment == pytest.approx(closed, rel=1e-9)
            normal = np.exp(-(z**2) / (2 * steps**2))
            moment = np.exp(tilt * z - z**2 / (2 * steps**2)).sum() / normal.sum()
            assert moment <= math.exp(share**2 / 2) * (1.0 + 1e-12)


@pytest.mark.parametrize("noise", [Laplace(2.0), Gaussian(3.0, 1e-6)])
def test_no_tilt_gains_from_noise(noise):
    """For every tilt, E exp(tilt w (Y - n mu) - V) <= 1, by quadrature over noise and outcomes."""
    sums = NoisySums(noise, rounds=100.0, usual=8.0)
    z = np.linspace(-400.0, 400.0, 400_001)
    scale = noise.scale
    logs = -np.abs(z) / scale if noise.norm == 1.0 else -((z / scale) ** 2) / 2
    whole = np.exp(logs).sum()
    for size, mean in itertools.product((1, 3, 20), (0.1, 0.5)):
        w, moments = sums.weight(size), sums.log_moments(size)
        for tilt, moment in list(zip(sums.tilts, moments, strict=True))[::7]:
            outcome = (1 - mean) * math.exp(-tilt * w * mean)
            outcome += mean * math.exp(tilt * w * (1 - mean))
            noisy = np.exp(logs + tilt * w * z).sum() / whole
            assert outcome**size * noisy <= math.exp(moment) * (1.0 + 1e-6)


def test_no_tilt_gains_from_a_table():
    """Over all sums 0 .. n of Bernoulli outcomes; means are off by up to 2^-20 of the batch."""
    size = 4
    noise = OptimalNoise.calibrate(epsilon=1.0, size=size)
    sums = NoisySums(noise, rounds=100.0, usual=size)
    chances = noise.counts / noise.counts.sum(axis=1, keepdims=True)
    for mean in (0.0, 0.2, 0.5, 1.0):
        share = [math.comb(size, k) * mean**k * (1 - mean) ** (size - k) for k in range(size + 1)]
        values = noise.values - size * mean
        for tilt, moment in zip(sums.tilts, sums.log_moments(size), strict=True):
            found = np.array(share) @ chances @ np.exp(tilt * values)
            assert found <= math.exp(moment + tilt * size * 2.0**-20) * (1.0 + 1e-9)


def test_the_evidence_of_bits_is_a_martingale():
    """Over all 2^8 sequences of bits with two contrasts, its mean is 1."""
    mean, contrasts = 0.3, (0.4, 0.8) * 4
    total = 0.0
    for outcome in itertools.product((0, 1), repeat=len(contrasts)):
        found, chance = BitEvidence(), 1.0
        for a, bit in zip(contrasts, outcome, strict=True):
            found.add(a, 1, bit)
            p = 0.5 + a * (mean - 0.5)
            chance *= p if bit else 1.0 - p
        total += chance * math.exp(found.log_evidence(mean))
    assert total == pytest.approx(1.0, abs=1e-9)


def test_the_prior_is_a_probability():
    assert GRID[0] == 0.0
    assert GRID[-1] == 1.0
    assert math.exp(bits(0, 0).log_evidence(0.5)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("peak", [-3.0, 0.0, 0.2, 0.7, 1.0, 5.0])
def test_the_golden_section_rounds_up(peak):
    for curve in (lambda x: -abs(x - peak), lambda x: -((x - peak) ** 2)):
        best = curve(min(max(peak, 0.0), 1.0))
        assert best <= largest(curve, 0.0, 1.0) <= best + 1e-5
