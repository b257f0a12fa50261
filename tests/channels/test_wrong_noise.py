"""No channel states a guarantee that the noise it was given cannot keep."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import DiscreetError, Range
from discreet.channels import Moments, Residuals, RunningMoments
from discreet.contracts import Record
from discreet.least_squares import MomentPlaces
from discreet.mechanisms import (
    Cap,
    Coin,
    CubeLaplace,
    Gaussian,
    Hemisphere,
    Laplace,
    OptimalNoise,
    RandomisedResponse,
    SphericalLaplace,
)
from discreet.mechanisms.exact_directions import ExactHemisphere

NUMBERS = 3
CHANNELS = {
    "residuals": lambda noise: Residuals.calibrated(noise=noise, dimension=NUMBERS),
    "moments": lambda noise: Moments.calibrated(noise=noise, dimension=2),  # 5 numbers
}
FOR_ONE_NUMBER = {
    "response": RandomisedResponse.calibrate(bounds=Range(0.0, 1.0), epsilon=1.0),
    "coin": Coin(1.0),
    "optimal": OptimalNoise.calibrate(epsilon=1.0, size=5),
}
OF_ANOTHER_DIMENSION = {
    "hemisphere": Hemisphere.calibrate(dimension=4, epsilon=1.0),
    "cap": Cap.calibrate(dimension=4, epsilon=1.0),
    "exact hemisphere": ExactHemisphere.calibrate(dimension=4, epsilon=1.0),
}


@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
@pytest.mark.parametrize(
    "noise",
    [*FOR_ONE_NUMBER.values(), *OF_ANOTHER_DIMENSION.values()],
    ids=[*FOR_ONE_NUMBER, *OF_ANOTHER_DIMENSION],
)
def test_noise_that_does_not_fit_is_refused(channel, noise):
    with pytest.raises(
        DiscreetError, match=r"^noise is .*, but must be calibrated for vectors of [35] numbers\.$"
    ):
        _ = channel(noise).guarantee


def farthest(channel, norm, rng):
    """Return how far two of 300 records move what gets noise, at most."""
    size = channel.released.size
    query, vectors = np.zeros(size), []
    for _ in range(300):
        features = rng.standard_normal(3 if size == NUMBERS else 2)
        features *= rng.choice([1.0, rng.random()]) / np.linalg.norm(features)
        vector = np.zeros(size)
        channel.statistic(Record(features, rng.choice([-1.0, 1.0])), query[: features.size], vector)
        vectors.append(vector)
    return max(
        float(np.linalg.norm(one - two, ord=norm)) for one in vectors for two in vectors[::7]
    )


@pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
@pytest.mark.parametrize(
    "kind", [Laplace, SphericalLaplace, CubeLaplace], ids=lambda kind: kind.__name__
)
def test_epsilon_covers_movements_in_the_norm_of_the_noise(channel, kind):
    made = channel(kind(2.0))
    assert made.guarantee.epsilon >= farthest(made, kind.norm, np.random.default_rng(1)) / 2.0
    if kind is Laplace:
        assert made.guarantee.epsilon == pytest.approx(
            channel(SphericalLaplace(2.0)).guarantee.epsilon * math.sqrt(made.released.size)
        )


def test_gaussian_noise_keeps_its_guarantee():
    """Movements of a Gaussian are those of the 2-norm, as before."""
    made = Moments.gaussian(dimension=10, epsilon=1.0, delta=1e-5)
    assert made.guarantee.epsilon == pytest.approx(1.0)
    assert isinstance(made.noise, Gaussian)


@pytest.mark.parametrize(
    "change",
    [
        {"linear": 100.0},
        {"weights": np.full(6, 3.0)},
        {"dimension": 5, "held": np.zeros(20)},
        {"grid": 2.0**40},
        {"times": np.arange(1, 101)},
        {"places": MomentPlaces(np.array([0, 1, 1, 2, 2, 2]), np.array([0, 0, 1, 0, 1, 1]))},
        {"places": MomentPlaces(np.array([0, 1, 1, 2, 2, 3]), np.array([0, 0, 1, 0, 1, 2]))},
    ],
)
def test_moments_that_move_further_than_their_sum_was_made_for_guarantee_nothing(change):
    channel = RunningMoments.calibrated(
        dimension=3, times=np.arange(1, 100), epsilon=1.0, delta=1e-6
    )
    assert channel.guarantee.is_private
    assert not channel._replace(**change).guarantee.is_private


@pytest.mark.parametrize(
    "noise", list(OF_ANOTHER_DIMENSION.values())[:2], ids=list(OF_ANOTHER_DIMENSION)[:2]
)
def test_vectors_of_another_dimension_are_not_read(noise):
    with pytest.raises(
        DiscreetError, match=r"the vector has 9 dimensions, but its noise was made for [^9]"
    ):
        noise.perturb(np.zeros(9), np.random.default_rng(1))
    with pytest.raises(DiscreetError, match="for vectors, not for single numbers"):
        noise.add_noise(0.5, np.random.default_rng(1))


def test_noise_whose_numbers_were_changed_guarantees_nothing():
    hemisphere = ExactHemisphere.calibrate(dimension=3, epsilon=1.0)
    optimal = OptimalNoise.calibrate(epsilon=1.0, size=3)
    response = FOR_ONE_NUMBER["response"].exact(
        Coin(1.0).guarantee(1.0, model="local", source="test"), 1.0
    )
    for right, wrong in (
        (hemisphere, hemisphere._replace(least=1)),
        (hemisphere, hemisphere._replace(epsilon=0.5)),
        (optimal, optimal._replace(epsilon=0.5)),
        (response, response._replace(least=1)),
    ):
        assert right.guarantee(1.0, model="local", source="test").is_private
        assert not wrong.guarantee(1.0, model="local", source="test").is_private
