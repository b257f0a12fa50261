"""Playing searches: each until it has its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.environments import environment
from discreet.simulation import Results, search
from discreet.simulation.experiment import Progress
from discreet.simulation.measures import SearchRow
from discreet_papers.reproduce.games import Game, Player, contender, split
from discreet_papers.reproduce.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A game after all of its searches."""

    game: Game
    results: Results[SearchRow]
    rows: Mapping[Player, SearchRow]  # of the summary


def play(sweep: Sequence[Game], plan: Plan) -> list[Searched]:
    """Play all games of a sweep, one after the other."""
    parts = {
        part: [game for game in sweep if game.part == part]
        for part in dict.fromkeys(game.part for game in sweep)
    }
    return [
        search_in(game, plan, bar)
        for part, games in parts.items()
        for game, bar in zip(games, split(plan.step(part), len(games)), strict=True)
    ]


def search_in(game: Game, plan: Plan, progress: Progress | None = None) -> Searched:
    """Let all players of a game search."""
    results = search(
        [contender(game, player) for player in game.players],
        environment=environment(
            game.environment, game.problem, rounds=game.rounds, **dict(game.options)
        ),
        rounds=game.rounds,
        trials=plan.trials,
        seed=plan.seed,
        on=plan.on,
        progress=progress,
    )
    return Searched(
        game=game, results=results, rows=dict(zip(game.players, results.summary(), strict=True))
    )
