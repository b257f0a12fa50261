"""What servers publish, and devices choose with: arrays by name, and nothing that is raw."""

from __future__ import annotations

from typing import NamedTuple

from discreet.contracts import Floats


class LinearModel(NamedTuple):
    """A linear model of rewards: ``estimate`` of the parameters, and how uncertain it is in each direction."""

    estimate: Floats
    spread: Floats  # β² times the inverse of the matrix of moments
    widest: Floats  # one number, that x' spread x / |x|² never exceeds


class GreedyModel(NamedTuple):
    """A linear model of rewards: what to choose with, and where residuals are wanted."""

    estimate: Floats
    point: Floats
