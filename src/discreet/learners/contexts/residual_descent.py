"""Gradient steps on reported residuals, for devices that choose greedily."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Integers, Query, Release, Server, Trace
from discreet.errors import check_int, check_positive, check_range
from discreet.models import GreedyModel


class ResidualDescent(Server):
    """Moves a point θ against every report g, and publishes a weighted mean of the points.

        θ ← Π(θ - gain / (offset + t) · g),    mean ← mean + 2 / (t + 2) · (θ - mean),

    Π the projection onto the unit ball. Devices explore with probability min(1, exploring · t^(-1/3)): without it a
    greedy choice can lock in to a wrong arm where contexts are not diverse, as nothing is learned of the others then.

    Regret: none is proved here. Without noise on contexts, and with diverse ones, Han et al. 2021 prove sqrt(T).
    """

    gain: float
    offset: float
    exploring: float
    model: GreedyModel
    rounds: Integers

    @classmethod
    def start(cls, *, dimension: int, gain: float, offset: float, exploring: float) -> Self:
        """Return the server before the first report."""
        size = check_int("dimension", dimension, least=1)
        share = check_range("exploring", exploring, 0.0, 1e9)
        return cls(
            gain=check_positive("gain", gain),
            offset=check_positive("offset", offset),
            exploring=share,
            model=GreedyModel(np.zeros(size), np.zeros(size), np.array([min(1.0, share)])),
            rounds=np.zeros(1, np.int64),
        )

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls.start(dimension=3, gain=3.0, offset=24.0, exploring=1.0)

    @property
    def choices(self) -> int:
        """The number of features."""
        return self.model.point.size

    def release_size(self) -> int:
        """Return how many numbers a report has."""
        return self.model.point.size

    def query(self, trace: Trace) -> Query:
        """Return the point at which residuals are wanted."""
        return self.model.point

    def learn(self, trace: Trace, released: Release) -> None:
        """Take a step, and publish the new mean."""
        point, mean = self.model.point, self.model.estimate
        t = self.rounds[0]
        step = self.gain / (self.offset + t)
        total = 0.0
        for i in range(point.size):
            point[i] -= step * released[i]
            total += point[i] * point[i]
        shrink = 1.0 / math.sqrt(total) if total > 1.0 else 1.0
        for i in range(point.size):
            point[i] *= shrink
            mean[i] += 2.0 / (t + 2.0) * (point[i] - mean[i])
        self.rounds[0] = t + 1
        self.model.exploring[0] = min(1.0, self.exploring * (t + 2.0) ** (-1.0 / 3.0))
