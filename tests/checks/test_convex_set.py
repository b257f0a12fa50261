"""The check of convex sets passes ours, and finds what is wrong with broken ones."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import sets
from discreet.checks import CheckFailed, check_set
from discreet.sets import SETS, KSets, L2Ball, Simplex, set_named

NUMBERS = {
    "box": "1,20,-0.5,2",
    "k-sets": "5,2",
    "partition": "3,1,4,2",
    "paths": "2,3",
    "nuclear": "3,2",
}


@pytest.mark.parametrize("name", SETS)
def test_every_named_set_passes(name):
    check_set(set_named(f"{name}({NUMBERS.get(name, 4)})"))


class Outside(L2Ball):
    def minimise_linear(self, direction, point):
        point[:] = -2.0 * direction / np.linalg.norm(direction)


class Undecided(L2Ball):
    def minimise_linear(self, direction, point):
        super().minimise_linear(direction, point)
        if not np.isfinite(direction).all():
            point[:] = np.nan


class Late(L2Ball):
    def minimise_linear(self, direction, point):
        super().minimise_linear(np.roll(direction, 1), point)


class Small(L2Ball):
    outer = 0.9


class Roomy(Simplex):
    inner = 0.5


class Bent(Simplex):
    def tangent(self, vector):
        vector[0] = 0.0


class Flatter(Simplex):
    flat = 1


class Escaping(L2Ball):
    def project(self, point):
        point *= 1.5 / np.linalg.norm(point)


class Shortened(L2Ball):
    def project(self, point):
        point *= 0.5 / np.linalg.norm(point)


class Stretched(L2Ball):
    def gauge(self, point):
        return 0.9 * super().gauge(point)


class Ahead(KSets):
    def plan(self):
        return super().plan()._replace(vertices=super().plan().vertices + 1.0)


class Nameless(KSets):
    def label(self, point):
        return ""


class Off(L2Ball):
    def centre(self):
        return np.full(self.dimension, 3.0)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Outside(3, 1.0), r"the oracle of Outside is \[-2.0.*\], which is outside of its set$"),
        (Undecided(3, 1.0), r"the oracle of Undecided is \[nan.*, which is outside of its set$"),
        (Late(3, 1.0), "the oracle of Late does not return a minimum in its direction"),
        (Small(3, 1.0), "Small.outer is 0.9, but an answer of the oracle is 1 from the centre"),
        (Roomy(3), "Roomy.inner is 0.5, but no ball of that radius around the centre fits"),
        (Bent(3), "Bent.tangent changes a direction of the hull"),
        (Flatter(3), "Flatter.flat is 1, but answers span 2 dimensions"),
        (Escaping(3, 1.0), r"Escaping.project gives \[.*\], outside of its set"),
        (Shortened(3, 1.0), r"Shortened.project gives \[.*\], which is not the nearest point"),
        (Stretched(3, 1.0), "Stretched.gauge is 0.45 at 0.5 of the way to the boundary"),
        (Ahead.of(4, 2), "Ahead.plan has .*, outside of the set"),
        (Nameless.of(4, 2), "Nameless.label is empty for"),
        (Off(3, 1.0), "the centre of Off is .*, outside of its set"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, sets.LinearOracle) else "",
)
def test_the_check_finds_broken_sets(broken, complaint):
    with pytest.raises(CheckFailed, match=complaint):
        check_set(broken)
