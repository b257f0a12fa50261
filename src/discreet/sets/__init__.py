"""Convex sets: where decisions are taken from, and where vectors of losses lie."""

from discreet.sets.balls import L1Ball, L2Ball, ball
from discreet.sets.box import Box
from discreet.sets.contract import ConvexSet, Projected
from discreet.sets.geometry import GEOMETRIES, Geometry, geometry
from discreet.sets.polytope import Polytope
from discreet.sets.simplex import Simplex

__all__ = [
    "GEOMETRIES",
    "Box",
    "ConvexSet",
    "Geometry",
    "L1Ball",
    "L2Ball",
    "Polytope",
    "Projected",
    "Simplex",
    "ball",
    "geometry",
]
