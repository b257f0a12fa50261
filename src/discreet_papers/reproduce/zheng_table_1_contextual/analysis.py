"""Mean regrets, and the exponents of T and 1 / epsilon fitted to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.simulation.statistics import Interval, mean_interval
from discreet_papers.reproduce.files import Row, number
from discreet_papers.reproduce.fitting import columns, fitted, shown
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.registry import Findings
from discreet_papers.reproduce.zheng_table_1_contextual.sweep import BLIND, EPSILONS, KINDS

NAME = "zheng-table-1-contextual"
Regrets = Mapping[tuple[str, int, float], Interval]


@dataclass(frozen=True, kw_only=True)
class ContextualGrowth(Findings):
    """Mean regret by role, length and epsilon, which is infinite for those without privacy."""

    regret: Regrets
    lengths: Sequence[int]
    trials: int


def analyse(played: Sequence[Played]) -> ContextualGrowth:
    """Return regret by role, T and epsilon, how it grows, and how much of uniform play's it is."""
    regret = {
        (player.role or player.algorithm, each.game.rounds, player.epsilon): mean_interval(
            each.regret(player)
        )
        for each in played
        for player in each.game.players
    }
    lengths = [each.game.rounds for each in played]
    rows: list[Row] = [
        {
            "role": role,
            "rounds": rounds,
            "epsilon": "" if math.isinf(epsilon) else epsilon,
            "regret_mean": mean.value,
            "regret_low": mean.low,
            "regret_high": mean.high,
            "trials": played[0].trials,
        }
        for (role, rounds, epsilon), mean in regret.items()
    ]
    fits = [_fit(role, lengths, regret) for role in KINDS]
    blind = regret[BLIND, lengths[-1], math.inf].value
    lines = [_line(fit, regret[str(fit["role"]), lengths[-1], 1.0].value / blind) for fit in fits]
    return ContextualGrowth(
        tables={
            NAME: rows,
            f"{NAME}-exponents": [{**fit, "trials": played[0].trials} for fit in fits],
        },
        text="\n".join(
            [
                "Fitted exponents, those of the bounds, and the share of uniform play's regret, "
                "ε = 1:",
                *lines,
            ]
        ),
        regret=regret,
        lengths=lengths,
        trials=played[0].trials,
    )


def _fit(role: str, lengths: Sequence[int], regret: Regrets) -> Row:
    over_rounds = fitted([float(t) for t in lengths], [regret[role, t, 1.0] for t in lengths])
    over_epsilon = fitted(
        [1.0 / e for e in EPSILONS], [regret[role, lengths[-1], e] for e in EPSILONS]
    )
    return {
        "role": role,
        **columns("exponent_of_T", over_rounds),
        **columns("exponent_of_1/epsilon", over_epsilon),
    }


def _line(fit: Row, share: float) -> str:
    kind = KINDS[str(fit["role"])]
    bounds = [
        ("none" if math.isnan(each) else f"{each:g}") for each in (kind.in_rounds, kind.in_epsilon)
    ]
    powers = shown(number(fit, "exponent_of_T")), shown(number(fit, "exponent_of_1/epsilon"))
    return (
        f"  {fit['role']:<21} T^{powers[0]} (bound: {bounds[0]})   (1/epsilon)^{powers[1]} "
        f"(bound: {bounds[1]})   {100 * share:.0f} % of uniform play"
    )
