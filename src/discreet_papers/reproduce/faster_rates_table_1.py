"""Faster rates 2025, Table 1, first row: how regret grows with T and 1 / epsilon.

Old and new private bandits play against the deterministic adversary.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from discreet.problems import Arms
from discreet.simulation import Interval, mean_interval
from discreet_papers.reproduce.drawing import GREY, draw_means, make_panels
from discreet_papers.reproduce.fitting import as_columns, fit_exponent, format_fit
from discreet_papers.reproduce.games import Entrant, PlayedGame, SweepGame, play_games
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    TableRow,
    read_number,
    register_reproduction,
    select_columns,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "faster-rates-table-1"
ARMS = 4
FIXED = (0.01, 0.1, 1.0)
BLIND = "uniform"
# Algorithms with the exponents of T and of 1 / epsilon in their bounds.
ALGORITHMS = {
    "dp-exp3-lap": (0.5, 1.0),
    "noisy-exp2": (0.5, 1.0),
    "batched-exp3": (0.5, 0.5),
    "batched-htinf": (0.5, 0.5),
    "batched-ftpl": (0.5, 0.5),
    "batched-tsallis-inf": (math.nan, math.nan),
}
COLUMNS = (
    "algorithm",
    "rounds",
    "epsilon",
    "regret_mean",
    "regret_low",
    "regret_high",
    "regret_bound",
)


# Sweep


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return games of T = 2^12 ... 2^20, each at 1 / sqrt(T) and three fixed epsilons."""
    lengths = [2**k for k in range(12, 21, 2) if 2**k <= rounds] or [rounds]
    return tuple(_make_game(length) for length in lengths)


def _make_game(rounds: int) -> SweepGame:
    epsilons = dict.fromkeys((rounds**-0.5, *FIXED))
    private = (
        Entrant(algorithm=name, epsilon=epsilon) for name in ALGORITHMS for epsilon in epsilons
    )
    return SweepGame(
        part=f"T = {rounds:,}",
        environment="deterministic",
        problem=Arms(ARMS),
        rounds=rounds,
        players=(Entrant(algorithm=BLIND), *private),
    )


# Analysis: mean regrets, and the exponents fitted to them


@dataclass(frozen=True, kw_only=True)
class ArmGrowth(Findings):
    """Mean regret by algorithm, length and epsilon, which is infinite for uniform play."""

    regret: Mapping[tuple[str, int, float], Interval]
    lengths: Sequence[int]
    trials: int


def analyse(played: Sequence[PlayedGame]) -> ArmGrowth:
    """Return regret by algorithm, T and epsilon, and how it grows."""
    regret = {
        (player.algorithm, each.game.rounds, player.epsilon): mean_interval(each.regret(player))
        for each in played
        for player in each.game.players
    }
    lengths = [each.game.rounds for each in played]
    rows = [select_columns(row, COLUMNS) for each in played for row in each.results.summary()]
    fits = [_fit_row(name, lengths, regret) for name in ALGORITHMS]
    return ArmGrowth(
        tables={NAME: rows, f"{NAME}-exponents": fits},
        text="\n".join(
            [
                "Fitted exponents at epsilon = 1 and at the largest T, beside those of the bounds:",
                *(_fit_line(fit) for fit in fits),
            ]
        ),
        regret=regret,
        lengths=lengths,
        trials=played[0].trials,
    )


def _fit_row(
    name: str, lengths: Sequence[int], regret: Mapping[tuple[str, int, float], Interval]
) -> TableRow:
    in_rounds, in_epsilon = ALGORITHMS[name]
    over_rounds = fit_exponent([float(t) for t in lengths], [regret[name, t, 1.0] for t in lengths])
    over_epsilon = fit_exponent(
        [1.0 / e for e in FIXED], [regret[name, lengths[-1], e] for e in FIXED]
    )
    return {
        "algorithm": name,
        **as_columns("exponent_of_T", over_rounds),
        "theory": in_rounds,
        **as_columns("exponent_of_1/epsilon", over_epsilon),
        "theory_epsilon": in_epsilon,
    }


def _fit_line(fit: TableRow) -> str:
    over_rounds, over_epsilon = (
        format_power(base, read_number(fit, key), read_number(fit, theory))
        for base, key, theory in (
            ("T", "exponent_of_T", "theory"),
            ("(1/epsilon)", "exponent_of_1/epsilon", "theory_epsilon"),
        )
    )
    return f"  {fit['algorithm']:<20} {over_rounds}   {over_epsilon}"


def format_power(base: str, exponent: float, theory: float) -> str:
    """Return a fitted power beside that of the bound, if one is proved."""
    proved = "none is proved" if math.isnan(theory) else f"{theory:.1f}"
    return f"{base}^{format_fit(exponent)} (bound: {proved})"


# Drawing

BLIND_STYLE = CurveStyle(GREY, LINES[2], "")


def draw(found: ArmGrowth) -> Mapping[str, Figure]:
    """Draw mean regret over T at epsilon 1 and over epsilon at the largest T."""
    figure, axes = make_panels(1, 2, (10.4, 4.4), dpi=150)
    longest = found.lengths[-1]
    ends: tuple[list[CurveEnd], list[CurveEnd]] = ([], [])
    styles = distinct_styles(len(ALGORITHMS))
    for index, (name, style) in enumerate(zip(ALGORITHMS, styles, strict=True)):
        over_rounds = [found.regret[name, rounds, 1.0] for rounds in found.lengths]
        over_epsilon = [found.regret[name, longest, epsilon] for epsilon in FIXED]
        drawn = ((found.lengths, over_rounds), (FIXED, over_epsilon))
        for panel, (x, means), labels in zip(axes, drawn, ends, strict=True):
            draw_means(panel, x, means, index, name)
            labels.append(CurveEnd(name, x[-1], means[-1].value, style))
    uniform = [found.regret[BLIND, rounds, math.inf].value for rounds in found.lengths]
    axes[0].plot(found.lengths, uniform, **BLIND_STYLE.options())
    axes[1].plot(FIXED, [uniform[-1]] * len(FIXED), **BLIND_STYLE.options())
    for panel, labels, x in zip(axes, ends, (found.lengths, FIXED), strict=True):
        labels.append(CurveEnd("uniform play, ε = 0", x[-1], uniform[-1], BLIND_STYLE))
        set_log_axes(panel, rounds=x)
        label_ends(panel, labels)
    axes[0].set_xlabel("rounds")
    axes[0].set_ylabel("mean regret, 95 % bars")
    axes[1].set_xlabel("ε (smaller is more private)")
    set_title(axes[0], "over rounds, at ε = 1")
    set_title(axes[1], f"over ε, after {longest:,} rounds")
    set_heading(
        figure,
        f"Regret of old and new private bandits with deterministic losses, {found.trials} trials",
    )
    return {NAME: figure}


register_reproduction(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Table 1, adversarial row: regret over T and epsilon, with "
        "fitted exponents",
        trials=24,
        rounds=2**20,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
