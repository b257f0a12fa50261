"""Sensitivities: golden values, and for every function a search that must reach what is stated and never exceed it.

A search computes the statistic itself, from data that it moves about freely, and knows nothing of the formula: it tries
points of a coarse grid, random ones, and climbs from the best of them. Seeds are fixed; nothing here is statistical.
"""

from __future__ import annotations

import inspect
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import optimize

import discreet
from discreet import DiscreetError, Range, sensitivities
from discreet.channels import Batch, PerRound, Selection
from discreet.contracts import Noise
from discreet.mechanisms import Gaussian, Laplace
from discreet.problems import Arms
from discreet.sensitivities import Sensitivity

NORMS = (1, 2, np.inf)
SLACK = 1e-12  # relative, for rounding
SEARCHES = {}


def searches(function):
    """Register a search: called with the function, it yields pairs of what that states and what is found."""

    def keep(search):
        SEARCHES[function.__name__] = search
        return search

    return keep


def compare(stated, found):
    """Return the ratio of the two, or complain."""
    stated, found = np.atleast_1d(stated).astype(float), np.atleast_1d(found).astype(float)
    assert stated.shape == found.shape
    assert np.all(found <= stated * (1 + SLACK)), f"moves by {found}, more than the stated {stated}"
    assert np.all(found >= 0.99 * stated), f"moves by {found} only, not by the stated {stated}"
    return 1.0 if not stated.any() else float(np.min(found[stated > 0] / stated[stated > 0]))


def climb(movement, size, norms=NORMS, seed=0):
    """Return the largest norm of ``movement(v)`` that is found over vectors v of any size, for each norm."""
    rng = np.random.default_rng(seed)
    if 3**size <= 729:
        starts = [np.array(v) for v in itertools.product((-1.0, 0.0, 1.0), repeat=size)]
    else:
        starts = list(rng.integers(-1, 2, (400, size)).astype(float))
    starts += list(rng.standard_normal((100, size)) * 2.0 ** rng.integers(-2, 3, (100, 1)))
    moves = [movement(v) for v in starts]
    largest = []
    for norm in norms:
        seen = [np.linalg.norm(move, norm) for move in moves]

        def height(v, norm=norm, seen=seen):
            seen.append(np.linalg.norm(movement(v), norm))
            return -seen[-1]

        for best in np.argsort(seen)[-2:]:
            optimize.minimize(height, starts[best], method="L-BFGS-B", options={"maxfun": 200})
        highest = starts[int(np.argmax(seen[: len(starts)]))]
        optimize.minimize(height, highest, method="Powell", options={"maxfev": 200})
        largest.append(max(seen))
    return np.array(largest)


def in_ball(v, radius=1.0, norm=2):
    """Return the vector, scaled back into a ball."""
    length = np.linalg.norm(v, norm)
    return v if length <= radius else v * (radius / length)


def unit(v):
    """Return the direction of a vector."""
    length = np.linalg.norm(v)
    return v / length if length > 0 else np.eye(len(v))[0]


def on_simplex(v):
    """Return the nearest probability vector."""
    ordered = np.sort(v)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - excess[np.flatnonzero(ordered > excess)[-1]], 0)


class Silent(Noise):
    """No noise: what reaches it is released."""

    def add_noise(self, value, rng):
        return value


def released(channel, feedback):
    """Return everything that a channel releases: fractions of the range."""
    channel, rng = channel.fork(), np.random.default_rng(0)
    return np.array([value for ready, value in (channel.offer(y, 1.0, rng) for y in feedback) if ready])


RANGES = [Range(0.0, 1.0), Range(-1.0, 3.0), Range(5.0, 5.5)]


def channel_movement(channel, rounds, where, scale):
    """Return how the releases move when one round is replaced; feedback may lie outside of the range."""
    low, high = channel.bounds

    def movement(v):
        feedback = (low + high) / 2 + (high - low) * v
        other = feedback[:rounds].copy()
        other[where] = feedback[rounds]
        return (released(channel, feedback[:rounds]) - released(channel, other)) * scale

    return movement


# One number


@searches(sensitivities.loss)
def a_loss_through_its_channel(function):
    for bounds in RANGES:
        movement = channel_movement(PerRound(bounds, Silent()), 3, 1, bounds.width)
        yield function(width=bounds.width), climb(movement, 4)


def batch(size, bounds):
    return Batch.laplace(size=size, epsilon=1.0, bounds=bounds)._replace(noise=Silent())


BATCHES = [(size, bounds, where) for size, bounds in zip((1, 3, 7), RANGES, strict=True) for where in {0, size - 1, size}]


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
        yield function(size=size), climb(channel_movement(channel, 2 * size, where, -1.0), 2 * size + 1)


@searches(sensitivities.lipschitz_loss)
def a_convex_loss_asked_near_its_domain(function):
    for size, lipschitz, diameter, margin in [(1, 1.0, 1.0, 0.2), (2, 0.5, 3.0, 4.0), (2, 2.0, 1.0, 0.0)]:

        def movement(v, lipschitz=lipschitz, diameter=diameter, margin=margin):
            slope, zero, slope2, zero2, inside, direction = v.reshape(6, -1)
            point = in_ball(inside, diameter / 2) + margin * unit(direction)
            values = [
                lipschitz * in_ball(a) @ (point - in_ball(z, diameter / 2)) for a, z in ((slope, zero), (slope2, zero2))
            ]
            return np.array([values[0] - values[1]])

        yield function(lipschitz=lipschitz, diameter=diameter, margin=margin), climb(movement, 6 * size)


@searches(sensitivities.two_point_difference)
def a_difference_of_two_values(function):
    for size, lipschitz, radius in [(1, 1.0, 0.5), (3, 2.0, 0.1)]:

        def movement(v, size=size, lipschitz=lipschitz, radius=radius):
            here, direction, slope, peak, slope2, peak2 = v[: 6 * size].reshape(6, -1)

            def difference(slope, peak, share):
                values = [
                    lipschitz * ((1 - share) * in_ball(slope) @ x + share * np.linalg.norm(x - peak))
                    for x in (here + radius * unit(direction), here - radius * unit(direction))
                ]
                return values[0] - values[1]

            shares = np.clip(v[6 * size :], 0, 1)
            return np.array([difference(slope, peak, shares[0]) - difference(slope2, peak2, shares[1])])

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

        yield function(dimension=dimension, radius=radius, norm=norm), climb(movement, 2 * dimension)


@searches(sensitivities.one_point_gradient)
def a_gradient_from_values(function):
    for dimension, radius, bounds in [(1, 0.5, RANGES[0]), (2, 0.2, RANGES[1]), (4, 2.0, RANGES[2])]:

        def movement(v, dimension=dimension, radius=radius, bounds=bounds):
            directions = [unit(u) for u in v[: 3 * dimension].reshape(3, -1)]
            values = np.clip(v[3 * dimension :] * 10, *bounds)

            def gradient(values):
                return sum(dimension / radius * f * u for f, u in zip(values, directions, strict=True))

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
    for experts, arms, mixing, bounds in [(1, 2, 0.5, RANGES[0]), (3, 2, 0.1, RANGES[1]), (4, 3, 0.3, RANGES[2])]:
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
        found = np.max([climb(lambda v, where=where: movement(v, where), 4) for where in range(3)], axis=0)
        yield function(factors, width=bounds.width), found


@searches(sensitivities.advice_estimates)
def estimates_for_the_worst_advice(function):
    for experts, arms, mixing, size in [(1, 2, 0.5, 1), (1, 3, 1.0, 2), (2, 2, 0.1, 3), (2, 2, 1.0, 2), (3, 3, 0.3, 2)]:

        def movement(v, experts=experts, arms=arms, mixing=mixing, size=size):
            rows = [on_simplex(row) for row in v[: experts * arms].reshape(experts, -1)]
            weights = on_simplex(v[experts * arms : -2])
            advice, played = np.array([rows] * size), [0] * size
            first, second = np.clip(v[-2:] * 10, -1.0, 2.0)
            return estimates([first] + [0.5] * (size - 1), advice, weights, played, mixing) - estimates(
                [second] + [0.5] * (size - 1), advice, weights, played, mixing
            )

        found = climb(movement, experts * arms + experts + 2)
        yield function(experts=experts, arms=arms, mixing=mixing, size=size, width=3.0), found


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


def moment_movement(largest, diagonal, off_diagonal, vector):
    """Return how (x x', y x) moves, every entry divided by its own scale."""

    def report(datum):
        x, y = in_ball(datum[1:]), np.clip(datum[0] * 5, -largest, largest)
        return np.concatenate([triangle(x, diagonal / off_diagonal) / diagonal, y * x / vector])

    def movement(v):
        one, two = v.reshape(2, -1)
        return report(one) - report(two)

    return movement


BALANCES = (0.02, 0.3, 0.4, 1.0, 1.9)  # in one dimension, another point is the worst below about 0.36


@searches(sensitivities.moments)
def first_and_second_moments(function):
    for dimension, balance in itertools.product((1, 2, 3), (*BALANCES, 5.0)):
        largest, matrix = 2.0, 0.7
        vector = largest * matrix / math.sqrt(balance)
        movement = moment_movement(largest, matrix, matrix / math.sqrt(2), vector)
        found = climb(movement, 2 * dimension + 2, norms=[2])
        yield function(dimension=dimension, largest=largest, matrix_scale=matrix, vector_scale=vector), found


@searches(sensitivities.moment_scales)
def moments_in_units_of_their_noise(function):
    """Here the scales are what is searched with: together the moments must move by what 1 is to the unit scale."""
    for dimension, balance in itertools.product((1, 2, 3), BALANCES):
        scales = function(dimension=dimension, largest=2.0, unit_scale=3.0, balance=balance)
        assert (2.0 * scales[0] / scales[2]) ** 2 == pytest.approx(balance)
        yield 1 / 3.0, climb(moment_movement(2.0, *scales), 2 * dimension + 2, norms=[2])


# Trees


def nodes_of(prefix):
    """Return the intervals (start, stop] whose sums make up a prefix: one for every binary digit 1, largest first."""
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
    """Return all nodes that a binary counter completes while it adds up the items, one at every step."""
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
        item = Sensitivity(*(max(np.linalg.norm(one - two, p) for one, two in pairs) for p in NORMS))
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
    """Algorithm 1 of Ene et al. 2021: batch R plays point R - 1, while point R is computed from the sum of R - 1."""
    for batches in range(1, 40):
        points, used = {0: 0}, set()
        for batch in range(1, batches + 1):
            used |= {points[batch - 1]}
            points[batch] = batch - 1
        used -= {0}
        assert used == set(range(1, len(used) + 1))
        yield function(batches), len(used)


# What is done with the searches


def public_functions():
    return {
        name
        for name, function in inspect.getmembers(sensitivities, inspect.isfunction)
        if function.__module__ == sensitivities.__name__ and not name.startswith("_")
    }


def public_classes():
    return {
        name
        for name, each in inspect.getmembers(sensitivities, inspect.isclass)
        if each.__module__ == sensitivities.__name__
    }


def test_every_public_function_has_a_search():
    assert set(SEARCHES) == public_functions()
    assert public_classes() == {"Sensitivity", "MomentScales"}, "values; a class that computes needs a search, too"


def worst_ratio(name, function):
    return min(compare(stated, found) for stated, found in SEARCHES[name](function))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_a_search_reaches_the_stated_sensitivity_and_no_more(name):
    assert worst_ratio(name, getattr(sensitivities, name)) >= 0.99


def wrong(function, factor):
    def answer(*arguments, **keywords):
        right = function(*arguments, **keywords)
        return type(right)(*(part * factor for part in right)) if isinstance(right, tuple) else right * factor

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "complaint"), [(0.5, "more than the stated"), (1.02, "not by the stated")])
@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_a_search_finds_wrong_sensitivities(name, factor, complaint):
    """Half of a diameter is a norm, which is what some papers calibrate noise to."""
    with pytest.raises(AssertionError, match=complaint):
        worst_ratio(name, wrong(getattr(sensitivities, name), factor))


def norms_of_a_ball(*, dimension, radius, norm):
    shapes = {1: (1.0, 1.0, 1.0), 2: (math.sqrt(dimension), 1.0, 1.0), np.inf: (dimension, math.sqrt(dimension), 1.0)}
    return Sensitivity(*shapes[norm]).times(radius)


def only_rare_advice(*, experts, arms, mixing, size, width):
    return Sensitivity(experts - 1, math.sqrt(experts - 1), 1.0).times(arms / mixing / size * width)


def as_in_two_dimensions(*, dimension, **keywords):
    return sensitivities.moments(dimension=max(dimension, 2), **keywords)


def levels_above_leaves(prefixes):
    return math.ceil(math.log2(prefixes)) if prefixes else 0


def without_delay(batches):
    return batches - 1


@pytest.mark.parametrize(
    ("name", "formula", "complaint"),
    [
        ("ball", norms_of_a_ball, "more than the stated"),
        ("advice_estimates", only_rare_advice, "more than the stated"),  # right for mixing up to 1/2 and two experts
        ("moments", as_in_two_dimensions, "not by the stated"),  # enough noise in one dimension, but too much
        ("tree_levels", levels_above_leaves, "more than the stated"),  # right except at powers of 2
        ("batched_prefixes", without_delay, "not by the stated"),
    ],
)
def test_a_search_finds_plausible_but_wrong_formulas(name, formula, complaint):
    with pytest.raises(AssertionError, match=complaint):
        worst_ratio(name, formula)


# Properties for any input


@settings(max_examples=100)
@given(some.integers(1, 60), some.integers(0, 59), some.integers(0, 2**32))
def test_a_replaced_round_never_moves_a_tree_further(prefixes, where, seed):
    rng = np.random.default_rng(seed)
    items = rng.choice([-1.0, 0.5, 2.0], (prefixes, 2))
    other = items.copy()
    other[where % prefixes] = rng.choice([-1.0, 0.5, 2.0], 2)
    moved = counted(items) - counted(other)
    stated = sensitivities.tree(sensitivities.box(dimension=2, width=3.0), prefixes=prefixes)
    for norm, limit in zip(NORMS, stated, strict=True):
        assert np.linalg.norm(moved, norm) <= limit * (1 + SLACK)


@settings(max_examples=200)
@given(
    some.integers(1, 4), some.floats(1e-3, 1e3), some.floats(1e-3, 1e3), some.floats(1e-3, 1e3), some.integers(0, 2**32)
)
def test_moments_never_move_further(dimension, largest, matrix, vector, seed):
    movement = moment_movement(largest, matrix, matrix / math.sqrt(2), vector)
    stated = sensitivities.moments(dimension=dimension, largest=largest, matrix_scale=matrix, vector_scale=vector)
    rng = np.random.default_rng(seed)
    for v in rng.standard_normal((20, 2 * dimension + 2)) * 10.0 ** rng.uniform(-1, 3, (20, 1)):
        assert np.linalg.norm(movement(v)) <= stated * (1 + SLACK)


@settings(max_examples=100)
@given(some.lists(some.floats(), min_size=12, max_size=12), some.integers(0, 11), some.floats(), some.integers(1, 5))
def test_no_feedback_at_all_moves_a_mean_further(feedback, where, other, size):
    channel = batch(size, Range(-1.0, 3.0))
    neighbour = [*feedback[:where], other, *feedback[where + 1 :]]
    moved = (released(channel, feedback) - released(channel, neighbour)) * 4.0
    for norm, limit in zip(NORMS, sensitivities.mean(width=4.0, size=size), strict=True):
        assert np.linalg.norm(moved, norm) <= limit * (1 + SLACK)


@given(some.integers(1, 5), some.floats(0.1, 10), some.floats(0.1, 50), some.floats(1e-6, 2.0))
def test_scales_of_moments_give_back_their_sensitivity(dimension, largest, unit_scale, balance):
    scales = sensitivities.moment_scales(dimension=dimension, largest=largest, unit_scale=unit_scale, balance=balance)
    joint = sensitivities.moments(
        dimension=dimension, largest=largest, matrix_scale=scales.diagonal, vector_scale=scales.vector
    )
    assert joint * unit_scale == pytest.approx(1.0, rel=1e-12)


@given(some.integers(1, 10**14))
def test_levels_are_those_of_the_logarithm(rounds):
    """2^(k - 1) < T ≤ 2^k with k = ceil(log2 T), where a logarithm in floating point can be off by one."""
    levels = sensitivities.tree_levels(sensitivities.ftrl_prefixes(rounds))
    assert 2**levels >= rounds > 2**levels // 2
    if rounds >= 2:
        assert sensitivities.tree_levels(sensitivities.batched_prefixes(rounds + 1)) == levels


# Golden values


def digits(value):
    """Return what agrees in six decimals."""
    return pytest.approx(value, abs=5.1e-7)


def test_golden_noise_of_the_tree():
    levels = sensitivities.tree_levels(sensitivities.ftrl_prefixes(1000))
    box = sensitivities.tree(sensitivities.box(dimension=3, width=1.0), prefixes=sensitivities.ftrl_prefixes(1000))
    ball = sensitivities.tree(sensitivities.ball(dimension=3, radius=1.0, norm=2), prefixes=999)
    assert levels == 10
    assert Laplace.calibrate(sensitivity=box.l1, epsilon=1.0).scale == digits(30.0)
    assert Gaussian.calibrate(sensitivity=ball.l2, epsilon=1.0, delta=1e-6).scale == digits(26.719215)


def test_golden_noise_of_the_batched_convex_bandit():
    rounds, dimension, lipschitz, diameter = 10_000, 4, 1.0, 1.0
    radius, batches = diameter * math.sqrt(dimension) / rounds**0.25, math.isqrt(rounds)
    width = sensitivities.lipschitz_loss(lipschitz=lipschitz, diameter=diameter, margin=radius).l1
    item = sensitivities.one_point_gradient(dimension=dimension, radius=radius, width=width)
    prefixes = sensitivities.batched_prefixes(batches)
    nodes = sensitivities.tree(item, prefixes=prefixes)
    assert (radius, width, batches) == (digits(0.2), digits(2.4), 100)
    assert (item.l2, item.l1) == (digits(48.0), digits(96.0))
    assert sensitivities.tree_levels(prefixes) == 7
    assert Laplace.calibrate(sensitivity=nodes.l1, epsilon=1.0).scale == digits(672.0)
    assert Gaussian.calibrate(sensitivity=nodes.l2, epsilon=1.0, delta=1e-6).scale == digits(536.517586)


def noise_of(name, setting, **options):
    (noise,) = discreet.algorithm(name).build(setting, **options).private.channel.noise_scales
    return noise.kind, noise.scale


def test_golden_noise_of_the_bandit_reduction():
    bounds = Range(-1.0, 1.0)
    kind, scale = noise_of("noisy-exp2", discreet.Setting(Arms(4), rounds=1000, epsilon=1.0, bounds=bounds))
    assert ("laplace" in kind, scale) == (True, digits(2.0))
    stated = sensitivities.loss(width=bounds.width).l1
    assert Laplace.calibrate(sensitivity=stated, epsilon=1.0).scale == digits(2.0)


@pytest.mark.parametrize("name", ["batched-exp3", "batched-htinf", "batched-ftpl", "batched-tsallis-inf"])
def test_golden_noise_of_batches(name):
    kind, scale = noise_of(name, discreet.Setting(Arms(4), rounds=1000, epsilon=0.1), batch_size=10)
    assert ("laplace" in kind, scale) == (True, digits(1.0))
    stated = sensitivities.mean(width=1.0, size=10).l1
    assert Laplace.calibrate(sensitivity=stated, epsilon=0.1).scale == digits(1.0)


def test_golden_batch_of_exp3_tau():
    setting = discreet.Setting(Arms(4), rounds=10_000, epsilon=1.0, delta=1e-6)
    instance = discreet.algorithm("exp3-tau").build(setting)
    assert instance.parameters["batch_size"] == 42
    assert instance.guarantee.epsilon == pytest.approx(0.9823, abs=5.1e-5)
    window = sensitivities.mean_gain(size=42).l1
    rho = (math.ceil(10_000 / 42) - 1) * window**2 / 8
    assert rho + 2 * math.sqrt(rho * math.log(1e6)) == pytest.approx(0.9823, abs=5.1e-5)


def test_golden_noise_in_the_local_model():
    bounds = Range(-1.0, 1.0)
    setting = discreet.Setting(Arms(4), rounds=1000, epsilon=1.0, delta=1e-5, bounds=bounds)
    kind, scale = noise_of("local-tsallis-inf", setting)
    assert ("gaussian" in kind, scale) == (True, digits(7.461263))
    stated = sensitivities.loss(width=bounds.width).l2
    assert Gaussian.calibrate(sensitivity=stated, epsilon=1.0, delta=1e-5).scale == digits(7.461263)


def test_golden_noise_of_moments():
    alone = Gaussian.calibrate(sensitivity=1.0, epsilon=1.0, delta=1e-5).scale
    scales = sensitivities.moment_scales(dimension=5, largest=2.0, unit_scale=alone, balance=2.0)
    assert scales == (digits(10.551820), digits(7.461263), digits(14.922527))
    vector = sensitivities.scaled_context(dimension=5, largest=2.0).l2
    assert Gaussian.calibrate(sensitivity=vector, epsilon=1.0, delta=1e-5).scale == digits(14.922527)


# What is refused


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "argument"),
    [
        ("loss", (), {"width": 0.0}, "width"),
        ("mean", (), {"width": 1.0, "size": 0}, "size"),
        ("mean_gain", (), {"size": 2.5}, "size"),
        ("total", (), {"width": math.nan}, "width"),
        ("lipschitz_loss", (), {"lipschitz": 1.0, "diameter": 1.0, "margin": -0.1}, "margin"),
        ("two_point_difference", (), {"lipschitz": math.inf, "radius": 1.0}, "lipschitz"),
        ("box", (), {"dimension": 0, "width": 1.0}, "dimension"),
        ("ball", (), {"dimension": 2, "radius": 1.0, "norm": 3}, "norm"),
        ("one_point_gradient", (), {"dimension": 2, "radius": 0.0, "width": 1.0}, "radius"),
        ("weighted_losses", ([[1.0, math.nan]],), {"width": 1.0}, r"factors\[0\]\[1\]"),
        ("weighted_losses", ([],), {"width": 1.0}, "factors"),
        ("weighted_losses", ([[1.0], []],), {"width": 1.0}, "factors"),
        ("advice_estimates", (), {"experts": 2, "arms": 2, "mixing": 0.0, "size": 1, "width": 1.0}, "mixing"),
        ("scaled_context", (), {"dimension": 2, "largest": -1.0}, "largest"),
        ("glm_gradient", (), {"dimension": 2, "bound": 0.0}, "bound"),
        ("outer_product", (), {"dimension": True}, "dimension"),
        ("moments", (), {"dimension": 2, "largest": 1.0, "matrix_scale": 0.0, "vector_scale": 1.0}, "matrix_scale"),
        ("moment_scales", (), {"dimension": 2, "largest": 1.0, "unit_scale": 1.0, "balance": 2.1}, "balance"),
        ("tree_levels", (-1,), {}, "prefixes"),
        ("tree", (Sensitivity(1.0, 1.0, 1.0),), {"prefixes": 1.5}, "prefixes"),
        ("ftrl_prefixes", (0,), {}, "rounds"),
        ("batched_prefixes", (0,), {}, "batches"),
    ],
)
def test_bad_arguments_are_refused(name, arguments, keywords, argument):
    with pytest.raises(DiscreetError, match=rf"^{argument} is .*, but must [^.]*(\.\d[^.]*)*\.$"):
        getattr(sensitivities, name)(*arguments, **keywords)
