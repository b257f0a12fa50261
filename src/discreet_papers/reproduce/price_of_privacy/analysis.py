"""Mean regret over epsilon, and the least of it with and without privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.simulation.results import RegretRow
from discreet_papers.reproduce.files import number, part_of
from discreet_papers.reproduce.games import Game, Played
from discreet_papers.reproduce.price_of_privacy.sweep import BLIND, EPSILONS, OURS, TWINS
from discreet_papers.reproduce.registry import Findings

NAME = "price-of-privacy"
COLUMNS = (
    "algorithm",
    "label",
    "epsilon",
    "regret_mean",
    "regret_low",
    "regret_high",
    "regret_bound",
)


@dataclass(frozen=True, kw_only=True)
class Prices(Findings):
    """Rows of every private algorithm, from small to large epsilon; and what stands above and below them."""

    game: Game
    trials: int
    private: Mapping[str, Sequence[RegretRow]]
    blind: float  # the regret of uniform play
    floor: str  # the best algorithm without privacy
    least: float  # its regret


def analyse(played: Sequence[Played]) -> Prices:
    """Return what every epsilon costs."""
    (only,) = played
    rows = only.results.summary()
    means = {
        row["algorithm"]: row["regret_mean"] for row in rows if row["algorithm"] in (BLIND, *TWINS)
    }
    names = dict.fromkeys(row["algorithm"] for row in rows if row["algorithm"] not in means)
    private = {
        name: sorted((row for row in rows if row["algorithm"] == name), key=_epsilon)
        for name in names
    }
    floor = min(TWINS, key=lambda name: means[name])
    offers = [row for row in rows if row["algorithm"] in names]
    return Prices(
        tables={NAME: [part_of(row, COLUMNS) for row in rows]},
        text=" ".join(sentences(offers, floor, means[floor], means[BLIND])),
        game=only.game,
        trials=only.trials,
        private=private,
        blind=means[BLIND],
        floor=floor,
        least=means[floor],
    )


def sentences(offers: Sequence[RegretRow], floor: str, least: float, blind: float) -> list[str]:
    """Return what privacy costs at some epsilons, as a multiple, and where it leaves nothing to learn.

    The price at an epsilon is the least regret of all that have at most that epsilon.
    """
    said = [f"Without privacy the least regret is {least:,.0f} ({floor})."]
    for epsilon in (1.0, 0.1):
        best = min(_affordable(offers, epsilon), key=lambda row: row["regret_mean"])
        times = f", {best['regret_mean'] / least:.3g} times that" if least > 0.0 else ""
        ours = best["algorithm"] in OURS
        rest = [row for row in _affordable(offers, epsilon) if (row["algorithm"] in OURS) != ours]
        beside = ""
        if rest:
            next_best = min(rest, key=lambda row: row["regret_mean"])
            whose = "a published algorithm" if ours else "one of ours"
            beside = (
                f", with {whose} at least {next_best['regret_mean']:,.0f} "
                f"({next_best['algorithm']})"
            )
        said.append(
            f"At ε = {epsilon:g} it is {best['regret_mean']:,.0f}{times} "
            f"({best['algorithm']}){beside}."
        )
    useful = [
        epsilon
        for epsilon in EPSILONS
        if any(_surely_below(row, blind) for row in _affordable(offers, epsilon))
    ]
    where = f"Below ε = {useful[0]:g}" if useful else f"Up to ε = {EPSILONS[-1]:g}"
    if not useful or useful[0] > EPSILONS[0]:
        said.append(
            f"{where} no private algorithm is surely better than uniform play ({blind:,.0f}), in "
            "games this long."
        )
    else:
        said.append(
            f"Even at ε = {useful[0]:g} one is surely better than uniform play ({blind:,.0f})."
        )
    return said


def _affordable(offers: Sequence[RegretRow], epsilon: float) -> list[RegretRow]:
    return [row for row in offers if _epsilon(row) <= epsilon * (1.0 + 1e-9)]


def _surely_below(row: RegretRow, level: float) -> bool:
    """Return whether the interval of the mean lies below a level, or the mean where one trial has no interval."""
    high = row["regret_mean"] if row["regret_high"] is None else row["regret_high"]
    return high < level


def _epsilon(row: RegretRow) -> float:
    return number(row, "epsilon")
