"""A set of points with its radii, given by name or as a set."""

from __future__ import annotations

import functools
from typing import NamedTuple, cast

import numpy as np

from componentjit import copy
from discreet.contracts import Floats
from discreet.errors import DiscreetError, shorten
from discreet.sets import (
    LinearOracle,
    Projecting,
    SetText,
    as_text,
    check_ability,
    check_room,
    set_named,
)

SMALL = {  # smaller sets of the same kind, for audits
    "ball": "ball(2)",
    "cube": "cube(2)",
    "box": "box(1,20)",
    "cross": "cross(2)",
    "simplex": "simplex(3)",
    "k-sets": "k-sets(3,1)",
    "paths": "paths(1,3)",
    "permutations": "permutations(3)",
    "assignments": "assignments(2)",
    "nuclear": "nuclear(1,2)",
}


class Domain(NamedTuple):
    """A set with its radii, computed once because that can be slow.

    >>> domain_named("cube(4)").inner, domain_named("cube(4)").outer
    (1.0, 2.0)
    """

    set: LinearOracle
    inner: float  # r
    outer: float  # R

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return int(self.set.dimension)

    @property
    def flat(self) -> int:
        """The dimension of its affine hull."""
        return int(self.set.flat)

    def best_against(self, direction: Floats) -> Floats:
        """Return a point of the set with the smallest inner product."""
        point = np.empty(self.dimension)
        self.set.minimise_linear(direction, point)
        return point

    def nearest(self, point: Floats) -> Floats:
        """Return the point of the set nearest to a given one."""
        check_ability(self.set, Projecting)
        found: Floats = np.array(point, dtype=np.float64)
        cast(Projecting, self.set).project(found)
        return found

    def tangents(self, vectors: Floats) -> Floats:
        """Return the rows, each projected onto the directions of the hull."""
        if self.flat == self.dimension:
            return vectors
        onto_hull = np.eye(self.dimension)
        for row in onto_hull:
            self.set.tangent(row)
        return np.asarray(vectors @ onto_hull)

    def check_full(self, what: str) -> None:
        """Refuse a set whose hull is not the whole space."""
        if self.flat < self.dimension:
            raise DiscreetError(
                f"the set has a hull of {self.flat} dimensions in a space of {self.dimension}, "
                f"but {what} needs a set whose hull is the whole space."
            )


def domain_named(given: str | LinearOracle) -> Domain:
    """Return the set with a name such as "ball(10)", or a given set.

    The result has its own buffers, so it can be used in another thread.
    """
    text = domain_text(given)
    found = Domain(text.set, text.inner, text.outer) if isinstance(text, SetText) else _found(text)
    return found._replace(set=copy(found.set))


def domain_text(given: str | LinearOracle) -> str:
    """Return the name of a set without spaces; a set itself becomes a text that carries it."""
    text = as_text(given)
    if not isinstance(text, str):
        raise DiscreetError(
            f"domain is {shorten(given)}, but must be the name of a set, such as 'ball(10)' or "
            "'box(1,20)', or a set."
        )
    return text if isinstance(text, SetText) else "".join(text.split())


def small_domain(text: str) -> str:
    """Return a smaller set of the same kind, if there is one."""
    return text if isinstance(text, SetText) else SMALL.get(text.partition("(")[0], text)


@functools.lru_cache(maxsize=64)
def _found(text: str) -> Domain:
    named = set_named(text)
    check_room(named)
    return Domain(named, float(named.inner), float(named.outer))
