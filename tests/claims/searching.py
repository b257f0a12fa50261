"""Searches for the largest movement of a statistic, with which stated sensitivities are compared.

A search computes the statistic itself, from data that it moves about freely, and knows nothing of
the formula: it tries points of a coarse grid, random ones, and climbs from the best of them. Seeds
are fixed; nothing here is statistical.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy import optimize

from discreet import Range
from discreet.contracts import Noise

NORMS = (1, 2, np.inf)
SLACK = 1e-12  # relative, for rounding
SEARCHES = {}


def searches(function):
    """Register a search: called with the function, it yields pairs of stated and found."""

    def keep(search):
        SEARCHES[function.__name__] = search
        return search

    return keep


def climb(movement, size, norms=NORMS, seed=0):
    """Return for each norm the largest ``movement(v)`` that is found over vectors of any size."""
    rng = np.random.default_rng(seed)
    if 3**size <= 729:
        starts = [np.array(v) for v in itertools.product((-1.0, 0.0, 1.0), repeat=size)]
    else:
        starts = list(rng.integers(-1, 2, (400, size)).astype(float))
    starts += list(rng.standard_normal((100, size)) * 2.0 ** rng.integers(-2, 3, (100, 1)))
    moves = [movement(v) for v in starts]
    largest = []
    for norm in norms:
        seen = [np.linalg.norm(move, norm) for move in moves]

        def height(v, norm=norm, seen=seen):
            seen.append(np.linalg.norm(movement(v), norm))
            return -seen[-1]

        for best in np.argsort(seen)[-2:]:
            optimize.minimize(height, starts[best], method="L-BFGS-B", options={"maxfun": 200})
        highest = starts[int(np.argmax(seen[: len(starts)]))]
        optimize.minimize(height, highest, method="Powell", options={"maxfev": 200})
        largest.append(max(seen))
    return np.array(largest)


def in_ball(v, radius=1.0, norm=2):
    """Return the vector, scaled back into a ball."""
    length = np.linalg.norm(v, norm)
    return v if length <= radius else v * (radius / length)


def unit(v):
    """Return the direction of a vector."""
    length = np.linalg.norm(v)
    return v / length if length > 0 else np.eye(len(v))[0]


def on_simplex(v):
    """Return the nearest probability vector."""
    ordered = np.sort(v)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - excess[np.flatnonzero(ordered > excess)[-1]], 0)


class Silent(Noise):
    """No noise: what reaches it is released."""

    def add_noise(self, value, rng):
        return value


def released(channel, feedback):
    """Return everything that a channel releases: fractions of the range."""
    channel, rng = channel.fork(), np.random.default_rng(0)
    return np.array(
        [value for ready, value in (channel.offer(y, 1.0, rng) for y in feedback) if ready]
    )


RANGES = [Range(0.0, 1.0), Range(-1.0, 3.0), Range(5.0, 5.5)]


def channel_movement(channel, rounds, where, scale):
    """Return how the releases move when one round is replaced; feedback may be out of range."""
    low, high = channel.bounds

    def movement(v):
        feedback = (low + high) / 2 + (high - low) * v
        other = feedback[:rounds].copy()
        other[where] = feedback[rounds]
        return (released(channel, feedback[:rounds]) - released(channel, other)) * scale

    return movement
