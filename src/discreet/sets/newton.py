"""Newton's method for a linear function and the logarithmic barrier of linear constraints, within a plane."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError

ENOUGH = 1e-12  # Newton decrement at which it ends
STEPS = 1000
STEEPEST = (
    1e8  # slope, times the size of the set: beyond, slacks of the leader are lost in rounding
)


def hessian_factor(rows: Floats, slack: Floats) -> Floats:
    """Return a triangular R with Rᵀ R = Σ row rowᵀ / slack², without squaring the condition number."""
    return np.asarray(np.linalg.qr(rows / np.maximum(slack, 1e-300)[:, None])[1])


def follow_leader(a: Floats, b: Floats, basis: Floats, slope: Floats, point: Floats) -> None:
    """Move an inner point of {a x ≤ b} to the minimiser of <slope, x> - Σ ln(b - a x), along the rows of the basis.

    Steps are at most 1 long in the local norm, so no point leaves the set (damped Newton's method).
    """
    rows, along = a @ basis.T, basis @ slope
    before = math.inf
    for _ in range(STEPS):
        slack = b - a @ point
        factor = hessian_factor(rows, slack)
        half = np.linalg.solve(factor.T, along + rows.T @ (1.0 / slack))
        decrement = float(np.linalg.norm(half))
        if decrement <= ENOUGH or (
            decrement < 1e-6 and decrement >= before
        ):  # or rounding is all that is left
            return
        before = decrement
        point -= (
            basis.T @ np.linalg.solve(factor, half) / (1.0 + decrement if decrement > 0.25 else 1.0)
        )
    raise DiscreetError(
        f"the leader was not found in {STEPS} steps: a and b are ill-conditioned, or the rate is "
        "too large."
    )
