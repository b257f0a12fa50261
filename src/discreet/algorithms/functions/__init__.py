"""The named algorithms that see values of functions at the points they play."""

from discreet.algorithms.functions import (
    interval,
    linear_oracle,
    one_point,
    projection_free,
    scrible,
    smooth,
    two_point,
)

__all__ = [
    "interval",
    "linear_oracle",
    "one_point",
    "projection_free",
    "scrible",
    "smooth",
    "two_point",
]
