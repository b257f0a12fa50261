"""Private algorithms with normal contexts, over T at epsilon 1, and over epsilon at the largest T."""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.problems import Contexts
from discreet_papers.reproduce.games import Game, Options, Player

DELTA = 1e-5
EPSILONS = (0.5, 1.0, 2.0, 5.0)
BLIND = "uniform-contexts"


class Kind(NamedTuple):
    """An algorithm with its options, and the exponents of T and of 1 / epsilon in its bound; NaN where none is proved."""

    algorithm: str
    options: Options = ()
    in_rounds: float = math.nan
    in_epsilon: float = math.nan


KINDS = {
    "Algorithm 5, printed": Kind("local-linucb", (("calibration", "paper"),), 0.75, 1.0),
    "corrected": Kind("local-linucb", (("noise", "gaussian"), ("constants", "theory")), 0.75, 0.5),
    "local-linucb": Kind("local-linucb"),
    "local-greedy": Kind("local-greedy"),
    "joint-linucb": Kind("joint-linucb"),
}


def player(role: str, epsilon: float) -> Player:
    """Return who plays in a role."""
    kind = KINDS[role]
    return Player(
        algorithm=kind.algorithm, epsilon=epsilon, delta=DELTA, options=kind.options, role=role
    )


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return games of T = 2^12 ... 2^18, at epsilon 1 and, the longest, at four epsilons."""
    lengths = [2**k for k in range(12, 19, 2) if 2**k <= rounds] or [rounds]
    return tuple(_game(length, EPSILONS if length == lengths[-1] else (1.0,)) for length in lengths)


def _game(rounds: int, epsilons: tuple[float, ...]) -> Game:
    private = (player(role, epsilon) for role in KINDS for epsilon in epsilons)
    return Game(
        part=f"T = {rounds:,}",
        environment="contexts-gaussian",
        problem=Contexts(),
        rounds=rounds,
        players=(Player(algorithm=BLIND), Player(algorithm="linucb"), *private),
    )
