"""Mean regret over epsilon, and the least of it with and without privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.reproduce.files import Row
from discreet.reproduce.games import Game, Played
from discreet.reproduce.price_of_privacy.sweep import BLIND, TWINS
from discreet.reproduce.registry import Findings

NAME = "price-of-privacy"
COLUMNS = ("algorithm", "label", "epsilon", "regret_mean", "regret_low", "regret_high", "regret_bound")


@dataclass(frozen=True, kw_only=True)
class Prices(Findings):
    """Rows of every private algorithm, from small to large epsilon; and what stands above and below them."""

    game: Game
    trials: int
    private: Mapping[str, Sequence[Row]]
    blind: float  # the regret of uniform play
    floor: str  # the best algorithm without privacy
    least: float  # its regret


def analyse(played: Sequence[Played]) -> Prices:
    """Return what every epsilon costs."""
    (only,) = played
    rows: list[Row] = [{key: row[key] for key in COLUMNS} for row in only.results.summary()]
    means = {row["algorithm"]: row["regret_mean"] for row in rows if row["algorithm"] in (BLIND, *TWINS)}
    names = dict.fromkeys(row["algorithm"] for row in rows if row["algorithm"] not in means)
    private = {
        name: sorted((row for row in rows if row["algorithm"] == name), key=lambda row: float(row["epsilon"]))
        for name in names
    }
    floor = min(TWINS, key=lambda name: means[name])
    best = min((row for row in rows if row["algorithm"] in names), key=lambda row: float(row["regret_mean"]))
    text = (
        f"Without privacy the least regret is {means[floor]:,.0f} ({floor}); "
        f"with it, {best['regret_mean']:,.0f} ({best['label']})."
    )
    return Prices(
        tables={NAME: rows},
        text=text,
        game=only.game,
        trials=only.trials,
        private=private,
        blind=means[BLIND],
        floor=floor,
        least=means[floor],
    )
