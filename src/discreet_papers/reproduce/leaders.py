"""Leaders with full information, with and without privacy: their worst regret over all gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from discreet import Private
from discreet.algorithms import Setting
from discreet.channels import RunningSum
from discreet.factorisations import Tree
from discreet.learners import Ftal
from discreet.problems import GeometryName, Points, Problem
from discreet.simulation import Contender, Interval, mean_interval
from discreet_papers.reproduce.games import Entrant, PlayedGame, SweepGame

DELTA = 1e-6
SCALES = (2.0, 16.0, 128.0)  # gaps in units of 1 / sqrt(T), from hard to easy
OPEN, OLD, TREE, BLT = "no privacy", "old: FTAL", "new: tree", "new: BLT"
OPEN_FTPL, FTPL = "FTPL, no privacy", "FTPL on BLT"
Approach = tuple[str, float]  # with its epsilon
WITHOUT: Approach = (OPEN, math.inf)
PERTURBED_WITHOUT: Approach = (OPEN_FTPL, math.inf)


class LeaderCell(NamedTuple):
    """The results of one player in the games with one gap."""

    who: Approach
    gap: float
    regret: Interval
    extra: Interval  # regret minus that without privacy in the same games
    bound: float | None  # on the expected regret, if one is proved


def choose_gaps(points: str, rounds: int) -> list[float]:
    """Return gaps: how much better one point is on average, from hard to easy to find."""
    largest = 0.5 if points in ("experts", "set") else 1.0
    return sorted({min(scale / math.sqrt(rounds), largest) for scale in SCALES})


def open_leader(points: str) -> Entrant:
    """Return the leader that sees the true losses."""
    return Entrant(algorithm=f"ftrl-{points}", role=OPEN)


def tree_leader(points: str, epsilon: float) -> Entrant:
    """Return the leader on a padded tree, with pure privacy."""
    options = (("sums", "tree"),)
    return Entrant(algorithm=f"private-ftrl-{points}", epsilon=epsilon, options=options, role=TREE)


def blt_leader(points: str, epsilon: float) -> Entrant:
    """Return the leader on buffered running sums."""
    options = ("sums", "blt"), ("head_start", 0.0)  # one learning rate, as in the paper
    return Entrant(
        algorithm=f"private-ftrl-{points}", epsilon=epsilon, delta=DELTA, options=options, role=BLT
    )


def open_perturbed_leader() -> Entrant:
    """Return the perturbed leader that sees the true losses."""
    return Entrant(algorithm="ftpl-olo", role=OPEN_FTPL)


def perturbed_leader(epsilon: float) -> Entrant:
    """Return the perturbed leader of Theorem 3.5 on buffered running sums."""
    return Entrant(
        algorithm="private-ftpl",
        epsilon=epsilon,
        delta=DELTA,
        options=(("sums", "blt"),),
        role=FTPL,
    )


def old_leader(epsilon: float) -> Entrant:
    """Return the previous approach, FTAL."""
    return Entrant(algorithm="ftal", epsilon=epsilon, role=OLD, build=build_ftal)


def build_ftal(game: SweepGame, setting: Setting[Problem]) -> Contender:
    """Build FTAL on a tree without padding, with the same pure noise as the new leader.

    Its bound is quoted from memory, and not proved here. It is of order n (G + h r)² (ln T)^2.5 /
    (ε h) + T h r² / 2, where the noise is in the stability term. That gives the ridge h = (G / r)
    sqrt(2 n (ln T)^2.5 / (ε T)).
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


def points_of(points: GeometryName, size: int) -> Points:
    """Return a set of points in N dimensions; slates of 3 in 10 items stand for any set."""
    if points == "set":
        return Points(domain=f"k-sets({size},{max(1, 3 * size // 10)})")
    return Points(points, size)


def leader_games(
    part: str, points: GeometryName, size: int, rounds: int, players: Sequence[Entrant]
) -> tuple[SweepGame, ...]:
    """Return one game per gap; the other players are compared with the first one."""
    return tuple(
        SweepGame(
            part=part,
            environment="linear-stochastic",
            problem=points_of(points, size),
            rounds=rounds,
            players=tuple(players),
            options=(("gap", gap),),
        )
        for gap in choose_gaps(points, rounds)
    )


def leader_cells(played: PlayedGame) -> list[LeaderCell]:
    """Return the results of every player in the games with one gap.

    Perturbed leaders are compared with the one without privacy, all others with the first player.
    """
    players = played.game.players
    perturbed = next((each for each in players if each.role == OPEN_FTPL), players[0])
    gap = dict(played.game.options)["gap"]
    found = []
    for player in players:
        regret = played.regret(player)
        first = played.regret(perturbed if player.role in (OPEN_FTPL, FTPL) else players[0])
        bound = played.contender(player).facts.get("regret_bound")
        who = (player.role, player.epsilon)
        found.append(
            LeaderCell(who, gap, mean_interval(regret), mean_interval(regret - first), bound)
        )
    return found


def worst_regret(cells: Sequence[LeaderCell], who: Approach) -> tuple[Interval, Interval]:
    """Return the largest regret and the largest extra regret over all gaps."""
    mine = [cell for cell in cells if cell.who == who]
    return max(cell.regret for cell in mine), max(cell.extra for cell in mine)


def proved_bound(cells: Sequence[LeaderCell], who: Approach) -> float | None:
    """Return the bound on the expected regret, if one is proved; it is the same for all gaps."""
    return next(cell.bound for cell in cells if cell.who == who)
