"""Searches for how far one round moves numbers, means, vectors, gradients and estimates."""

from __future__ import annotations

import itertools

import numpy as np
from searching import (
    NORMS,
    RANGES,
    Silent,
    channel_movement,
    climb,
    in_ball,
    on_simplex,
    searches,
    unit,
)

from discreet import sensitivities
from discreet.channels import Batch, PerRound, Selection

# One number


@searches(sensitivities.loss)
def a_loss_through_its_channel(function):
    for bounds in RANGES:
        movement = channel_movement(PerRound(bounds, Silent()), 3, 1, bounds.width)
        yield function(width=bounds.width), climb(movement, 4)


def batch(size, bounds):
    return Batch.laplace(size=size, epsilon=1.0, bounds=bounds)._replace(noise=Silent())


BATCHES = [
    (size, bounds, where)
    for size, bounds in zip((1, 3, 7), RANGES, strict=True)
    for where in {0, size - 1, size}
]


@searches(sensitivities.mean)
def a_mean_through_its_channel(function):
    for size, bounds, where in BATCHES:
        movement = channel_movement(batch(size, bounds), 2 * size + 1, where, bounds.width)
        yield function(width=bounds.width, size=size), climb(movement, 2 * size + 2)


@searches(sensitivities.total)
def a_sum_through_its_channel_and_sums_of_arms(function):
    for size, bounds, where in BATCHES:
        movement = channel_movement(batch(size, bounds), 2 * size, where, bounds.width * size)
        yield function(width=bounds.width), climb(movement, 2 * size + 1)
    played = np.array([0, 2, 1, 2, 0])

    def movement(v):
        losses = np.clip(v, -1.0, 2.0)
        other = np.append(losses[:3], [losses[5], losses[4]])
        return np.bincount(played, losses[:5], 3) - np.bincount(played, other, 3)

    yield function(width=3.0), climb(movement, 6)


@searches(sensitivities.mean_gain)
def a_mean_gain_through_its_channel(function):
    for size, bounds, where in BATCHES:
        channel = Selection.over(size=size, rounds=100, delta=1e-6, bounds=bounds)
        yield (
            function(size=size),
            climb(channel_movement(channel, 2 * size, where, -1.0), 2 * size + 1),
        )


def weighted_sums(v, largest, rows):
    """Return how (Σ w r, Σ w (1 - r)) moves if ``rows`` rows of four are replaced."""
    numbers = np.abs(np.resize(v, (4 + rows, 2)))
    weights, shares = np.minimum(numbers[:, 0], largest), np.clip(numbers[:, 1], 0.0, 1.0)
    pairs = np.column_stack([weights * shares, weights * (1.0 - shares)])
    return pairs[:4].sum(axis=0) - np.concatenate([pairs[4:], pairs[rows:4]]).sum(axis=0)


@searches(sensitivities.clipped_weight)
def a_clipped_sum_of_a_log(function):
    for largest, rows in ((1.0, 1), (2.5, 2)):

        def movement(v, largest=largest, rows=rows):
            return weighted_sums(largest * v, largest, rows)[:1]

        size = 2 * (4 + rows)
        corners = [movement(v) for v in corners_of_rows(size)]
        found = max(climb(movement, size)[0], max(abs(each[0]) for each in corners))
        yield function(largest=largest, rows=rows), np.full(3, found)


@searches(sensitivities.clipped_weight_pair)
def a_pair_of_clipped_sums(function):
    for largest, rows in ((1.0, 1), (2.5, 2)):

        def movement(v, largest=largest, rows=rows):
            return weighted_sums(largest * v, largest, rows)

        size = 2 * (4 + rows)
        corners = [movement(v) for v in corners_of_rows(size)]
        found = [max(np.linalg.norm(each, norm) for each in corners) for norm in NORMS]
        yield function(largest=largest, rows=rows), np.maximum(climb(movement, size), found)


def corners_of_rows(size):
    """Return rows with no weight, or the largest with an outcome of 0 or 1."""
    return [
        np.array(v).ravel() for v in itertools.product([(0, 0), (9, 0), (9, 9)], repeat=size // 2)
    ]


@searches(sensitivities.lipschitz_loss)
def a_convex_loss_asked_near_its_domain(function):
    for size, lipschitz, diameter, margin in [
        (1, 1.0, 1.0, 0.2),
        (2, 0.5, 3.0, 4.0),
        (2, 2.0, 1.0, 0.0),
    ]:

        def movement(v, lipschitz=lipschitz, diameter=diameter, margin=margin):
            slope, zero, slope2, zero2, inside, direction = v.reshape(6, -1)
            point = in_ball(inside, diameter / 2) + margin * unit(direction)
            values = [
                lipschitz * in_ball(a) @ (point - in_ball(z, diameter / 2))
                for a, z in ((slope, zero), (slope2, zero2))
            ]
            return np.array([values[0] - values[1]])

        yield (
            function(lipschitz=lipschitz, diameter=diameter, margin=margin),
            climb(movement, 6 * size),
        )


@searches(sensitivities.two_point_difference)
def a_difference_of_two_values(function):
    for size, lipschitz, radius in [(1, 1.0, 0.5), (3, 2.0, 0.1)]:

        def movement(v, size=size, lipschitz=lipschitz, radius=radius):
            here, direction, slope, peak, slope2, peak2 = v[: 6 * size].reshape(6, -1)

            def difference(slope, peak, share):
                values = [
                    lipschitz
                    * ((1 - share) * in_ball(slope) @ x + share * np.linalg.norm(x - peak))
                    for x in (here + radius * unit(direction), here - radius * unit(direction))
                ]
                return values[0] - values[1]

            shares = np.clip(v[6 * size :], 0, 1)
            return np.array(
                [difference(slope, peak, shares[0]) - difference(slope2, peak2, shares[1])]
            )

        yield function(lipschitz=lipschitz, radius=radius), climb(movement, 6 * size + 2)


# Vectors


@searches(sensitivities.box)
def a_vector_in_a_box(function):
    for dimension, bounds in zip((1, 2, 5), RANGES, strict=True):

        def movement(v, bounds=bounds):
            one, two = np.clip(v * 10, *bounds).reshape(2, -1)
            return one - two

        yield function(dimension=dimension, width=bounds.width), climb(movement, 2 * dimension)


@searches(sensitivities.ball)
def a_vector_in_a_ball(function):
    for norm, dimension, radius in itertools.product(NORMS, (1, 2, 4), (0.5, 3.0)):

        def movement(v, norm=norm, radius=radius):
            one, two = (in_ball(half * radius, radius, norm) for half in v.reshape(2, -1))
            return one - two

        yield (
            function(dimension=dimension, radius=radius, norm=norm),
            climb(movement, 2 * dimension),
        )


@searches(sensitivities.one_point_gradient)
def a_gradient_from_values(function):
    for dimension, radius, bounds in [
        (1, 0.5, RANGES[0]),
        (2, 0.2, RANGES[1]),
        (4, 2.0, RANGES[2]),
    ]:

        def movement(v, dimension=dimension, radius=radius, bounds=bounds):
            directions = [unit(u) for u in v[: 3 * dimension].reshape(3, -1)]
            values = np.clip(v[3 * dimension :] * 10, *bounds)

            def gradient(values):
                return sum(
                    dimension / radius * f * u for f, u in zip(values, directions, strict=True)
                )

            return gradient(values[:3]) - gradient([values[0], values[3], values[2]])

        found = climb(movement, 3 * dimension + 4)
        yield function(dimension=dimension, radius=radius, width=bounds.width), found


def estimates(losses, advice, weights, played, mixing):
    """Return the estimated mean loss of every expert (EXP4 on a batch): advice[s, expert, arm]."""
    total = np.zeros(len(weights))
    for s, loss in enumerate(losses):
        arms = advice.shape[2]
        chances = (1 - mixing) * weights @ advice[s] + mixing / arms
        total += loss * advice[s, :, played[s]] / chances[played[s]]
    return total / len(losses)


@searches(sensitivities.weighted_losses)
def losses_times_public_advice(function):
    rng = np.random.default_rng(3)
    for experts, arms, mixing, bounds in [
        (1, 2, 0.5, RANGES[0]),
        (3, 2, 0.1, RANGES[1]),
        (4, 3, 0.3, RANGES[2]),
    ]:
        advice = rng.dirichlet(np.ones(arms) / 2, (3, experts))
        weights, played = rng.dirichlet(np.ones(experts)), rng.integers(arms, size=3)

        def estimate(losses, advice=advice, weights=weights, played=played, mixing=mixing):
            return estimates(losses, advice, weights, played, mixing)

        def movement(v, where, bounds=bounds, estimate=estimate):
            losses = np.clip(v * 10, *bounds)
            other = losses[:3].copy()
            other[where] = losses[3]
            return estimate(losses[:3]) - estimate(other)

        factors = [estimate(one) for one in np.eye(3)]
        found = np.max(
            [climb(lambda v, where=where: movement(v, where), 4) for where in range(3)], axis=0
        )
        yield function(factors, width=bounds.width), found


@searches(sensitivities.advice_estimates)
def estimates_for_the_worst_advice(function):
    for experts, arms, mixing, size in [
        (1, 2, 0.5, 1),
        (1, 3, 1.0, 2),
        (2, 2, 0.1, 3),
        (2, 2, 1.0, 2),
        (3, 3, 0.3, 2),
    ]:

        def movement(v, experts=experts, arms=arms, mixing=mixing, size=size):
            rows = [on_simplex(row) for row in v[: experts * arms].reshape(experts, -1)]
            weights = on_simplex(v[experts * arms : -2])
            advice, played = np.array([rows] * size), [0] * size
            first, second = np.clip(v[-2:] * 10, -1.0, 2.0)
            return estimates(
                [first] + [0.5] * (size - 1), advice, weights, played, mixing
            ) - estimates([second] + [0.5] * (size - 1), advice, weights, played, mixing)

        found = climb(movement, experts * arms + experts + 2)
        yield function(experts=experts, arms=arms, mixing=mixing, size=size, width=3.0), found
