"""Algorithm 3 of Zheng et al.: the printed noise, its true guarantee, and what the server does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import Setting, algorithm, audit
from discreet.contracts import Record
from discreet.curves import gaussian_sigma
from discreet.learners.contexts.linear_ucb import FitSchedule
from discreet.problems import Contexts
from discreet.sensitivities import moments, predicted_moments
from discreet_papers.calibrations import PrintedDescent, ThreeReports

ONES = {"largest": 1.0, "matrix_scale": 1.0, "vector_scale": 1.0}


def test_the_printed_noise_and_its_true_epsilon_and_what_is_enough():
    """Both epsilons, δ = 1e-6, c = C: numbers of an independent study."""
    for epsilon, sigma, true, three, two in (
        (1.0, 33.013, 0.271, 9.756, 8.962),
        (2.0, 16.507, 0.568, 5.151, 4.732),
    ):
        setting = Setting(Contexts(), rounds=1000, epsilon=epsilon, delta=1e-6)
        built = algorithm("local-glm").build(setting, calibration="paper")
        assert built.private.channel.noise.scale == pytest.approx(sigma, abs=6e-4)
        assert built.guarantee.epsilon == pytest.approx(true, abs=6e-4)
        assert built.claim.epsilon == epsilon
        unit = gaussian_sigma(epsilon, 1e-6)
        all_parts = predicted_moments(dimension=10, prediction_scale=1.0, **ONES)
        assert unit * all_parts == pytest.approx(three, abs=6e-4)
        assert unit * moments(dimension=10, **ONES) == pytest.approx(two, abs=6e-4)


def test_golden_joint_sensitivities():
    assert predicted_moments(dimension=3, prediction_scale=1.0, **ONES) ** 2 == pytest.approx(
        16 / 3
    )
    assert moments(dimension=3, **ONES) ** 2 == pytest.approx(4.5)
    loud = {"largest": 1.0, "matrix_scale": 1.0, "vector_scale": 0.5}
    assert predicted_moments(dimension=3, prediction_scale=1.0, **loud) ** 2 == pytest.approx(16.0)


def test_no_record_moves_the_three_parts_further_than_stated():
    """Of 4,000 random pairs the farthest is within a fifth of the bound, and none is beyond."""
    channel, rng = ThreeReports.example(), np.random.default_rng(2)
    largest = 0.0
    for _ in range(4_000):
        query, vectors = 3.0 * rng.standard_normal(3), []
        for outcome in rng.permutation([0.0, 1.0]):
            vector = np.zeros(channel.release_size())
            channel.statistic(Record(2.0 * rng.standard_normal(3), outcome), query, vector)
            vectors.append(vector)
        largest = max(largest, float(np.linalg.norm(vectors[0] - vectors[1])))
    assert 0.8 * channel.movement() < largest <= channel.movement()


def test_the_parts_are_those_of_the_paper():
    channel, x, theta = (
        ThreeReports.example(),
        np.array([0.6, 0.0, -0.3]),
        np.array([0.5, 0.5, 0.0]),
    )
    vector = np.zeros(channel.release_size())
    channel.statistic(Record(x, 0.25), theta, vector)
    channel.finish(vector)
    z = float(x @ theta)
    residual = 1.0 / (1.0 + math.exp(-z)) - 0.75
    expected = [np.outer(x, x)[np.tril_indices(3)], z * x, residual * x]
    np.testing.assert_allclose(vector, np.concatenate(expected), atol=1e-12)


def test_the_printed_server_adds_up_the_reported_predictions():
    times = np.array([1, 5])
    schedule = FitSchedule(times, np.full(2, 40.0), np.ones(2), np.zeros(2))
    server = PrintedDescent.descending(dimension=2, schedule=schedule, step=0.1)
    matrix, vector, point = 40.0 * np.eye(2), np.zeros(2), np.zeros(2)
    rng = np.random.default_rng(3)
    for _ in range(5):
        moment = rng.standard_normal((2, 2))
        moment = moment + moment.T
        predicted, gradient = rng.standard_normal(2), 4.0 * rng.standard_normal(2)
        server.learn(0, np.concatenate([moment[np.tril_indices(2)], predicted, gradient]))
        matrix, vector, point = matrix + moment, vector + predicted, point - 0.1 * gradient
        point = point / max(1.0, np.linalg.norm(point))
    np.testing.assert_allclose(server.model.estimate, np.linalg.solve(matrix, vector))
    np.testing.assert_allclose(server.query(0), point)


@pytest.mark.slow
def test_the_audit_finds_nine_tenths_of_what_is_stated():
    """A true claim is called violated in at most 1 % of audits with fresh seeds."""
    setting = Setting(Contexts(2, 2), rounds=8, epsilon=1.0, delta=1e-6)
    found = audit("local-glm", setting=setting, calibration="paper")
    assert 0.89 * found.stated.epsilon <= found.lower_bound <= found.stated.epsilon
