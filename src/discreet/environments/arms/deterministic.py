"""Games without randomness, including pairs of neighbouring games."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Generator
from discreet.environments.registry import register_environment
from discreet.errors import check_int
from discreet.problems import ArmGame, Arms, ArmsEnvironment


@register_environment(
    "deterministic",
    title="fixed gains that mislead (Tossou & Dimitrakakis 2017, section 4)",
    problem=Arms,
)
class Deterministic(ArmsEnvironment):
    """Gains that mislead a greedy player; the loss is 1 - gain.

    The first arm always gives 0.38; the second gives 1 in every even round; the third gives 1 in
    every round that is a multiple of 3; all others give 0. Rounds count from 1. The second arm is
    best in the long run, and uniform play on four arms loses 59/300 per round compared with it.

    >>> Deterministic(4).deal(0, 4, np.random.default_rng()).losses.round(2).tolist()
    [[0.62, 1.0, 1.0, 1.0], [0.62, 0.0, 1.0, 1.0], [0.62, 1.0, 0.0, 1.0], [0.62, 0.0, 1.0, 1.0]]
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        rounds = np.arange(start, stop) + 1
        losses = np.ones((stop - start, self.arms))
        losses[:, 0] = 1.0 - 0.38
        losses[rounds % 2 == 0, 1] = 0.0
        if self.arms > 2:
            losses[rounds % 3 == 0, 2] = 0.0
        return ArmGame(losses)


@register_environment(
    "leak",
    title="all losses 1 except one: EXP3 on losses leaks (Faster rates 2025, G.1)",
    problem=Arms,
    neighbour=False,
)
@register_environment(
    "leak-neighbour",
    title="as leak, but the one loss of 0 is also 1",
    problem=Arms,
    neighbour=True,
)
class Leak(ArmsEnvironment):
    """Faster rates 2025, appendix G.1: every arm loses 1 in every round except the first.

    In the first round the second arm loses 0; in the neighbouring game (``neighbour=True``) it
    loses 1 as well. If the same alternating actions are replayed in both, EXP3 in loss form drives
    the two action probabilities ever further apart.

    >>> Leak(2).deal(0, 2, np.random.default_rng()).losses.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """

    on_unit_scale = True

    neighbour: bool = False

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        losses = np.ones((stop - start, self.arms))
        if start == 0 and not self.neighbour:
            losses[0, 1] = 0.0
        return ArmGame(losses)


@register_environment(
    "drop",
    title="one arm better by 1/2 (Faster rates 2025, G.2)",
    problem=Arms,
    alternate=False,
    switch=None,
)
@register_environment(
    "drop-alternate",
    title="as drop, but soon the others are better",
    problem=Arms,
    alternate=True,
)
class Drop(ArmsEnvironment):
    """Faster rates 2025, appendix G.2: the first arm always loses 1/2, all others 1.

    In the alternate game the others lose 0 after the first ``switch`` rounds, by default
    ceil(sqrt(T) / 2). The two games look the same to a player who seldom plays the others. So with
    ε-differential privacy the regret in one of them has a lower bound: of order 1 / ε for every
    algorithm, and of order sqrt(T / ε) for one that has dropped the others before the switch
    (docs/regret.md: Lower bounds). After a late switch the first arm's lead makes regret negative.

    >>> Drop(2, 4, alternate=True).deal(0, 3, np.random.default_rng()).losses.tolist()
    [[0.5, 1.0], [0.5, 0.0], [0.5, 0.0]]
    """

    on_unit_scale = True

    rounds: int
    alternate: bool = False
    switch: int | None = None

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        losses = np.ones((stop - start, self.arms))
        losses[:, 0] = 0.5
        if self.alternate:
            losses[np.arange(start, stop) >= self.switches_after(), 1:] = 0.0
        return ArmGame(losses)

    def switches_after(self) -> int:
        """Return how many first rounds of both games are the same."""
        if self.switch is None:
            return math.ceil(math.sqrt(self.rounds) / 2.0)
        return check_int("switch", self.switch, minimum=0)
