"""Exact means of batches, private through the random selection of actions alone."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.channels.batch import BatchSums
from discreet.contracts import Factor, Generator, Learner
from discreet.curves import Concentrated, Pure
from discreet.errors import DiscreetError, check_int, check_range
from discreet.guarantee import Guarantee
from discreet.ranges import Range, check_bounds, make_range


class Selection(BatchSums[Factor]):
    """Releases the exact mean of each batch to a learner whose sampling hides it, as in EXP3_tau.

    What leaves this channel is not private. Only the actions are, and only with a learner that has
    a *selection window*: for two histories with the same actions that differ by ``change`` in one
    gain on the scale [0, 1], ``learner.window(change)`` bounds how much log-ratios of later action
    probabilities differ. Then each later draw is a bounded-range selection with window w = window(1
    / size), which is w²/8-zCDP; at most J - 1 draws follow the changed batch of J = ceil(rounds /
    size). So for all actions together ρ = (J - 1) w² / 8, hence ε = ρ + 2 sqrt(ρ ln(1/δ)), and ε =
    (J - 1) w with δ = 0; the guarantee states the smaller one. It covers ``rounds`` rounds, and
    only if every batch is learned before the next action is drawn (``in_order``): late outcomes
    would be weighted with older probabilities, which can push the two histories apart beyond any
    window.
    """

    in_order = True

    rounds: int
    delta: float

    @classmethod
    def over(cls, *, size: int, rounds: int, delta: float, bounds: Range) -> Self:
        """Return the channel for a number of rounds."""
        return cls(
            size=check_int("batch_size", size, minimum=1),
            bounds=check_bounds(bounds),
            held=np.zeros(3),
            rounds=check_int("rounds", rounds, minimum=2),
            delta=check_range("delta", delta, 0.0, 1.0),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.over(size=3, rounds=100, delta=1e-6, bounds=make_range())

    def begin(self, patience: int) -> int:
        """Begin a batch of the guarantee's size; the learner's request is ignored."""
        return self.size

    def release(self, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the exact mean of the batch."""
        length = self.batch_length()
        return True, query * (self.sum_of(length) / length)

    def _with_exact_noise(self) -> Self:
        """Refuse: privacy would rest on the learner's own sampling, which is floating point."""
        raise DiscreetError(
            "this algorithm is private through its own sampling, which uses floating-point "
            "numbers: it can be simulated (simulation=True), but not used live."
        )

    @property
    def guarantee(self) -> Guarantee:
        """None by itself: the learner receives exact means."""
        return Guarantee.none("exact means reach the learner; privacy would come from its sampling")

    def guarantee_with(self, learner: Learner) -> Guarantee:
        """Return the guarantee for the actions of a learner with a selection window."""
        reach = learner.window(1.0 / self.size)
        if not math.isfinite(reach):
            return self.guarantee
        curve = selection_curve(reach, self._batches, self.delta)
        return Guarantee.of(
            curve,
            delta=0.0 if isinstance(curve, Pure) else self.delta,
            model="central",
            source="contraction of EXP3 on gains, bounded-range selection (docs/proofs.md: "
            "Selection)",
            seen=f"every action of {self.rounds} rounds, but not the state of the learner, which "
            "receives exact means",
        )

    @property
    def _batches(self) -> int:
        return -(-self.rounds // self.size)


def selection_curve(window: float, batches: int, delta: float) -> Pure | Concentrated:
    """Return the curve of the draws after a change: pure, or concentrated if that is less at delta.

    >>> round(selection_curve(1 / 42, -(-10_000 // 42), 1e-6).epsilon_at(1e-6), 4)
    0.9823
    """
    later = max(0, batches - 1)
    pure, concentrated = Pure(later * window), Concentrated(later * window**2 / 8.0)
    return pure if delta <= 0.0 or pure.epsilon <= concentrated.epsilon_at(delta) else concentrated
