"""Leaders inside a barrier that explore as far as it allows, for smooth functions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import helper
from discreet.components import Component
from discreet.contracts import Floats, Generator, Integers, Learner
from discreet.errors import DiscreetError, check_positive, check_range
from discreet.learners.functions.exploring import draw_direction
from discreet.learners.functions.scrible import INSIDE
from discreet.sets import Box, L2Ball, LinearOracle


class RidgeBarrier(Component):
    """A barrier B of a set that is symmetric around the origin, with an optional ridge.

    ``complexity`` is its parameter ϑ. ``lead`` writes the point with the least rate ⟨S, x⟩ + ridge
    |x|² / 2 + B(x). With H = B''(x) + ridge, ``stretch_by`` writes H^(-1/2) u, a step that stays in
    the set if |u| ≤ 1, and H^(1/2) u.
    """

    @property
    def complexity(self) -> float:
        """The parameter ϑ.

        B grows by at most ϑ ln(1 / share) on the way to the border while a share of the way is
        left.
        """
        raise NotImplementedError

    def lead(self, sums: Floats, rate: float, ridge: float, point: Floats) -> None:
        """Write the leader."""
        raise NotImplementedError

    def stretch_by(
        self, point: Floats, ridge: float, heading: Floats, step: Floats, slope: Floats
    ) -> None:
        """Write the direction times the inverse root and times the root of the Hessian."""
        raise NotImplementedError


class BallBarrier(RidgeBarrier):
    """B(x) = -ln(R² - |x|²) for the ball of radius R; ϑ = 1."""

    reach: float

    @property
    def complexity(self) -> float:
        """The parameter ϑ, 1."""
        return 1.0

    def lead(self, sums: Floats, rate: float, ridge: float, point: Floats) -> None:
        """Write the leader, which is opposite to the sums."""
        total = 0.0
        for i in range(sums.size):
            total += sums[i] * sums[i]
        length = math.sqrt(total)
        share = -solve_balance(rate * length, ridge, self.reach) / length if length > 0.0 else 0.0
        for i in range(sums.size):
            point[i] = share * sums[i]

    def stretch_by(
        self, point: Floats, ridge: float, heading: Floats, step: Floats, slope: Floats
    ) -> None:
        """Write both; the Hessian has one eigenvalue along the point, and one across."""
        square, along = 0.0, 0.0
        for i in range(point.size):
            square += point[i] * point[i]
            along += point[i] * heading[i]
        room = self.reach * self.reach - square
        across_root = math.sqrt(2.0 / room + ridge)
        along_root = math.sqrt(2.0 / room + 4.0 * square / (room * room) + ridge)
        share = along / square if square > 1e-300 else 0.0
        for i in range(point.size):
            part = share * point[i]
            rest = heading[i] - part
            step[i] = rest / across_root + part / along_root
            slope[i] = rest * across_root + part * along_root


class CubeBarrier(RidgeBarrier):
    """B(x) = -Σ ln(R² - x(j)²) for the cube from -R to R; ϑ = N."""

    reach: float
    size: int

    @property
    def complexity(self) -> float:
        """The dimension."""
        return float(self.size)

    def lead(self, sums: Floats, rate: float, ridge: float, point: Floats) -> None:
        """Write the leader, coordinate by coordinate."""
        for i in range(sums.size):
            found = solve_balance(rate * abs(sums[i]), ridge, self.reach)
            point[i] = -found if sums[i] > 0.0 else found

    def stretch_by(
        self, point: Floats, ridge: float, heading: Floats, step: Floats, slope: Floats
    ) -> None:
        """Write both; the Hessian is diagonal."""
        for i in range(point.size):
            below, above = 1.0 / (self.reach + point[i]), 1.0 / (self.reach - point[i])
            root = math.sqrt(below * below + above * above + ridge)
            step[i] = heading[i] / root
            slope[i] = heading[i] * root


@helper
def solve_balance(force: float, ridge: float, reach: float) -> float:
    """Return the m in [0, reach) with ridge m + 2 m / (reach² - m²) = force, for force ≥ 0.

    The left side is convex and increasing, so Newton steps from above descend to m; without a ridge
    the start is exact.
    """
    square = reach * reach
    m = force * square / (1.0 + math.sqrt(1.0 + force * force * square))
    if ridge > 0.0:
        for _ in range(50):
            room = square - m * m
            excess = ridge * m + 2.0 * m / room - force
            step = excess / (ridge + 2.0 / room + 4.0 * m * m / (room * room))
            m -= step
            if not step > 1e-14 * m:  # only rounding errors remain
                break
    return min(max(m, 0.0), reach * (1.0 - 1e-12))  # rounding must not reach the border


def barrier_of(domain: LinearOracle) -> RidgeBarrier:
    """Return the barrier of a ball or of a cube around the origin; no other set has one yet."""
    if isinstance(domain, L2Ball):
        return BallBarrier(domain.radius)
    if isinstance(domain, Box):
        reach = float(domain.high[0])
        if (domain.high == reach).all() and (domain.low == -reach).all():
            return CubeBarrier(reach, domain.dimension)
    raise DiscreetError(
        f"the set is {domain!r}, but a barrier is known only for balls and for cubes around the "
        "origin."
    )


class DikinStep(NamedTuple):
    """The trace of a step: H^(1/2) u, and the point where it began."""

    slope: Floats
    origin: Floats


class DikinLeader(Learner[Floats, DikinStep, float]):
    """One value per round of smooth functions, which may be strongly convex.

    Without curvature this is ``Scrible`` with ζ < 1, which works on every set with a barrier. B is
    a barrier of the set, u uniform on the sphere, ζ the ``radius``, α the ``curvature`` and N the
    dimension. With H = B''(x) + η α t, round t plays x + ζ H^(-1/2) u, and when v is released

        g = (N / ζ) (v - 1/2) H^(1/2) u,    x ← argmin η Σ (⟨g, x⟩ + α |x - x(s)|² / 2) + B(x).

    Regret for β-smooth functions (Saha & Tewari 2011; with curvature Hazan & Levy 2014), if
    η N |v - 1/2| / ζ ≤ 1/4 in every round, with q the mean square of v - 1/2:

        ϑ ln T / η + η N² q T / ζ² + (3/2) β Σ |ζ H^(-1/2) u|² + 1,

    in widths of the range. The sum is at most ζ² R² T, since a step and its opposite are in the
    set; with curvature and ζ = 1 it is at most (1 + ln T) / η α.

    *Proof.* Let Φ be the objective after round t. It is self-concordant, and at x its Newton
    decrement is λ = η N |v - 1/2| / ζ ≤ 1/4. So Φ falls by at most λ² from x to the next leader,
    and the estimates have regret at most (B(x*) - B(x(1))) / η + Σ λ² / η, where
    B(x*) - B(x(1)) ≤ ϑ ln T for an x* that is 1 / T on its way to the first leader, which costs 1
    in total. For z = x + ζ H^(-1/2) w, w uniform in the ball,
    f(x*) ≥ f(z) + ⟨f'(z), x* - z⟩ + α |x* - z|² / 2. On average over w, f'(z) is the mean of g, and
    ⟨f'(z), z - x⟩ = ⟨f'(z) - f'(x), z - x⟩ ≤ β |z - x|²; that, and half of it for playing on the
    sphere instead of at x, are the sum above. ∎
    """

    barrier: RidgeBarrier
    learning_rate: float  # η
    radius: float  # ζ
    curvature: float  # α
    clock: Integers
    sums: Floats  # Σ g - α x
    point: Floats
    heading: Floats
    step: Floats
    slope: Floats
    played: Floats

    @classmethod
    def start(
        cls,
        *,
        barrier: RidgeBarrier,
        dimension: int,
        learning_rate: float,
        radius: float = 1.0,
        curvature: float = 0.0,
    ) -> DikinLeader:
        """Return the learner before the first round."""
        return cls(
            barrier,
            check_positive("learning_rate", learning_rate),
            check_range("radius", radius, 1e-100, 1.0),
            check_range("curvature", curvature, 0.0, 1e100),
            np.zeros(1, np.int64),
            *(np.zeros(dimension) for _ in range(6)),
        )

    @classmethod
    def example(cls) -> DikinLeader:
        """Return an example for the contract tests."""
        return cls.start(barrier=BallBarrier(1.0), dimension=5, learning_rate=0.001, curvature=0.5)

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.point.size

    def act(self, observation: object, rng: Generator) -> tuple[Floats, DikinStep]:
        """Play a point on the ellipsoid around the leader."""
        ridge = self.learning_rate * self.curvature
        self.barrier.lead(self.sums, self.learning_rate, ridge * self.clock[0], self.point)
        draw_direction(self.heading, rng)
        self.barrier.stretch_by(
            self.point, ridge * (self.clock[0] + 1), self.heading, self.step, self.slope
        )
        reach = INSIDE * self.radius
        for i in range(self.point.size):
            self.played[i] = self.point[i] + reach * self.step[i]
        return self.played, DikinStep(self.slope, self.point)

    def learn(self, trace: DikinStep, released: float) -> None:
        """Add the estimate."""
        self.clock[0] += 1
        factor = self.point.size / (INSIDE * self.radius) * (released - 0.5)
        for i in range(self.sums.size):
            self.sums[i] += factor * trace.slope[i] - self.curvature * trace.origin[i]


def smooth_bound(
    *,
    complexity: float,
    dimension: int,
    rounds: int,
    square: float,
    learning_rate: float,
    radius: float,
    bend: float,
) -> float:
    """Return the bound for smooth functions; ``bend`` is β R²."""
    spread = learning_rate * dimension**2 * square * rounds / (INSIDE * radius) ** 2
    return (
        complexity * math.log(rounds) / learning_rate
        + spread
        + 1.5 * bend * radius**2 * rounds
        + 1.0
    )


def smooth_strongly_convex_bound(
    *,
    complexity: float,
    dimension: int,
    rounds: int,
    square: float,
    learning_rate: float,
    ratio: float,
) -> float:
    """Return the bound for smooth, strongly convex functions; ``ratio`` is β / α."""
    spread = learning_rate * dimension**2 * square * rounds / INSIDE**2
    looks = 1.5 * ratio * (1.0 + math.log(rounds)) / learning_rate
    return complexity * math.log(rounds) / learning_rate + spread + looks + 1.0
