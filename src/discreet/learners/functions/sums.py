"""Leaders on released sums of estimated gradients: by projections, or by a linear oracle alone.

The leader is x = argmin η ⟨S, x⟩ + |x - c|² over the set, S the released sum, with its noise Z, of
the estimates before this batch. For functions that are fixed in advance, and g the sum of the
estimates of a batch of b rounds,

    E regret ≤ R² / η + (η / 4) Σ E |g|² + T G ((η / 2) v + e) + (2 + R / r) G ζ T.

*Proof.* Compare with the leader x' on the sum without noise: its regret on the estimates is at most
R² / η + (η / 4) Σ |g|² (see ``learners.points.ftrl``). Given all that went before a batch, both
leaders are fixed, and the estimates of the batch are on average the gradients of the smoothed
functions at the points really played; these have length at most G. So to play x in the place of x'
costs at most G |x - x'| a round. The projection is a contraction, so noise moves the leader by at
most (η / 2) |Z|, v being the largest E |Z|; an oracle that stops early adds e. Looking around costs
the last term. ∎

From one value a round, E |g|² ≤ b d² / 4 ζ² + b² G² in widths of the range; from two, E |g|² ≤ b d²
G² + b² G².

The noise is paid in every batch here: what a value tells of a gradient depends on the point, hence
on earlier noise.

**Linear functions, noise paid once.** If functions are linear and the law of the estimates does not
depend on the points where they are taken, then, for noise whose law is the same in all sums or
Gaussian with a variance that never falls,

    E regret ≤ R² / η + (η / 4) (Σ E |g|² + V) + T G e + (R / r) G ζ T,

V being the largest E |Z|². From two values a round it does not, since f(y + ρ u) - f(y - ρ u) = 2 ρ
⟨ℓ, u⟩. From one it does if values are rounded to an end of their range by a coin
(``RoundedProjectionFree``), which costs nothing in this bound. The proof, and why it fails for
values that are not rounded, is in docs/proofs.md: Noise paid once.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Toss
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.functions.exploring import Exploring
from discreet.learners.wrapping import Around
from discreet.sets import L2Ball, LinearOracle, Projecting


class SumLeader(Exploring[Floats]):
    """Asks for sums of (loss - middle) · u, which the channel multiplies, and follows the leader on them."""

    learning_rate: float  # η
    factor: float  # what a released sum is multiplied by, to be a sum of gradients

    def query(self, trace: Floats) -> Floats:
        """Ask for the loss times the direction."""
        return trace

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.point.size


class ProjectionFree(SumLeader):
    """One value a round, and a linear oracle instead of projections (Ene, Nguyen & Vladu 2021, Algorithm 1, corrected).

    When a sum is released, Frank-Wolfe steps with exact line search go from the last leader towards
    the next,

        p = argmin ⟨2 (x - c) + η S, p⟩,   x ← x + s (p - x),   s = min(1, gap / 2 |x - p|²),

    until the gap ⟨2 (x - c) + η S, x - p⟩ is at most ``tolerance``², which proves that x is within
    ``tolerance`` of the leader; and for at most ``most`` steps. Where the paper has -η S it means
    +η S; its batch of delay is not needed.

    >>> learner = ProjectionFree.start(set=L2Ball(2, 1.0), inner=1.0, radius=0.5, learning_rate=0.5)
    >>> point, direction = learner.act(0, np.random.default_rng(0))
    >>> learner.learn(direction, np.array([0.5, 0.0]))
    >>> learner.point.round(2).tolist()
    [-0.5, 0.0]
    """

    tolerance: float
    most_steps: int
    sums: Floats
    slope: Floats  # of the objective: a buffer
    corner: Floats  # what the oracle answers: a buffer
    calls: Integers  # of the oracle

    @classmethod
    def start(
        cls,
        *,
        set: LinearOracle,  # noqa: A002
        inner: float,
        radius: float,
        learning_rate: float,
        tolerance: float = 0.01,
        most: int = 1_000_000,
    ) -> ProjectionFree:
        """Return the learner before the first round."""
        size = set.dimension
        return cls(
            **cls.buffers(set, radius, inner),
            learning_rate=check_positive("learning_rate", learning_rate),
            factor=set.flat / radius,
            tolerance=check_range("tolerance", tolerance, 1e-9, 1e9),
            most_steps=check_int("most", most, minimum=1),
            sums=np.zeros(size),
            slope=np.zeros(size),
            corner=np.zeros(size),
            calls=np.zeros(1, np.int64),
        )

    @classmethod
    def example(cls) -> ProjectionFree:
        """Return one to check the contract with."""
        return cls.start(set=L2Ball(5, 1.0), inner=1.0, radius=0.2, learning_rate=0.01)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play a point near the leader."""
        self.look(rng)
        return self.played, self.heading

    def learn(self, trace: Floats, released: Floats) -> None:
        """Go to the leader on the new sum."""
        for i in range(self.sums.size):
            self.sums[i] = self.learning_rate * self.factor * released[i]
        self.approach()

    def approach(self) -> None:
        """Take Frank-Wolfe steps towards the leader."""
        for _ in range(self.most_steps):
            for i in range(self.sums.size):
                self.slope[i] = 2.0 * (self.point[i] - self.anchor[i]) + self.sums[i]
            self.set.minimise_linear(self.slope, self.corner)
            self.calls[0] += 1
            gap, distance = 0.0, 0.0
            for i in range(self.sums.size):
                step = self.point[i] - self.corner[i]
                gap += self.slope[i] * step
                distance += step * step
            if not gap > self.tolerance * self.tolerance:
                break
            share = min(1.0, 0.5 * gap / distance)
            for i in range(self.sums.size):
                self.point[i] += share * (self.corner[i] - self.point[i])


class RoundedProjectionFree(Around[Floats, Toss, Floats, Toss]):
    """The same for linear functions: values are rounded to an end of their range, and the noise of sums is paid once.

    With β = ±1/2 the rounded value at y + ζ u, P(β = 1/2) = f(y + ζ u) in widths of the range, β u
    has in the direction w the density 1 + f(y + ζ w) - f(y - ζ w) = 1 + 2 ζ ⟨ℓ, w⟩, over the
    uniform one: it does not depend on y.
    """

    learner: ProjectionFree

    @classmethod
    def around(cls, plain: ProjectionFree) -> RoundedProjectionFree:
        """Return the learner that asks for rounded values, before the first round."""
        return cls(plain)

    @classmethod
    def example(cls) -> RoundedProjectionFree:
        """Return one to check the contract with."""
        return cls.around(ProjectionFree.example())

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Toss]:
        """Play a point near the leader, and toss a coin."""
        point, heading = self.learner.act(observation, rng)
        return point, Toss(heading, rng.random())

    def query(self, trace: Toss) -> Toss:
        """Ask for the rounded loss times the direction."""
        return trace

    def learn(self, trace: Toss, released: Floats) -> None:
        """Go to the leader on the new sum."""
        self.learner.learn(trace.direction, released)


class CentredProjectionFree(ProjectionFree):
    """The same with a baseline: the mean of all losses so far, released along with the sums.

    A query has one more coordinate, a constant κ, so that the sum of the losses is released too,
    with noise; the others are sqrt(1 - κ²) u. Directions are public, so to subtract a mean m from
    all losses is to subtract m Σ u from the sum, and costs no privacy. It helps where losses are
    far from the middle of their range. No bound is proved: m depends on the rounds from which it is
    subtracted.
    """

    share: float  # κ
    asked: Floats  # a query: a buffer
    walked: Floats  # Σ u and their number, of the batches that were released
    fresh: Floats  # the same, of the running batch

    @classmethod
    def around(cls, plain: ProjectionFree, *, share: float = 0.1) -> CentredProjectionFree:
        """Return the learner with a baseline, before the first round."""
        size = plain.point.size + 1
        part = check_range("share", share, 1e-3, 0.9)
        return cls._make((*plain, part, *(np.zeros(size) for _ in range(3))))

    @classmethod
    def example(cls) -> CentredProjectionFree:
        """Return one to check the contract with."""
        return cls.around(ProjectionFree.example())

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play a point near the leader."""
        self.look(rng)
        size = self.point.size
        across = math.sqrt(1.0 - self.share * self.share)
        for i in range(size):
            self.asked[i] = across * self.heading[i]
            self.fresh[i] += self.heading[i]
        self.asked[size] = self.share
        self.fresh[size] += 1.0
        return self.played, self.asked

    def release_size(self) -> int:
        """Return one more than the dimension of the points."""
        return self.point.size + 1

    def learn(self, trace: Floats, released: Floats) -> None:
        """Go to the leader on the new sum, less the mean times the sum of all directions."""
        size = self.point.size
        across = math.sqrt(1.0 - self.share * self.share)
        for i in range(size + 1):
            self.walked[i] += self.fresh[i]
            self.fresh[i] = 0.0
        mean = released[size] / (self.share * max(self.walked[size], 1.0))
        mean = min(0.5, max(-0.5, mean))
        for i in range(size):
            gradient = released[i] / across - mean * self.walked[i]
            self.sums[i] = self.learning_rate * self.factor * gradient
        self.approach()


class TwoPointLeader(SumLeader):
    """Two values a round, and a projection: x = projection of c - η S / 2."""

    set: Projecting

    @classmethod
    def start(
        cls,
        *,
        set: Projecting,  # noqa: A002
        inner: float,
        radius: float,
        slope: float,
        learning_rate: float,
    ) -> TwoPointLeader:
        """Return the learner before the first round."""
        return cls(
            **cls.buffers(set, radius, inner, points=2),
            learning_rate=check_positive("learning_rate", learning_rate),
            factor=2.0 * set.flat * check_positive("slope", slope),
        )

    @classmethod
    def example(cls) -> TwoPointLeader:
        """Return one to check the contract with."""
        return cls.start(set=L2Ball(5, 1.0), inner=1.0, radius=1e-3, slope=1.0, learning_rate=0.01)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play two points near the leader, on opposite sides."""
        self.look_both_ways(rng)
        return self.played, self.heading

    def learn(self, trace: Floats, released: Floats) -> None:
        """Go to the leader on the new sum."""
        for i in range(self.point.size):
            self.point[i] = self.anchor[i] - 0.5 * self.learning_rate * self.factor * released[i]
        self.set.project(self.point)
