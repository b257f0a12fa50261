"""SCRiBLe: a leader inside a barrier that explores as far as Dikin's ellipsoid allows."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from discreet.contracts import Asked, Floats, Generator, Learner
from discreet.errors import check_positive, check_range
from discreet.learners.functions.exploring import draw_tangent
from discreet.sets import Barrier, L2Ball, check_ability, check_hull

INSIDE = 1.0 - 1e-6  # the share of a step to the border, which rounding must not cross
FALL = 0.61  # -λ - ln(1 - λ) ≤ 0.61 λ² for λ ≤ 1/4


class ScribleStep(NamedTuple):
    """The trace of a step: C⁻ᵀ u, and the point that is played."""

    slope: Floats
    played: Floats


class Scrible(Learner[Floats, ScribleStep, float, Asked]):
    """Bandit linear optimisation (Abernethy, Hazan & Rakhlin 2008), with directions on the sphere.

    B is a barrier of the set with parameter ϑ, H = B''(x) on the hull, which has d dimensions, and
    C Cᵀ = H⁻¹. A round plays y = x + ζ C u, u uniform on the unit sphere of the hull, and when v is
    released

        g = (d / ζ) (v - 1/2) C⁻ᵀ u,    S ← S + g,    x = argmin η ⟨S, x⟩ + B(x).

    Regret for linear functions after T releases, with q the mean square of v - 1/2, if
    η d |v - 1/2| / ζ ≤ 1/4 always:

        ϑ (1 + ln(η T / ϑ)) / η + 0.61 η d² q T / ζ²,

    in widths of the range; ζ is 1, up to a rounding error. If the noise in v is symmetric and
    unbounded, the condition must hold with |v - 1/2| ≤ 1/2 + m, where all noise is within ±m with
    probability at least 1 - 1 / T; then regret is at most 1 more.

    *Proof.* Let Φ = η ⟨S, x⟩ + B(x) with the sum after a round. It is self-concordant, and at the x
    of the round its Newton decrement is λ = η d |v - 1/2| / ζ ≤ 1/4. So it is at most
    -λ - ln(1 - λ) ≤ 0.61 λ² above its minimum, and the estimates have regret at most
    (B(w) - B(x(1))) / η + 0.61 Σ λ² / η. B(w) - B(x(1)) ≤ ϑ ln(1 / s) for a w that has gone a share
    s of the way from the comparator to the first leader, which costs s T; s = ϑ / η T is the best,
    if η T ≥ ϑ. Given the past, g is on average the slope of the function along the hull, and y is
    on average x. Unbounded noise: given that all of it is within ±m, it is still independent from
    round to round and 0 on average, and not larger in mean square; otherwise, with probability at
    most 1 / T, regret is at most T. ∎

    For smooth functions, ζ < 1 explores less far: see ``learners.functions.dikin``.

    >>> learner = Scrible.start(set=L2Ball(2, 1.0), learning_rate=0.1)
    >>> point, step = learner.act(0, np.random.default_rng(0))
    >>> learner.learn(step, 1.0)
    >>> bool(learner.sums @ point > 0.0)
    True
    """

    set: Barrier
    learning_rate: float  # η
    reach: float  # ζ
    factor: float  # d / ζ
    sums: Floats  # S
    point: Floats  # x
    heading: Floats  # u: a buffer
    step: Floats  # C u: a buffer
    slope: Floats  # C⁻ᵀ u: a buffer
    played: Floats  # y: a buffer

    @classmethod
    def start(cls, *, set: Barrier, learning_rate: float, radius: float = 1.0) -> Self:  # noqa: A002
        """Return the learner before the first round; ``radius`` is ζ."""
        check_ability(set, Barrier)
        check_hull(set)
        reach = INSIDE * check_range("radius", radius, 1e-100, 1.0)
        return cls(
            set,
            check_positive("learning_rate", learning_rate),
            reach,
            set.flat / reach,
            *(np.zeros(set.dimension) for _ in range(6)),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), learning_rate=0.01)

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.point.size

    def act(self, observation: object, rng: Generator) -> tuple[Floats, ScribleStep]:
        """Play a point on the ellipsoid around the leader."""
        self.set.leader(self.sums, self.learning_rate, self.point)
        draw_tangent(self.set, self.heading, rng)
        self.set.dikin(self.point, self.heading, self.step, self.slope)
        for i in range(self.point.size):
            self.played[i] = self.point[i] + self.reach * self.step[i]
        return self.played, ScribleStep(self.slope, self.played)

    def learn(self, trace: ScribleStep, released: float) -> None:
        """Add the estimate."""
        for i in range(self.sums.size):
            self.sums[i] += self.factor * (released - 0.5) * trace.slope[i]


class PointScrible(Scrible[Floats]):
    """The same behind a channel that adds noise to coordinates, and needs the point played."""

    def query(self, trace: ScribleStep) -> Floats:
        """Ask for the value at the point."""
        return trace.played


def scrible_bound(
    *, complexity: float, dimension: int, releases: int, square: float, learning_rate: float
) -> float:
    """Return the bound for linear functions.

    ``square`` bounds the mean square of a release around 1/2.
    """
    spread = FALL * learning_rate * (dimension / INSIDE) ** 2 * square * releases
    share = min(1.0, complexity / (learning_rate * releases))
    return complexity * math.log(1.0 / share) / learning_rate + share * releases + spread


def scrible_rate(*, complexity: float, dimension: int, releases: int, square: float) -> float:
    """Return the learning rate η with the least bound.

    It solves η² = ϑ ln(η T / ϑ) / 0.61 d² q T, by iteration.
    """
    one = math.sqrt(complexity / (FALL * square * releases)) * INSIDE / dimension
    rate = one
    for _ in range(50):
        rate = one * math.sqrt(max(1.0, math.log(rate * releases / complexity)))
    return rate
