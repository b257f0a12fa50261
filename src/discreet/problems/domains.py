"""Convex sets by name, with what bandits need to know of them: where the middle is, and how far it is to the border."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, shorten, unknown_name
from discreet.sets import Box, ConvexSet, L2Ball


class Domain(NamedTuple):
    """A set, and balls around its centre: one of radius ``inner`` lies inside, and the set lies in that of ``outer``.

    >>> domain_named("cube(4)").inner, domain_named("cube(4)").outer
    (1.0, 2.0)
    """

    set: ConvexSet
    inner: float  # r
    outer: float  # R

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return int(self.set.dimension)

    def best_against(self, direction: Floats) -> Floats:
        """Return a point of the set with the least inner product."""
        point = np.empty(self.dimension)
        self.set.minimise_linear(direction, point)
        return point

    def nearest(self, point: Floats) -> Floats:
        """Return the point of the set that is nearest to a given one."""
        found: Floats = np.array(point, dtype=np.float64)
        self.set.project(found)
        return found


def _ball(dimension: int) -> Domain:
    return Domain(L2Ball(dimension, 1.0), 1.0, 1.0)


def _cube(dimension: int) -> Domain:
    return Domain(Box.cube(dimension, -1.0, 1.0), 1.0, math.sqrt(dimension))


DOMAINS: dict[str, Callable[[int], Domain]] = {"ball": _ball, "cube": _cube}


@functools.lru_cache(maxsize=64)
def domain_named(text: str) -> Domain:
    """Return the set that a text such as "ball(10)" names: the unit ball, or the cube from -1 to 1."""
    found = re.fullmatch(r"\s*([a-z-]+)\s*\(\s*(\d{1,9})\s*\)\s*", text) if isinstance(text, str) else None
    if found is None:
        raise DiscreetError(f"domain is {shorten(text)}, but must be a set and its dimension, such as 'ball(10)'.")
    if found[1] not in DOMAINS:
        raise unknown_name("domain", found[1], DOMAINS)
    return DOMAINS[found[1]](check_int("dimension of the domain", int(found[2]), least=1, most=10_000_000))
