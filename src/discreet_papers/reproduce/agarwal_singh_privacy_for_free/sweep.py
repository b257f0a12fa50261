"""Leaders of ten experts at many epsilons and lengths; and all counters at epsilon 1, at two gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from discreet.problems import Points
from discreet.problems.points import GeometryName
from discreet_papers.reproduce import fitting
from discreet_papers.reproduce.games import Game, Options, Player, contender
from discreet_papers.reproduce.leaders import DELTA, blt_leader, games, open_leader, tree_leader

POINTS: GeometryName = "experts"
SIZE = 10
GAPS = (0.1, 0.01)
COUNTERS: dict[str, Options] = {
    "tree": (("sums", "tree"), ("noise", "gaussian"), ("padding", False)),
    "tree, padded": (("sums", "tree"), ("noise", "gaussian"), ("padding", True)),
    "honaker": (("sums", "honaker"), ("noise", "gaussian")),
    "sqrt-toeplitz": (("sums", "sqrt-toeplitz"),),
    "blt": (("sums", "blt"),),
}
COUNTING = "counters"  # how the parts of the sweep that compare counters begin


def same_rate(counter: str) -> str:
    """Return what a counter is called when it plays with the learning rate of no privacy."""
    return f"{counter}, same rate"


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return games of several lengths at many epsilons, then games of all counters."""
    lengths = fitting.lengths(rounds, count=4, least=2**10)
    return (
        *(game for length in lengths for game in _leaders(length)),
        *(_counters(rounds, gap) for gap in GAPS),
    )


def _leaders(rounds: int) -> tuple[Game, ...]:
    epsilons = [float(f"{e:.4g}") for e in np.geomspace(0.01 / math.sqrt(rounds), 30.0, 16)]
    private = (
        player for e in epsilons for player in (tree_leader(POINTS, e), blt_leader(POINTS, e))
    )
    return games(f"T = {rounds:,}", POINTS, SIZE, rounds, (open_leader(POINTS), *private))


def _counters(rounds: int, gap: float) -> Game:
    """Every counter plays twice: with the learning rate that is best for its bound, and with that of no privacy."""
    alone = Game(
        part=f"{COUNTING}, gap {gap:g}",
        environment="linear-stochastic",
        problem=Points(POINTS, SIZE),
        rounds=rounds,
        players=(open_leader(POINTS),),
        options=(("gap", gap),),
    )
    rate = contender(alone, alone.players[0]).facts["parameters"]["learning_rate"]

    def behind(counter: str, options: Options) -> Iterator[Player]:
        fixed = (*options, ("head_start", 0.0))  # one rate, as in the paper
        plain = Player(
            algorithm="private-ftrl-experts", epsilon=1.0, delta=DELTA, options=fixed, role=counter
        )
        yield plain
        yield replace(plain, options=(("learning_rate", rate), *options), role=same_rate(counter))

    everyone = (
        player for counter, options in COUNTERS.items() for player in behind(counter, options)
    )
    return replace(alone, players=(*alone.players, *everyone))
