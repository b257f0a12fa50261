"""Three algorithms against five adversaries, at the paper's epsilon, and at two that protect."""

from __future__ import annotations

import math

from discreet.problems import Arms
from discreet_papers.reproduce.games import Game, Player

ARMS = 4
ADVERSARIES = ("deterministic", "stochastic", "fully-oblivious", "oblivious", "switching-costs")
SMALL = (1.0, 0.1)


def paper_epsilon(rounds: int) -> float:
    """Return 28 K ln K + sqrt(112 K ln K ln T), the privacy loss of Corollary 3.2."""
    size = ARMS * math.log(ARMS)
    return 28.0 * size + math.sqrt(112.0 * size * math.log(rounds))


def paper_delta(rounds: int) -> float:
    """Return T^-2."""
    return math.pow(rounds, -2.0)


def paper_batch(rounds: int) -> int:
    """Return (T / (7 K ln K))^(1/3), the batch size of Corollary 3.2."""
    return max(1, math.ceil(math.cbrt(rounds / (7.0 * ARMS * math.log(ARMS)))))


def paper_players(rounds: int) -> tuple[Player, ...]:
    """Return who is in the paper's figure; the last one has its batches."""
    epsilon, delta = paper_epsilon(rounds), paper_delta(rounds)
    return (
        Player(algorithm="exp3-gain"),
        Player(algorithm="dp-exp3-lap", epsilon=epsilon, delta=delta),
        Player(
            algorithm="exp3-tau",
            epsilon=epsilon,
            delta=delta,
            options=(("batch_size", paper_batch(rounds)),),
        ),
    )


def small_players(rounds: int) -> tuple[Player, ...]:
    """Return who is in the figure at epsilon 1 and 0.1, which the paper does not show."""
    return (
        Player(algorithm="exp3-gain"),
        *(
            Player(algorithm=name, epsilon=epsilon, delta=paper_delta(rounds))
            for epsilon in SMALL
            for name in ("dp-exp3-lap", "exp3-tau", "batched-htinf")
        ),
    )


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return one game an adversary; everybody plays in all of them."""
    players = tuple(dict.fromkeys((*paper_players(rounds), *small_players(rounds))))
    return tuple(
        Game(part=name, environment=name, problem=Arms(ARMS), rounds=rounds, players=players)
        for name in ADVERSARIES
    )
