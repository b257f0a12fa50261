"""Tables of rates as data: who plays which functions, along which axes, and the exponents that a paper states.

A table has rows (an algorithm in an environment) and panels (an axis; all else is fixed). Its sweep
is made of both: a game for every environment, set and length, in which everybody plays who is in a
panel there, and staying at the centre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from discreet.algorithms import Setting, algorithm
from discreet.channels import Open, OpenDifference
from discreet.learners import Centre
from discreet.private import Private
from discreet.problems import Functions, Problem
from discreet.ranges import make_range
from discreet.simulation import Contender
from discreet_papers.reproduce.fitting import lengths
from discreet_papers.reproduce.games import Game, Options, Player

Axis = Literal["T", "n", "1/ε"]
DELTA = 1e-6
LEARN = (
    ("when_vacuous", "play"),
)  # algorithms themselves are measured, even where their bound says nothing


@dataclass(frozen=True, kw_only=True)
class Row:
    """An algorithm with its options, what it plays, and the exponents that are stated of its regret."""

    name: str
    algorithm: str
    problem: Functions  # but for its set
    domain: str = ""  # its own set, instead of the one that a panel names
    environment: str = "linear"
    world: Options = ()  # of the environment
    delta: float = 0.0
    private: bool = True
    options: Options = ()  # of the algorithm
    stated: tuple[tuple[Axis, float], ...] = ()

    def player(self, epsilon: float) -> Player:
        """Return who plays at one epsilon."""
        return Player(
            algorithm=self.algorithm,
            epsilon=epsilon if self.private else math.inf,
            delta=self.delta,
            options=self.options
            + (LEARN if "when_vacuous" in algorithm(self.algorithm).options else ()),
            role=self.name,
        )

    def exponent(self, axis: Axis) -> float:
        """Return the exponent that is stated, or NaN."""
        return dict(self.stated).get(axis, math.nan)


class Place(NamedTuple):
    """Where one number of a panel is measured."""

    along: float  # the axis
    domain: str
    rounds: int
    epsilon: float


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One axis: T, the dimension n or 1 / ε. All else is fixed; games have the longest T where that is not the axis."""

    axis: Axis
    title: str  # in which {longest} stands for the number of rounds
    values: tuple[float, ...] = ()  # of n or epsilon; lengths of games follow from the longest
    domain: str = "ball({})"
    dimension: int = 10
    epsilon: float = 1.0
    fitted_from: float = 0.0  # where exponents are fitted: from this value of the axis on

    def places(self, longest: int) -> tuple[Place, ...]:
        """Return where to measure, in the order of the axis."""
        here = self.domain.format(self.dimension)
        if self.axis == "T":
            return tuple(
                Place(t, here, t, self.epsilon) for t in lengths(longest, count=5, least=2**12)
            )
        if self.axis == "n":
            return tuple(
                Place(n, self.domain.format(f"{n:g}"), longest, self.epsilon)
                for n in sorted(self.values)
            )
        return tuple(Place(1.0 / e, here, longest, e) for e in sorted(self.values, reverse=True))


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of rates."""

    name: str  # of its files
    heading: str  # of its figure
    rows: tuple[Row, ...]
    panels: tuple[Panel, ...]

    def sweep(self, rounds: int) -> tuple[Game, ...]:
        """Return the games of all panels; an algorithm that is in several of them plays once."""
        found: dict[Game, dict[Player, None]] = {}
        for row in self.rows:
            for panel in self.panels:
                for place in panel.places(rounds):
                    found.setdefault(game_at(row, place), {})[row.player(place.epsilon)] = None
        ordered = sorted(found, key=lambda game: (game.rounds, game.part))
        return tuple(replace(game, players=(STAYING, *found[game])) for game in ordered)


def game_at(row: Row, place: Place) -> Game:
    """Return the game of a row, without its players."""
    problem = replace(row.problem, domain=row.domain or place.domain)
    return Game(
        part=f"{problem.domain}, T = {place.rounds:,}",
        environment=row.environment,
        problem=problem,
        rounds=place.rounds,
        players=(),
        options=row.world,
    )


def stay(game: Game, setting: Setting[Problem]) -> Contender:
    """Return staying at the centre, which learns nothing."""
    problem = game.problem
    assert isinstance(problem, Functions), "tables of rates are about functions"
    channel = (
        Open(setting.bounds) if problem.evaluations == 1 else OpenDifference(make_range(-1.0, 1.0))
    )
    learner = Centre.start(set=problem.place.set, points=problem.evaluations)
    return Contender(label="centre", private=Private(channel, learner))


STAYING = Player(algorithm="centre", role="the centre", build=stay)
