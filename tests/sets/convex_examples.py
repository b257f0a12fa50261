"""Convex sets, found by reflection, with points and directions: what their tests share."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

from discreet import sets
from discreet.sets import ConvexSet

FOUND = [
    kind for kind in vars(sets).values() if inspect.isclass(kind) and issubclass(kind, ConvexSet)
]
FOUND.remove(ConvexSet)
# All tests that take `each` run on all of them.
EXAMPLES = {kind: kind.examples() for kind in FOUND}
ALL = [each for kind in FOUND for each in EXAMPLES[kind]]


def name(value):
    return f"{type(value).__name__}-{value.dimension}" if isinstance(value, tuple) else str(value)


every = pytest.mark.parametrize("each", ALL, ids=name)


def least(each, direction):
    point = np.full(each.dimension, math.nan)
    each.minimise_linear(np.asarray(direction, float), point)
    return point


def nearest(each, point):
    result = np.array(point, dtype=float)
    each.project(result)
    return result


def directions(dimension, count, rng):
    """Return the axes, vectors of signs, and random vectors of very different lengths."""
    signs = rng.choice([-1.0, 1.0], size=(count, dimension))
    random = rng.normal(size=(count, dimension)) * 10.0 ** rng.uniform(-3, 3, size=(count, 1))
    return np.vstack([np.eye(dimension), -np.eye(dimension), np.ones(dimension), signs, random])


def members(each, count, rng):
    """Return extreme points of the set, and random mixtures of them."""
    extreme = np.array(
        [least(each, direction) for direction in directions(each.dimension, count, rng)]
    )
    mixtures = rng.dirichlet(np.full(len(extreme), 0.1), size=count) @ extreme
    return np.vstack([extreme, mixtures, each.centre()])
