"""Gaussian widths: exact values, and a search that comes close to them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.sets import GraphicMatroid, L1Ball, set_named

GOLDEN = {"k-sets(10,3)": 3.1962, "permutations(5)": 5.6419, "spanning-trees(5)": 3.4109}


@pytest.mark.parametrize(("name", "width"), GOLDEN.items())
def test_golden_widths(name, width):
    assert round(set_named(name).gaussian_width(), 4) == width


@pytest.mark.parametrize(
    "name",
    ["k-sets(7,5)", "permutations(4)", "spanning-trees(4)", "partition(4,1,3,2)", "simplex(6)",
     "cube(3)", "cross(4)", "cross(3)", "ball(3)", "paths(2,2)", "assignments(3)", "nuclear(2,2)"],
)  # fmt: skip
def test_widths_are_not_too_small(name):
    """The mean of 1,000 draws is within 4.5 standard errors: at most 1e-5 of false alarms."""
    around, rng = set_named(name), np.random.default_rng(11)
    point, found = np.empty(around.dimension), []
    for direction in rng.standard_normal((1000, around.dimension)):
        around.minimise_linear(-direction, point)
        found.append(float(direction @ (point - around.centre())))
    error = float(np.std(found)) / math.sqrt(1000)
    assert around.gaussian_width() > np.mean(found) - 4.5 * error
    exact = name.startswith(("k-sets", "perm", "span", "part", "simplex", "cube", "cross"))
    if exact:
        assert around.gaussian_width() < np.mean(found) + 4.5 * error


def test_widths_in_closed_form():
    assert set_named("simplex(2)").gaussian_width() == pytest.approx(1 / math.sqrt(math.pi))
    assert L1Ball(1, 2.0).gaussian_width() == pytest.approx(2.0 * math.sqrt(2.0 / math.pi))
    # the larger of two absolute values: 2 / sqrt(pi)
    assert L1Ball(2, 1.0).gaussian_width() == pytest.approx(2.0 / math.sqrt(math.pi))
    square = GraphicMatroid.of([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    assert square.gaussian_width() == pytest.approx(square.outer * math.sqrt(3.0))
