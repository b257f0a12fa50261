"""The price of privacy: regret over epsilon for every private bandit algorithm.

All of them play at nine epsilons against the stochastic adversary, next to uniform play and the
best algorithms without privacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.algorithms import list_algorithms
from discreet.plot import (
    COLOURS,
    LINES,
    CurveEnd,
    CurveStyle,
    distinct_styles,
    label_ends,
    set_log_axes,
    set_title,
)
from discreet.problems import Arms
from discreet.simulation import RegretRow
from discreet_papers.reproduce.drawing import GREY, make_panels
from discreet_papers.reproduce.games import Entrant, PlayedGame, SweepGame, play_games
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    read_number,
    register_reproduction,
    select_columns,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "price-of-privacy"
ARMS, DELTA = 4, 1e-6
EPSILONS = tuple(float(f"{e:.3g}") for e in np.geomspace(0.001, 10.0, 9))
OPEN = ("exp3", "exp3-gain", "htinf", "ftpl", "tsallis-inf")  # without privacy
BLIND = "uniform"
# All others are from papers.
OURS = ("one-bit-tsallis-inf", "tracking-ucb", "adaptive-tsallis-inf", "batched-ucb")
COLUMNS = (
    "algorithm",
    "label",
    "epsilon",
    "regret_mean",
    "regret_low",
    "regret_high",
    "regret_bound",
)


# Sweep


def private_names() -> list[str]:
    """Return the algorithms whose guarantee follows the requested epsilon."""
    guarantees = {
        name: known.build(known.setting(delta=DELTA)).guarantee
        for name, known in list_algorithms(Arms).items()
    }
    return [
        name
        for name, guarantee in guarantees.items()
        if guarantee.is_private and guarantee.epsilon > 0.0
    ]


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return one game that all of them play."""
    ordinary = (Entrant(algorithm=name, delta=DELTA) for name in (BLIND, *OPEN))
    private = (
        Entrant(algorithm=name, epsilon=epsilon, delta=DELTA)
        for name in private_names()
        for epsilon in EPSILONS
    )
    return (
        SweepGame(
            part="price of privacy",
            environment="stochastic",
            problem=Arms(ARMS),
            rounds=rounds,
            players=(*ordinary, *private),
        ),
    )


# Analysis: mean regret over epsilon, and the smallest with and without privacy


@dataclass(frozen=True, kw_only=True)
class Prices(Findings):
    """Rows of every private algorithm by increasing epsilon, and the levels above and below."""

    game: SweepGame
    trials: int
    private: Mapping[str, Sequence[RegretRow]]
    blind: float  # the regret of uniform play
    floor: str  # the best algorithm without privacy
    smallest: float  # its regret


def analyse(played: Sequence[PlayedGame]) -> Prices:
    """Return what every epsilon costs."""
    (only,) = played
    rows = only.results.summary()
    means = {
        row["algorithm"]: row["regret_mean"] for row in rows if row["algorithm"] in (BLIND, *OPEN)
    }
    names = dict.fromkeys(row["algorithm"] for row in rows if row["algorithm"] not in means)
    private = {
        name: sorted((row for row in rows if row["algorithm"] == name), key=_epsilon)
        for name in names
    }
    floor = min(OPEN, key=lambda name: means[name])
    offers = [row for row in rows if row["algorithm"] in names]
    return Prices(
        tables={NAME: [select_columns(row, COLUMNS) for row in rows]},
        text=" ".join(describe(offers, floor, means[floor], means[BLIND])),
        game=only.game,
        trials=only.trials,
        private=private,
        blind=means[BLIND],
        floor=floor,
        smallest=means[floor],
    )


def describe(offers: Sequence[RegretRow], floor: str, smallest: float, blind: float) -> list[str]:
    """Say what privacy costs at some epsilons, and below which epsilon nothing can be learned.

    The price at an epsilon is the smallest regret of all algorithms with at most that epsilon.
    """
    sentences = [f"Without privacy the smallest regret is {smallest:,.0f} ({floor})."]
    for epsilon in (1.0, 0.1):
        best = min(_affordable(offers, epsilon), key=lambda row: row["regret_mean"])
        times = f", {best['regret_mean'] / smallest:.3g} times that" if smallest > 0.0 else ""
        ours = best["algorithm"] in OURS
        rest = [row for row in _affordable(offers, epsilon) if (row["algorithm"] in OURS) != ours]
        beside = ""
        if rest:
            next_best = min(rest, key=lambda row: row["regret_mean"])
            kind = "published algorithm" if ours else "algorithm of ours"
            beside = (
                f"; the best {kind} has {next_best['regret_mean']:,.0f} ({next_best['algorithm']})"
            )
        sentences.append(
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
        sentences.append(
            f"{where} no private algorithm is surely better than uniform play ({blind:,.0f}) in "
            "games this long."
        )
    else:
        sentences.append(
            f"Even at ε = {useful[0]:g} one is surely better than uniform play ({blind:,.0f})."
        )
    return sentences


def _affordable(offers: Sequence[RegretRow], epsilon: float) -> list[RegretRow]:
    return [row for row in offers if _epsilon(row) <= epsilon * (1.0 + 1e-9)]  # allows rounding


def _surely_below(row: RegretRow, level: float) -> bool:
    """Return whether the mean's interval is below a level; one trial has no interval."""
    high = row["regret_mean"] if row["regret_high"] is None else row["regret_high"]
    return high < level


def _epsilon(row: RegretRow) -> float:
    return read_number(row, "epsilon")


# Drawing

BLACK = "#000000"  # of the best without privacy


def draw(found: Prices) -> Mapping[str, Figure]:
    """Draw one line per algorithm: published ones on the left, ours on the right."""
    figure, both = make_panels(1, 2, (14.0, 5.0), dpi=150, sharex=True, sharey=True)
    sides = {"algorithms of papers": [name for name in found.private if name not in OURS]}
    sides["ours"] = [name for name in found.private if name in OURS]
    for axes, (title, names) in zip(both, sides.items(), strict=True):
        _draw_side(axes, found, names, title)
    game = found.game
    size = f"{game.problem.sizes}, {game.rounds:,} rounds, {found.trials} trials"
    figure.suptitle(f"The price of privacy: regret with {game.environment} losses, {size}")
    return {NAME: figure}


def _draw_side(axes: Axes, found: Prices, names: Sequence[str], title: str) -> None:
    """Draw some of the algorithms; both sides have the same limits and can be compared."""
    styles = distinct_styles(len(names), [colour for colour in COLOURS if colour != BLACK])
    ends = []
    for name, style in zip(names, styles, strict=True):
        rows = found.private[name]
        x, y = [_epsilon(row) for row in rows], [row["regret_mean"] for row in rows]
        axes.plot(x, y, markersize=4, linewidth=1.4, **style.options())
        if found.trials > 1:
            low, high = (
                [read_number(row, end) for row in rows] for end in ("regret_low", "regret_high")
            )
            axes.fill_between(x, low, high, color=style.color, alpha=0.08, linewidth=0)
        ends.append(CurveEnd(name, x[-1], y[-1], style))
    for label, level, style in (
        ("uniform play, ε = 0", found.blind, CurveStyle(GREY, LINES[2], "")),
        (f"{found.floor}, no privacy", found.smallest, CurveStyle(BLACK, LINES[0], "")),
    ):
        axes.axhline(level, color=style.color, linestyle=style.linestyle)
        ends.append(CurveEnd(label, EPSILONS[-1], level, style))
    prices = [row["regret_mean"] for rows in found.private.values() for row in rows]
    means = [found.smallest, *prices]
    positive = [mean for mean in means if mean > 0.0]
    axes.set_ylim(0.6 * min(positive), 1.6 * max(found.blind, *means))  # cuts bands that reach 0
    set_log_axes(axes)
    label_ends(axes, ends)
    axes.set_xlabel("ε (smaller is more private)")
    axes.set_ylabel("mean regret, 95 % bands")
    set_title(axes, title)


register_reproduction(
    Reproduction(
        name=NAME,
        title="regret over epsilon from 0.001 to 10 for every private algorithm",
        trials=24,
        rounds=2**17,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
