"""A leader by a linear oracle, from one released number per round."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.functions.corrective import Corrective
from discreet.learners.functions.exploring import Exploring
from discreet.learners.functions.mirror_maps import MirrorMap
from discreet.sets import L2Ball, LinearOracle


class ReportedProjectionFree(Exploring[float]):
    """:class:`ProjectionFree` in the local model: it adds up noisy estimates by itself.

    Every round releases y, the loss with noise. The estimate (d / ζ) (y - 1/2) u is added to a sum
    S. After every ``batch`` rounds the leader argmin η ⟨S, x⟩ + |x - c|² is computed by a linear
    oracle. The estimates include noise and are still unbiased. So the regret is that of
    ``learners.functions.sums`` without Z: with q the mean square of y around 1/2,

        R² / η + (η / 4) (T q d² / ζ² + T batch G²) + T G e + (2 + R / r) G ζ T.
    """

    mirror: MirrorMap
    scale: float  # η d / ζ
    tolerance: float
    batch: int
    sums: Floats  # η S
    clock: Integers

    @classmethod
    def start(
        cls,
        *,
        set: LinearOracle,  # noqa: A002
        inner: float,
        radius: float,
        learning_rate: float,
        batch: int,
        tolerance: float = 0.01,
        most: int = 1_000_000,
    ) -> Self:
        """Return the learner before the first round."""
        rate = check_positive("learning_rate", learning_rate)
        return cls(
            **cls.buffers(set, radius, inner),
            mirror=Corrective.start(set, most=most),
            scale=rate * set.flat / radius,
            tolerance=check_range("tolerance", tolerance, 1e-9, 1e9),
            batch=check_int("batch", batch, minimum=1),
            sums=np.zeros(set.dimension),
            clock=np.zeros(1, np.int64),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0), inner=1.0, radius=0.2, learning_rate=0.01, batch=4)

    @property
    def oracle_calls(self) -> int | None:
        """How often the mirror map has called a linear oracle."""
        return self.mirror.oracle_calls

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play a point near the leader."""
        self.look(rng)
        return self.played, self.heading

    def learn(self, trace: Floats, released: float) -> None:
        """Add an estimate; at the end of a batch, move to the leader."""
        for i in range(self.sums.size):
            self.sums[i] += self.scale * (released - 0.5) * trace[i]
        self.clock[0] += 1
        if self.clock[0] % self.batch == 0:
            self.mirror.lead(self.set, self.anchor, self.sums, self.point, self.tolerance)
