"""Learning rates that are fixed, or fall with time, for leaders on sums with noise."""

from __future__ import annotations

import math

import numpy as np

from discreet.components import Component
from discreet.contracts import Floats
from discreet.errors import check_int, check_positive


class Rates(Component):
    """Rates η(t) = max(least, scale / sqrt(τ(t))), with τ(t) = t ``step`` + ``noise``.

    Leaders with a fixed rate have bounds D / η + κ η τ(T): D is the ``size`` of the regulariser, κ
    the ``curvature``; each round adds ``step`` to τ, and noise in the sums a multiple of its
    variance. If the rate falls, the same proof gives D / η(T) + κ Σ η(t) (τ(t) - τ(t - 1))
    (docs/regret.md: Falling rates). ``noise`` has an entry for each number of binary digits: what
    the noise in a sum of that many vectors adds, at most.

    * ``fixed``: the same rate in all rounds; sqrt(D / (κ τ(T))) is the best, with the bound 2
      sqrt(D κ τ(T)).
    * ``anytime``: η(t) = sqrt(D / (2 κ τ(t))), for an unknown number of rounds: sqrt(2) times that
      bound, for every T.
    * ``early``: the best fixed rate times max(g, h sqrt(τ(T) / τ(t))), g = sqrt(1 + h²): g times
      that bound. Early rounds have larger rates, so what is easy is learned sooner.

    >>> rates = Rates.anytime(size=math.log(10), curvature=1 / 8, step=1.0)
    >>> round(rates.at(1), 4), round(rates.at(100), 4)
    (3.0349, 0.3035)
    """

    least: float
    scale: float
    step: float
    noise: Floats  # by the binary digits of the number of vectors in a sum; that of none is 0

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
        """Return rates for a number of rounds that are larger at the beginning; ``head_start`` is h."""
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
        """Whether the rate is not the same in all rounds."""
        return self.scale > 0.0

    def at(self, time: int) -> float:
        """Return the rate of a round, counted from 1."""
        return max(self.least, self.scale / math.sqrt(self.paid(time)))

    def paid(self, time: int) -> float:
        """Return τ(t)."""
        digits = 0
        vectors = time - 1
        while vectors > 0 and digits + 1 < self.noise.size:
            vectors >>= 1
            digits += 1
        return time * self.step + float(self.noise[digits])
