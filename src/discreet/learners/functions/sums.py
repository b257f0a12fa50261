"""Leaders on released sums of estimated gradients, by projections or by a linear oracle alone.

The leader is x = argmin η ⟨S, x⟩ + |x - c|² over the set, with S the released sum, including its
noise Z, of the estimates before this batch. For functions that are fixed in advance, and g the sum
of the estimates of a batch of τ rounds,

    E regret ≤ R² / η + (η / 4) Σ E |g|² + T G ((η / 2) v + e) + (2 + R / r) G ζ T.

*Proof.* Compare with the leader x' on the sum without noise: its regret on the estimates is at most
R² / η + (η / 4) Σ |g|² (see ``learners.points.ftrl``). Given everything before a batch, both
leaders are fixed, and the estimates of the batch are on average the gradients of the smoothed
functions at the points actually played; these have length at most G. So playing x instead of x'
costs at most G |x - x'| per round. The projection is a contraction, so noise moves the leader by at
most (η / 2) |Z|, with v the largest E |Z|; an oracle that stops early adds e. Exploring costs the
last term. ∎

From one value per round, E |g|² ≤ τ d² / 4 ζ² + τ² G² in widths of the range; from two,
E |g|² ≤ τ d² G² / (d - 1) + τ² G² (docs/regret.md: Two points).

Here the noise is paid for in every batch: the information of a value about a gradient depends on
the point, and hence on earlier noise.

**Linear functions, noise paid once.** If functions are linear and the distribution of the estimates
does not depend on the points, then, for noise whose distribution is the same in all sums, or
Gaussian with a variance that never falls,

    E regret ≤ R² / η + (η / 4) (Σ E |g|² + V) + T G e + (R / r) G ζ T,

with V the largest E |Z|². From two values per round this holds, since
f(x + ζ u) - f(x - ζ u) = 2 ζ ⟨ℓ, u⟩ does not depend on x. From one it holds if values are rounded
to an end of their range by a coin (``RoundedProjectionFree``), which costs nothing in this bound.
The proof, and why it fails for values that are not rounded, is in docs/proofs.md: Noise paid once.
"""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Floats, Generator, Toss
from discreet.errors import check_positive, check_range
from discreet.learners.functions.corrective import Corrective
from discreet.learners.functions.mirror_maps import ByProjection
from discreet.learners.functions.noisy_oco import NoisyOco
from discreet.learners.wrapping import Around
from discreet.sets import L2Ball, LinearOracle, Projecting


class ProjectionFree(NoisyOco):
    """One value per round, and a linear oracle instead of projections.

    This is Algorithm 1 of Ene, Nguyen & Vladu 2021, corrected: :class:`NoisyOco` with the mirror
    map |x - c|², computed by Frank-Wolfe steps (:class:`Corrective`) when a sum is released. They
    stop within ``tolerance`` of the leader, and after at most ``most`` calls of the oracle. The
    paper's -η S should be +η S; its delay of one batch is unnecessary.

    >>> learner = ProjectionFree.start(set=L2Ball(2, 1.0), inner=1.0, radius=0.5, learning_rate=0.5)
    >>> point, direction = learner.act(0, np.random.default_rng(0))
    >>> learner.learn(direction, np.array([0.5, 0.0]))
    >>> learner.point.round(2).tolist()
    [-0.5, 0.0]
    """

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
    ) -> Self:
        """Return the learner before the first round."""
        return cls.with_map(
            Corrective.start(set, most=most),
            set=set,
            inner=inner,
            radius=radius,
            learning_rate=learning_rate,
            tolerance=tolerance,
        )


class RoundedProjectionFree(Around[Floats, Toss, Floats, Toss]):
    """The same for linear functions: values are rounded, and the noise is paid for once.

    Values are rounded to an end of their range. With β = ±1/2 the rounded value at x + ζ u,
    P(β = 1/2) = f(x + ζ u) in widths of the range, β u has in the direction w the density
    1 + f(x + ζ w) - f(x - ζ w) = 1 + 2 ζ ⟨ℓ, w⟩, relative to the uniform one: it does not depend on
    x.
    """

    learner: NoisyOco

    @classmethod
    def around(cls, plain: NoisyOco) -> RoundedProjectionFree:
        """Return the learner that asks for rounded values, before the first round."""
        return cls(plain)

    @classmethod
    def example(cls) -> RoundedProjectionFree:
        """Return an example for the contract tests."""
        return cls.around(ProjectionFree.example())

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Toss]:
        """Play a point near the leader, and toss a coin."""
        point, heading = self.learner.act(observation, rng)
        return point, Toss(heading, rng.random())

    def query(self, trace: Toss) -> Toss:
        """Ask for the rounded loss times the direction."""
        return trace

    def learn(self, trace: Toss, released: Floats) -> None:
        """Move to the leader on the new sum."""
        self.learner.learn(trace.direction, released)


class CentredProjectionFree(ProjectionFree):
    """The same with a baseline: the mean of all losses so far, released along with the sums.

    A query has one more coordinate, a constant κ, so the sum of the losses is released too, with
    noise; the other coordinates are sqrt(1 - κ²) u. Directions are public, so subtracting a mean m
    from all losses means subtracting m Σ u from the sum, which costs no privacy. It helps if losses
    are far from the middle of their range. No bound is proved: m depends on the rounds from which
    it is subtracted.
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
        """Return an example for the contract tests."""
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
        """Move to the leader on the new sum, less the mean times the sum of all directions."""
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
        self.mirror.lead(self.set, self.anchor, self.sums, self.point, self.tolerance)


class TwoPointLeader(NoisyOco):
    """Two values per round, and a projection: x = projection of c - η S / 2."""

    @classmethod
    def start(
        cls,
        *,
        set: Projecting,  # noqa: A002
        inner: float,
        radius: float,
        slope: float,
        learning_rate: float,
    ) -> Self:
        """Return the learner before the first round."""
        return cls.with_map(
            ByProjection(),
            set=set,
            inner=inner,
            radius=radius,
            learning_rate=learning_rate,
            factor=2.0 * set.flat * check_positive("slope", slope),
            points=2,
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), inner=1.0, radius=1e-3, slope=1.0, learning_rate=0.01)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play two points near the leader, on opposite sides."""
        self.look_both_ways(rng)
        return self.played, self.heading
