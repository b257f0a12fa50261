"""What came out of a table of rates: curves, the share of what staying at the centre loses, and fitted exponents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from discreet.ranges import make_range
from discreet.simulation.statistics import Interval, mean_interval
from discreet_papers.reproduce.files import Row as Line
from discreet_papers.reproduce.fitting import columns, fitted, slope
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.rates import STAYING, Panel, Place, Row, Table, game_at
from discreet_papers.reproduce.registry import Findings

LEARNT = 0.7  # of what the centre loses: above it, regret grows with T because little is learnt


class Cell(NamedTuple):
    """What one row did at one place."""

    place: Place
    regret: Interval
    share: Interval  # of the regret of staying at the centre, trial by trial
    staying: float
    bound: float | None  # where one is proved that says anything

    @property
    def learnt(self) -> bool:
        """Whether regret says anything about learning."""
        return 0.0 < self.share.value <= LEARNT


class Curve(NamedTuple):
    """One row along one panel."""

    panel: Panel
    row: Row
    cells: tuple[Cell, ...]

    @property
    def along(self) -> list[float]:
        """The values of the axis."""
        return [cell.place.along for cell in self.cells]

    @property
    def is_level(self) -> bool:
        """Whether the axis means nothing here: epsilon without privacy."""
        return self.panel.axis == "1/ε" and not self.row.private

    @property
    def fitted_cells(self) -> list[Cell]:
        """The cells over which exponents are fitted."""
        return (
            []
            if self.is_level
            else [c for c in self.cells if c.place.along >= self.panel.fitted_from * (1.0 - 1e-9)]
        )

    @property
    def learnt_cells(self) -> list[Cell]:
        """Those of them in which something is learnt."""
        return [cell for cell in self.fitted_cells if cell.learnt]

    @property
    def exponent(self) -> Interval:
        """The fitted exponent, over all of them."""
        return _slope_of(self.fitted_cells)

    @property
    def exponent_learnt(self) -> Interval:
        """The fitted exponent, over those in which something is learnt."""
        return _slope_of(self.learnt_cells)

    @property
    def exponent_of_bound(self) -> float:
        """The exponent of the proved bound."""
        mine = [
            (cell.place.along, cell.bound) for cell in self.fitted_cells if cell.bound is not None
        ]
        return slope([along for along, _ in mine], [bound for _, bound in mine])


@dataclass(frozen=True, kw_only=True)
class Growth(Findings):
    """All curves of a table."""

    curves: tuple[Curve, ...]
    longest: int

    def curves_of(self, panel: Panel) -> list[Curve]:
        """Return all curves of a panel."""
        return [curve for curve in self.curves if curve.panel == panel]

    def curve(self, panel: Panel, name: str) -> Curve:
        """Return the curve of a row in a panel."""
        return next(curve for curve in self.curves_of(panel) if curve.row.name == name)


def grown(table: Table, played: Sequence[Played]) -> Growth:
    """Return all curves, and tables of them with intervals: regret, and exponents beside those that are stated."""
    longest = max(each.game.rounds for each in played)
    found = {replace(each.game, players=()): each for each in played}
    curves = [
        Curve(
            panel,
            row,
            tuple(_cell(found[game_at(row, place)], row, place) for place in panel.places(longest)),
        )
        for panel in table.panels
        for row in table.rows
    ]
    lines = {  # an algorithm in several panels has one line
        (game_at(curve.row, cell.place), curve.row.player(cell.place.epsilon)): _line(
            curve.row, cell
        )
        for curve in curves
        for cell in curve.cells
    }
    return Growth(
        tables={
            table.name: list(lines.values()),
            f"{table.name}-exponents": [_fit(curve) for curve in curves if not curve.is_level],
        },
        text="",
        trials=played[0].trials,
        curves=tuple(curves),
        longest=longest,
    )


def _slope_of(cells: Sequence[Cell]) -> Interval:
    return fitted([cell.place.along for cell in cells], [cell.regret for cell in cells])


def _cell(played: Played, row: Row, place: Place) -> Cell:
    player = row.player(place.epsilon)
    regret, staying = played.regret(player), played.regret(STAYING)
    stated = played.contender(player).facts.get("regret_bound")
    most = place.rounds * played.game.problem.widest(make_range())  # bounds are cut off there
    bound = stated if stated is not None and stated < 0.99 * most else None
    return Cell(
        place, mean_interval(regret), mean_interval(regret / staying), float(staying.mean()), bound
    )


def _line(row: Row, cell: Cell) -> Line:
    return {
        "row": row.name,
        "algorithm": row.algorithm,
        "environment": row.environment,
        "domain": row.domain or cell.place.domain,
        "T": cell.place.rounds,
        "epsilon": cell.place.epsilon if row.private else math.inf,
        "delta": row.delta if row.private else 0.0,
        **{
            f"regret_{end}": value
            for end, value in zip(("mean", "low", "high"), cell.regret, strict=True)
        },
        **{
            f"share_{end}": value
            for end, value in zip(("mean", "low", "high"), cell.share, strict=True)
        },
        "regret_of_centre": cell.staying,
        "regret_bound": cell.bound,
    }


def _fit(curve: Curve) -> Line:
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
        **columns("exponent_learnt", curve.exponent_learnt),
        **columns("exponent", curve.exponent),
        "exponent_of_bound": curve.exponent_of_bound,
    }
