"""Faster rates 2025, Table 1, first row: how regret grows with T, 1 / epsilon and K.

To compare with a bound for all losses, games must be hard for an algorithm at each T: the gap
between the arms must shrink as T grows. So every cell of the table is played at several gaps, and
the largest mean regret counts.
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
MANY = (2, 8, 16, 32)  # numbers of arms in the longest games, at epsilon 1, besides 4
FIXED = (0.01, 0.1, 1.0)
SHORTEST, LONGEST = 12, 20  # T, as powers of 2
STEPS = 4  # gaps of a game, each 4 times the one before, up to WIDEST
WIDEST = 0.5
BLIND = "uniform"


class Powers(NamedTuple):
    """The exponents of a bound: of T and of 1 / epsilon; that of K is 1/2 for all of them."""

    rounds: float
    epsilon: float


OLD, NEW, NONE = Powers(0.5, 1.0), Powers(0.5, 0.5), Powers(math.nan, math.nan)
ALGORITHMS = {
    "dp-exp3-lap": OLD,
    "noisy-exp2": OLD,
    "batched-exp3": NEW,
    "batched-htinf": NEW,
    "batched-ftpl": NEW,
    "batched-tsallis-inf": NONE,
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


class ArmCell(NamedTuple):
    """An algorithm at one T, one epsilon (infinite for uniform play) and one number of arms."""

    algorithm: str
    rounds: int
    epsilon: float
    arms: int = ARMS


# Sweep


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return games of T = 2^12 ... 2^20 at several gaps; the longest also with other K.

    All have epsilons of 1 / sqrt(T), 0.01, 0.1 and 1; those with other K only 1.
    """
    lengths = [2**k for k in range(SHORTEST, LONGEST + 1, 2) if 2**k <= rounds] or [rounds]
    usual = [
        _make_game(length, ARMS, gap, (length**-0.5, *FIXED))
        for length in lengths
        for gap in gaps_of(length, ARMS)
    ]
    longest = lengths[-1]
    other = [
        _make_game(longest, arms, gap, (1.0,)) for arms in MANY for gap in gaps_of(longest, arms)
    ]
    return (*usual, *other)


def gaps_of(rounds: int, arms: int) -> list[float]:
    """Return the gaps of games of this length, from about 2 sqrt(K / T) to 1/2.

    At the smallest gap, an algorithm with regret of order sqrt(K T) can just tell the arms apart.

    >>> gaps_of(2**12, 4), gaps_of(2**18, 4)
    ([0.0625, 0.25, 0.5], [0.0078125, 0.03125, 0.125, 0.5])
    """
    least = 2.0 * math.sqrt(arms / rounds)
    return [*(g for k in range(STEPS) if (g := least * 4.0**k) < WIDEST), WIDEST]


def _make_game(rounds: int, arms: int, gap: float, epsilons: Sequence[float]) -> SweepGame:
    private = (
        Entrant(algorithm=name, epsilon=epsilon)
        for name in ALGORITHMS
        for epsilon in dict.fromkeys(epsilons)
    )
    return SweepGame(
        part=f"T = {rounds:,}, K = {arms}",
        environment="stochastic",
        problem=Arms(arms),
        rounds=rounds,
        players=(Entrant(algorithm=BLIND), *private),
        options=(("gap", gap),),
    )


# Analysis: the largest mean regret over gaps, and the exponents fitted to it


@dataclass(frozen=True, kw_only=True)
class ArmGrowth(Findings):
    """The largest mean regret over gaps, by cell."""

    regret: Mapping[ArmCell, Interval]
    lengths: Sequence[int]
    trials: int


def analyse(played: Sequence[PlayedGame]) -> ArmGrowth:
    """Return regret by algorithm, T, epsilon and K, and how it grows."""
    regret: dict[ArmCell, Interval] = {}
    rows: list[TableRow] = []
    for each in played:
        arms, (_, gap) = each.game.problem.actions, each.game.options[0]
        for player in each.game.players:
            cell = ArmCell(player.algorithm, each.game.rounds, player.epsilon, arms)
            mean = mean_interval(each.regret(player))
            regret[cell] = max(regret.get(cell, mean), mean, key=lambda found: found.value)
        rows += [
            {"arms": arms, "gap": gap, **select_columns(row, COLUMNS)}
            for row in each.results.summary()
        ]
    lengths = sorted({each.game.rounds for each in played})
    fits = [_fit_row(name, lengths, regret) for name in ALGORITHMS]
    return ArmGrowth(
        tables={NAME: rows, f"{NAME}-exponents": fits},
        text="\n".join(
            [
                "The largest mean regret over gaps from 2 sqrt(K / T) to 1/2. Fitted exponents: of",
                "T at epsilon = 1 and at epsilon = 1 / sqrt(T), of 1 / epsilon and of K (epsilon =",
                "1) at the largest T; with those of the bounds:",
                *(_fit_line(fit) for fit in fits),
                "Regret is at most that of uniform play. That limits old algorithms at small",
                "epsilons, and all of them in short games at epsilon = 1 / sqrt(T). Over K, there",
                "are factors of sqrt(ln K) and 1 - 1/K besides the power.",
            ]
        ),
        regret=regret,
        lengths=lengths,
        trials=played[0].trials,
    )


def panels_of(name: str, lengths: Sequence[int]) -> dict[str, tuple[list[float], list[ArmCell]]]:
    """Return the four curves of an algorithm by what they are over: places, and their cells."""
    longest, arms = lengths[-1], sorted({ARMS, *MANY})
    sizes = [float(rounds) for rounds in lengths]
    return {
        "T": (sizes, [ArmCell(name, rounds, 1.0) for rounds in lengths]),
        "T, small epsilon": (sizes, [ArmCell(name, rounds, rounds**-0.5) for rounds in lengths]),
        "1/epsilon": (
            [1.0 / epsilon for epsilon in FIXED],
            [ArmCell(name, longest, epsilon) for epsilon in FIXED],
        ),
        "K": ([float(k) for k in arms], [ArmCell(name, longest, 1.0, k) for k in arms]),
    }


def _fit_row(name: str, lengths: Sequence[int], regret: Mapping[ArmCell, Interval]) -> TableRow:
    powers = ALGORITHMS[name]
    theory = {
        "T": powers.rounds,
        "T, small epsilon": powers.rounds + powers.epsilon / 2.0,
        "1/epsilon": powers.epsilon,
        "K": math.nan if powers is NONE else 0.5,
    }
    row: dict[str, object] = {"algorithm": name}
    for axis, (places, cells) in panels_of(name, lengths).items():
        found = fit_exponent(places, [regret[cell] for cell in cells])
        row |= {**as_columns(f"exponent_of_{axis}", found), f"theory_of_{axis}": theory[axis]}
    return row


def _fit_line(fit: TableRow) -> str:
    found = (
        format_power(
            base, read_number(fit, f"exponent_of_{axis}"), read_number(fit, f"theory_of_{axis}")
        )
        for base, axis in (
            ("T", "T"),
            ("T", "T, small epsilon"),
            ("(1/epsilon)", "1/epsilon"),
            ("K", "K"),
        )
    )
    return f"  {fit['algorithm']:<20} {'   '.join(found)}"


def format_power(base: str, exponent: float, theory: float) -> str:
    """Return a fitted power, and that of the bound, if one is proved."""
    proved = "none is proved" if math.isnan(theory) else f"{theory:.3g}"
    return f"{base}^{format_fit(exponent)} (bound: {proved})"


# Drawing

BLIND_STYLE = CurveStyle(GREY, LINES[2], "")


def draw(found: ArmGrowth) -> Mapping[str, Figure]:
    """Draw the largest mean regret over T, over T at epsilon 1 / sqrt(T), over epsilon, over K."""
    figure, axes = make_panels(2, 2, (11.6, 8.2), dpi=150)
    longest = found.lengths[-1]
    styles = distinct_styles(len(ALGORITHMS))
    titles = {
        "T": "over rounds, at ε = 1",
        "T, small epsilon": "over rounds, at ε = 1 / √T",
        "1/epsilon": f"over ε, after {longest:,} rounds",
        "K": f"over arms, at ε = 1, after {longest:,} rounds",
    }
    labels = {"1/epsilon": "ε (smaller is more private)", "K": "arms"}
    for panel, (axis, title) in zip(axes.flat, titles.items(), strict=True):
        ends: list[CurveEnd] = []
        for index, (name, style) in enumerate(zip(ALGORITHMS, styles, strict=True)):
            places, cells = panels_of(name, found.lengths)[axis]
            x = [1.0 / place for place in places] if axis == "1/epsilon" else places
            means = [found.regret[cell] for cell in cells]
            draw_means(panel, x, means, index, name)
            ends.append(CurveEnd(name, x[-1], means[-1].value, style))
        blind = [cell._replace(algorithm=BLIND, epsilon=math.inf) for cell in cells]
        uniform = [found.regret[cell].value for cell in blind]
        panel.plot(x, uniform, **BLIND_STYLE.options())
        ends.append(CurveEnd("uniform play, ε = 0", x[-1], uniform[-1], BLIND_STYLE))
        set_log_axes(panel, rounds=x)
        label_ends(panel, ends)
        panel.set_xlabel(labels.get(axis, "rounds"))
        panel.set_ylabel("largest mean regret, 95 % bars")
        set_title(panel, title)
    set_heading(
        figure,
        "Regret of old and new private bandits at their hardest gap, "
        f"{ARMS} arms, {found.trials} trials",
    )
    return {NAME: figure}


register_reproduction(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Table 1, adversarial row: regret over T, epsilon and K at the "
        "hardest gap, with fitted exponents",
        trials=12,
        rounds=2**18,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
