"""Shared by tests of learners on points: sets written out, and the cost of Laplace noise."""

from __future__ import annotations

import math

from discreet.learners.points.ftrl import EntropyFtrl
from discreet.sets import ConvexSet


class Ball(ConvexSet):
    """The points at most 1 from the origin."""

    dimension: int

    def project(self, point):
        square = 0.0
        for i in range(point.size):
            square += point[i] * point[i]
        if square > 1.0:
            shrink = 1.0 / math.sqrt(square)
            for i in range(point.size):
                point[i] *= shrink

    def minimise_linear(self, direction, point):
        square = 0.0
        for i in range(point.size):
            square += direction[i] * direction[i]
        shrink = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
        for i in range(point.size):
            point[i] = -direction[i] * shrink


class Cube(ConvexSet):
    """The points with all coordinates in [-1, 1]."""

    dimension: int

    def project(self, point):
        for i in range(point.size):
            point[i] = min(max(point[i], -1.0), 1.0)

    def minimise_linear(self, direction, point):
        for i in range(point.size):
            point[i] = -1.0 if direction[i] > 0.0 else 1.0


def laplace_cost(actions, rate, scale, draws=1):
    def moment(tilt):
        return -draws * math.log1p(-((tilt * scale) ** 2)) if tilt * scale < 1.0 else math.inf

    return EntropyFtrl.noise_cost(
        dimension=actions, learning_rate=rate, moment=moment, reach=1.0 / scale
    )
