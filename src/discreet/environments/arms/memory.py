"""An adversary with bounded memory: losses depend on the last m actions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.registry import register_environment
from discreet.errors import check_int
from discreet.lengths import check_arm
from discreet.problems import Arms, ArmsEnvironment, ReactingGame

NOW = 0.2  # immediate cost of the first arm
LATER = 0.5  # total cost of the others in the rounds after them
HEAD = 2  # entries of the memory before the ring: how many of the last m were others, next place


class RememberingGame(ReactingGame[int, float]):
    """Rounds in which playing another arm costs something in the next m rounds.

    ``memory`` holds how many of the last m plays were of other arms, the place of the oldest in the
    ring, and the ring.
    """

    by_round = ("losses",)
    action_shape = ()

    losses: Floats  # of always playing one arm
    costs: Floats  # the least loss, what the first arm adds now, what the others add later

    @property
    def choices(self) -> int:
        """The number of arms."""
        return int(self.losses.shape[1])

    def feedback(self, t: int, action: int) -> float:
        """Return the loss, and remember whether another arm than the first was played."""
        loss = self.loss(t, action)
        place = self.memory[1]
        other = 1 if action > 0 else 0
        self.memory[0] += other - self.memory[HEAD + place]
        self.memory[HEAD + place] = other
        self.memory[1] = (place + 1) % (self.memory.size - HEAD)
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the same loss, before the play is remembered."""
        check_arm(action, self.losses.shape[1])
        share = self.memory[0] / (self.memory.size - HEAD)
        now = self.costs[1] if action == 0 else 0.0
        loss: float = self.costs[0] + now + self.costs[2] * share
        return loss

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the loss over each stretch of always playing one arm."""
        return np.add.reduceat(self.losses, starts, axis=0)

    def rescaled(self, shift: float, factor: float) -> RememberingGame:
        """Return the game with all losses on another scale."""
        costs = factor * self.costs
        costs[0] += shift
        return self._replace(losses=shift + factor * self.losses, costs=costs)


@register_environment(
    "remembering",
    title="the better arm now costs more later (Tossou & Dimitrakakis 2017, Theorem 3.4)",
    problem=Arms,
)
class Remembering(ArmsEnvironment):
    """An adversary that remembers the last m actions (``memory``, 4 by default).

    A loss is 0.2 if the first arm is played and 0 otherwise, plus 0.5 times the share of other arms
    among the m plays before. So in every round the others are better by 0.2, but an algorithm that
    plays them pays more in the next m rounds, and always playing the first arm is best. Regret is
    *policy regret*: it compares with the loss of a fixed arm that is played from the start. A
    learner that reacts to single losses has regret of order T. One that holds its actions for many
    more rounds than m has regret of order T^(2/3) (docs/regret.md: Memory).

    >>> game = Remembering(2, memory=2).deal(0, 5, np.random.default_rng())
    >>> [round(float(game.feedback(t, 1)), 2) for t in range(4)], float(game.feedback(4, 0))
    ([0.0, 0.25, 0.5, 0.5], 0.7)
    """

    on_unit_scale = True

    reacts = True

    memory: int = 4

    @property
    def remembers(self) -> int:
        """The number of earlier actions that a loss depends on."""
        return check_int("memory", self.memory, minimum=1, maximum=1_000_000)

    def deal(self, start: int, stop: int, rng: Generator) -> RememberingGame:
        """Return rounds start to stop."""
        share = np.minimum(np.arange(start, stop), self.remembers) / self.remembers
        losses = np.repeat(LATER * share[:, None], self.arms, axis=1)
        losses[:, 0] = NOW
        return RememberingGame(
            memory=np.zeros(HEAD + self.remembers, np.int64),
            losses=losses,
            costs=np.array([0.0, NOW, LATER]),
        )
