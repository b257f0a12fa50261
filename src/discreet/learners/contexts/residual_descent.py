"""Servers for devices that choose greedily, or at random."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Floats, Integers, Query, Release, Server
from discreet.errors import check_int, check_positive
from discreet.models import GreedyModel


class ResidualDescent(Server[GreedyModel, Floats]):
    """Moves a point θ against every report g, and publishes a weighted mean of the points.

    First every feature i is swept by itself, for ``sweep`` rounds: devices play the arm with the
    most of it, while θ(i) = 0. Then θ(i) is minus the mean of g(i), and the noise in all other
    entries is left out. Where θ(i) = 0, residuals use their range best: gradient steps would need
    twice as many reports for the same precision. After the sweep,

        θ ← Π(θ - gain / (offset + t) · g),
        mean ← mean + averaging / (t + averaging) · (θ - mean),

    with Π the projection onto the unit ball. Without the sweep, a greedy choice can lock in to a
    wrong arm where contexts are not diverse: noise decides which arms are played, and nothing is
    ever learned about the others. For the same reason the ``offset`` should be large compared with
    the rounds of the sweep: every report has noise in all entries, so estimates for arms that are
    not played drift, in total by gain / sqrt(offset + t) standard deviations of that noise.

    Regret: none is proved here. Without noise on contexts, and with diverse ones, Han et al. 2021
    prove sqrt(T).
    """

    sweep: int
    gain: float
    offset: float
    averaging: float
    model: GreedyModel
    rounds: Integers
    total: Floats  # Σ g(i) for the feature that is swept

    @classmethod
    def start(
        cls, *, dimension: int, gain: float, offset: float, averaging: float = 2.0, sweep: int = 0
    ) -> Self:
        """Return the server before the first report."""
        size, each = (
            check_int("dimension", dimension, minimum=1),
            check_int("sweep", sweep, minimum=0),
        )
        learner = cls(
            sweep=each,
            gain=check_positive("gain", gain),
            offset=check_positive("offset", offset),
            averaging=check_positive("averaging", averaging),
            model=GreedyModel(np.zeros(size), np.zeros(size)),
            rounds=np.zeros(1, np.int64),
            total=np.zeros(1),
        )
        learner.show_direction()
        return learner

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.start(dimension=3, gain=3.0, offset=24.0, sweep=20)

    @property
    def choices(self) -> int:
        """The number of features."""
        return self.model.point.size

    def release_size(self) -> int:
        """Return the number of entries of a report."""
        return self.model.point.size

    def query(self, trace: object) -> Floats:
        """Return the point at which residuals are computed."""
        return self.model.point

    def learn(self, trace: object, released: Floats) -> None:
        """Take a step, and publish the model to choose by."""
        point, t = self.model.point, self.rounds[0]
        self.rounds[0] = t + 1
        if t < self.sweep * point.size:
            feature = t // self.sweep
            self.total[0] += released[feature]
            if self.rounds[0] % self.sweep == 0:
                point[feature] = min(1.0, max(-1.0, -self.total[0] / self.sweep))
                self.total[0] = 0.0
                self.show_direction()
        else:
            self.descend(released, t)

    def descend(self, released: Floats, t: int) -> None:
        """Take a step with all entries, and publish the new mean."""
        point, mean = self.model.point, self.model.estimate
        step, share = self.gain / (self.offset + t), self.averaging / (t + self.averaging)
        total = 0.0
        for i in range(point.size):
            point[i] -= step * released[i]
            total += point[i] * point[i]
        shrink = 1.0 / math.sqrt(total) if total > 1.0 else 1.0
        for i in range(point.size):
            point[i] *= shrink
            mean[i] += share * (point[i] - mean[i])

    def show_direction(self) -> None:
        """Publish the feature that is swept; after the last one, the point."""
        point, mean = self.model.point, self.model.estimate
        t = self.rounds[0]
        if t < self.sweep * point.size:
            for i in range(point.size):
                mean[i] = 1.0 if i == t // self.sweep else 0.0
        else:
            for i in range(point.size):
                mean[i] = point[i]


class Unmoved(Server[Floats, Release, Query]):
    """Publishes the same model forever: the baseline of servers that learn."""

    model: Floats

    @classmethod
    def start(cls) -> Self:
        """Return the server."""
        return cls(np.zeros(1))

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.start()

    def learn(self, trace: object, released: Release) -> None:
        """Learn nothing."""
