"""Privacy curves: golden values, exact enumerations, and rounding towards more loss."""

from __future__ import annotations

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet import DiscreetError
from discreet.composition import composed
from discreet.curves import (
    KINDS,
    Approximate,
    Concentrated,
    GaussianNoise,
    LaplaceNoise,
    Pure,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_sigma,
    is_below,
)

EXAMPLES = [
    Pure(0.7),
    LaplaceNoise(0.7),
    GaussianNoise(0.4),
    Concentrated(0.05),
    Approximate(0.7, 1e-7),
]


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"), [(1.0, 1e-5, 3.7306), (1.0, 1e-6, 4.2247), (0.1, 1e-6, 36.305)]
)
def test_golden_gaussian_scales(epsilon, delta, sigma):
    assert gaussian_sigma(epsilon, delta) == pytest.approx(sigma, rel=2e-5)


@pytest.mark.parametrize(
    ("delta", "crossing"),
    [(0.1, 5.75), (1e-2, 6.78), (1e-3, 7.48), (1e-5, 8.42), (1e-6, 8.80), (1e-9, 9.63)],
)
def test_the_classical_formula_is_too_small_from_a_known_epsilon_on(delta, crossing):
    def classical(epsilon):
        return math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon

    assert classical(crossing - 0.05) > gaussian_sigma(crossing - 0.05, delta)
    assert classical(crossing + 0.05) < gaussian_sigma(crossing + 0.05, delta)


@given(some.floats(1e-3, 50.0), some.floats(1e-12, 0.5))
def test_a_gaussian_scale_and_back(epsilon, delta):
    sigma = gaussian_sigma(epsilon, delta)
    assert gaussian_delta(1.0 / sigma, epsilon) <= delta * (1 + 1e-9)
    assert gaussian_delta(1.0 / (sigma * (1.0 - 1e-6)), epsilon) > delta, (
        "no more noise than needed"
    )
    assert gaussian_epsilon(1.0 / sigma, delta) == pytest.approx(epsilon, rel=1e-6)


@given(some.sampled_from(EXAMPLES), some.floats(1e-9, 0.3), some.floats(1e-9, 0.3))
def test_epsilon_falls_with_delta(curve, one, other):
    low, high = sorted((one, other))
    assert curve.epsilon_at(high) <= curve.epsilon_at(low) * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("delta", [1e-6, 1e-2, 0.2])
def test_the_curve_of_laplace_noise_is_the_exact_one(epsilon, delta):
    """The excess ∫ max(0, p - e^ε' q) of two Laplace densities, by quadrature."""
    found = LaplaceNoise(epsilon).epsilon_at(delta)
    grid = np.linspace(-40.0 / min(epsilon, 1.0), 40.0 / min(epsilon, 1.0), 4_000_001)
    p = epsilon / 2 * np.exp(-epsilon * np.abs(grid))
    q = epsilon / 2 * np.exp(-epsilon * np.abs(grid - 1.0))
    excess = np.trapezoid(np.maximum(p - math.exp(found) * q, 0.0), grid)
    assert excess <= delta * (1 + 1e-3)
    if found > 0.0:
        assert excess == pytest.approx(delta, rel=2e-2)


def randomised_responses(epsilon, times, level):
    """Return the delta at a level of so many randomised responses, by enumeration."""
    high = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    total = 0.0
    for bits in product((0, 1), repeat=times):
        ones = sum(bits)
        p = high**ones * (1 - high) ** (times - ones)
        q = high ** (times - ones) * (1 - high) ** ones
        total += max(0.0, p - math.exp(level) * q)
    return total


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("times", [1, 3, 10])
def test_composition_of_pure_releases_is_that_of_randomised_response(epsilon, times):
    delta = 1e-4
    found = composed([Pure(epsilon)], delta, times=times)
    assert randomised_responses(epsilon, times, found) <= delta * (1 + 1e-9), "never too small"
    assert randomised_responses(epsilon, times, found * 0.99) > delta, "and tight"


def test_composition_knows_the_kind_of_noise():
    laplace, pure = (composed([curve], 1e-6, times=100) for curve in (LaplaceNoise(0.1), Pure(0.1)))
    assert laplace == pytest.approx(4.6927, abs=2e-3)
    assert pure == pytest.approx(4.7746, abs=2e-3)
    assert laplace < pure < 10.0
    assert composed([GaussianNoise(0.3)], 1e-6, times=4) == pytest.approx(
        gaussian_epsilon(0.6, 1e-6), rel=1e-9
    )
    assert composed([Concentrated(0.01)], 1e-6, times=4) == pytest.approx(
        Concentrated(0.04).epsilon_at(1e-6), rel=1e-9
    )
    assert composed([Approximate(0.1, 1e-9)], 1e-6, times=100) >= pure
    mixed = composed([LaplaceNoise(0.5), GaussianNoise(0.2), Pure(0.1)], 1e-6)
    assert max(0.5, gaussian_epsilon(0.2, 1e-6)) < mixed < 0.6 + gaussian_epsilon(0.2, 5e-7)


def test_ten_thousand_releases_compose_quickly_and_below_the_sum():
    assert composed([LaplaceNoise(0.01)], 1e-6, times=10_000) == pytest.approx(
        gaussian_epsilon(1.0, 1e-6), rel=0.05
    ), "many small losses are nearly Gaussian"


@pytest.mark.parametrize(
    ("epsilon", "times", "delta"), [(0.1, 200, 3e-15), (0.01, 2000, 1e-14), (0.3, 1000, 1e-12)]
)
def test_composition_of_pure_releases_is_exact_at_tiny_deltas(epsilon, times, delta):
    """Where Fourier transforms would err: against the binomial sum with sixty digits."""
    import mpmath

    found = composed([Pure(epsilon)], delta, times=times)
    with mpmath.workdps(60):
        p = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        total = mpmath.mpf(0)
        for i in range(times + 1):
            loss = (times - 2 * i) * mpmath.mpf(epsilon)
            if loss > found:
                total += (
                    mpmath.binomial(times, i)
                    * p ** (times - i)
                    * (1 - p) ** i
                    * (1 - mpmath.exp(found - loss))
                )
        assert 0.999 * delta < total <= delta


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1e-12, 1e-100), (1e-12, 1e-30), (1e-8, 1e-100), (1e-6, 1e-300)]
)
def test_gaussian_scales_are_right_where_double_precision_cancels(epsilon, delta):
    import mpmath

    sigma = gaussian_sigma(epsilon, delta)
    with mpmath.workdps(60):
        mu, exact = 1 / mpmath.mpf(sigma), mpmath.mpf(epsilon)
        found = mpmath.ncdf(mu / 2 - exact / mu) - mpmath.exp(exact) * mpmath.ncdf(
            -mu / 2 - exact / mu
        )
        assert 0.99 * delta < found <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -9)


def test_very_many_releases_are_answered_at_once():
    assert composed([Pure(0.01)], 1e-6, times=10**7) < 1000.0


def test_too_small_a_delta_has_no_epsilon():
    assert composed([Approximate(0.1, 1e-6)], 1e-9) == math.inf
    assert GaussianNoise(1.0).epsilon_at(0.0) == math.inf
    assert Concentrated(0.1).epsilon_at(0.0) == math.inf
    with pytest.raises(
        DiscreetError, match=r"delta is 0\.0, but Gaussian noise needs delta above 0"
    ):
        gaussian_sigma(1.0, 0.0)


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_groups_of_gaussian_noise_are_exact_and_below_the_general_formula(size, delta):
    """A group of m moves the mean by m Δ: Gaussian noise with m μ, whatever the formula allows."""
    single = GaussianNoise(0.3)
    general = Approximate(single.epsilon_at(delta), delta).for_group(size)
    assert gaussian_delta(0.3 * size, general.epsilon) <= general.delta * (1 + 1e-9)
    assert single.for_group(size).mu == pytest.approx(0.3 * size)
    assert Concentrated(0.05).for_group(size).rho == pytest.approx(0.05 * size**2)
    assert Pure(0.3).for_group(size).epsilon == pytest.approx(0.3 * size)


def test_a_pure_release_is_concentrated():
    """ε tanh(ε/2), checked by the Rényi divergences of randomised response: tight at order 1."""
    assert Pure(1.0).rho == pytest.approx(0.4621, abs=5e-5)
    assert Pure(5.0).rho == pytest.approx(4.933, abs=5e-4)
    for epsilon in (0.1, 1.0, 3.0, 8.0):
        high = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert (2 * high - 1) * epsilon == pytest.approx(Pure(epsilon).rho, rel=1e-12)
        for order in (1.0001, 1.5, 2.0, 8.0, 64.0):
            inside = math.log(
                high * math.exp((order - 1) * epsilon)
                + (1 - high) * math.exp(-(order - 1) * epsilon)
            ) / (order - 1)
            assert inside <= order * Pure(epsilon).rho


def test_laplace_noise_on_one_number_is_more_concentrated():
    """ε + e^-ε - 1, checked by Rényi divergences in closed form: tight at order 1."""
    assert LaplaceNoise(1.0).rho == pytest.approx(math.exp(-1.0), rel=1e-12)
    assert LaplaceNoise(5.0).rho == pytest.approx(4.0067, abs=5e-5)
    for epsilon in (0.05, 0.3, 1.0, 3.0, 8.0):
        rho = LaplaceNoise(epsilon).rho
        assert rho <= Pure(epsilon).rho
        for order in np.concatenate([1.0 + np.geomspace(1e-4, 1.0, 40), np.geomspace(2, 99, 40)]):
            ahead = math.log(order / (2 * order - 1)) + (order - 1) * epsilon
            behind = math.log((order - 1) / (2 * order - 1)) - order * epsilon
            assert np.logaddexp(ahead, behind) / (order - 1) <= order * rho * (1 + 1e-9)
        near = np.logaddexp(
            math.log(1.0001 / 1.0002) + 1e-4 * epsilon, math.log(1e-4 / 1.0002) - 1.0001 * epsilon
        )
        assert near / 1e-4 == pytest.approx(rho, rel=1e-3)
    with mpmath.workdps(60):
        for epsilon in (1e-9, 1e-5, 0.9999e-2, 1.0001e-2):
            exact = mpmath.mpf(epsilon) + mpmath.expm1(-mpmath.mpf(epsilon))
            assert exact <= LaplaceNoise(epsilon).rho <= exact * (1 + mpmath.mpf("3e-13"))


def test_all_kinds_are_known_by_name():
    assert {type(example) for example in EXAMPLES} == set(KINDS.values())


@pytest.mark.parametrize(
    ("epsilon", "delta", "size"),
    [
        (800.0, 1e-6, 3),
        (0.5, 1e-9, 4),
        (1e-12, 1e-9, 10**12),
        (0.0, 1e-20, 10**12),
        (1e-7, 1e-9, 1000),
        (690.0, 1e-310, 2),
    ],
)
def test_the_delta_of_a_group_is_the_geometric_sum_rounded_up(epsilon, delta, size):
    group = Approximate(epsilon, delta).for_group(size)
    with mpmath.workdps(60):
        step, first = mpmath.mpf(epsilon), mpmath.mpf(delta)
        exact = (
            first * size
            if epsilon == 0.0
            else first * mpmath.expm1(size * step) / mpmath.expm1(step)
        )
        assert group.delta == 1.0 or exact <= group.delta <= exact * (
            1 + mpmath.mpf("1e-9")
        ) * mpmath.exp(size * 1e-12 * (epsilon < 1e-9))
        assert group.delta < 1.0 or exact > 1 - mpmath.mpf("1e-9")


def test_deltas_that_do_not_fit_are_not_rounded_away():
    pair = Approximate(0.1, 1e-6)
    assert composed([pair] * 3, 3e-6) == pytest.approx(0.3)
    for delta in (math.nextafter(1e-6, 0.0), 1e-6 * (1.0 - 1e-13)):
        assert composed([pair], delta) == math.inf
        assert composed([pair, Concentrated(0.05)], delta) == math.inf


def test_a_curve_is_below_another_only_if_nothing_is_in_doubt():
    for curve in EXAMPLES:
        assert is_below(curve, curve)
    assert not is_below(GaussianNoise(0.4 * (1.0 + 1e-12)), GaussianNoise(0.4))
    assert not is_below(Pure(math.nextafter(0.7, 1.0)), Pure(0.7))
    assert is_below(LaplaceNoise(0.7), Pure(0.7))
    assert not is_below(Pure(0.7), LaplaceNoise(0.7)), (
        "randomised response loses more at every delta"
    )
    assert is_below(Pure(0.1), LaplaceNoise(0.7))
    assert not is_below(GaussianNoise(0.01), Pure(0.7)), "no epsilon holds at delta 0"
    assert is_below(GaussianNoise(0.3), Concentrated(0.05))
    assert not is_below(Concentrated(0.05), GaussianNoise(0.3))
    assert is_below(GaussianNoise(0.4), Approximate(GaussianNoise(0.4).epsilon_at(1e-7), 1e-7))
