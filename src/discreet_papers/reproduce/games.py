"""A sweep as data: games, and who plays them. Playing them is here too, once for all reproductions."""

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
from discreet.simulation import Contender, Results, simulate
from discreet.simulation.experiment import Progress
from discreet_papers.reproduce.plan import Plan

Options = tuple[tuple[str, Any], ...]  # names and values, in a form that cannot change


@dataclass(frozen=True, kw_only=True)
class Player:
    """An algorithm with its options, at one epsilon."""

    algorithm: str
    epsilon: float = math.inf  # without privacy
    delta: float = 0.0
    options: Options = ()
    role: str = ""  # what tables and plots call it, where the algorithm's name says too little
    build: Callable[[Game, Setting[Problem]], Contender] | None = (
        None  # for what is no named algorithm
    )


@dataclass(frozen=True, kw_only=True)
class Game:
    """One cell of a sweep: an environment, its size and length, and who plays in it, all in the same trials."""

    part: str  # of the sweep, as progress names it
    environment: str
    problem: Problem
    rounds: int
    players: tuple[Player, ...]
    options: Options = ()  # of the environment


@dataclass(frozen=True, kw_only=True)
class Played:
    """A game after all of its trials."""

    game: Game
    results: Results
    places: Mapping[Player, int]  # in the results; players that come to the same share one

    def regret(self, player: Player) -> Floats:
        """Return a player's regret at the end of the game, one number a trial."""
        return self.results.regret[self.places[player], :, -1]

    def contender(self, player: Player) -> Contender:
        """Return a player with all its numbers filled in."""
        return self.results.contenders[self.places[player]]

    @property
    def trials(self) -> int:
        """How many trials were played."""
        return int(self.results.trials.size)


def contender(game: Game, player: Player) -> Contender:
    """Return a player with all its numbers filled in for a game."""
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
    return (
        replace(found, label=f"{player.role}, ε = {player.epsilon:.12g}") if player.role else found
    )


def play(sweep: Sequence[Game], plan: Plan) -> list[Played]:
    """Play all games of a sweep, one after the other; neighbours in the same part share a progress bar."""
    found = []
    for part, games in itertools.groupby(sweep, key=lambda game: game.part):
        mine = list(games)
        bars = split(plan.step(part), len(mine))
        found += [play_game(game, plan, bar) for game, bar in zip(mine, bars, strict=True)]
    return found


def play_game(game: Game, plan: Plan, progress: Progress | None = None) -> Played:
    """Play one game, with all of its trials: an interrupt ends the reproduction."""
    labels, chosen = {}, dict[str, Contender]()
    for player in game.players:
        each = contender(game, player)
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
    return Played(
        game=game,
        results=results,
        places={player: order.index(label) for player, label in labels.items()},
    )


def split(progress: Progress | None, count: int) -> Iterator[Progress | None]:
    """Split a progress into equal parts, one after the other."""
    for part in range(count):
        yield None if progress is None else partial(_part, progress, part, count)


def _part(show: Progress, part: int, count: int, done: int, asked: int) -> None:
    show(part * asked + done, count * asked)
