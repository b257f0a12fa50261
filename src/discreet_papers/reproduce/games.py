"""Games of a sweep as data, and how to play them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from discreet.algorithms import Setting
from discreet.contracts import Floats
from discreet.environments import environment
from discreet.problems import Problem
from discreet.simulation import Contender, RegretRow, Results, simulate
from discreet_papers.reproduce.registry import ShowProgress, SweepPlan

Options = tuple[tuple[str, Any], ...]  # names and values, in a form that cannot change


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """An algorithm with its options, at one epsilon."""

    algorithm: str
    epsilon: float = math.inf  # without privacy
    delta: float = 0.0
    options: Options = ()
    role: str = ""  # its name in tables and plots, if the algorithm's name says too little
    # Builds a contender that is not a named algorithm.
    build: Callable[[SweepGame, Setting[Problem]], Contender] | None = None


@dataclass(frozen=True, kw_only=True)
class SweepGame:
    """One game of a sweep: an environment with its size and length, and its players.

    All players meet the same trials.
    """

    part: str  # of the sweep, as the progress bar calls it
    environment: str
    problem: Problem
    rounds: int
    players: tuple[Entrant, ...]
    options: Options = ()  # of the environment


@dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """A game after all of its trials."""

    game: SweepGame
    results: Results[RegretRow]
    places: Mapping[Entrant, int]  # in the results; equivalent entrants share a place

    def regret(self, player: Entrant) -> Floats:
        """Return a player's regret at the end of the game, one number per trial."""
        return self.results.regret[self.places[player], :, -1]

    def contender(self, player: Entrant) -> Contender:
        """Return the contender that played for an entrant."""
        return self.results.contenders[self.places[player]]

    @property
    def trials(self) -> int:
        """The number of trials that were played."""
        return int(self.results.trials.size)


def make_contender(game: SweepGame, player: Entrant) -> Contender:
    """Build an entrant for a game, with all its parameters."""
    setting = Setting(
        game.problem,
        rounds=game.rounds,
        epsilon=Setting.epsilon if math.isinf(player.epsilon) else player.epsilon,
        delta=player.delta,
    )
    if player.build is not None:
        found = player.build(game, setting)
    else:
        found = Contender.named(player.algorithm, setting, **dict(player.options))
    if not player.role:
        return found
    return replace(found, label=f"{player.role}, ε = {player.epsilon:.12g}")


def play_games(sweep: Sequence[SweepGame], plan: SweepPlan) -> list[PlayedGame]:
    """Play all games of a sweep in order; consecutive games of a part share a progress bar."""
    found = []
    for part, games in itertools.groupby(sweep, key=lambda game: game.part):
        mine = list(games)
        bars = split_progress(plan.step(part), len(mine))
        found += [play_game(game, plan, bar) for game, bar in zip(mine, bars, strict=True)]
    return found


def play_game(game: SweepGame, plan: SweepPlan, progress: ShowProgress | None = None) -> PlayedGame:
    """Play all trials of one game; an interrupt ends the reproduction."""
    labels, chosen = {}, dict[str, Contender]()
    for player in game.players:
        each = make_contender(game, player)
        rival = chosen.get(each.label)
        if rival is not None and rival.private.guarantee != each.private.guarantee:
            each = replace(each, label=f"{each.label}, asked ε = {player.epsilon:.12g}")
        labels[player] = each.label
        chosen[each.label] = each
    results = simulate(
        list(chosen.values()),
        environment=environment(
            game.environment, game.problem, rounds=game.rounds, **dict(game.options)
        ),
        rounds=game.rounds,
        trials=plan.trials,
        seed=plan.seed,
        on=plan.on,
        progress=progress,
    )
    order = list(chosen)
    return PlayedGame(
        game=game,
        results=results,
        places={player: order.index(label) for player, label in labels.items()},
    )


def split_progress(progress: ShowProgress | None, count: int) -> Iterator[ShowProgress | None]:
    """Split a progress into equal parts, one after the other."""
    for part in range(count):
        yield None if progress is None else partial(_show_part, progress, part, count)


def _show_part(show: ShowProgress, part: int, count: int, done: int, asked: int) -> None:
    show(part * asked + done, count * asked)
