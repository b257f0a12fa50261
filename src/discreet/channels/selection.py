"""Exact means of batches, private through the random selection of actions alone."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from discreet.channels.sums import NOT_YET, add_to_batch
from discreet.contracts import Floats, Generator
from discreet.errors import whole, within
from discreet.guarantee import Guarantee, stated
from discreet.kernel import compiled
from discreet.ranges import Range, declared


@compiled
class Selection(NamedTuple):
    """Releases the exact mean of each batch to a learner whose own sampling hides it, as in EXP3_tau.

    What leaves this channel is not private; only the actions are, and only with a learner that has a *selection window*:
    ``learner.window(change)`` bounds, for two histories that differ by ``change`` in one gain on the scale [0, 1] and
    agree in the actions, by how much log-ratios of the action probabilities can differ later. Then each later draw is a
    bounded-range selection with window w = window(1 / size), which is w²/8-zCDP; at most N - 1 draws follow the changed
    batch of N = ceil(rounds / size). So for all actions together ρ = (N - 1) w² / 8, hence
    ε = ρ + 2 sqrt(ρ ln(1/δ)), and ε = (N - 1) w with δ = 0; the smaller one is stated. It holds for ``rounds`` rounds,
    and only if every batch is learned before the next action is drawn (``in_order``): late outcomes would be weighted
    with older probabilities, which can push the two histories apart beyond any window.
    """

    size: int
    rounds: int
    delta: float
    bounds: Range
    held: Floats  # sum of the losses of the running batch, in steps of the grid, and how many they are

    @classmethod
    def over(cls, *, size: int, rounds: int, delta: float, bounds: Range) -> Selection:
        """Return the channel for a number of rounds."""
        return cls(
            whole("batch_size", size, least=1),
            whole("rounds", rounds, least=2),
            within("delta", delta, 0.0, 1.0),
            declared(*bounds),
            np.zeros(2),
        )

    def hold(self) -> int:
        """Return the size of the batch."""
        return self.size

    def offer(self, feedback: float, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add the loss to the batch; when the batch is full, hand over its mean."""
        mean = add_to_batch(self.held, self.bounds, self.size, feedback)
        return mean != NOT_YET, query * mean

    def fork(self) -> Selection:
        """Return the channel of another batch."""
        return self._replace(held=np.zeros(2))

    @property
    def guarantee(self) -> Guarantee:
        """None by itself: the learner hears exact means."""
        return Guarantee.none("exact means reach the learner; privacy would come from its sampling")

    @property
    def in_order(self) -> bool:
        """Whether the guarantee needs every outcome before the next action is drawn."""
        return True

    def guarantee_with(self, learner: Any) -> Guarantee:
        """Return what holds for the actions of a learner with a selection window."""
        window = getattr(learner, "window", None)
        epsilon, delta = (
            (math.inf, 0.0) if window is None else selection_loss(window(1.0 / self.size), self._batches, self.delta)
        )
        if not math.isfinite(epsilon):
            return self.guarantee
        return Guarantee(
            epsilon=stated(epsilon),
            delta=delta,
            model="central",
            status="proved",
            source="bounded-range selection: contraction of EXP3 on gains (docstrings of Selection and Exp3Gain)",
            caveat=f"of the actions in {self.rounds} rounds only: the state of the learner is not covered",
        )

    @property
    def _batches(self) -> int:
        return -(-self.rounds // self.size)

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """None is added."""
        return ()

    def __repr__(self) -> str:
        return (
            f"Selection(size={self.size}, rounds={self.rounds}, delta={self.delta}, bounds={self.bounds}, held=<hidden>)"
        )


def selection_loss(window: float, batches: int, delta: float) -> tuple[float, float]:
    """Return the smaller (epsilon, delta) of the pure and the concentrated bound.

    >>> selection_loss(1 / 42, -(-10_000 // 42), 1e-6)
    (0.982..., 1e-06)
    """
    later = max(0, batches - 1)
    pure = later * window
    if delta <= 0.0:
        return pure, 0.0
    rho = later * window**2 / 8.0
    concentrated = rho + 2.0 * math.sqrt(rho * math.log(1.0 / delta))
    return (pure, 0.0) if pure <= concentrated else (concentrated, delta)
