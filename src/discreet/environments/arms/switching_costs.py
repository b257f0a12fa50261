"""The switching-costs adversary of Dekel, Ding, Koren & Peres 2014."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError
from discreet.problems import Arms, ArmsEnvironment, ReactingGame


class SwitchingGame(ReactingGame[int, float]):
    """Rounds in which changing the arm costs the largest loss.

    ``memory`` holds the player's last arm, plus 1.
    """

    by_round = ("losses",)

    losses: Floats
    price: Floats  # of changing the arm: one number

    def feedback(self, t: int, action: int) -> float:
        """Return the loss, including that of changing the arm, and remember the arm."""
        switched = self.memory[0] > 0 and self.memory[0] != action + 1
        self.memory[0] = action + 1
        loss: float = self.price[0] if switched else self.losses[t, action]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the same loss, before the arm is remembered."""
        if not 0 <= action < self.losses.shape[1]:
            raise DiscreetError(
                "the learner played an arm that the game does not have: their numbers of arms "
                "must agree."
            )
        switched = self.memory[0] > 0 and self.memory[0] != action + 1
        loss: float = self.price[0] if switched else self.losses[t, action]
        return loss

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return each arm's loss over each stretch: a fixed arm never pays for switching."""
        return np.add.reduceat(self.losses, starts, axis=0)

    def rescaled(self, shift: float, factor: float) -> SwitchingGame:
        """Return the game with all losses on another scale."""
        return self._replace(losses=shift + factor * self.losses, price=shift + factor * self.price)


@register_environment(
    "switching-costs",
    title="a hidden good arm, and a price for switching (Dekel et al. 2014)",
    problem=Arms,
)
class SwitchingCosts(ArmsEnvironment):
    """All arms follow one multi-scale random walk; one of them, drawn at random, is a bit better.

    W(t) = W(t with its lowest bit cleared) + N(0, σ²), W(0) = 0, σ = 1 / (9 log2 T). The loss is
    1/2 + W(t), less K^(1/3) T^(-1/3) / (9 log2 T) for the good arm, clipped to [0, 1]. In every
    round in which a player switches arms, the loss is 1. The walk hides the good arm from players
    who do not switch, and switching is expensive: any algorithm has regret of order
    K^(1/3) T^(2/3) / log T.
    """

    on_unit_scale = True

    reacts = True

    rounds: int

    @property
    def remembers(self) -> int:
        """The number of earlier actions that a loss depends on: the last one."""
        return 1

    def deal(self, start: int, stop: int, rng: Generator) -> SwitchingGame:
        """Return rounds start to stop."""
        scale = 9.0 * math.log2(max(self.rounds, 2))
        walk = multi_scale_walk(rng, start, stop) / scale
        losses = np.repeat(0.5 + walk[:, None], self.arms, axis=1)
        good = int(uniforms(rng, 0, 1, 1, purpose=2)[0, 0] * self.arms)
        losses[:, good] -= (self.arms / self.rounds) ** (1.0 / 3.0) / scale
        return SwitchingGame(
            memory=np.zeros(1, np.int64), losses=np.clip(losses, 0.0, 1.0), price=np.ones(1)
        )


def multi_scale_walk(rng: Generator, start: int, stop: int) -> Floats:
    """Return W(t) for rounds t = start + 1 ... stop, with unit steps.

    The parent of a round, its number with the lowest bit cleared, has a higher lowest bit. So
    rounds are added to their parents by their lowest bit, the highest first: all at once, except
    those whose parent is before this stretch.
    """
    from scipy.special import ndtri

    walk: Floats = ndtri(uniforms(rng, start, stop, 1, purpose=3)[:, 0])

    def earlier(t: int) -> float:
        return (
            earlier(t & (t - 1)) + float(ndtri(uniforms(rng, t - 1, t, 1, purpose=3)[0, 0]))
            if t > 0
            else 0.0
        )

    for bit in (1 << level for level in reversed(range(stop.bit_length()))):
        first = start + 1 + (bit - start - 1) % (2 * bit)  # the first round with this lowest bit
        if first <= stop and first - bit <= start:
            walk[first - start - 1] += earlier(first - bit)
            first += 2 * bit
        mine = walk[first - start - 1 :: 2 * bit]
        mine += walk[first - bit - start - 1 :: 2 * bit][: mine.size]
    return walk
