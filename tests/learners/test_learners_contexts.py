"""Servers agree with slow implementations in NumPy, and never clip a matrix."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import DiscreetError
from discreet.factorisations.blt import fading
from discreet.learners import (
    GlmDescent,
    GlmUcb,
    LinearUcb,
    LinearUcbOnSums,
    LinearUcbOnWeightedSums,
    ResidualDescent,
)
from discreet.learners.contexts.linear_ucb import LEFT, RAISED, FitSchedule, Looks
from discreet.learners.contexts.weighted_sums import SumFilter, follow, sum_variances
from discreet.least_squares import factorise, invert
from discreet.models import LinearModel
from discreet.policies import Greedy, Optimistic

SIZE = 3


def packed(matrix, vector):
    return np.concatenate([matrix[np.tril_indices(len(vector))], vector])


def symmetric(rng, spread):
    noise = rng.normal(0.0, spread, (SIZE, SIZE))
    return noise + noise.T


def test_a_triangle_and_its_inverse():
    rng = np.random.default_rng(1)
    half = rng.standard_normal((5, 5))
    matrix, upper, inverse = half @ half.T, np.zeros((5, 5)), np.zeros((5, 5))
    assert factorise(matrix, 0.5, upper)
    np.testing.assert_allclose(
        np.triu(upper).T @ np.triu(upper), matrix + 0.5 * np.eye(5), atol=1e-12
    )
    invert(upper, inverse)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrix + 0.5 * np.eye(5)), atol=1e-9)
    assert not factorise(-np.eye(5), 0.5, upper)
    assert not factorise(np.full((5, 5), np.nan), 0.5, upper)


@pytest.mark.parametrize("recency", [0.0, 1.5])
def test_linear_ucb_is_ridge_regression_with_both_widths(recency):
    rng = np.random.default_rng(2)
    times = np.arange(1, 40)
    schedule = FitSchedule(times, 30.0 * np.sqrt(times), np.full(39, 2.0), np.full(39, 0.7))
    server = LinearUcb.start(dimension=SIZE, schedule=schedule, recency=recency)
    reports = [(symmetric(rng, 1.0), rng.normal(0.0, 1.0, SIZE)) for _ in range(30)]
    for matrix, vector in reports:
        server.learn(0, packed(matrix, vector))
    weights = (np.arange(1, 31) / 30) ** recency
    total = sum(w * m for w, (m, _) in zip(weights, reports, strict=True)) + schedule.shifts[
        29
    ] * np.eye(SIZE)
    inverse = np.linalg.inv(total)
    linear = sum(w * v for w, (_, v) in zip(weights, reports, strict=True))
    np.testing.assert_allclose(server.model.estimate, inverse @ linear, rtol=1e-9)
    np.testing.assert_allclose(
        server.model.spread, 4.0 * inverse + 0.49 * inverse @ inverse, rtol=1e-9
    )
    assert server.model.widest[0] >= np.linalg.eigvalsh(server.model.spread)[-1]
    assert server.counts[RAISED] == 0


def test_a_matrix_that_is_not_positive_definite_gets_a_larger_shift_and_that_is_counted():
    times = np.array([1, 2])
    server = LinearUcb.start(
        dimension=SIZE, schedule=FitSchedule(times, np.ones(2), np.ones(2), np.zeros(2))
    )
    server.learn(0, packed(-5.0 * np.eye(SIZE), np.ones(SIZE)))
    assert server.counts[RAISED] == 1
    # shifts 1, 3, 7
    np.testing.assert_allclose(server.model.estimate, np.full(SIZE, 1.0 / 2.0), rtol=1e-12)
    server.learn(0, packed(9.0 * np.eye(SIZE), np.ones(SIZE)))
    assert server.counts[RAISED] == 1
    before = server.model.estimate.copy()
    hopeless = LinearUcb.start(
        dimension=SIZE, schedule=FitSchedule(times, np.ones(2), np.ones(2), np.zeros(2))
    )
    hopeless.learn(0, np.full(9, np.nan))
    assert not hopeless.model.estimate.any(), "the last model stays"
    assert np.isfinite(before).all()


def test_running_sums_take_the_place_of_what_there_was():
    times = np.arange(1, 10)
    schedule = FitSchedule(times, np.ones(9), np.ones(9), np.zeros(9))
    one, other = (
        kind.start(dimension=SIZE, schedule=schedule) for kind in (LinearUcb, LinearUcbOnSums)
    )
    rng, total = np.random.default_rng(3), np.zeros(9)
    for _ in range(6):
        report = packed(np.eye(SIZE) + symmetric(rng, 0.01), rng.standard_normal(SIZE))
        total = total + report
        one.learn(0, report)
        other.learn(0, total)
    np.testing.assert_allclose(one.model.estimate, other.model.estimate, rtol=1e-9)


def draws_in_sums(sums, matrix):
    """Return how much of each draw is in each estimated sum: release by release, in rows."""
    size, row = sums.gain.size, matrix.row(sums.gain.size)
    found, (total, back, last) = np.zeros((size, size)), np.zeros((3, size))
    for k in range(size):
        released = np.concatenate([row[k::-1], np.zeros(size - k - 1)])
        gains = sums.ahead[k], sums.gain[k], sums.taken[k], sums.zero
        follow(total, back, last, released, *gains)
        found[k] = total
    return found


@pytest.mark.parametrize("decay", [0.3, 0.93])
def test_the_filter_is_generalised_least_squares_on_all_releases(decay):
    """From the definition: increments have a covariance, and the mean weight of a record is 1."""
    times, noise, rewards, matrix = np.array([30, 33, 40, 41, 70, 200]), 50.0, 0.7, fading(decay)
    size, lengths = times.size, np.diff(times, prepend=0).astype(np.float64)
    place = np.subtract.outer(np.arange(size), np.arange(size))
    rows = np.where(place >= 0, matrix.coefficients(size)[np.maximum(place, 0)], 0.0)
    inverse = np.linalg.inv(rows)
    covariance = noise * inverse @ inverse.T + rewards * np.diag(lengths)
    sums = SumFilter.best(times, matrix, noise, rewards)
    draws = draws_in_sums(sums, matrix)
    np.testing.assert_allclose(sum_variances(sums, matrix), (draws**2).sum(axis=1), rtol=1e-12)
    for k in range(size):
        known = slice(0, k + 1)
        weights = np.linalg.solve(covariance[known, known], lengths[known])
        weights *= times[k] / (weights @ lengths[known])
        np.testing.assert_allclose(draws[k, known], weights @ inverse[known, known], atol=1e-10)
        assert not draws[k, k + 1 :].any()


def test_weighted_sums_without_noise_are_running_sums_if_records_are_alike():
    times = np.array([5, 6, 9, 20])
    schedule = FitSchedule(times, np.ones(4), np.ones(4), np.zeros(4))
    sums = SumFilter.best(times, fading(0.8), 30.0, 1.0)
    server = LinearUcbOnWeightedSums.weighing(dimension=SIZE, schedule=schedule, sums=sums)
    plain = LinearUcbOnSums.start(dimension=SIZE, schedule=schedule)
    rate = packed(np.eye(SIZE), np.array([0.2, -0.1, 0.4]))
    for time in times:
        server.learn(0, time * rate)
        plain.learn(0, time * rate)
        np.testing.assert_allclose(server.total, time * rate, rtol=1e-12)
    np.testing.assert_allclose(server.model.estimate, plain.model.estimate, rtol=1e-12)
    np.testing.assert_allclose(server.model.spread, plain.model.spread, rtol=1e-12)


def test_matrix_and_vector_have_the_same_weights():
    """So if rewards follow one model, least squares finds it, however records change."""
    rng, times, truth = np.random.default_rng(8), np.arange(4, 40, 4), np.array([0.3, -0.5, 0.1])
    schedule = FitSchedule(times, np.full(9, 1e-9), np.ones(9), np.zeros(9))
    sums = SumFilter.best(times, fading(0.9), 9.0, 1.0)
    server = LinearUcbOnWeightedSums.weighing(dimension=SIZE, schedule=schedule, sums=sums)
    total = np.zeros((SIZE, SIZE))
    for k in range(times.size):
        x = rng.standard_normal((4, SIZE)) * np.array([1.0, 1.0 / (k + 1.0), k + 0.1])
        total = total + x.T @ x
        server.learn(0, packed(total, total @ truth))
    np.testing.assert_allclose(server.model.estimate, truth, rtol=1e-6)


def test_glm_ucb_adds_up_quadratic_models_around_its_last_estimates():
    times = np.array([1, 4, 8])
    schedule = FitSchedule(times, np.full(3, 50.0), np.ones(3), np.zeros(3))
    server = GlmUcb.correcting(dimension=SIZE, schedule=schedule, slope=0.5)
    point, matrix, vector = np.zeros(SIZE), 50.0 * np.eye(SIZE), np.zeros(SIZE)
    rng = np.random.default_rng(4)
    for t in range(1, 9):
        moment, residual = symmetric(rng, 1.0), rng.normal(0.0, 20.0, SIZE)
        server.learn(0, packed(moment, residual))
        matrix, vector = matrix + moment, vector + moment @ point - residual / 0.5
        if t in times:
            estimate = np.linalg.solve(matrix, vector)
            point = estimate / max(1.0, np.linalg.norm(estimate))
    np.testing.assert_allclose(server.model.estimate, estimate, rtol=1e-9)
    np.testing.assert_allclose(server.query(0), point, rtol=1e-9)
    assert np.linalg.norm(estimate) > 1.0, "the projection is seen"


def test_glm_descent_fits_what_its_second_model_predicts():
    schedule = FitSchedule(np.array([2, 8]), np.full(2, 50.0), np.ones(2), np.zeros(2))
    server = GlmDescent.descending(dimension=SIZE, schedule=schedule, step=0.02)
    point, matrix, vector = np.zeros(SIZE), 50.0 * np.eye(SIZE), np.zeros(SIZE)
    rng, lengths = np.random.default_rng(4), []
    for _ in range(8):
        moment, residual = symmetric(rng, 1.0), rng.normal(0.0, 20.0, SIZE)
        np.testing.assert_allclose(server.query(0), point)
        server.learn(0, packed(moment, residual))
        matrix, vector = matrix + moment, vector + moment @ point
        point = point - 0.02 * residual
        lengths.append(np.linalg.norm(point))
        point = point / max(1.0, lengths[-1])
    np.testing.assert_allclose(server.model.estimate, np.linalg.solve(matrix, vector), rtol=1e-9)
    assert max(lengths) > 1.0, "the projection is seen"


@pytest.mark.parametrize("kind", [LinearUcb, GlmUcb])
def test_features_that_were_hardly_played_are_looked_at_alone(kind):
    """Feature 1 was played; 0 and 2 get two reports each, of which only their own entries count."""
    schedule = FitSchedule(np.array([1, 8, 12]), np.full(3, 10.0), np.ones(3), np.zeros(3))
    looks = Looks(after=4, reports=2, weight=5.0, hardly=3.0, share=0.0, trial=1, worth=0.0)
    if kind is GlmUcb:
        server = GlmUcb.correcting(dimension=SIZE, schedule=schedule, slope=1.0, looks=looks)
    else:
        server = LinearUcb.start(dimension=SIZE, schedule=schedule, looks=looks)
    sign = -1.0 if kind is GlmUcb else 1.0
    rng, shown = np.random.default_rng(7), []
    for _ in range(4):
        shown.append(server.model.estimate.tolist())
        server.learn(
            0, packed(np.diag([0.1, 1.0, 0.1]) + 0.01 * symmetric(rng, 1.0), np.zeros(SIZE))
        )
    known = server.matrix[1, 1]
    for _ in range(4):
        shown.append(server.model.estimate.tolist())
        assert server.model.widest[0] == 0.0
        assert not server.model.spread.any()
        server.learn(0, packed(np.full((SIZE, SIZE), 0.5), np.full(SIZE, 0.25)))
    assert shown == [[0.0, 0.0, 0.0]] * 4 + [[1.0, 0.0, 0.0]] * 2 + [[0.0, 0.0, 1.0]] * 2
    np.testing.assert_allclose(np.tril(server.matrix), np.diag([5.0, known, 5.0]))
    np.testing.assert_allclose(server.vector, [sign * 2.5, 0.0, sign * 2.5])
    np.testing.assert_allclose(server.model.estimate, [sign * 2.5 / 15.0, 0.0, sign * 2.5 / 15.0])
    server.learn(0, packed(np.zeros((SIZE, SIZE)), np.ones(SIZE)))
    assert server.vector[1] == sign, "all entries count again, and nothing is looked at twice"


def test_a_look_at_a_feature_that_no_arm_has_much_of_ends_early():
    schedule = FitSchedule(np.array([1]), np.ones(1), np.ones(1), np.zeros(1))
    looks = Looks(after=2, reports=10, weight=2.0, hardly=1.0, share=0.0, trial=3, worth=0.75)
    server = LinearUcb.start(dimension=SIZE, schedule=schedule, looks=looks)
    shown = []
    for t in range(20):
        shown.append(int(server.model.estimate.argmax()) if server.counts[LEFT] else -1)
        square = 0.3 if shown[-1] == 1 else 0.2
        server.learn(0, packed((square if t > 1 else 0.0) * np.eye(SIZE), np.zeros(SIZE)))
    assert shown == [-1] * 2 + [0] * 3 + [1] * 10 + [2] * 3 + [-1] * 2
    # an idle look leaves what was known
    np.testing.assert_allclose(np.diag(server.matrix), [0.4, 6.0 + 0.4, 0.4])


def test_residual_descent_looks_at_each_feature_and_then_descends():
    server = ResidualDescent.start(dimension=2, gain=2.0, offset=4.0, averaging=2.0, sweep=3)
    shown = []
    for t in range(6):
        shown.append(server.model.estimate.tolist())
        assert server.model.point[t // 3] == 0.0, (
            "residuals are wanted where nothing is predicted of the feature"
        )
        server.learn(0, np.array([-0.1 * (t + 1), -10.0]))
    assert shown == [[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3
    assert server.model.point[0] == pytest.approx(0.2), "the mean of its own entry"
    assert server.model.point[1] == 1.0
    assert server.model.estimate.tolist() == server.model.point.tolist()
    before = server.model.point.copy()
    server.learn(0, np.array([0.0, 1.0]))
    moved = before - 2.0 / (4.0 + 6.0) * np.array([0.0, 1.0])
    np.testing.assert_allclose(server.model.point, moved / max(1.0, np.linalg.norm(moved)))
    np.testing.assert_allclose(
        server.model.estimate, before + 2.0 / 8.0 * (server.model.point - before)
    )


def test_schedules_must_fit():
    with pytest.raises(
        DiscreetError,
        match="the schedule has 2, 2, 1, 2 entries, but needs one shift, width and reach",
    ):
        LinearUcb.start(
            dimension=2, schedule=FitSchedule(np.array([1, 2]), np.ones(2), np.ones(1), np.ones(2))
        )
    late = FitSchedule(np.array([5, 9]), np.ones(2), np.ones(2), np.ones(2))
    with pytest.raises(
        DiscreetError, match="looks begin after 4 reports, but the first fit is at 5"
    ):
        LinearUcb.start(
            dimension=2,
            schedule=late,
            looks=Looks(after=4, reports=1, weight=1.0, hardly=1.0, share=0.0, trial=1, worth=0.0),
        )


def test_optimism_is_the_largest_upper_bound_though_most_arms_are_skipped():
    rng = np.random.default_rng(5)
    for _ in range(200):
        half = rng.standard_normal((SIZE, SIZE))
        spread = 0.3 * half @ half.T
        model = LinearModel(
            rng.standard_normal(SIZE), spread, np.array([np.abs(spread).sum(axis=1).max()])
        )
        features = rng.standard_normal((6, SIZE))
        scores = features @ model.estimate + np.sqrt(
            np.einsum("ai,ij,aj->a", features, spread, features)
        )
        assert Optimistic().choose(model, features, rng) == scores.argmax()


def test_greedy_takes_the_first_of_the_best():
    features = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    model = ResidualDescent.start(dimension=2, gain=1.0, offset=1.0).model
    model.estimate[:] = [1.0, 0.5]
    assert Greedy().choose(model, features, np.random.default_rng(1)) == 1
