"""Online convex optimisation with noisy gradients and a noisy mirror map: NoisyOCO.

This is the framework of Ene, Nguyen & Vladu 2021, Algorithm 2 and Lemma 4.1, with constants.
"""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.functions.corrective import Corrective
from discreet.learners.functions.exploring import Exploring
from discreet.learners.functions.mirror_maps import MirrorMap
from discreet.sets import L2Ball, LinearOracle


class NoisyOco(Exploring[Floats]):
    """Follows a noisy mirror map of the sum of noisy gradients (Ene et al. 2021, Algorithm 2).

        x_t = NoisyMap(-η s_{t-1}),   g_t = NoisyGrad(f_t, x_t),   s_t = s_{t-1} + g_t

    *NoisyGrad*: the losses of points at a distance ζ from x, times their directions, are on average
    the gradient of a smoothed function. *NoisyMap*: the channel releases s with noise, and the
    mirror map turns it into a point, exactly or up to a small error. The ``mirror`` map is a
    parameter. The channel multiplies losses by directions and adds them up, so a release is a sum
    and replaces the one before.

    Regret: see :func:`noisy_oco_bound` and docs/proofs.md, *A noisy leader*.

    >>> from discreet.learners.functions.mirror_maps import ByProjection
    >>> learner = NoisyOco.with_map(
    ...     ByProjection(), set=L2Ball(2, 1.0), inner=1.0, radius=0.5, learning_rate=0.5
    ... )
    >>> point, direction = learner.act(0, np.random.default_rng(0))
    >>> learner.learn(direction, np.array([0.5, 0.0]))
    >>> learner.point.tolist()
    [-0.5, 0.0]
    """

    mirror: MirrorMap
    learning_rate: float  # η
    factor: float  # turns a released sum into a sum of gradients
    tolerance: float  # allowed distance of the map's result from the minimum
    sums: Floats  # η s, with noise

    @classmethod
    def with_map(
        cls,
        mirror: MirrorMap,
        *,
        set: LinearOracle,  # noqa: A002
        inner: float,
        radius: float,
        learning_rate: float,
        factor: float | None = None,
        tolerance: float = 0.01,
        points: int = 1,
    ) -> Self:
        """Return the learner before the first round; the usual factor is that for one value."""
        mirror.check(set)
        many = check_int("points", points, minimum=1, maximum=2)
        return cls(
            **cls.buffers(set, radius, inner, points=many),
            mirror=mirror,
            learning_rate=check_positive("learning_rate", learning_rate),
            factor=set.flat / radius if factor is None else check_positive("factor", factor),
            tolerance=check_range("tolerance", tolerance, 1e-9, 1e9),
            sums=np.zeros(set.dimension),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        ball = L2Ball(5, 1.0)
        return cls.with_map(
            Corrective.start(ball), set=ball, inner=1.0, radius=0.2, learning_rate=0.01
        )

    @property
    def oracle_calls(self) -> int | None:
        """How often the mirror map has called a linear oracle."""
        return self.mirror.oracle_calls

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play a point near the leader."""
        self.look(rng)
        return self.played, self.heading

    def query(self, trace: Floats) -> Floats:
        """Ask for the loss times the direction."""
        return trace

    def learn(self, trace: Floats, released: Floats) -> None:
        """Move to the leader on the new sum."""
        for i in range(self.sums.size):
            self.sums[i] = self.learning_rate * self.factor * released[i]
        self.mirror.lead(self.set, self.anchor, self.sums, self.point, self.tolerance)

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.point.size


def noisy_oco_bound(
    *, width: float, rate: float, squares: float, strength: float = 2.0, errors: float = 0.0
) -> float:
    """Return Lemma 4.1 with constants: D/η + (η / 2 α) Σ E|g|²_* + Σ L γ.

    ``width`` D is max ω - min ω over the set, ``strength`` α that of ω, ``squares`` bounds
    Σ E|g|²_* in the dual norm, and ``errors`` Σ L γ: slopes times the distances that noise and
    inexact maps move the points.

    >>> noisy_oco_bound(width=1.0, rate=0.1, squares=400.0)
    20.0
    >>> best_rate(width=1.0, squares=400.0)
    0.1
    """
    return width / rate + rate * squares / (2.0 * strength) + errors


def best_rate(*, width: float, squares: float, strength: float = 2.0) -> float:
    """Return the η with the least bound."""
    return math.sqrt(2.0 * strength * width / squares)
