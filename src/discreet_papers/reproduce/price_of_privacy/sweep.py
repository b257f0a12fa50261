"""Every private algorithm at nine epsilons, against the stochastic adversary; and what they are measured against."""

from __future__ import annotations

import numpy as np

from discreet.algorithms import list_algorithms
from discreet.problems import Arms
from discreet_papers.reproduce.games import Game, Player

ARMS, DELTA = 4, 1e-6
EPSILONS = tuple(float(f"{e:.3g}") for e in np.geomspace(0.001, 10.0, 9))
TWINS = ("exp3", "exp3-gain", "htinf", "ftpl", "tsallis-inf")
BLIND = "uniform"
OURS = (
    "one-bit-tsallis-inf",
    "tracking-ucb",
    "adaptive-tsallis-inf",
    "batched-ucb",
)  # all others are from papers


def private_names() -> list[str]:
    """Return the algorithms whose guarantee follows the epsilon that is asked for."""
    guarantees = {
        name: known.build(known.setting(delta=DELTA)).guarantee
        for name, known in list_algorithms(Arms).items()
    }
    return [
        name
        for name, guarantee in guarantees.items()
        if guarantee.is_private and guarantee.epsilon > 0.0
    ]


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return one game, in which everybody plays."""
    ordinary = (Player(algorithm=name, delta=DELTA) for name in (BLIND, *TWINS))
    private = (
        Player(algorithm=name, epsilon=epsilon, delta=DELTA)
        for name in private_names()
        for epsilon in EPSILONS
    )
    return (
        Game(
            part="price of privacy",
            environment="stochastic",
            problem=Arms(ARMS),
            rounds=rounds,
            players=(*ordinary, *private),
        ),
    )
