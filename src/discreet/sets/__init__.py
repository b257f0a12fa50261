"""Convex sets of decisions and of loss vectors."""

from discreet.sets.arrangements import KSets, Permutahedron
from discreet.sets.balls import L1Ball, L2Ball, ball
from discreet.sets.base_polytope import BasePolytope
from discreet.sets.box import Box
from discreet.sets.contract import (
    Barrier,
    ConvexSet,
    Gauged,
    LinearOracle,
    Projected,
    Projecting,
    Vertices,
    check_ability,
    check_hull,
    check_room,
)
from discreet.sets.custom import Custom
from discreet.sets.matrices import Birkhoff, NuclearBall, Spectrahedron
from discreet.sets.matroids import GraphicMatroid, PartitionMatroid
from discreet.sets.named import (
    GEOMETRIES,
    LOSS_SETS,
    SETS,
    Geometry,
    geometry,
    set_geometry,
    set_named,
)
from discreet.sets.paths import Paths
from discreet.sets.polytope import Polytope
from discreet.sets.simplex import Simplex
from discreet.sets.text import SetText, as_text
from discreet.sets.vertices import ExplorationPlan, uniform_plan

__all__ = [
    "GEOMETRIES",
    "LOSS_SETS",
    "SETS",
    "Barrier",
    "BasePolytope",
    "Birkhoff",
    "Box",
    "ConvexSet",
    "Custom",
    "ExplorationPlan",
    "Gauged",
    "Geometry",
    "GraphicMatroid",
    "KSets",
    "L1Ball",
    "L2Ball",
    "LinearOracle",
    "NuclearBall",
    "PartitionMatroid",
    "Paths",
    "Permutahedron",
    "Polytope",
    "Projected",
    "Projecting",
    "SetText",
    "Simplex",
    "Spectrahedron",
    "Vertices",
    "as_text",
    "ball",
    "check_ability",
    "check_hull",
    "check_room",
    "geometry",
    "set_geometry",
    "set_named",
    "uniform_plan",
]
