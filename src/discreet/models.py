"""Models that servers publish and devices use to choose: named arrays without raw data."""

from __future__ import annotations

from typing import NamedTuple

from discreet.contracts import Floats

__all__ = ["GreedyModel", "LinearModel"]


class LinearModel(NamedTuple):
    """A linear model of rewards: estimated parameters, and their uncertainty in each direction."""

    estimate: Floats
    spread: Floats  # β² times the inverse of the matrix of moments
    widest: Floats  # one number: the largest x' spread x / |x|²


class GreedyModel(NamedTuple):
    """A linear model of rewards: an estimate for choices, and the point for residuals."""

    estimate: Floats
    point: Floats
