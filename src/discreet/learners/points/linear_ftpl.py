"""Follow the perturbed leader with a linear oracle (Agarwal & Singh 2017, Algorithm 3)."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.points.rates import Leader
from discreet.sets import L2Ball, LinearOracle, check_ability


class LinearFtpl(Leader):
    """Plays the best point for the released sum plus a Gaussian perturbation.

    Round t plays

        x = argmin ⟨L + P, x⟩,   P ~ N(0, σ² I)

    where L is the newest released sum of loss vectors. ``set`` is any set: only its linear oracle
    is used, and no projection. ``spread`` is σ. P is drawn once, before the first round, or in
    every round (``fresh``): the expected loss is the same if losses were fixed in advance, and only
    a fresh perturbation handles losses that react to the points played.

    In the private algorithm the noise of the released sums is the perturbation: ``spread`` is then
    0, or the part that their noise lacks. Only the first round has no noise yet.

    Regret: let s² = σ² + the variance of Gaussian noise in each coordinate of each sum, N the
    dimension, R the ``radius`` of a ball around the set, G the largest L2 norm of a loss vector,
    and all losses fixed in advance. Then

        E regret ≤ R s sqrt(N) + R T G² / (s sqrt(2 π)),

    plus 2 R G for the first round if the sums have noise. This is
    2 (2 π)^(-1/4) N^(1/4) R G sqrt(T) for s = G sqrt(T) / (2 π N)^(1/4); 2 (2 π)^(-1/4) is 1.26.

    *Proof.* As in ``ftrl.py``, with Φ(L) = E min ⟨L + s g, x⟩, g ~ N(0, I), and c the centre of the
    ball:

        -Φ(0) = s E max ⟨-g, x - c⟩ ≤ s R sqrt(N),   and for every direction u of length 1
        Φ''(u, u) = E ⟨u, x - c⟩ ⟨u, g⟩ / s ≥ -R E |⟨u, g⟩| / s = -R sqrt(2 / π) / s. ∎

    The paper's proof of Theorem 3.5 has 1 instead of sqrt(2 / π), and the largest norm instead of R
    (by Abernethy et al. 2014); its s is not quite the best.

    If s changes from round to round, R sqrt(N) times the sum of all its steps upwards replaces
    R s sqrt(N), and the sum of all 1 / s replaces T / s. For Laplace noise none of this is proved
    here.

    >>> from discreet.sets import Box
    >>> learner = LinearFtpl.start(set=Box.cube(2, -1.0, 1.0), spread=1.0)
    >>> point, trace = learner.act(None, np.random.default_rng(0))
    >>> point.tolist(), [round(float(p), 3) for p in learner.perturbation]
    ([-1.0, 1.0], [0.126, -0.132])
    >>> learner.learn(trace, np.array([-1.0, 1.0]))
    >>> learner.act(None, np.random.default_rng(0))[0].tolist()
    [1.0, -1.0]
    """

    plays_vertices = True

    set: LinearOracle
    spread: float
    fresh: bool
    perturbation: Floats  # P
    direction: Floats  # L + P
    clock: Integers  # rounds played

    @classmethod
    def start(cls, *, set: LinearOracle, spread: float = 0.0, fresh: bool = False) -> LinearFtpl:  # noqa: A002
        """Return the learner before the first round."""
        check_ability(set, LinearOracle)
        size = check_int("dimension", set.dimension, minimum=1)
        return cls(
            sums=np.zeros(size),
            point=np.zeros(size),
            set=set,
            spread=check_range("spread", spread, 0.0, 1e200),
            fresh=bool(fresh),
            perturbation=np.zeros(size),
            direction=np.zeros(size),
            clock=np.zeros(1, np.int64),
        )

    @classmethod
    def example(cls) -> LinearFtpl:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), spread=1.0)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, float]:
        """Perturb the sum, and call the oracle."""
        if self.spread > 0.0 and (self.fresh or self.clock[0] == 0):
            for i in range(self.perturbation.size):
                self.perturbation[i] = self.spread * rng.standard_normal()
        self.clock[0] += 1
        for i in range(self.sums.size):
            self.direction[i] = self.sums[i] + self.perturbation[i]
        self.set.minimise_linear(self.direction, self.point)
        return self.point, 0.0

    @staticmethod
    def recommended_spread(
        *, dimension: int, rounds: int, norm: float, noise: float = 0.0
    ) -> float:
        """Return the σ with which σ² + ``noise``² is the best s².

        It is 0 if the noise of the sums alone is as large.
        """
        best = (
            check_positive("norm", norm) ** 2
            * rounds
            / math.sqrt(2.0 * math.pi * check_int("dimension", dimension, minimum=1))
        )
        return math.sqrt(max(best - check_range("noise", noise, 0.0, 1e100) ** 2, 0.0))

    @staticmethod
    def regret_bound(
        *,
        dimension: int,
        radius: float,
        rounds: int,
        norm: float,
        spread: float,
        noise: float = 0.0,
    ) -> float:
        """Return the bound above.

        ``noise`` is the standard deviation of Gaussian noise in a coordinate of a sum.
        """
        deviation = check_positive("spread and noise together", math.hypot(spread, noise))
        first = 2.0 * radius * norm if noise > 0.0 else 0.0
        stability = rounds * norm**2 / (deviation * math.sqrt(2.0 * math.pi))
        return radius * (deviation * math.sqrt(dimension) + stability) + first
