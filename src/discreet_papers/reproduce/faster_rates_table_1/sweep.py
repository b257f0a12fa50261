"""Old and new private bandits against the deterministic adversary, over T and epsilon."""

from __future__ import annotations

import math

from discreet.problems import Arms
from discreet_papers.reproduce.games import Game, Player

ARMS = 4
FIXED = (0.01, 0.1, 1.0)
BLIND = "uniform"
# Algorithm, and the exponents of T and of 1 / epsilon in its bound.
ALGORITHMS = {
    "dp-exp3-lap": (0.5, 1.0),
    "noisy-exp2": (0.5, 1.0),
    "batched-exp3": (0.5, 0.5),
    "batched-htinf": (0.5, 0.5),
    "batched-ftpl": (0.5, 0.5),
    "batched-tsallis-inf": (math.nan, math.nan),
}


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return games of T = 2^12 ... 2^20, each at 1 / sqrt(T) and three fixed epsilons."""
    return tuple(
        _game(length) for length in [2**k for k in range(12, 21, 2) if 2**k <= rounds] or [rounds]
    )


def _game(rounds: int) -> Game:
    epsilons = dict.fromkeys((rounds**-0.5, *FIXED))
    private = (
        Player(algorithm=name, epsilon=epsilon) for name in ALGORITHMS for epsilon in epsilons
    )
    return Game(
        part=f"T = {rounds:,}",
        environment="deterministic",
        problem=Arms(ARMS),
        rounds=rounds,
        players=(Player(algorithm=BLIND), *private),
    )
