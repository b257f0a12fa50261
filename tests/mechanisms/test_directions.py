"""Directions: golden values, densities, means and lengths, and the coin of the exact one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

import componentjit
from discreet import DiscreetError
from discreet.mechanisms import Cap, ExactHemisphere, Hemisphere, Silent
from discreet.mechanisms.bits import BITS
from discreet.mechanisms.directions import _mean_along, cap_share, draw_coordinate
from discreet.mechanisms.exact_directions import direction_of

# of every test of a law here, with a fixed seed: a correct sampler fails one of 1,000 for a fresh
# seed
LEVEL = 0.001
KINDS = [Cap, Hemisphere]


def perturb_often(mechanism, vector, rng, found):
    for row in range(found.shape[0]):
        for i in range(vector.size):
            found[row, i] = vector[i]
        mechanism.perturb(found[row], rng)


def reports(mechanism, vector, trials=20_000, *, compiled=True):
    found = np.empty((trials, vector.size))
    loop = componentjit.compile_for(perturb_often, mechanism) if compiled else perturb_often
    loop(mechanism, vector, np.random.default_rng(1), found)
    return found


def test_golden_values():
    assert Hemisphere.calibrate(dimension=10, epsilon=1.0).reach == pytest.approx(
        8.365047, abs=1e-6
    )
    cap = Cap.calibrate(dimension=10, epsilon=1.0)
    assert cap.reach == pytest.approx(7.793115, abs=1e-6)
    assert cap.threshold == pytest.approx(0.128318, abs=1e-4)
    assert cap.inside == pytest.approx(0.597757, abs=1e-4)


@pytest.mark.parametrize("dimension", [2, 9, 700])
@pytest.mark.parametrize("epsilon", [25.0, 37.0, 40.0, 800.0, 1e12])
def test_no_epsilon_is_so_large_that_a_report_is_certain(dimension, epsilon):
    """Else densities would be 0 somewhere, and no epsilon at all would hold."""
    cap = Cap.calibrate(dimension=dimension, epsilon=epsilon)
    stated = cap.guarantee(2.0, model="local", source="T").epsilon
    assert stated <= epsilon * (1.0 + 1e-11)
    share = cap_share(dimension, cap.threshold)
    ratio = math.log(cap.inside / (1.0 - cap.inside)) - math.log(share / (1.0 - share))
    assert ratio <= stated * (1.0 + 1e-9)
    hemisphere = Hemisphere.calibrate(dimension=dimension, epsilon=epsilon)
    assert 1.0 <= cap.reach <= hemisphere.reach
    unit = np.eye(dimension)[0]
    low, high = sorted(hemisphere.densities(np.array([unit, -unit]), unit))
    assert 0.0 < low < high <= 2.0
    assert math.log(high / low) <= epsilon * (1.0 + 1e-9)


@pytest.mark.parametrize(("epsilon", "ratio"), [(1.0, 1.15), (2.0, 1.62), (5.0, 4.6)])
def test_a_cap_needs_fewer_reports_than_a_hemisphere(epsilon, ratio):
    lengths = [kind.calibrate(dimension=10, epsilon=epsilon).reach for kind in (Hemisphere, Cap)]
    assert (lengths[0] / lengths[1]) ** 2 == pytest.approx(ratio, rel=0.01)


@given(some.integers(2, 700), some.floats(0.05, 12.0))
def test_the_densities_of_a_cap_differ_by_epsilon(dimension, epsilon):
    cap = Cap.calibrate(dimension=dimension, epsilon=epsilon)
    share = cap_share(dimension, cap.threshold)
    ratio = cap.inside / share / ((1.0 - cap.inside) / (1.0 - share))
    assert math.log(ratio) == pytest.approx(epsilon, rel=1e-9)
    assert cap.guarantee(2.0, model="local", source="T").epsilon == pytest.approx(
        epsilon, rel=1e-11
    )
    shortest = Hemisphere.calibrate(dimension=dimension, epsilon=epsilon).reach
    assert cap.reach <= shortest * (1.0 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_densities_of_any_two_vectors_differ_by_at_most_epsilon(kind):
    mechanism, rng = kind.calibrate(dimension=4, epsilon=1.3), np.random.default_rng(3)
    directions = rng.standard_normal((2000, 4))
    directions *= mechanism.reach / np.linalg.norm(directions, axis=1, keepdims=True)
    worst = 0.0
    for _ in range(60):
        one, other = rng.standard_normal((2, 4)) * rng.random((2, 1))
        ratio = np.log(mechanism.densities(directions, one)) - np.log(
            mechanism.densities(directions, other)
        )
        worst = max(worst, float(np.abs(ratio).max()))
    assert worst <= 1.3 + 1e-9
    opposite = np.eye(4)[0]
    ratio = np.log(mechanism.densities(directions, opposite)) - np.log(
        mechanism.densities(directions, -opposite)
    )
    assert np.abs(ratio).max() == pytest.approx(1.3), "and it is attained"


def test_a_cap_that_was_changed_by_hand_says_what_it_really_is():
    cap = Cap.calibrate(dimension=5, epsilon=1.0)
    careless = cap._replace(inside=0.9).guarantee(2.0, model="local", source="T")
    share = cap_share(5, cap.threshold)
    assert careless.epsilon == pytest.approx(math.log(0.9 / 0.1 * (1.0 - share) / share), rel=1e-9)
    assert careless.epsilon > 2.0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("dimension", "epsilon", "length"),
    [(2, 1.0, 1.0), (3, 6.0, 1.0), (7, 4.0, 0.6), (40, 6.0, 1.0)],
)
def test_reports_have_one_length_and_the_right_mean(kind, dimension, epsilon, length):
    mechanism = kind.calibrate(dimension=dimension, epsilon=epsilon)
    vector = np.random.default_rng(2).standard_normal(dimension)
    vector *= length / np.linalg.norm(vector)
    found = reports(mechanism, vector)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), mechanism.reach, rtol=1e-9)
    along = found @ vector / length
    assert stats.ttest_1samp(along, length).pvalue > LEVEL
    across = found - np.outer(along, vector / length)
    other = np.eye(dimension)[0] - vector * vector[0] / length**2
    assert stats.ttest_1samp(across @ other, 0.0).pvalue > LEVEL
    inside = (
        (found @ vector / length / mechanism.reach >= mechanism.threshold).mean()
        if kind is Cap
        else None
    )
    if inside is not None and length == 1.0:
        assert (
            stats.binomtest(round(inside * len(found)), len(found), mechanism.inside).pvalue > LEVEL
        )


@pytest.mark.parametrize("kind", KINDS)
def test_both_speeds_agree_and_nothing_is_left_behind(kind):
    mechanism = kind.calibrate(dimension=5, epsilon=2.0)
    vector = np.array([0.3, -0.2, 0.1, 0.0, 0.5])
    assert np.array_equal(
        reports(mechanism, vector, 200), reports(mechanism, vector, 200, compiled=False)
    )
    assert not mechanism.direction.any()
    assert "hidden" in repr(mechanism)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "vector", [np.zeros(3), np.full(3, 1e9), np.full(3, np.nan), np.full(3, np.inf)]
)
def test_every_input_gets_a_report_of_the_same_length(kind, vector):
    mechanism = kind.calibrate(dimension=3, epsilon=1.0)
    if kind is Hemisphere and not np.isfinite(vector).all():
        vector = np.zeros(3)  # channels see to that
    found = reports(mechanism, vector, 50, compiled=False)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), mechanism.reach, rtol=1e-9)


def test_bad_arguments_are_refused():
    with pytest.raises(
        DiscreetError, match="dimension is 1, but a cap needs at least 2: use Hemisphere"
    ):
        Cap.calibrate(dimension=1, epsilon=1.0)
    with pytest.raises(DiscreetError, match=r"epsilon is 0.0, but must be a finite number above 0"):
        Hemisphere.calibrate(dimension=3, epsilon=0.0)
    with pytest.raises(DiscreetError, match="cannot be drawn exactly"):
        Cap.calibrate(dimension=3, epsilon=1.0).exact(
            Silent().guarantee(1.0, model="local", source="T"), 2.0
        )


class Coins:
    """Replaces the operating system: the same seed, and a coin with a given value."""

    def __init__(self, high):
        self.high = high

    def token_bytes(self, size):
        return bytes(range(size))

    def randbits(self, bits):
        return self.high


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0, 60.0])
def test_each_bit_of_an_exact_report_has_at_least_its_share(epsilon, monkeypatch):
    """By bisection over the coin: P(bit = 1 | seed) is at least 1 / (1 + e^ε), for any vector."""
    exact, whole = ExactHemisphere.calibrate(dimension=6, epsilon=epsilon), 1 << BITS
    seed = bytes(range(16))
    rng = np.random.default_rng(1)
    vectors = [
        np.zeros(6),
        5.0 * np.ones(6),
        np.full(6, np.nan),
        *rng.standard_normal((20, 6)) / 3.0,
    ]
    vectors += [sign * direction_of(seed, 6) for sign in (1.0, -1.0)]
    chances = []
    for vector in vectors:
        low, high = 0, whole
        bits = []
        for coin in (0, whole - 1):
            monkeypatch.setattr("discreet.mechanisms.exact_directions.secrets", Coins(coin))
            bits.append(exact.encode(vector)[16])
        assert bits[0] != bits[1], "either bit is possible"
        while high - low > 1:
            middle = (low + high) // 2
            monkeypatch.setattr("discreet.mechanisms.exact_directions.secrets", Coins(middle))
            low, high = (middle, high) if exact.encode(vector)[16] == bits[0] else (low, middle)
        chances.append(high if bits[0] else whole - high)
    assert min(chances) >= exact.least
    assert max(chances) <= whole - exact.least
    assert (whole - exact.least) / exact.least <= math.exp(epsilon) * (1.0 + 1e-15)
    if epsilon < 40.0:
        assert max(chances) / min(chances) == pytest.approx(math.exp(epsilon), rel=1e-9), (
            "and it is attained"
        )


def test_exact_reports_have_the_right_mean_and_are_small():
    """20,000 reports from fresh entropy: the mean is off by 5 deviations once in a million runs."""
    exact = Hemisphere.calibrate(dimension=5, epsilon=3.0)
    exact = exact.exact(exact.guarantee(2.0, model="local", source="T"), 2.0)
    vector = np.array([0.6, 0.0, -0.3, 0.2, 0.0])
    found = np.array([exact.decode(exact.encode(vector)) for _ in range(20_000)])
    np.testing.assert_allclose(
        found.mean(axis=0), vector, atol=5.0 * exact.reach / math.sqrt(5 * 20_000)
    )
    assert len(exact.encode(vector)) == 17
    assert exact.guarantee(2.0, model="local", source="T").epsilon == 3.0


def test_directions_of_seeds_are_normal():
    numbers = np.concatenate(
        [direction_of(bytes([i % 256, i // 256, *range(14)]), 7) for i in range(2000)]
    )
    assert stats.kstest(numbers, "norm").pvalue > LEVEL
    assert direction_of(bytes(16), 2).round(6).tolist() == [0.892649, 1.369275], (
        "a format: servers of any version read it"
    )


@pytest.mark.parametrize("dimension", [4, 65, 640, 8645, 100_000])
@pytest.mark.parametrize("epsilon", [0.5, 5.0, 40.0])
def test_no_other_cap_has_shorter_reports(dimension, epsilon):
    found = Cap.calibrate(dimension=dimension, epsilon=epsilon)
    others = np.linspace(0.0, min(0.99, 4.0 * found.threshold + 0.01), 300)
    assert max(_mean_along(dimension, epsilon, each) for each in others) <= 1.0001 / found.reach
    assert found.reach <= Hemisphere.calibrate(dimension=dimension, epsilon=epsilon).reach


@pytest.mark.parametrize("dimension", [2, 3, 4, 10, 5_000])
def test_one_coordinate_of_a_uniform_direction_has_its_law(dimension):
    """(1 + z) / 2 has a Beta distribution."""
    rng, half = np.random.default_rng(dimension), 0.5 * (dimension - 1)
    found = np.array([draw_coordinate(dimension, rng) for _ in range(20_000)])
    assert stats.kstest(0.5 + 0.5 * found, stats.beta(half, half).cdf).pvalue > LEVEL
    doubled = np.array([np.hypot(each, 0.1) for each in found])
    assert stats.kstest(0.5 + 0.5 * doubled, stats.beta(half, half).cdf).pvalue < LEVEL
