"""Games on arms: a loss for every arm and round, fixed before they are played."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.contracts import Floats, Game
from discreet.errors import DiscreetError


class ArmGame(Game):
    """Rounds of a bandit game: ``losses[t, i]`` is the loss of arm i in round t."""

    losses: Floats

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm that was played."""
        loss: float = self.losses[t, action]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the same: the feedback is the loss."""
        if not 0 <= action < self.losses.shape[1]:  # compiled code would read other memory
            raise DiscreetError(
                "the learner played an arm that the game does not have: their numbers of arms must agree."
            )
        loss: float = self.losses[t, action]
        return loss

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return each arm's loss over each stretch."""
        return np.add.reduceat(self.losses, starts, axis=0)


def least(total: Floats) -> float:
    """Return the loss of the best fixed arm, given the total of every arm."""
    return float(total.min())
