"""Zheng et al. 2020, Table 1, contextual rows: regret with normal contexts over T and epsilon.

The paper's algorithms play as printed and corrected, next to ours: Algorithm 5 where rewards are
linear, Algorithm 3 where they follow a logistic curve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from discreet.plot import (
    LINES,
    CurveEnd,
    CurveStyle,
    distinct_styles,
    label_ends,
    set_heading,
    set_log_axes,
    set_title,
)
from discreet.problems import Contexts
from discreet.simulation import Interval, mean_interval
from discreet_papers.reproduce.drawing import GREY, draw_means, make_panels
from discreet_papers.reproduce.fitting import as_columns, fit_exponent, format_fit
from discreet_papers.reproduce.games import (
    Entrant,
    Options,
    PlayedGame,
    SweepGame,
    play_games,
)
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    TableRow,
    read_number,
    register_reproduction,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "zheng-table-1-contextual"
DELTA = 1e-5
EPSILONS = (0.5, 1.0, 2.0, 5.0)
BLIND = "uniform-contexts"
# by environment, role, length and epsilon
RegretByRole = Mapping[tuple[str, str, int, float], Interval]


class ContextualKind(NamedTuple):
    """An algorithm with its options and the exponents in its bound; NaN where none is proved."""

    algorithm: str
    options: Options = ()
    in_rounds: float = math.nan
    in_epsilon: float = math.nan  # of 1 / epsilon


LINEAR = {
    "Algorithm 5, printed": ContextualKind("local-linucb", (("calibration", "paper"),), 0.75, 1.0),
    "corrected": ContextualKind(
        "local-linucb", (("noise", "gaussian"), ("constants", "theory")), 0.75, 0.5
    ),
    "local-linucb": ContextualKind("local-linucb"),
    "local-greedy": ContextualKind("local-greedy"),
    "joint-linucb": ContextualKind("joint-linucb"),
}
LOGISTIC = {
    "Algorithm 3, printed": ContextualKind("local-glm", (("calibration", "paper"),), 0.75, 1.0),
    "corrected": ContextualKind("local-glm", (("constants", "theory"),), 0.75, 0.5),
    "local-glm": ContextualKind("local-glm"),
    "local-linucb": ContextualKind("local-linucb"),
    "local-greedy": ContextualKind("local-greedy"),
}


class ContextualFamily(NamedTuple):
    """An environment, its players, the algorithm without privacy, and a name for its rewards."""

    environment: str
    kinds: Mapping[str, ContextualKind]
    open: str
    rewards: str
    figure: str


FAMILIES = (
    ContextualFamily("contexts-gaussian", LINEAR, "linucb", "linear", NAME),
    ContextualFamily("contexts-logistic", LOGISTIC, "glm-ucb", "logistic", f"{NAME}-logistic"),
)


# Sweep


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return games of T = 2^12, 2^14, 2^16 and ``rounds`` at epsilon 1, with both rewards.

    The longest has all four epsilons, and the number of rounds that is asked for.
    """
    lengths = [*(2**k for k in range(12, 19, 2) if 2**k < rounds), rounds]
    return tuple(
        _make_game(family, length, EPSILONS if length == rounds else (1.0,))
        for length in lengths
        for family in FAMILIES
    )


def _make_game(family: ContextualFamily, rounds: int, epsilons: tuple[float, ...]) -> SweepGame:
    private = (
        Entrant(
            algorithm=kind.algorithm, epsilon=epsilon, delta=DELTA, options=kind.options, role=role
        )
        for role, kind in family.kinds.items()
        for epsilon in epsilons
    )
    return SweepGame(
        part=f"T = {rounds:,}",
        environment=family.environment,
        problem=Contexts(),
        rounds=rounds,
        players=(Entrant(algorithm=BLIND), Entrant(algorithm=family.open), *private),
    )


# Analysis: mean regrets, and the exponents fitted to them


@dataclass(frozen=True, kw_only=True)
class ContextualGrowth(Findings):
    """Mean regret by environment, role, length and epsilon, infinite for those without privacy."""

    regret: RegretByRole
    lengths: Sequence[int]
    trials: int


def analyse(played: Sequence[PlayedGame]) -> ContextualGrowth:
    """Return regret by role, T and epsilon, how it grows, and its share of uniform play's."""
    regret = {
        (
            each.game.environment,
            player.role or player.algorithm,
            each.game.rounds,
            player.epsilon,
        ): mean_interval(each.regret(player))
        for each in played
        for player in each.game.players
    }
    lengths = sorted({each.game.rounds for each in played})
    rows: list[TableRow] = [
        {
            "environment": place,
            "role": role,
            "rounds": rounds,
            "epsilon": "" if math.isinf(epsilon) else epsilon,
            "regret_mean": mean.value,
            "regret_low": mean.low,
            "regret_high": mean.high,
            "trials": played[0].trials,
        }
        for (place, role, rounds, epsilon), mean in regret.items()
    ]
    fits: list[TableRow] = []
    lines = []
    for family in FAMILIES:
        mine = [_fit_row(family, role, lengths, regret) for role in family.kinds]
        blind = regret[family.environment, BLIND, lengths[-1], math.inf].value
        lines.append(f"{family.rewards} rewards, {lengths[-1]:,} rounds:")
        for fit, (role, kind) in zip(mine, family.kinds.items(), strict=True):
            found = regret[family.environment, role, lengths[-1], 1.0].value
            lines.append(_fit_line(fit, kind, found / blind))
        fits += mine
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


def _fit_row(
    family: ContextualFamily, role: str, lengths: Sequence[int], regret: RegretByRole
) -> TableRow:
    place, last = family.environment, lengths[-1]
    over_rounds = fit_exponent(
        [float(t) for t in lengths], [regret[place, role, t, 1.0] for t in lengths]
    )
    over_epsilon = fit_exponent(
        [1.0 / e for e in EPSILONS], [regret[place, role, last, e] for e in EPSILONS]
    )
    return {
        "environment": place,
        "role": role,
        **as_columns("exponent_of_T", over_rounds),
        **as_columns("exponent_of_1/epsilon", over_epsilon),
    }


def _fit_line(fit: TableRow, kind: ContextualKind, share: float) -> str:
    bounds = [
        ("none" if math.isnan(each) else f"{each:g}") for each in (kind.in_rounds, kind.in_epsilon)
    ]
    powers = [
        format_fit(read_number(fit, key)) for key in ("exponent_of_T", "exponent_of_1/epsilon")
    ]
    return (
        f"  {fit['role']:<21} T^{powers[0]} (bound: {bounds[0]})   (1/epsilon)^{powers[1]} "
        f"(bound: {bounds[1]})   {100 * share:.0f} % of uniform play"
    )


# Drawing

UNIFORM, OPEN = CurveStyle(GREY, LINES[2], ""), CurveStyle(GREY, LINES[1], "")


def draw(found: ContextualGrowth) -> Mapping[str, Figure]:
    """Draw mean regret over T and over epsilon: a figure for each kind of rewards."""
    return {family.figure: _draw_family(found, family) for family in FAMILIES}


def _draw_family(found: ContextualGrowth, family: ContextualFamily) -> Figure:
    """Draw all roles, uniform play, and the algorithm without privacy."""
    figure, axes = make_panels(1, 2, (10.8, 4.6), dpi=150)
    longest, place, kinds = found.lengths[-1], family.environment, family.kinds
    ends: tuple[list[CurveEnd], list[CurveEnd]] = ([], [])
    both = (found.lengths, EPSILONS)
    for index, (role, style) in enumerate(zip(kinds, distinct_styles(len(kinds)), strict=True)):
        over_rounds = [found.regret[place, role, rounds, 1.0] for rounds in found.lengths]
        over_epsilon = [found.regret[place, role, longest, epsilon] for epsilon in EPSILONS]
        for panel, x, means, labels in zip(
            axes, both, (over_rounds, over_epsilon), ends, strict=True
        ):
            draw_means(panel, x, means, index, role)
            labels.append(CurveEnd(role, x[-1], means[-1].value, style))
    for name, label, style in (
        (BLIND, "uniform play", UNIFORM),
        (family.open, "no privacy", OPEN),
    ):
        levels = [found.regret[place, name, rounds, math.inf].value for rounds in found.lengths]
        axes[0].plot(found.lengths, levels, **style.options())
        axes[1].plot(EPSILONS, [levels[-1]] * len(EPSILONS), **style.options())
        for labels, x in zip(ends, both, strict=True):
            labels.append(CurveEnd(label, x[-1], levels[-1], style))
    for panel, labels, x in zip(axes, ends, both, strict=True):
        set_log_axes(panel, rounds=x)
        label_ends(panel, labels)
    axes[0].set_xlabel("rounds")
    axes[0].set_ylabel("mean regret, 95 % bars")
    axes[1].set_xlabel("ε (smaller is more private)")
    set_title(axes[0], "over rounds, at ε = 1")
    set_title(axes[1], f"over ε, after {longest:,} rounds")
    set_heading(
        figure,
        f"Private contextual bandits, 10 arms with 10 normal features, {family.rewards} rewards, "
        f"{found.trials} trials",
    )
    return figure


register_reproduction(
    Reproduction(
        name=NAME,
        title="Zheng et al. 2020, Table 1, contextual rows: regret over T and epsilon, with "
        "fitted exponents",
        trials=16,
        rounds=2**18,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
