"""The divergence that governs private bandits (Azize et al. 2025), of Bernoulli distributions."""

from __future__ import annotations

import math

from componentjit import helper
from discreet.learners.arms.kl_ucb import divergence, upper


@helper
def private_divergence(x: float, y: float, epsilon: float) -> float:
    """Return d(x, y) = min over z of ε |z - x| + kl(z, y), for x in [0, 1] and 0 < y < 1, and 0 if x ≥ y.

    The best z is x, or where the slope of kl is -ε if that is between x and y; there ε z + kl(z, y)
    is the Legendre transform -ln(1 - y (1 - e^-ε)).
    """
    if x >= y:
        return 0.0
    if x >= turning_point(y, epsilon):
        return divergence(x, y)
    return -epsilon * x - math.log1p(y * math.expm1(-epsilon))


@helper
def private_upper(x: float, budget: float, epsilon: float) -> float:
    """Return the largest y with d(x, y) ≤ budget."""
    y = upper(x, budget)
    if y >= 1.0 or x >= turning_point(y, epsilon):
        return y
    return min(1.0, math.expm1(-budget - epsilon * x) / math.expm1(-epsilon))


@helper
def turning_point(y: float, epsilon: float) -> float:
    """Return the z at which the slope of kl(z, y) is -ε."""
    tilted = y * math.exp(-epsilon)
    return tilted / (1.0 - y + tilted)
