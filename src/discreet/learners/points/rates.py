"""The common state of leaders on sums of loss vectors, and their learning rates."""

from __future__ import annotations

import math

import numpy as np

from discreet.components import Component
from discreet.contracts import Floats, Learner
from discreet.errors import check_int, check_positive


class Leader(Learner[Floats, float, Floats, float]):
    """Plays a point that it computes from the newest sum of all loss vectors."""

    sums: Floats  # L, with its noise
    point: Floats  # the point that is played: a buffer

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.sums.size

    def learn(self, trace: float, released: Floats) -> None:
        """Keep the newest sum."""
        for i in range(self.sums.size):
            self.sums[i] = released[i]

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.sums.size


class Rates(Component):
    """Rates η(t) = max(least, scale / sqrt(A(t))), with A(t) = t ``step`` + ``noise``.

    Leaders with a fixed rate have bounds D / η + κ η A(T): D is the ``size`` of the regulariser, κ
    the ``curvature``; each round adds ``step`` to A, and noise in the sums adds a multiple of its
    variance. If the rate falls, the same proof gives D / η(T) + κ Σ η(t) (A(t) - A(t - 1))
    (docs/regret.md: Falling rates). ``noise`` has an entry for each number of binary digits: an
    upper bound on the contribution of the noise in a sum of that many vectors.

    * ``fixed``: the same rate in all rounds; sqrt(D / (κ A(T))) is the best, with the bound
      2 sqrt(D κ A(T)).
    * ``anytime``: η(t) = sqrt(D / (2 κ A(t))), for an unknown number of rounds: sqrt(2) times that
      bound, for every T.
    * ``early``: the best fixed rate times max(g, h sqrt(A(T) / A(t))), g = sqrt(1 + h²): g times
      that bound. Early rounds have larger rates, so easy problems are learned sooner.

    >>> rates = Rates.anytime(size=math.log(10), curvature=1 / 8, step=1.0)
    >>> round(rates.at(1), 4), round(rates.at(100), 4)
    (3.0349, 0.3035)
    """

    least: float
    scale: float
    step: float
    noise: Floats  # indexed by the binary digits of the number of vectors in a sum; entry 0 is 0

    @classmethod
    def fixed(cls, rate: float) -> Rates:
        """Return the same rate for all rounds."""
        return cls(
            least=check_positive("learning_rate", rate), scale=0.0, step=1.0, noise=np.zeros(1)
        )

    @classmethod
    def anytime(
        cls, *, size: float, curvature: float, step: float, noise: Floats | None = None
    ) -> Rates:
        """Return rates for an unknown number of rounds."""
        return cls(
            least=0.0,
            scale=math.sqrt(
                check_positive("size", size) / (2.0 * check_positive("curvature", curvature))
            ),
            step=check_positive("step", step),
            noise=np.zeros(1) if noise is None else noise,
        )

    @classmethod
    def early(
        cls,
        *,
        size: float,
        curvature: float,
        step: float,
        rounds: int,
        head_start: float,
        noise: Floats | None = None,
    ) -> Rates:
        """Return rates for a known number of rounds that start higher; ``head_start`` is h."""
        falling = cls.anytime(size=size, curvature=curvature, step=step, noise=noise)
        best = (
            math.sqrt(2.0)
            * falling.scale
            / math.sqrt(falling.paid(check_int("rounds", rounds, minimum=1)))
        )
        return falling._replace(
            least=best * math.hypot(1.0, head_start),
            scale=math.sqrt(2.0) * head_start * falling.scale,
        )

    @property
    def falls(self) -> bool:
        """Whether the rate changes over time."""
        return self.scale > 0.0

    def at(self, time: int) -> float:
        """Return the rate of a round, counted from 1."""
        return max(self.least, self.scale / math.sqrt(self.paid(time)))

    def paid(self, time: int) -> float:
        """Return A(t)."""
        digits = 0
        vectors = time - 1
        while vectors > 0 and digits + 1 < self.noise.size:
            vectors >>= 1
            digits += 1
        return time * self.step + float(self.noise[digits])
