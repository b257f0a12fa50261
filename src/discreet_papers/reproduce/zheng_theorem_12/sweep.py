"""Ten arms, one of them better by a gap: four gaps at epsilon 1, and five epsilons at a gap of 0.2."""

from __future__ import annotations

from discreet.problems import BestArm
from discreet_papers.reproduce.games import Game, Player

ARMS, ERROR, DELTA = 10, 0.1, 1e-5
HORIZON = 2**26
GAPS, EPSILONS = (0.05, 0.1, 0.2, 0.4), (0.25, 0.5, 1.0, 2.0, 4.0)
GAP, EPSILON = 0.2, 1.0  # of the other part
OVER_GAPS, OVER_EPSILONS = "samples over the gap", "samples over epsilon"

OPEN = "lil' UCB, no privacy"
PRINTED = "lil' UCB, Theorem 12 as printed"
GAUSSIAN = "lil' UCB, exact Gaussian noise"
RESPONSE = "lil' UCB, randomised response"
TRACK = "Track-and-Stop, randomised response"
BATCHES = "elimination on batches (central)"
ROLES = (PRINTED, GAUSSIAN, RESPONSE, TRACK, BATCHES, OPEN)


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return a game for every gap and every epsilon; ``rounds`` is the horizon."""
    over_gaps = (game(OVER_GAPS, gap, EPSILON, rounds) for gap in GAPS)
    over_epsilons = (game(OVER_EPSILONS, GAP, epsilon, rounds) for epsilon in EPSILONS)
    return (*over_gaps, *over_epsilons)


def game(part: str, gap: float, epsilon: float, rounds: int) -> Game:
    """Return the search of all players for one arm that loses less by a gap."""
    means = (0.5 - gap / 2.0, *(0.5 + gap / 2.0 for _ in range(ARMS - 1)))
    return Game(
        part=part,
        environment="stochastic",
        problem=BestArm(ARMS, ERROR),
        rounds=rounds,
        players=players(epsilon),
        options=(("means", means),),
    )


def players(epsilon: float) -> tuple[Player, ...]:
    """Return who searches at one epsilon."""
    lil = "local-lil-ucb"
    return (
        Player(
            algorithm=lil,
            epsilon=epsilon,
            delta=DELTA,
            options=(("calibration", "paper"),),
            role=PRINTED,
        ),
        Player(
            algorithm=lil,
            epsilon=epsilon,
            delta=DELTA,
            options=(("noise", "gaussian"),),
            role=GAUSSIAN,
        ),
        Player(algorithm=lil, epsilon=epsilon, role=RESPONSE),
        Player(algorithm="local-track-and-stop", epsilon=epsilon, role=TRACK),
        Player(algorithm="batched-successive-elimination", epsilon=epsilon, role=BATCHES),
        Player(algorithm="lil-ucb", role=OPEN),
    )
