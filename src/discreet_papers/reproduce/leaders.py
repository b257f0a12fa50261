"""Leaders with full information, private and not, in games from hard to plain; and what each loses at worst."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from discreet.algorithms import Setting
from discreet.channels import RunningSum
from discreet.factorisations import Tree
from discreet.learners import Ftal
from discreet.private import Private
from discreet.problems import Points, Problem
from discreet.problems.points import GeometryName
from discreet.simulation import Contender
from discreet.simulation.statistics import Interval, mean_interval
from discreet_papers.reproduce.games import Game, Played, Player

DELTA = 1e-6
SCALES = (2.0, 16.0, 128.0)  # gaps, in units of 1 / sqrt(T)
OPEN, OLD, TREE, BLT = "no privacy", "old: FTAL", "new: tree", "new: BLT"
Who = tuple[str, float]  # approach, epsilon
WITHOUT: Who = (OPEN, math.inf)


class Cell(NamedTuple):
    """What one player did in games of one gap."""

    who: Who
    gap: float
    regret: Interval
    extra: Interval  # regret minus that of the first player in the same games
    bound: float | None  # on the expected regret, where one is proved


def gaps(points: str, rounds: int) -> list[float]:
    """Return how much better one point is on average, from hard to find to plain."""
    return sorted(
        {min(scale / math.sqrt(rounds), 0.5 if points == "experts" else 1.0) for scale in SCALES}
    )


def open_leader(points: str) -> Player:
    """Return the leader that sees the losses themselves."""
    return Player(algorithm=f"ftrl-{points}", role=OPEN)


def tree_leader(points: str, epsilon: float) -> Player:
    """Return the leader on a padded tree with pure privacy."""
    return Player(
        algorithm=f"private-ftrl-{points}", epsilon=epsilon, options=(("sums", "tree"),), role=TREE
    )


def blt_leader(points: str, epsilon: float) -> Player:
    """Return the leader on buffered running sums."""
    options = ("sums", "blt"), ("head_start", 0.0)  # one rate, as in the paper
    return Player(
        algorithm=f"private-ftrl-{points}", epsilon=epsilon, delta=DELTA, options=options, role=BLT
    )


def old_leader(epsilon: float) -> Player:
    """Return the approach before, FTAL."""
    return Player(algorithm="ftal", epsilon=epsilon, role=OLD, build=approximate_leader)


def approximate_leader(game: Game, setting: Setting[Problem]) -> Contender:
    """Return FTAL on a tree without padding, with the pure noise that the new leader has.

    From memory, not proved here [M]: its bound is of order n (G + h r)² (ln T)^2.5 / (ε h) + T h r²
    / 2, where the noise is in the stability term; that tunes the ridge h = (G / r) sqrt(2 n (ln
    T)^2.5 / (ε T)).
    """
    problem, rounds = game.problem, setting.rounds
    assert isinstance(problem, Points), "leaders play points"
    sets = problem.sets(setting.bounds)
    new = Contender.named(f"private-ftrl-{problem.geometry}", setting, sums="tree")
    channel: Any = new.private.channel
    ridge = (
        math.sqrt(2.0 * problem.dimension * math.log(rounds) ** 2.5 / (setting.epsilon * rounds))
        * sets.norm
        / sets.radius
    )
    return Contender(
        label=OLD,
        private=Private(
            RunningSum.over(sets.losses, channel.noise, Tree, prefixes=rounds - 1),
            Ftal.start(set=sets.points, ridge=ridge),
        ),
        algorithm="ftal",
    )


def games(
    part: str, points: GeometryName, size: int, rounds: int, players: Sequence[Player]
) -> tuple[Game, ...]:
    """Return one game a gap; the first player is what the others are compared with."""
    return tuple(
        Game(
            part=part,
            environment="linear-stochastic",
            problem=Points(points, size),
            rounds=rounds,
            players=tuple(players),
            options=(("gap", gap),),
        )
        for gap in gaps(points, rounds)
    )


def cells(played: Played) -> list[Cell]:
    """Return what every player did in games of one gap."""
    first = played.regret(played.game.players[0])
    gap = dict(played.game.options)["gap"]
    found = []
    for player in played.game.players:
        regret = played.regret(player)
        bound = played.contender(player).facts.get("regret_bound")
        who = (player.role, player.epsilon)
        found.append(Cell(who, gap, mean_interval(regret), mean_interval(regret - first), bound))
    return found


def worst(cells: Sequence[Cell], who: Who) -> tuple[Interval, Interval]:
    """Return the largest regret and the largest extra regret over all gaps."""
    mine = [cell for cell in cells if cell.who == who]
    return max(cell.regret for cell in mine), max(cell.extra for cell in mine)


def bound(cells: Sequence[Cell], who: Who) -> float | None:
    """Return the bound on the expected regret, which is the same for all gaps, where one is proved."""
    return next(cell.bound for cell in cells if cell.who == who)
