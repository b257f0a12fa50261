"""Follow the approximate leader (Smith & Thakurta 2013): a predecessor to compare with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.learners.points.ftrl import as_vector
from discreet.learners.points.rates import Leader
from discreet.sets import L2Ball, Projecting


class Ftal(Leader):
    """The leader of quadratic models of the losses, around the points that were played.

    For losses that are α-strongly convex, with gradients g(s) at the points x(s), round t + 1 plays

        x(t + 1) = argmin Σ ⟨g(s), x⟩ + (α / 2) |x - x(s)|²
                 = projection of mean(x(1) … x(t)) - L / (t α),   L = Σ g(s).

    Linear losses are not strongly convex: the algorithm then runs on ⟨ℓ, x⟩ + (h / 2) |x|². The
    learner adds that term itself, so the released sum is always that of the gradients of the
    original losses. With both parts,

        x(t + 1) = projection of (α Σ x(s) - L) / (t (α + h)).

    ``curvature`` is α, 0 for linear losses; ``ridge`` is h. For α = 0 the points played cancel out:
    it is the leader with the regulariser (t h / 2) |x|², which grows with time. ``set`` has
    ``dimension`` and ``project(point)``, which works in place; ``start`` is the first point, by
    default the one nearest to the origin. A point is played for one round only.

    Regret without noise for linear losses, with G the largest L2 norm of a loss vector and R that
    of a point of the set (the ``radius``): at most
    (T - 1) h R² / 2 + G² (1 + ln(T - 1)) / 2 h + 2 R G, where 2 R G is for the first round. So

        R G (sqrt(T (1 + ln T)) + 2)   for h = (G / R) sqrt((1 + ln T) / T):

    a factor sqrt(1 + ln T) more than ``QuadraticFtrl``. *Proof.* That of ``ftrl.py`` from round 2
    on, with Φ(L) = min ⟨L, x⟩ + (t - 1) (h / 2) |x|² in round t, which never falls and has
    stability G² / 2 (t - 1) h. ∎ By the same argument steady noise Z (see there) adds at most R
    sqrt(E |Z|²): for linear losses this algorithm, too, pays for noise only once.

    Without noise and ridge, for α-strongly convex losses with gradients of norm at most G:
    G² (1 + ln T) / 2 α, since leaders of F = Σ of α-strongly convex f have regret
    Σ F(x(t)) - F(x(t + 1)) ≤ Σ |g(t)|² / 2 t α.

    From memory, neither proved nor checked here [M]: with tree noise, for α-strongly convex losses,
    Smith & Thakurta have regret of order N (G + α R)² (ln T)^2.5 / (ε α), N the dimension, and
    hence of order sqrt(T) / ε up to logarithms for convex losses with a ridge. Agarwal & Singh
    compare with that bound.

    >>> from discreet.sets import Box
    >>> cube = Box.cube(2, -1.0, 1.0)
    >>> learner = Ftal.start(set=cube, ridge=2.0)
    >>> for released in ([1.0, -1.0], [1.5, -7.0]):
    ...     point, trace = learner.act(None, np.random.default_rng(0))
    ...     learner.learn(trace, np.array(released))
    >>> learner.act(None, np.random.default_rng(0))[0].tolist()
    [-0.375, 1.0]
    """

    set: Projecting
    curvature: float  # α
    ridge: float  # h
    played: Floats  # Σ x
    clock: Floats  # rounds played

    @classmethod
    def start(
        cls,
        *,
        set: Projecting,  # noqa: A002
        ridge: float,
        curvature: float = 0.0,
        start: Sequence[float] | Floats | None = None,
    ) -> Ftal:
        """Return the learner before the first round."""
        given = (
            check_range("curvature", curvature, 0.0, 1e200),
            check_range("ridge", ridge, 0.0, 1e200),
        )
        if not sum(given) >= 1e-200:
            raise DiscreetError("curvature and ridge are both 0, but one of them must be positive.")
        first = as_vector("start", start, set.dimension)
        set.project(first)
        return cls(
            sums=np.zeros(first.size),
            point=first,
            set=set,
            curvature=given[0],
            ridge=given[1],
            played=np.zeros(first.size),
            clock=np.zeros(1),
        )

    @classmethod
    def example(cls) -> Ftal:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), ridge=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, float]:
        """Play the leader of the models."""
        if self.clock[0] > 0.0:
            step = 1.0 / (float(self.clock[0]) * (self.curvature + self.ridge))
            for i in range(self.point.size):
                self.point[i] = step * (self.curvature * self.played[i] - self.sums[i])
            self.set.project(self.point)
        self.clock[0] += 1.0
        for i in range(self.point.size):
            self.played[i] += self.point[i]
        return self.point, 0.0

    @staticmethod
    def recommended_ridge(*, radius: float, rounds: int, norm: float) -> float:
        """Return h = (G / R) sqrt((1 + ln T) / T)."""
        time = check_int("rounds", rounds, minimum=1)
        return (
            check_positive("norm", norm)
            / check_positive("radius", radius)
            * math.sqrt((1.0 + math.log(time)) / time)
        )

    @staticmethod
    def regret_bound(
        *, radius: float, rounds: int, norm: float, ridge: float, noise: float = 0.0
    ) -> float:
        """Return the bound for linear losses.

        ``noise`` is the largest sqrt(E |Z|²) of steady noise in the sums.
        """
        leads = rounds - 1  # all rounds but the first
        stability = norm**2 * (1.0 + math.log(leads)) / (2.0 * ridge) if leads else 0.0
        return leads * ridge * radius**2 / 2.0 + stability + radius * (2.0 * norm + noise)

    @staticmethod
    def strongly_convex_bound(*, rounds: int, norm: float, curvature: float) -> float:
        """Return G² (1 + ln T) / 2 α, for strongly convex losses without noise.

        ``norm`` is that of the gradients.
        """
        return norm**2 * (1.0 + math.log(rounds)) / (2.0 * curvature)
