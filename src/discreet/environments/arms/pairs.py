"""Pairs of neighbouring games: where EXP3 in loss form leaks, and where quick learners must pay for privacy."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Environment, Floats, Generator
from discreet.environments.arms.game import ArmGame, least


class Leak(Environment):
    """Faster rates 2025, appendix G.1: every arm loses 1 in every round, but for the first.

    In the first round the second arm loses 0; in the neighbouring game (``neighbour=True``) it loses 1 as well. Replaying
    the same alternating actions in both, EXP3 in loss form drives the two action probabilities ever further apart.

    >>> Leak(2).deal(0, 2, np.random.default_rng()).losses.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """

    arms: int
    neighbour: bool = False

    @property
    def actions(self) -> int:
        """The number of arms."""
        return self.arms

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        losses = np.ones((stop - start, self.arms))
        if start == 0 and not self.neighbour:
            losses[0, 1] = 0.0
        return ArmGame(losses)

    def best(self, total: Floats) -> float:
        """Return the loss of the best arm."""
        return least(total)


class Drop(Environment):
    """Faster rates 2025, appendix G.2: the first arm always loses 1/2, all others 1.

    In the alternate game the others lose 0 in the second half: a private algorithm that has quickly dropped them cannot
    notice soon, and has regret of order sqrt(T / ε) in one of the two.

    >>> Drop(2, 4, alternate=True).deal(0, 4, np.random.default_rng()).losses.tolist()
    [[0.5, 1.0], [0.5, 1.0], [0.5, 0.0], [0.5, 0.0]]
    """

    arms: int
    rounds: int
    alternate: bool = False

    @property
    def actions(self) -> int:
        """The number of arms."""
        return self.arms

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        losses = np.ones((stop - start, self.arms))
        losses[:, 0] = 0.5
        if self.alternate:
            losses[np.arange(start, stop) >= self.rounds // 2, 1:] = 0.0
        return ArmGame(losses)

    def best(self, total: Floats) -> float:
        """Return the loss of the best arm."""
        return least(total)
