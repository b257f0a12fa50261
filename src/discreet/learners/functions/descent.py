"""Gradient descent on gradients that are estimated from one or two values per round."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, check_positive, check_range
from discreet.learners.functions.exploring import Exploring
from discreet.sets import L2Ball, Projecting


class Descent(Exploring[float]):
    """Steps against an estimated gradient, and back onto the set.

    With g = ``factor`` · (released - 1/2) · u, u the direction of the decision, step t is

        x ← projection of x - g / (damping + curvature · t).

    If it is ``lazy``, x is the projection of the sum of all such steps from the centre, and the sum
    itself is not projected: noise averages out in it, but it follows changing functions more
    slowly. That requires ``curvature`` 0, and has the same bound for η = 2 / damping
    (docs/proofs.md: A noisy leader).

    Regret on functions with curvature α (0 if they are only convex) against the points of the
    smaller set (Zinkevich 2003; Hazan, Agarwal & Kale 2007): at most
    damping · R² / 2 + Σ E |g|² / 2 (damping + α t). E |g|² is at most factor² · q, with q the mean
    square of a release around 1/2: ``square_around_middle`` of the noise.
    """

    set: Projecting
    factor: float
    damping: float
    curvature: float
    clock: Integers
    lazy: bool
    walked: Floats  # z before its projection

    def learn(self, trace: Floats, released: float) -> None:
        """Step against the estimate."""
        self.clock[0] += 1
        rate = self.factor / (self.damping + self.curvature * self.clock[0])
        # divided by shrink: the point is z, and x is z after shrinking
        step = rate * (released - self.baseline_for(released)) / self.shrink
        for i in range(self.point.size):
            before = self.walked[i] if self.lazy else self.point[i]
            self.walked[i] = before - step * trace[i]
            self.point[i] = self.walked[i]
        self.set.project(self.point)

    def baseline_for(self, released: float) -> float:
        """Return the number to subtract from a release.

        That changes the size of estimates, but not their mean.
        """
        return 0.5


class Fkm(Descent):
    """One value per round (Flaxman, Kalai & McMahan 2005): factor = d / ζ.

    d is the dimension of the hull, and ζ the ``radius``.

    Regret: that of descent, plus (2 + R / r) G ζ T for exploring; see
    ``learners.functions.exploring``. With ``curvature`` 0, damping 1 / η and
    ζ = sqrt(R d sqrt(T q) / ((2 + R / r) G T)) it is at most

        2 sqrt(R d sqrt(T q) (2 + R / r) G T),

    of order T^(3/4); with curvature α and no damping, d² q (1 + ln T) / 2 α ζ² + (2 + R / r) G ζ T,
    of order T^(2/3).

    With ``centred``, the mean of all releases so far, between 0 and 1, replaces 1/2: directions are
    public, so this costs no privacy. Then |f - baseline| is at most 1, not 1/2, but often much
    less.

    >>> learner = Fkm.start(set=L2Ball(2, 1.0), inner=1.0, radius=0.5, damping=8.0)
    >>> point, direction = learner.act(0, np.random.default_rng(0))
    >>> learner.learn(direction, 1.0)
    >>> (learner.point / direction).round(3).tolist()
    [-0.5, -0.5]
    """

    centred: bool
    heard: Floats  # sum and number of releases

    @classmethod
    def start(
        cls,
        *,
        set: Projecting,  # noqa: A002
        inner: float,
        radius: float,
        damping: float,
        curvature: float = 0.0,
        centred: bool = False,
    ) -> Fkm:
        """Return the learner before the first round."""
        return cls(
            **cls.buffers(set, radius, inner),
            factor=set.flat / radius,
            damping=check_range("damping", damping, 0.0, 1e200),
            curvature=_check_curvature(damping, curvature),
            clock=np.zeros(1, np.int64),
            lazy=False,
            walked=set.centre(),
            centred=bool(centred),
            heard=np.zeros(2),
        )

    @classmethod
    def example(cls) -> Fkm:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), inner=1.0, radius=0.2, damping=500.0, centred=True)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play a point near x."""
        self.look(rng)
        return self.played, self.heading

    def baseline_for(self, released: float) -> float:
        """Return 1/2, or the mean of all releases before this one."""
        if not self.centred:
            return 0.5
        mean = 0.5 if self.heard[1] == 0.0 else self.heard[0] / self.heard[1]
        self.heard[0] += released
        self.heard[1] += 1.0
        return float(min(1.0, max(0.0, mean)))


class TwoPoint(Descent):
    """Two values per round (Agarwal, Dekel & Xiao 2010; Shamir 2017): factor = 2 d G.

    G is the ``slope``. The difference of the values is released as a fraction of its range, from -2
    ζ G to 2 ζ G, where ζ is the ``radius``; so g is at most d G long for every ζ.

    Regret: that of descent, plus (2 + R / r) G ζ T for exploring. With p the mean square of g in
    squares of d G, the former is at most R d G sqrt(p T) with ``curvature`` 0 and damping
    d G sqrt(p T) / R, and p d² G² (1 + ln T) / 2 α with curvature α. Without noise p is at most
    1 / (d - 1) (docs/regret.md: Two points).
    """

    @classmethod
    def start(
        cls,
        *,
        set: Projecting,  # noqa: A002
        inner: float,
        radius: float,
        slope: float,
        damping: float,
        curvature: float = 0.0,
        lazy: bool = False,
    ) -> TwoPoint:
        """Return the learner before the first round."""
        if lazy and curvature > 0.0:
            raise DiscreetError(
                f"lazy is given with curvature {curvature:g}, but lazy steps need curvature 0."
            )
        return cls(
            **cls.buffers(set, radius, inner, points=2),
            factor=2.0 * set.flat * check_positive("slope", slope),
            damping=check_range("damping", damping, 0.0, 1e200),
            curvature=_check_curvature(damping, curvature),
            clock=np.zeros(1, np.int64),
            lazy=bool(lazy),
            walked=set.centre(),
        )

    @classmethod
    def example(cls) -> TwoPoint:
        """Return an example for the contract tests."""
        return cls.start(
            set=L2Ball(5, 1.0), inner=1.0, radius=1e-3, slope=1.0, damping=0.0, curvature=0.5
        )

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play two points near x, on opposite sides."""
        self.look_both_ways(rng)
        return self.played, self.heading


def _check_curvature(damping: float, curvature: float) -> float:
    """Return the curvature; if it is 0, there must be damping."""
    bend = check_range("curvature", curvature, 0.0, 1e200)
    if bend == 0.0:
        check_positive("damping", damping)
    return bend


def descent_bound(
    *, outer: float, rounds: int, square: float, damping: float, curvature: float
) -> float:
    """Return damping · R² / 2 + Σ |g|² / 2 (damping + α t); ``square`` bounds E |g|²."""
    if curvature == 0.0:
        return damping * outer**2 / 2.0 + square * rounds / (2.0 * damping)
    tail = 1.0 + math.log(rounds) if damping == 0.0 else math.log1p(curvature * rounds / damping)
    return damping * outer**2 / 2.0 + square * tail / (2.0 * curvature)
