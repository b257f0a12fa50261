"""Reports needed with each kind of noise: formulas against known numbers and measurements."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.curves import gaussian_sigma
from discreet_papers.reproduce.noise_in_the_local_model import (
    CAP,
    DELTA,
    GAUSSIAN,
    HEMISPHERE,
    KINDS,
    LAPLACE,
    OVER_EPSILONS,
    RESPONSE,
    SPHERICAL,
    OneCoordinate,
    ReportSeries,
    make_noise,
    report_series,
    squared_error,
    sweep,
)
from discreet_papers.reproduce.registry import SweepPlan


def at(kind, epsilon=1.0, dimension=10, rounds=1):
    return ReportSeries(OVER_EPSILONS, kind, epsilon, dimension, rounds)


def test_formulas_have_the_golden_lengths_and_scales():
    assert squared_error(at(CAP)) == pytest.approx(7.793115**2 - 1.0, rel=1e-6)
    assert squared_error(at(HEMISPHERE)) == pytest.approx(8.365047**2 - 1.0, rel=1e-6)
    assert squared_error(at(GAUSSIAN)) == pytest.approx(
        10.0 * (2.0 * gaussian_sigma(1.0, DELTA)) ** 2
    )
    assert squared_error(at(LAPLACE, epsilon=0.5)) == pytest.approx(8.0 * 100.0 / 0.25)
    assert squared_error(at(SPHERICAL)) == pytest.approx(4.0 * 10.0 * 11.0)
    assert squared_error(at(RESPONSE)) == pytest.approx(100.0 / math.tanh(0.5) ** 2 - 1.0)
    assert squared_error(at(CAP, dimension=1)) == pytest.approx(
        squared_error(at(RESPONSE, dimension=1))
    )


def test_every_kind_is_as_private_as_it_says():
    """On neighbours anywhere in the unit ball, whose diameter is 2; in the 1-norm 2 sqrt(D)."""
    for each in sweep(100):
        noise = make_noise(each)
        if isinstance(noise, OneCoordinate):
            assert noise.response.epsilon == each.epsilon
            continue
        reach = 2.0 * math.sqrt(each.dimension) if each.kind == LAPLACE else 2.0
        found = noise.guarantee(reach, model="local", source="T")
        assert found.epsilon <= each.epsilon * (1.0 + 1e-6)
        assert found.delta == (DELTA if each.kind == GAUSSIAN else 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_measurements_agree_with_the_formula(kind):
    """60 means of 100 reports: beyond 5 standard errors once in some 10^5 fresh seeds."""
    found = report_series(
        at(kind, dimension=3, rounds=100), SweepPlan(trials=60, rounds=100, seed=2)
    )
    error = found.squared.std(ddof=1) / math.sqrt(60.0)
    assert abs(found.squared.mean() - squared_error(found.reports) / 100.0) < 5.0 * error


def test_a_response_of_a_random_coordinate_has_the_right_mean():
    """40,000 reports: each coordinate is within five deviations of about 3.75 / 200."""
    noise, vector, rng = (
        OneCoordinate.calibrate(1.0),
        np.array([0.6, -0.8, 0.0]),
        np.random.default_rng(5),
    )
    total = np.zeros(3)
    for _ in range(40_000):
        work = vector.copy()
        noise.perturb(work, rng)
        assert np.count_nonzero(work) == 1
        total += work
    np.testing.assert_allclose(total / 40_000, vector, atol=5.0 * 3.75 / 200.0)
