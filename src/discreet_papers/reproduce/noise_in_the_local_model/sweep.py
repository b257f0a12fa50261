"""Each kind of noise over six epsilons in 10 dimensions, and over seven dimensions at epsilon 1."""

from __future__ import annotations

from typing import NamedTuple

OVER_EPSILONS, OVER_DIMENSIONS = "reports over epsilon", "reports over dimensions"
EPSILONS, DIMENSIONS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), (1, 3, 10, 30, 65, 200, 640)
EPSILON, DIMENSION, DELTA = 1.0, 10, 1e-5  # of the other part, and of Gaussian noise

CAP, HEMISPHERE = "cap", "hemisphere"
RESPONSE = "response, of a random coordinate"
LAPLACE, SPHERICAL = "Laplace, on coordinates", "Laplace, spherical"
GAUSSIAN = f"Gaussian, δ = {DELTA:g}"
KINDS = (GAUSSIAN, LAPLACE, SPHERICAL, RESPONSE, HEMISPHERE, CAP)


class Reports(NamedTuple):
    """Some reports of one unit vector, with noise of a kind."""

    part: str
    kind: str
    epsilon: float
    dimension: int
    rounds: int  # reports, of which the server takes the mean


def sweep(rounds: int) -> tuple[Reports, ...]:
    """Return all kinds at every epsilon and in every dimension; ``rounds`` is how many reports there are."""
    over_epsilons = (
        Reports(OVER_EPSILONS, kind, e, DIMENSION, rounds) for kind in KINDS for e in EPSILONS
    )
    over_dimensions = (
        Reports(OVER_DIMENSIONS, kind, EPSILON, n, rounds) for kind in KINDS for n in DIMENSIONS
    )
    return (*over_epsilons, *over_dimensions)
