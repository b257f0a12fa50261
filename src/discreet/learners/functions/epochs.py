"""A leader by a linear oracle for an unknown number of rounds: epochs double."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError
from discreet.learners.functions.corrective import Corrective
from discreet.learners.functions.noisy_oco import NoisyOco
from discreet.sets import L2Ball, LinearOracle


class Epoch(NamedTuple):
    """The parameters of an epoch, fixed in advance."""

    releases: int  # number of sums released in it
    radius: float  # ζ
    learning_rate: float  # η
    tolerance: float


class AnytimeProjectionFree(NoisyOco):
    """:class:`ProjectionFree`, started again in every epoch with the parameters of its length.

    An epoch is over after a number of releases. The next begins at the centre with a sum of 0: it
    subtracts the last release of the epoch before from all of its releases. Behind a channel that
    restarts at the same times (``Restarting``), a difference has only the noise of its own epoch.

    Regret: the sum of the regrets of all epochs, each at most the bound for its number of rounds
    (docs/proofs.md: Epochs of a leader).

    >>> learner = AnytimeProjectionFree.example()
    >>> point, direction = learner.act(0, np.random.default_rng(0))
    >>> for _ in range(3):
    ...     learner.learn(direction, np.full(5, 9.0))
    >>> int(learner.epoch[0]), learner.point.tolist()
    (1, [0.0, 0.0, 0.0, 0.0, 0.0])
    """

    radii: Floats
    shrinks: Floats  # 1 - ζ / r
    scales: Floats  # factor from a released sum to η s
    nears: Floats
    ends: Integers  # how many sums are released by the end of each epoch
    epoch: Integers
    heard: Integers  # sums so far
    offset: Floats  # the last sum of the epoch before

    @classmethod
    def start(
        cls,
        *,
        set: LinearOracle,  # noqa: A002
        inner: float,
        epochs: Sequence[Epoch],
        most: int = 1_000_000,
    ) -> Self:
        """Return the learner before the first round."""
        if not epochs:
            raise DiscreetError("epochs is empty, but must have at least one epoch.")
        radii = np.array([each.radius for each in epochs])
        rates = np.array([each.learning_rate for each in epochs])
        plain = NoisyOco.with_map(
            Corrective.start(set, most=most),
            set=set,
            inner=inner,
            radius=float(radii.max()),
            learning_rate=float(rates.min()),
            tolerance=float(epochs[0].tolerance),
        )
        return cls(
            **plain._asdict(),
            radii=radii,
            shrinks=1.0 - radii / inner,
            scales=rates * set.flat / radii,
            nears=np.array([each.tolerance for each in epochs]),
            ends=np.cumsum([each.releases for each in epochs]),
            epoch=np.zeros(1, np.int64),
            heard=np.zeros(1, np.int64),
            offset=np.zeros(set.dimension),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        epochs = [Epoch(3, 0.3, 0.05, 0.05), Epoch(6, 0.2, 0.03, 0.03), Epoch(12, 0.2, 0.02, 0.02)]
        return cls.start(set=L2Ball(5, 1.0), inner=1.0, epochs=epochs)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play a point near the leader."""
        epoch = self.epoch[0]
        self.look_around(self.radii[epoch], self.shrinks[epoch], rng)
        return self.played, self.heading

    def learn(self, trace: Floats, released: Floats) -> None:
        """Move to the leader on the new sum, or begin the next epoch."""
        epoch = self.epoch[0]
        self.heard[0] += 1
        if self.heard[0] >= self.ends[epoch] and epoch + 1 < self.ends.size:
            self.epoch[0] += 1
            for i in range(self.offset.size):
                self.offset[i] = released[i]
                self.point[i] = self.anchor[i]
        else:
            for i in range(self.sums.size):
                self.sums[i] = self.scales[epoch] * (released[i] - self.offset[i])
            self.mirror.lead(self.set, self.anchor, self.sums, self.point, self.nears[epoch])
