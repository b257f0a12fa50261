"""Online gradient descent (Zinkevich 2003)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import check_positive, check_range
from discreet.learners.points.ftrl import as_vector
from discreet.learners.points.rates import Leader
from discreet.sets import ConvexSet, L2Ball


class GradientDescent(Leader):
    """Steps against each loss vector, and back onto the set.

    When a sum is released, its difference g from the one before is the loss vector of the round:

        x ← projection of x - η g

    ``learning_rate`` is η, or c in η = c / sqrt(t) if ``anytime``. ``set`` has ``dimension`` and
    ``project(point)``, which works in place. ``start`` is the first point, by default the one
    nearest to the origin. Below, G is the ``norm``, the largest L2 norm of a loss vector; the
    ``radius`` R is the largest distance of a point of the set from the first one, or the
    ``diameter`` of the set if ``anytime``.

    Regret without noise (Zinkevich 2003): at most R² / 2 η + η T G² / 2, which is R G sqrt(T) for
    η = R / (G sqrt(T)); ``anytime`` at most R² sqrt(T) / 2 c + c G² sqrt(T), which is R G sqrt(2 T)
    for c = R / (G sqrt(2)).

    With noise, and losses fixed in advance, let E |noise of a step|² ≤ q². If the noise of a step
    is independent of the rounds before, as when every loss vector has its own noise, G² becomes G²
    + q². If it is not, as for the noise Z of a tree, which later steps remove, summation by parts
    adds

        R sqrt(E |Z|²) + Σ η sqrt(E |Z|² (G² + q²))

    to the bound, which grows like sqrt(T). Leaders that see the sums themselves avoid this cost
    (``QuadraticFtrl``).

    >>> from discreet.sets import Box
    >>> cube = Box.cube(2, -1.0, 1.0)
    >>> learner = GradientDescent.start(set=cube, learning_rate=0.5)
    >>> for released in ([1.0, -8.0], [1.5, -7.0]):
    ...     point, trace = learner.act(None, np.random.default_rng(0))
    ...     learner.learn(trace, np.array(released))
    >>> learner.act(None, np.random.default_rng(0))[0].tolist()
    [-0.75, 0.5]
    """

    learning_rate: float
    anytime: bool
    set: ConvexSet
    iterate: Floats  # x
    clock: Floats  # steps taken

    @classmethod
    def start(
        cls,
        *,
        set: ConvexSet,  # noqa: A002
        learning_rate: float,
        anytime: bool = False,
        start: Sequence[float] | Floats | None = None,
    ) -> GradientDescent:
        """Return the learner before the first round."""
        first = as_vector("start", start, set.dimension)
        set.project(first)
        return cls(
            sums=np.zeros(first.size),
            point=first.copy(),  # x as played, which must not move before the next decision
            learning_rate=check_positive("learning_rate", learning_rate),
            anytime=bool(anytime),
            set=set,
            iterate=first,
            clock=np.zeros(1),
        )

    @classmethod
    def example(cls) -> GradientDescent:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), learning_rate=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, float]:
        """Play the current point."""
        for i in range(self.point.size):
            self.point[i] = self.iterate[i]
        return self.point, 0.0

    def learn(self, trace: float, released: Floats) -> None:
        """Take a step."""
        self.clock[0] += 1.0
        rate = self.learning_rate
        if self.anytime:
            rate /= math.sqrt(self.clock[0])
        for i in range(self.sums.size):
            self.iterate[i] -= rate * (released[i] - self.sums[i])
            self.sums[i] = released[i]
        self.set.project(self.iterate)

    @staticmethod
    def recommended_rate(*, radius: float, rounds: int, norm: float, noise: float = 0.0) -> float:
        """Return η = R / sqrt(T (G² + q²)).

        ``noise`` is q, the root mean square length of the noise in a step.
        """
        return check_positive("radius", radius) / (math.sqrt(rounds) * noisy_norm(norm, noise))

    @staticmethod
    def recommended_anytime_rate(*, diameter: float, norm: float, noise: float = 0.0) -> float:
        """Return c = R / sqrt(2 (G² + q²)).

        ``noise`` is q, the root mean square length of the noise in a step.
        """
        return check_positive("diameter", diameter) / (math.sqrt(2.0) * noisy_norm(norm, noise))

    @staticmethod
    def regret_bound(
        *,
        radius: float,
        rounds: int,
        norm: float,
        learning_rate: float,
        anytime: bool = False,
        noise: float = 0.0,
        sum_noise: float = 0.0,
    ) -> float:
        """Return the bound above; ``radius`` is the diameter if ``anytime``.

        ``noise`` is q, of a step. ``sum_noise`` is sqrt(E |Z|²), of a sum, or 0 if the noise of the
        steps is independent.
        """
        length = noisy_norm(norm, noise)
        last = learning_rate / math.sqrt(rounds) if anytime else learning_rate
        # at least the sum of all η
        way = 2.0 * learning_rate * math.sqrt(rounds) if anytime else learning_rate * rounds
        correlated = check_range("sum_noise", sum_noise, 0.0, 1e100) * (radius + way * length)
        return radius**2 / (2.0 * last) + way * length**2 / 2.0 + correlated


def noisy_norm(norm: float, noise: float) -> float:
    """Return sqrt(G² + q²)."""
    return math.hypot(check_positive("norm", norm), check_range("noise", noise, 0.0, 1e100))
