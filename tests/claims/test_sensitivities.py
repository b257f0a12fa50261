"""Sensitivities: for every function a search that must reach what is stated and never exceed it."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from searches_of_feedback import batch
from searches_of_sums import counted, moment_movement
from searching import NORMS, SEARCHES, SLACK, released

from discreet import Range, sensitivities
from discreet.sensitivities import Sensitivity


def compare(stated, found):
    """Return the ratio of the two, or complain."""
    stated, found = np.atleast_1d(stated).astype(float), np.atleast_1d(found).astype(float)
    assert stated.shape == found.shape
    assert np.all(found <= stated * (1 + SLACK)), f"moves by {found}, more than the stated {stated}"
    assert np.all(found >= 0.99 * stated), f"moves by {found} only, not by the stated {stated}"
    return 1.0 if not stated.any() else float(np.min(found[stated > 0] / stated[stated > 0]))


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
    assert public_classes() == {"Sensitivity", "MomentScales"}, (
        "values; a class that computes needs a search, too"
    )


def worst_ratio(name, function):
    return min(compare(stated, found) for stated, found in SEARCHES[name](function))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_a_search_reaches_the_stated_sensitivity_and_no_more(name):
    assert worst_ratio(name, getattr(sensitivities, name)) >= 0.99


def wrong(function, factor):
    def answer(*arguments, **keywords):
        right = function(*arguments, **keywords)
        return (
            type(right)(*(part * factor for part in right))
            if isinstance(right, tuple)
            else right * factor
        )

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("factor", "complaint"), [(0.5, "more than the stated"), (1.02, "not by the stated")]
)
@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_a_search_finds_wrong_sensitivities(name, factor, complaint):
    """Half of a diameter is a norm, which is what some papers calibrate noise to."""
    with pytest.raises(AssertionError, match=complaint):
        worst_ratio(name, wrong(getattr(sensitivities, name), factor))


def norms_of_a_ball(*, dimension, radius, norm):
    shapes = {
        1: (1.0, 1.0, 1.0),
        2: (math.sqrt(dimension), 1.0, 1.0),
        np.inf: (dimension, math.sqrt(dimension), 1.0),
    }
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
        # right for mixing up to 1/2 and two experts
        ("advice_estimates", only_rare_advice, "more than the stated"),
        # enough noise in one dimension, but too much
        ("moments", as_in_two_dimensions, "not by the stated"),
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
    some.integers(1, 4),
    some.floats(1e-3, 1e3),
    some.floats(1e-3, 1e3),
    some.floats(1e-3, 1e3),
    some.integers(0, 2**32),
)
def test_moments_never_move_further(dimension, largest, matrix, vector, seed):
    movement = moment_movement(largest, matrix, matrix / math.sqrt(2), vector)
    stated = sensitivities.moments(
        dimension=dimension, largest=largest, matrix_scale=matrix, vector_scale=vector
    )
    rng = np.random.default_rng(seed)
    for v in rng.standard_normal((20, 2 * dimension + 2)) * 10.0 ** rng.uniform(-1, 3, (20, 1)):
        assert np.linalg.norm(movement(v)) <= stated * (1 + SLACK)


@settings(max_examples=100)
@given(
    some.lists(some.floats(), min_size=12, max_size=12),
    some.integers(0, 11),
    some.floats(),
    some.integers(1, 5),
)
def test_no_feedback_at_all_moves_a_mean_further(feedback, where, other, size):
    channel = batch(size, Range(-1.0, 3.0))
    neighbour = [*feedback[:where], other, *feedback[where + 1 :]]
    moved = (released(channel, feedback) - released(channel, neighbour)) * 4.0
    for norm, limit in zip(NORMS, sensitivities.mean(width=4.0, size=size), strict=True):
        assert np.linalg.norm(moved, norm) <= limit * (1 + SLACK)


@given(some.integers(1, 5), some.floats(0.1, 10), some.floats(0.1, 50), some.floats(1e-6, 2.0))
def test_scales_of_moments_give_back_their_sensitivity(dimension, largest, unit_scale, balance):
    scales = sensitivities.moment_scales(
        dimension=dimension, largest=largest, unit_scale=unit_scale, balance=balance
    )
    joint = sensitivities.moments(
        dimension=dimension,
        largest=largest,
        matrix_scale=scales.diagonal,
        vector_scale=scales.vector,
    )
    assert joint * unit_scale == pytest.approx(1.0, rel=1e-12)


@given(some.integers(1, 10**14))
def test_levels_are_those_of_the_logarithm(rounds):
    """2^(k - 1) < T ≤ 2^k with k = ceil(log2 T); a floating-point logarithm can be off by one."""
    levels = sensitivities.tree_levels(sensitivities.ftrl_prefixes(rounds))
    assert 2**levels >= rounds > 2**levels // 2
    if rounds >= 2:
        assert sensitivities.tree_levels(sensitivities.batched_prefixes(rounds + 1)) == levels
