"""Noise: its law, its calibration both ways, and that compiled and plain code draw the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

import componentjit
from discreet import DiscreetError, Guarantee, Range
from discreet.channels import PerRound
from discreet.contracts import Noise, NoiseScale
from discreet.curves import LaplaceNoise, Pure
from discreet.mechanisms import (
    NOISES,
    CubeLaplace,
    ExactCube,
    ExactGaussian,
    ExactLaplace,
    Gaussian,
    Laplace,
    RandomisedResponse,
    SphericalLaplace,
    noise_named,
)
from discreet.mechanisms.bits import BITS, least_share

# Every test of a law below has a fixed seed and was a test at level 0.001, so that a correct
# sampler fails it with that
# probability for a fresh seed.
LEVEL = 0.001
VECTORS = [Laplace(2.0), Gaussian(2.0, 1e-6), SphericalLaplace(2.0), CubeLaplace(2.0)]


def perturb_often(mechanism, vector, rng, found):
    for row in range(found.shape[0]):
        vector[:] = 0.0
        mechanism.perturb(vector, rng)
        found[row] = vector


def drawn(mechanism, dimension, trials=20_000, *, compiled=True):
    found = np.empty((trials, dimension))
    loop = componentjit.compile_for(perturb_often, mechanism) if compiled else perturb_often
    loop(mechanism, np.zeros(dimension), np.random.default_rng(1), found)
    return found


@pytest.mark.long
@pytest.mark.parametrize("mechanism", VECTORS, ids=lambda m: type(m).__name__)
def test_vectors_are_perturbed_alike_compiled_and_plain(mechanism):
    assert np.array_equal(drawn(mechanism, 3, 50), drawn(mechanism, 3, 50, compiled=False))


@pytest.mark.parametrize("dimension", [1, 2, 7])
@pytest.mark.long
def test_spherical_noise_has_a_gamma_length_and_a_uniform_direction(dimension):
    found = drawn(SphericalLaplace(2.0), dimension)
    length = np.linalg.norm(found, axis=1)
    assert stats.kstest(length, stats.gamma(dimension, scale=2.0).cdf).pvalue > LEVEL
    directions = found / length[:, None]
    for axis in range(dimension):
        share = directions[:, axis] ** 2
        if dimension > 1:
            assert stats.kstest(share, stats.beta(0.5, (dimension - 1) / 2).cdf).pvalue > LEVEL
        assert abs((directions[:, axis] > 0).mean() - 0.5) < 3.3 * 0.5 / math.sqrt(len(found))
    if dimension > 1:
        product = directions[:, 0] * directions[:, 1]
        assert abs(product.mean()) < 3.3 * product.std() / math.sqrt(len(found)), (
            "coordinates are uncorrelated"
        )


@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_cube_noise_has_a_gamma_largest_coordinate(dimension):
    found = drawn(CubeLaplace(2.0), dimension)
    assert (
        stats.kstest(np.abs(found).max(axis=1), stats.gamma(dimension, scale=2.0).cdf).pvalue
        > LEVEL
    )
    for axis in range(dimension):
        assert abs((found[:, axis] > 0).mean() - 0.5) < 3.3 * 0.5 / math.sqrt(len(found))


def test_in_one_dimension_all_pure_noises_are_laplace_noise():
    for mechanism in (Laplace(2.0), SphericalLaplace(2.0), CubeLaplace(2.0)):
        assert stats.kstest(drawn(mechanism, 1)[:, 0], stats.laplace(scale=2.0).cdf).pvalue > LEVEL


def test_fitted_noise_is_shorter_than_coordinate_noise():
    """At the same epsilon, for losses in a ball (L2) and in a cube (L∞), with 20 dimensions."""
    dimension = 20
    ball = (
        SphericalLaplace.calibrate(sensitivity=2.0, epsilon=1.0),
        Laplace.calibrate(sensitivity=2.0 * math.sqrt(dimension), epsilon=1.0),
    )
    lengths = [np.linalg.norm(drawn(each, dimension), axis=1).mean() for each in ball]
    assert lengths[1] / lengths[0] == pytest.approx(math.sqrt(2.0), rel=0.05)
    cube = (
        CubeLaplace.calibrate(sensitivity=1.0, epsilon=1.0),
        Laplace.calibrate(sensitivity=float(dimension), epsilon=1.0),
    )
    largest = [np.abs(drawn(each, dimension)).max(axis=1).mean() for each in cube]
    assert largest[0] == pytest.approx(dimension, rel=0.02)
    assert largest[1] / largest[0] > 3.0


@given(some.floats(1e-6, 1e6), some.floats(1e-6, 1e6))
def test_pure_calibration_goes_both_ways_and_rounds_towards_privacy(sensitivity, epsilon):
    for kind in (Laplace, SphericalLaplace, CubeLaplace):
        mechanism = kind.calibrate(sensitivity=sensitivity, epsilon=epsilon)
        promise = mechanism.guarantee(sensitivity, model="central", source="T")
        assert sensitivity / mechanism.scale <= promise.epsilon <= epsilon * (1 + 2e-11)


@given(some.floats(1e-3, 1e3), some.floats(1e-2, 30.0), some.floats(1e-10, 0.1))
def test_gaussian_calibration_goes_both_ways_and_rounds_towards_privacy(
    sensitivity, epsilon, delta
):
    mechanism = Gaussian.calibrate(sensitivity=sensitivity, epsilon=epsilon, delta=delta)
    promise = mechanism.guarantee(sensitivity, model="central", source="T")
    assert promise.epsilon <= epsilon * (1 + 1e-9)
    assert promise.epsilon >= epsilon * (1 - 1e-6)
    assert promise.delta == delta


def test_no_noise_or_no_delta_promises_nothing():
    for silent in (
        Laplace(0.0),
        Gaussian(0.0, 1e-6),
        SphericalLaplace(0.0),
        CubeLaplace(0.0),
        Gaussian(1.0, 0.0),
    ):
        assert not silent.guarantee(1.0, model="central", source="T").is_private


@given(some.floats(0.01, 12.0), some.floats(0.0, 1.0), some.floats(0.0, 1.0))
def test_randomised_response_is_unbiased_and_private(epsilon, one, other):
    response = RandomisedResponse.calibrate(bounds=Range(-1.0, 3.0), epsilon=epsilon)
    reach = response.scale

    class Fixed:
        def __init__(self, value):
            self.value = value

        def random(self):
            return self.value

    def upper(share):
        """Find P(upper) by bisection over the uniform number that decides."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (middle, high)
                if response.add_noise(4.0 * share - 1.0, Fixed(middle)) > 1.0
                else (low, middle)
            )
        return low

    first, second = upper(one), upper(other)
    assert 1.0 + reach * (2.0 * first - 1.0) == pytest.approx(4.0 * one - 1.0, abs=1e-9 * reach)
    for p, q in ((first, second), (1 - first, 1 - second)):
        assert abs(math.log(p / q)) <= epsilon + 1e-9
    assert abs(math.log(upper(1.0) / upper(0.0))) == pytest.approx(epsilon, rel=1e-6), "and tight"


@given(some.floats(1e-3, 100.0))
def test_the_exact_response_never_exceeds_its_ratio(epsilon):
    least, whole = least_share(epsilon), 1 << BITS
    assert 0 < least <= whole // 2
    assert math.log((whole - least) / least) <= epsilon


def test_the_exact_response_has_the_right_mean():
    response = RandomisedResponse.calibrate(bounds=Range(0.0, 2.0), epsilon=1.0)
    exact = response.exact(response.guarantee(2.0, model="central", source=""), 2.0)
    values = [exact.add_noise(1.7, None) for _ in range(20_000)]
    assert {round(v, 9) for v in values} == {round(1.0 + s * response.scale, 9) for s in (-1, 1)}
    # fresh entropy: six standard errors, so a false alarm in 1 of 500 million runs
    assert abs(np.mean(values) - 1.7) < 6.0 * np.std(values) / math.sqrt(len(values))
    assert exact.guarantee(2.0, model="local", source="T").epsilon == 1.0


def test_a_channel_takes_randomised_response():
    channel = PerRound(
        Range(0.0, 1.0), RandomisedResponse.calibrate(bounds=Range(0.0, 1.0), epsilon=1.0)
    )
    assert channel.guarantee.epsilon == 1.0
    released = {round(channel.offer(0.2, 1.0, np.random.default_rng(s))[1], 6) for s in range(30)}
    assert released == {-0.581977, 1.581977}


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "x"])
def test_bad_sensitivities_promise_nothing(bad):
    exact = (
        ExactLaplace.calibrate(sensitivity=1.0, epsilon=1.0),
        ExactGaussian.calibrate(sensitivity=1.0, epsilon=1.0, delta=1e-6),
    )
    for mechanism in (*VECTORS, *exact):
        with pytest.raises(DiscreetError, match="sensitivity is"):
            mechanism.guarantee(bad, model="central", source="T")


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_bad_numbers_are_refused(bad):
    for kind in (Laplace, SphericalLaplace, CubeLaplace):
        with pytest.raises(DiscreetError, match="epsilon is"):
            kind.calibrate(sensitivity=1.0, epsilon=bad)
        with pytest.raises(DiscreetError, match="sensitivity is"):
            kind.calibrate(sensitivity=bad, epsilon=1.0)
    with pytest.raises(DiscreetError, match="epsilon is"):
        RandomisedResponse.calibrate(bounds=Range(0.0, 1.0), epsilon=bad)


class Own(Noise):
    """Noise of one's own, for one number."""

    scale: float

    def add_noise(self, value, rng):
        return value + rng.laplace(0.0, self.scale)

    def guarantee(self, sensitivity, *, model, source):
        return Guarantee.of(Pure(sensitivity / self.scale), delta=0.0, model=model, source=source)


EXACT = {
    Laplace: ExactLaplace.calibrate(sensitivity=1.0, epsilon=0.5),
    CubeLaplace: ExactCube.calibrate(sensitivity=1.0, epsilon=0.5),
    Gaussian: ExactGaussian.calibrate(sensitivity=1.0, epsilon=0.5, delta=1e-6),
}


class TestNoiseKnowsItself:
    @pytest.mark.slow
    @pytest.mark.parametrize("noise", VECTORS, ids=lambda m: type(m).__name__)
    @pytest.mark.parametrize("dimension", [1, 3])
    def test_its_deviation_and_moments_are_those_of_its_draws(self, noise, dimension):
        """200,000 draws at a tilt of 0.3 scales: within 5 %, over four standard errors."""
        found = drawn(noise, dimension, 200_000)
        assert found.std() == pytest.approx(noise.deviation(dimension), rel=0.05)
        tilt = 0.3 / noise.scale
        assert np.log(np.exp(tilt * found).mean()) == pytest.approx(
            noise.log_moment(tilt, dimension), rel=0.05
        )

    @pytest.mark.parametrize("noise", VECTORS, ids=lambda m: type(m).__name__)
    def test_releases_cost_together_what_their_product_density_says(self, noise):
        """The largest log-ratio of k shifted noises is k times that of one; μ grows by the root."""
        for releases in (1, 2, 7):
            together = noise.joint_guarantee(
                noise.combined(releases) * 0.1, model="central", source="T"
            )
            if noise.across == 2.0:
                one = noise.guarantee(0.1, model="central", source="T").curve.mu
                assert together.curve.mu == pytest.approx(math.sqrt(releases) * one)
            else:
                assert together.epsilon == pytest.approx(releases * 0.1 / noise.scale)

    def test_the_curve_of_one_laplace_number_is_not_stated_for_several(self):
        assert isinstance(
            Laplace(2.0).guarantee(1.0, model="central", source="T").curve, LaplaceNoise
        )
        assert isinstance(
            Laplace(2.0).joint_guarantee(1.0, model="central", source="T").curve, Pure
        )

    @pytest.mark.parametrize("kind", EXACT)
    def test_an_exact_twin_has_the_same_shape_and_keeps_the_guarantee(self, kind):
        exact = EXACT[kind]
        assert (exact.kind, exact.norm, exact.across) == (kind.kind, kind.norm, kind.across)
        assert exact.is_exact
        assert not kind.is_exact
        guarantee = exact.joint_guarantee(1.0, model="central", source="T")
        simulated = NOISES[kind.kind.split()[0]].for_guarantee(
            sensitivity=1.0, epsilon=0.5, delta=1e-6
        )
        twin = simulated.exact(guarantee, 1.0)
        assert twin.scale == pytest.approx(simulated.scale, rel=1e-8)
        assert twin.joint_guarantee(1.0, model="central", source="T").epsilon <= 0.5 * (1.0 + 1e-12)
        assert exact.exact(guarantee, 1.0) is exact

    def test_exact_noise_for_one_number_is_on_its_grid(self):
        for exact in EXACT.values():
            steps = exact.add_noise(1 / 3, None) / exact.step
            assert steps == round(steps)

    def test_of_noise_of_ones_own_nothing_is_stated_but_for_one_number(self):
        own = Own(2.0)
        assert own.guarantee(1.0, model="central", source="T").epsilon == 0.5
        assert not own.joint_guarantee(1.0, model="central", source="T").is_private
        with pytest.raises(
            DiscreetError, match="noise is Own, for which the joint cost of several releases"
        ):
            own.combined(3)
        with pytest.raises(DiscreetError, match="noise is Own, which cannot be drawn exactly"):
            own.exact(own.guarantee(1.0, model="central", source="T"), 1.0)
        with pytest.raises(DiscreetError, match="Own noise cannot be calibrated by name"):
            Own.for_guarantee(sensitivity=1.0, epsilon=1.0, delta=0.0)

    def test_a_response_is_for_one_number(self):
        response = RandomisedResponse.calibrate(bounds=Range(0.0, 1.0), epsilon=1.0)
        with pytest.raises(DiscreetError, match="for one number, not for vectors"):
            response.perturb(np.zeros(2), np.random.default_rng(1))
        assert not response.joint_guarantee(1.0, model="local", source="T").is_private

    @pytest.mark.parametrize("name", NOISES)
    def test_named_noise_costs_what_was_asked(self, name):
        kind = noise_named(name)
        noise = kind.for_guarantee(sensitivity=3.0, epsilon=0.5, delta=1e-6)
        assert noise.joint_guarantee(3.0, model="central", source="T").epsilon == pytest.approx(
            0.5, rel=1e-9
        )
        with pytest.raises(DiscreetError, match=f"did you mean '{name}'"):
            noise_named(name[:-1])

    def test_scales_for_json_say_exact_only_where_it_is(self):
        assert NoiseScale("laplace", 2.0).times(3.0).as_dict() == {"kind": "laplace", "scale": 6.0}
        assert EXACT[Laplace].noise_scale.as_dict()["exact"] is True
