"""Tables of rates as data: which algorithms play which functions, and how their regret grows.

A table has rows and panels. A row is an algorithm in an environment, with the exponents that a
paper states. A panel is an axis (T, n or 1/ε); all else is fixed. Together they make the sweep: one
game for every environment, set and length. In it, all rows with a panel there play, and a player
that stays at the centre.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from discreet import Private
from discreet.algorithms import Setting, algorithm
from discreet.channels import Open, OpenDifference
from discreet.learners import Centre
from discreet.problems import Arms, Functions, Problem
from discreet.ranges import make_range
from discreet.simulation import Contender, Interval, mean_interval
from discreet_papers.reproduce.fitting import as_columns, choose_lengths, fit_exponent, fit_slope
from discreet_papers.reproduce.games import Entrant, Options, PlayedGame, SweepGame
from discreet_papers.reproduce.registry import Findings, TableRow

Axis = Literal["T", "n", "1/ε"]
DELTA = 1e-6
# The algorithms are measured even where their bound is vacuous.
PLAY_ON = (("when_vacuous", "play"),)
# Above this share of the centre's regret, regret grows with T because little is learned.
LEARNT = 0.7


# The table and its sweep


@dataclass(frozen=True, kw_only=True)
class RateRow:
    """An algorithm with its options, what it plays, and the stated exponents of its regret."""

    name: str
    algorithm: str
    problem: Functions | Arms  # except for the set of functions
    domain: str = ""  # its own set, instead of the panel's; for arms, their number
    environment: str = "linear"
    environment_options: Options = ()
    delta: float = 0.0
    private: bool = True
    options: Options = ()  # of the algorithm
    axes: tuple[Axis, ...] = ("T", "n", "1/ε")  # of the panels that it is in
    stated: tuple[tuple[Axis, float], ...] = ()

    def player(self, epsilon: float) -> Entrant:
        """Return the entrant at one epsilon."""
        return Entrant(
            algorithm=self.algorithm,
            epsilon=epsilon if self.private else math.inf,
            delta=self.delta,
            options=self.options
            + (PLAY_ON if "when_vacuous" in algorithm(self.algorithm).options else ()),
            role=self.name,
        )

    def exponent(self, axis: Axis) -> float:
        """Return the stated exponent, or NaN."""
        return dict(self.stated).get(axis, math.nan)


class Place(NamedTuple):
    """Where one number of a panel is measured."""

    along: float  # the axis
    domain: str
    rounds: int
    epsilon: float


@dataclass(frozen=True, kw_only=True)
class RatePanel:
    """One axis: T, the dimension n or 1/ε. All else is fixed; T is the longest unless it varies."""

    axis: Axis
    title: str  # {longest} stands for the number of rounds
    values: tuple[float, ...] = ()  # of n or epsilon; the lengths follow from the longest game
    domain: str = "ball({})"
    dimension: int = 10
    epsilon: float = 1.0
    fitted_from: float = 0.0  # exponents are fitted from this value of the axis on

    def places(self, longest: int) -> tuple[Place, ...]:
        """Return where to measure, in the order of the axis."""
        here = self.domain.format(self.dimension)
        if self.axis == "T":
            lengths = choose_lengths(longest, count=5, shortest=2**12)
            return tuple(Place(t, here, t, self.epsilon) for t in lengths)
        if self.axis == "n":
            return tuple(
                Place(n, self.domain.format(f"{n:g}"), longest, self.epsilon)
                for n in sorted(self.values)
            )
        return tuple(Place(1.0 / e, here, longest, e) for e in sorted(self.values, reverse=True))


@dataclass(frozen=True, kw_only=True)
class RateTable:
    """A table of rates."""

    name: str  # of its files
    heading: str  # of its figure
    rows: tuple[RateRow, ...]
    panels: tuple[RatePanel, ...]

    def panels_of(self, row: RateRow) -> tuple[RatePanel, ...]:
        """Return the panels that a row is in."""
        return tuple(panel for panel in self.panels if panel.axis in row.axes)

    def sweep(self, rounds: int) -> tuple[SweepGame, ...]:
        """Return the games of all panels; an algorithm that is in several of them plays once."""
        found: dict[SweepGame, dict[Entrant, None]] = {}
        for row in self.rows:
            for panel in self.panels_of(row):
                for place in panel.places(rounds):
                    found.setdefault(game_at(row, place), {})[row.player(place.epsilon)] = None
        ordered = sorted(found, key=lambda game: (game.rounds, game.part))
        return tuple(replace(game, players=(STAYING, *found[game])) for game in ordered)


def game_at(row: RateRow, place: Place) -> SweepGame:
    """Return the game of a row at a place, without its players."""
    problem: Problem = row.problem
    if isinstance(row.problem, Functions):
        problem = replace(row.problem, domain=row.domain or place.domain)
    return SweepGame(
        part=f"{row.domain or place.domain}, T = {place.rounds:,}",
        environment=row.environment,
        problem=problem,
        rounds=place.rounds,
        players=(),
        options=row.environment_options,
    )


def stay_at_centre(game: SweepGame, setting: Setting[Problem]) -> Contender:
    """Return a player that stays at the centre, or plays arms uniformly, and learns nothing."""
    problem = game.problem
    if isinstance(problem, Arms):
        return Contender.named("uniform", setting)
    assert isinstance(problem, Functions), "tables of rates are about functions"
    channel = (
        Open(setting.bounds) if problem.evaluations == 1 else OpenDifference(make_range(-1.0, 1.0))
    )
    learner = Centre.start(set=problem.place.set, points=problem.evaluations)
    return Contender(label="centre", private=Private(channel, learner))


STAYING = Entrant(algorithm="centre", role="the centre", build=stay_at_centre)


# The curves that come out, and their exponents


class RateCell(NamedTuple):
    """The results of one row at one place."""

    place: Place
    regret: Interval
    share: Interval  # of the centre's regret, trial by trial
    staying: float
    bound: float | None  # if one is proved that is not vacuous

    @property
    def learnt(self) -> bool:
        """Whether the player has learned, by its regret."""
        return 0.0 < self.share.value <= LEARNT


class RateCurve(NamedTuple):
    """One row along one panel."""

    panel: RatePanel
    row: RateRow
    cells: tuple[RateCell, ...]

    @property
    def along(self) -> list[float]:
        """The values of the axis."""
        return [cell.place.along for cell in self.cells]

    @property
    def is_level(self) -> bool:
        """Whether the axis has no meaning for this row: epsilon without privacy."""
        return self.panel.axis == "1/ε" and not self.row.private

    @property
    def fitted_cells(self) -> list[RateCell]:
        """The cells over which exponents are fitted."""
        if self.is_level:
            return []
        first = self.panel.fitted_from * (1.0 - 1e-9)  # 1 / ε is rounded
        return [cell for cell in self.cells if cell.place.along >= first]

    @property
    def learnt_cells(self) -> list[RateCell]:
        """The fitted cells in which something is learned."""
        return [cell for cell in self.fitted_cells if cell.learnt]

    @property
    def exponent(self) -> Interval:
        """The exponent fitted over all of them."""
        return _fit_cells(self.fitted_cells)

    @property
    def exponent_learnt(self) -> Interval:
        """The exponent fitted over those in which something is learned."""
        return _fit_cells(self.learnt_cells)

    @property
    def exponent_of_bound(self) -> float:
        """The exponent of the proved bound."""
        mine = [
            (cell.place.along, cell.bound) for cell in self.fitted_cells if cell.bound is not None
        ]
        return fit_slope([along for along, _ in mine], [bound for _, bound in mine])


@dataclass(frozen=True, kw_only=True)
class RateGrowth(Findings):
    """All curves of a table."""

    curves: tuple[RateCurve, ...]
    longest: int

    def curves_of(self, panel: RatePanel) -> list[RateCurve]:
        """Return all curves of a panel."""
        return [curve for curve in self.curves if curve.panel == panel]

    def curve(self, panel: RatePanel, name: str) -> RateCurve:
        """Return the curve of a row in a panel."""
        return next(curve for curve in self.curves_of(panel) if curve.row.name == name)


def measure_growth(table: RateTable, played: Sequence[PlayedGame]) -> RateGrowth:
    """Return all curves, with tables of regret and of fitted and stated exponents."""
    longest = max(each.game.rounds for each in played)
    found = {replace(each.game, players=()): each for each in played}
    curves = [
        RateCurve(
            panel,
            row,
            tuple(
                _measure(found[game_at(row, place)], row, place) for place in panel.places(longest)
            ),
        )
        for panel in table.panels
        for row in table.rows
        if panel in table.panels_of(row)
    ]
    lines = {  # an algorithm in several panels has one line
        (game_at(curve.row, cell.place), curve.row.player(cell.place.epsilon)): _regret_line(
            curve.row, cell
        )
        for curve in curves
        for cell in curve.cells
    }
    return RateGrowth(
        tables={
            table.name: list(lines.values()),
            f"{table.name}-exponents": [
                _exponent_line(curve) for curve in curves if not curve.is_level
            ],
        },
        text="",
        trials=played[0].trials,
        curves=tuple(curves),
        longest=longest,
    )


def _fit_cells(cells: Sequence[RateCell]) -> Interval:
    return fit_exponent([cell.place.along for cell in cells], [cell.regret for cell in cells])


def _measure(played: PlayedGame, row: RateRow, place: Place) -> RateCell:
    player = row.player(place.epsilon)
    regret, staying = played.regret(player), played.regret(STAYING)
    stated = played.contender(player).facts.get("regret_bound")
    largest = place.rounds * played.game.problem.widest(make_range())  # bounds are cut off there
    bound = stated if stated is not None and stated < 0.99 * largest else None
    return RateCell(
        place, mean_interval(regret), mean_interval(regret / staying), float(staying.mean()), bound
    )


def _regret_line(row: RateRow, cell: RateCell) -> TableRow:
    ends = ("mean", "low", "high")
    return {
        "row": row.name,
        "algorithm": row.algorithm,
        "environment": row.environment,
        "domain": row.domain or cell.place.domain,
        "T": cell.place.rounds,
        "epsilon": cell.place.epsilon if row.private else math.inf,
        "delta": row.delta if row.private else 0.0,
        **{f"regret_{end}": value for end, value in zip(ends, cell.regret, strict=True)},
        **{f"share_{end}": value for end, value in zip(ends, cell.share, strict=True)},
        "regret_of_centre": cell.staying,
        "regret_bound": cell.bound,
    }


def _exponent_line(curve: RateCurve) -> TableRow:
    panel = curve.panel
    return {
        "row": curve.row.name,
        "over": panel.axis,
        "domain": curve.row.domain
        or panel.domain.format("n" if panel.axis == "n" else panel.dimension),
        "epsilon": None if panel.axis == "1/ε" else panel.epsilon,
        "stated": curve.row.exponent(panel.axis),
        "points": len(curve.fitted_cells),
        "points_learnt": len(curve.learnt_cells),
        **as_columns("exponent_learnt", curve.exponent_learnt),
        **as_columns("exponent", curve.exponent),
        "exponent_of_bound": curve.exponent_of_bound,
    }
