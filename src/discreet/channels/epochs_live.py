"""Running sums for an unknown number of rounds, in live use: a live tree for each epoch."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from discreet.channels.tree import LiveTree, Tree
from discreet.contracts import Floats, Generator
from discreet.curves import Approximate, Pure
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.mechanisms import Gaussian

SOURCE = (
    "doubling epochs of binary trees, adaptive inputs; exact noise (docs/proofs.md: Laplace on a grid, "
    "Gaussian on a grid, Sums on a grid, Unknown horizons)"
)


class LiveEpochs:
    """``Epochs`` with restarts, and exact noise: epochs have a tree each, on rounds of their own.

    A tree is planted when its epoch begins, with noise for the promise of the whole: so one tree pays for each round,
    however many epochs there will be (docs/proofs.md: Sums on a grid, Unknown horizons).
    """

    def __init__(self, losses: Any, mechanism: Any, *, first: int, promise: Guarantee) -> None:
        self.losses = losses
        self.seen = np.zeros(1, np.int64)
        self._mechanism, self._first, self._promise = mechanism, first, promise
        self._epoch, self._finished = 0, np.zeros(losses.dimension)
        self._tree = self._plant()

    def hold(self) -> int:
        """Return 1: a new action every round."""
        return 1

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with the noise of its nodes."""
        if self._tree.seen[0] == self._tree.prefixes:
            finished = self._finished + self._tree.released
            self._epoch += 1
            self._tree, self._finished = self._plant(), finished
        _, part = self._tree.offer(feedback, query, rng)
        self.seen[0] += 1
        return True, self._finished + part

    def restart(self) -> None:
        """Forget everything and begin anew: other rounds follow, and none of those that were told already."""
        self.seen[0] = 0
        self._epoch, self._finished = 0, np.zeros(self.losses.dimension)
        self._tree = self._plant()

    def live(self) -> LiveEpochs:
        """Return this channel."""
        return self

    def fork(self) -> LiveEpochs:
        """Return this channel: all rounds are one stream, in the order in which they come."""
        return self

    @property
    def guarantee(self) -> Guarantee:
        """That of each tree."""
        epsilon, delta = self._promise.epsilon, self._promise.delta
        curve = Pure(epsilon) if delta == 0.0 else Approximate(epsilon, delta)
        return Guarantee.of(curve, delta=delta, model="central", source=SOURCE)

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """The noise on each node of the running epoch."""
        return self._tree.noises

    def _plant(self) -> LiveTree:
        """Return the tree of the running epoch."""
        rounds = self._first << self._epoch
        levels = rounds.bit_length()
        factor = math.sqrt(levels) if isinstance(self._mechanism, Gaussian) else float(levels)
        mechanism = self._mechanism._replace(scale=self._mechanism.scale * factor * (1.0 + 1e-11))
        tree = Tree.over(self.losses, mechanism, prefixes=rounds).live()
        if tree.guarantee.epsilon > self._promise.epsilon:
            raise DiscreetError(
                f"epoch {self._epoch + 1} would need more than the promised epsilon: restart the channel."
            )
        return tree

    def __reduce__(self) -> NoReturn:
        raise DiscreetError("a live running sum cannot be copied: sums would be released again with fresh noise.")

    def __repr__(self) -> str:
        return f"LiveEpochs(first={self._first}, losses={self.losses}, mechanism={self._mechanism}, sums=<hidden>)"
