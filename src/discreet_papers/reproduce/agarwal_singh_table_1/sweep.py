"""Three sets of points in three dimensions, games of up to a million rounds, three epsilons, four approaches."""

from __future__ import annotations

from discreet.problems.points import GeometryName
from discreet_papers.reproduce import fitting
from discreet_papers.reproduce.games import Game, Player
from discreet_papers.reproduce.leaders import (
    blt_leader,
    games,
    old_leader,
    open_leader,
    tree_leader,
)

POINTS: tuple[GeometryName, ...] = (
    "experts",
    "ball",
    "cube",
)  # the paper says sphere, and means the ball
SIZES = {
    2: 2**20,
    10: 2**20,
    100: 2**16,
}  # N, and the longest game: padding draws N log T numbers a round
FIXED = (0.1, 1.0)


def sweep(rounds: int) -> tuple[Game, ...]:
    """Return games for every set, dimension and length, one a gap."""
    return tuple(
        game
        for points in POINTS
        for size in SIZES
        for length in lengths(rounds, size)
        for game in games(f"{points}, N = {size}", points, size, length, players(points, length))
    )


def lengths(rounds: int, size: int) -> list[int]:
    """Return the lengths of games in N dimensions."""
    return fitting.lengths(min(rounds, SIZES[size]), count=6, least=2**10)


def players(points: str, rounds: int) -> tuple[Player, ...]:
    """Return the columns of the table, for every epsilon."""
    private = (
        player
        for epsilon in dict.fromkeys((rounds**-0.5, *FIXED))
        for player in (
            old_leader(epsilon),
            tree_leader(points, epsilon),
            blt_leader(points, epsilon),
        )
    )
    return (open_leader(points), *private)
