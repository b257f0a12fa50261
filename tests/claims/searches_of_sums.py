"""Searches for how far one round moves moments of contexts, and the nodes and sums of trees."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from searching import NORMS, climb, in_ball, searches

from discreet import sensitivities
from discreet.sensitivities import Sensitivity

# Contexts


@searches(sensitivities.scaled_context)
def a_reward_times_a_context(function):
    for dimension, largest in [(1, 2.0), (2, 0.3), (4, 2.0)]:

        def movement(v, largest=largest):
            one, two = v.reshape(2, -1)
            return np.clip(one[0] * 5, -largest, largest) * in_ball(one[1:]) - np.clip(
                two[0] * 5, -largest, largest
            ) * in_ball(two[1:])

        yield function(dimension=dimension, largest=largest), climb(movement, 2 * dimension + 2)


@searches(sensitivities.glm_gradient)
def a_gradient_with_a_steep_link(function):
    for dimension, bound in [(1, 0.25), (2, 1.0), (3, 0.1)]:

        def movement(v, dimension=dimension, bound=bound):
            middle, point = np.clip(v[0], -1, 1), in_ball(v[1 : dimension + 1])

            def gradient(datum):
                x, y = in_ball(datum[1:]), np.clip(datum[0] * 5, -bound - 1, bound + 1)
                return (bound * np.tanh(1e3 * (x @ point - middle)) - y) * x

            one, two = v[dimension + 1 :].reshape(2, -1)
            return gradient(one) - gradient(two)

        yield function(dimension=dimension, bound=bound), climb(movement, 3 * dimension + 3)


def triangle(x, off_diagonal):
    """Return the matrix x x' as a vector: its diagonal, then what is above it, times a factor."""
    above = np.triu_indices(len(x), 1)
    return np.concatenate([x * x, off_diagonal * np.outer(x, x)[above]])


@searches(sensitivities.outer_product)
def an_outer_product(function):
    for dimension in (1, 2, 3, 4):

        def movement(v):
            one, two = (in_ball(x) for x in v.reshape(2, -1))
            return triangle(one, math.sqrt(2)) - triangle(two, math.sqrt(2))

        yield function(dimension=dimension), climb(movement, 2 * dimension, norms=[2])


@searches(sensitivities.predicted_moments)
def three_parts_of_a_report(function):
    for dimension, largest, predicted, vector in [
        (1, 1.0, 1.0, 1.0),
        (1, 0.2, 2.0, 1.0),
        (2, 1.0, 1.0, 1.0),
        (3, 2.0, 0.5, 1.0),
        (2, 0.5, 3.0, 0.2),
    ]:

        def movement(v, dimension=dimension, largest=largest, scales=(predicted, vector)):
            point = in_ball(v[:dimension])

            def report(datum):
                x, r = in_ball(datum[1:]), np.clip(datum[0] * 5, -largest, largest)
                parts = triangle(x, math.sqrt(2)), (x @ point) * x / scales[0], r * x / scales[1]
                return np.concatenate(parts)

            one, two = v[dimension:].reshape(2, -1)
            return report(one) - report(two)

        stated = function(
            dimension=dimension,
            largest=largest,
            matrix_scale=1.0,
            prediction_scale=predicted,
            vector_scale=vector,
        )
        yield stated, climb(movement, 3 * dimension + 2, norms=[2])


def moment_movement(largest, diagonal, off_diagonal, vector):
    """Return how (x x', y x) moves, every entry divided by its own scale."""

    def report(datum):
        x, y = in_ball(datum[1:]), np.clip(datum[0] * 5, -largest, largest)
        return np.concatenate([triangle(x, diagonal / off_diagonal) / diagonal, y * x / vector])

    def movement(v):
        one, two = v.reshape(2, -1)
        return report(one) - report(two)

    return movement


# In one dimension, another point is the worst below about 0.36.
BALANCES = (0.02, 0.3, 0.4, 1.0, 1.9)


@searches(sensitivities.moments)
def first_and_second_moments(function):
    for dimension, balance in itertools.product((1, 2, 3), (*BALANCES, 5.0)):
        largest, matrix = 2.0, 0.7
        vector = largest * matrix / math.sqrt(balance)
        movement = moment_movement(largest, matrix, matrix / math.sqrt(2), vector)
        found = climb(movement, 2 * dimension + 2, norms=[2])
        yield (
            function(
                dimension=dimension, largest=largest, matrix_scale=matrix, vector_scale=vector
            ),
            found,
        )


@searches(sensitivities.moment_scales)
def moments_in_units_of_their_noise(function):
    """Here the scales are searched with: together the moments must move by 1 in unit scales."""
    for dimension, balance in itertools.product((1, 2, 3), BALANCES):
        scales = function(dimension=dimension, largest=2.0, unit_scale=3.0, balance=balance)
        assert (2.0 * scales[0] / scales[2]) ** 2 == pytest.approx(balance)
        yield 1 / 3.0, climb(moment_movement(2.0, *scales), 2 * dimension + 2, norms=[2])


# Trees


def nodes_of(prefix):
    """Return the intervals (start, stop] that make up a prefix: one per binary digit 1."""
    start = 0
    for level in reversed(range(prefix.bit_length())):
        if prefix >> level & 1:
            yield start, start + 2**level
            start += 2**level


@searches(sensitivities.tree_levels)
def nodes_that_hold_one_round(function):
    for prefixes in [*range(140), 255, 256, 257, 999, 1000, 1023, 1024, 1025]:
        nodes = {node for prefix in range(1, prefixes + 1) for node in nodes_of(prefix)}
        steps = np.zeros(prefixes + 2)
        for start, stop in nodes:
            steps[start] += 1
            steps[stop] -= 1
        yield function(prefixes), np.cumsum(steps).max()


def counted(items):
    """Return all nodes that a binary counter completes while it adds up items, one per step."""
    open_sums, nodes = {}, []
    for t, item in enumerate(items, 1):
        level, node = 0, item.copy()
        while t >> level & 1 == 0:
            node += open_sums.pop(level)
            level += 1
        open_sums[level] = node
        nodes.append(node)
    return np.concatenate(nodes)


@searches(sensitivities.tree)
def sums_of_a_binary_counter(function):
    rng = np.random.default_rng(4)
    for prefixes, size in itertools.product((1, 2, 3, 5, 8, 13, 31, 32, 33), (1, 2)):
        corners = [np.array(corner) for corner in itertools.product((-1.0, 2.0), repeat=size)]
        pairs = [*itertools.permutations(corners, 2), *rng.uniform(-1, 2, (5, 2, size))]
        item = Sensitivity(
            *(max(np.linalg.norm(one - two, p) for one, two in pairs) for p in NORMS)
        )
        found = np.zeros(3)
        for where, (one, two) in itertools.product(range(prefixes), pairs):
            items = rng.uniform(-1, 2, (prefixes, size))
            sums = []
            for items[where] in (one, two):
                sums.append(counted(items))
            found = np.maximum(found, [np.linalg.norm(sums[0] - sums[1], p) for p in NORMS])
        yield function(item, prefixes=prefixes), found


@searches(sensitivities.ftrl_prefixes)
def sums_that_a_leader_uses(function):
    for rounds in range(1, 40):
        seen, used = [], set()
        for t in range(rounds):
            used |= {len(seen)}  # round t follows the sum of everything seen
            seen.append(t)
        used -= {0}
        assert used == set(range(1, len(used) + 1))
        yield function(rounds), len(used)


@searches(sensitivities.batched_prefixes)
def sums_that_the_batched_convex_bandit_uses(function):
    """Algorithm 1 of Ene et al. 2021: batch i plays point i - 1; point i uses the sum of i - 1."""
    for batches in range(1, 40):
        points, used = {0: 0}, set()
        for batch in range(1, batches + 1):
            used |= {points[batch - 1]}
            points[batch] = batch - 1
        used -= {0}
        assert used == set(range(1, len(used) + 1))
        yield function(batches), len(used)
