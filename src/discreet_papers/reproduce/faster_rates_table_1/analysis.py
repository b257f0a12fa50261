"""Mean regrets, and the exponents of T and 1 / epsilon fitted to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.simulation.statistics import Interval, mean_interval
from discreet_papers.reproduce.faster_rates_table_1.sweep import ALGORITHMS, BLIND, FIXED
from discreet_papers.reproduce.files import Row, number, part_of
from discreet_papers.reproduce.fitting import columns, fitted, shown
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.registry import Findings

NAME = "faster-rates-table-1"
COLUMNS = (
    "algorithm",
    "rounds",
    "epsilon",
    "regret_mean",
    "regret_low",
    "regret_high",
    "regret_bound",
)


@dataclass(frozen=True, kw_only=True)
class Growth(Findings):
    """Mean regret by algorithm, length and epsilon, which is infinite for uniform play."""

    regret: Mapping[tuple[str, int, float], Interval]
    lengths: Sequence[int]
    trials: int


def analyse(played: Sequence[Played]) -> Growth:
    """Return regret by algorithm, T and epsilon, and how it grows."""
    regret = {
        (player.algorithm, each.game.rounds, player.epsilon): mean_interval(each.regret(player))
        for each in played
        for player in each.game.players
    }
    lengths = [each.game.rounds for each in played]
    rows = [part_of(row, COLUMNS) for each in played for row in each.results.summary()]
    fits = [_fit(name, lengths, regret) for name in ALGORITHMS]
    lines = [
        f"  {fit['algorithm']:<20} "
        f"{_power('T', number(fit, 'exponent_of_T'), number(fit, 'theory'))}   "
        f"{_power('(1/epsilon)', number(fit, 'exponent_of_1/epsilon'), number(fit, 'theory_epsilon'))}"
        for fit in fits
    ]
    return Growth(
        tables={NAME: rows, f"{NAME}-exponents": fits},
        text="\n".join(
            [
                "Fitted exponents at epsilon = 1 and at the largest T, beside those of the bounds:",
                *lines,
            ]
        ),
        regret=regret,
        lengths=lengths,
        trials=played[0].trials,
    )


def _fit(
    name: str, lengths: Sequence[int], regret: Mapping[tuple[str, int, float], Interval]
) -> Row:
    in_rounds, in_epsilon = ALGORITHMS[name]
    over_rounds = fitted([float(t) for t in lengths], [regret[name, t, 1.0] for t in lengths])
    over_epsilon = fitted([1.0 / e for e in FIXED], [regret[name, lengths[-1], e] for e in FIXED])
    return {
        "algorithm": name,
        **columns("exponent_of_T", over_rounds),
        "theory": in_rounds,
        **columns("exponent_of_1/epsilon", over_epsilon),
        "theory_epsilon": in_epsilon,
    }


def _power(base: str, exponent: float, theory: float) -> str:
    """Return a fitted power beside that of the bound, where there is one."""
    proved = "none is proved" if math.isnan(theory) else f"{theory:.1f}"
    return f"{base}^{shown(exponent)} (bound: {proved})"


def blind(found: Growth) -> list[float]:
    """Return the mean regret of uniform play, over T."""
    return [found.regret[BLIND, rounds, math.inf].value for rounds in found.lengths]
