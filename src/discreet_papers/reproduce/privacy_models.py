"""Whom to trust: regret without privacy, with a trusted server, and with devices only.

The same contexts are played without privacy (``linucb``), in the joint model (``joint-linucb``: a
trusted server, which releases noisy sums of moments when the model is fitted), in the local model
(``local-linucb``: every report is noisy), and uniformly at random: once over epsilon, and once over
the number of rounds. ``linucb`` has the confidence widths of its analysis, and ``joint-linucb`` has
narrower ones, chosen by measurement. So ``joint-linucb`` is also played without noise: the
difference from that is the cost of privacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.plot import (
    COLOURS,
    LINES,
    MARKERS,
    CurveEnd,
    CurveStyle,
    label_ends,
    set_heading,
    set_log_axes,
    set_title,
)
from discreet.problems import Contexts
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

NAME = "privacy-models"
OVER_EPSILONS, OVER_ROUNDS = "regret over epsilon", "regret over rounds"
EPSILONS, EPSILON, DELTA = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), 1.0, 1e-6
SHORTER = (64, 16, 4, 1)  # games of T / 64, .., T rounds
BLIND, OPEN, JOINT, LOCAL = "uniform-contexts", "linucb", "joint-linucb", "local-linucb"
NOISELESS, BARE = 1e6, "joint-linucb, no noise"  # an epsilon at which the noise is negligible
WORDS = {
    BLIND: "uniform play",
    OPEN: "no privacy: linucb",
    BARE: "the joint one without noise",
    JOINT: "joint: trusted server",
    LOCAL: "local: devices only",
}
COLUMNS = ("algorithm", "epsilon", "rounds", "regret_mean", "regret_low", "regret_high")


# Sweep


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return one game with all epsilons, and shorter ones with one."""
    found = []
    for times in SHORTER:
        epsilons = EPSILONS if times == 1 else (EPSILON,)
        private = (
            Entrant(algorithm=name, epsilon=epsilon, delta=DELTA)
            for name in (JOINT, LOCAL)
            for epsilon in epsilons
        )
        ordinary = (Entrant(algorithm=name, delta=DELTA) for name in (BLIND, OPEN))
        bare = Entrant(algorithm=JOINT, epsilon=NOISELESS, delta=DELTA)
        found.append(
            SweepGame(
                part=OVER_ROUNDS if times > 1 else OVER_EPSILONS,
                environment="contexts-gaussian",
                problem=Contexts(10, 10),
                rounds=max(100, rounds // times),
                players=(*ordinary, bare, *private),
            )
        )
    return tuple(found)


# Analysis


@dataclass(frozen=True, kw_only=True)
class ModelFindings(Findings):
    """Rows by algorithm, over epsilon in the longest game and over rounds at one epsilon."""

    game: SweepGame
    games: int  # trials of each
    over_epsilons: Mapping[str, Sequence[RegretRow]]
    over_rounds: Mapping[str, Sequence[tuple[int, RegretRow]]]


def analyse(played: Sequence[PlayedGame]) -> ModelFindings:
    """Return the regret of every model."""
    longest = played[-1]
    over_epsilons: dict[str, list[RegretRow]] = {JOINT: [], LOCAL: []}
    over_rounds: dict[str, list[tuple[int, RegretRow]]] = {name: [] for name in WORDS}
    for each in played:
        for row in each.results.summary():
            name, epsilon = _who(row)
            if each is longest and name in over_epsilons:
                over_epsilons[name].append(row)
            if name not in over_epsilons or abs(epsilon - EPSILON) < 1e-6:
                over_rounds[name].append((each.game.rounds, row))
    table = [
        {**select_columns(row, [name for name in COLUMNS if name != "rounds"]), "rounds": each}
        for each, row in ((one.game.rounds, row) for one in played for row in one.results.summary())
    ]
    last = {name: rows[-1][1]["regret_mean"] for name, rows in over_rounds.items()}
    times = {name: last[name] / last[BARE] for name in (JOINT, LOCAL)}
    text = (
        f"After {longest.game.rounds:,} rounds at ε = {EPSILON:g} the regret is {last[BARE]:,.0f} "
        f"without noise ({last[OPEN]:,.0f} with the wider bounds of linucb), {last[JOINT]:,.0f} "
        f"({times[JOINT]:.2g} times that) with a trusted server, {last[LOCAL]:,.0f} "
        f"({times[LOCAL]:.2g} times) with devices only, and {last[BLIND]:,.0f} with uniform play."
    )
    return ModelFindings(
        tables={NAME: table},
        text=text,
        trials=longest.trials,
        game=longest.game,
        games=longest.trials,
        over_epsilons=over_epsilons,
        over_rounds=over_rounds,
    )


def _who(row: RegretRow) -> tuple[str, float]:
    """Return which algorithm played, and with which epsilon."""
    name = row["algorithm"]
    if name not in (JOINT, LOCAL):
        return name, EPSILON
    epsilon = read_number(row, "epsilon")
    return (BARE if epsilon > EPSILONS[-1] * 2 else name), epsilon


# Drawing

STYLES = {
    BLIND: CurveStyle(GREY, LINES[2], ""),
    OPEN: CurveStyle("#000000", LINES[0], ""),
    BARE: CurveStyle("#000000", LINES[1], ""),
    JOINT: CurveStyle(COLOURS[0], LINES[0], MARKERS[0]),
    LOCAL: CurveStyle(COLOURS[1], LINES[0], MARKERS[1]),
}


def draw(found: ModelFindings) -> Mapping[str, Figure]:
    """Draw both panels, on the same scale of regret."""
    figure, (left, right) = make_panels(1, 2, (12.0, 4.8), dpi=150, sharey=True)
    levels = {name: rows[-1][1]["regret_mean"] for name, rows in found.over_rounds.items()}
    curves = {
        name: [(read_number(row, "epsilon"), row) for row in rows]
        for name, rows in found.over_epsilons.items()
    }
    flat = {
        name: [(EPSILONS[0], levels[name]), (EPSILONS[-1], levels[name])]
        for name in (BLIND, OPEN, BARE)
    }
    _draw_panel(left, curves, flat, "ε (smaller is more private)")
    _draw_panel(right, found.over_rounds, {}, "rounds")
    left.set_ylabel("mean regret, 95 % bands")
    set_title(left, f"{found.game.rounds:,} rounds")
    set_title(right, f"ε = {EPSILON:g}")
    sizes = found.game.problem.sizes
    set_heading(figure, f"Whom to trust: {sizes}, δ = {DELTA:g}, {found.games} trials")
    return {NAME: figure}


def _draw_panel(
    axes: Axes,
    curves: Mapping[str, Sequence[tuple[float, RegretRow]]],
    flat: Mapping[str, Sequence[tuple[float, float]]],
    label: str,
) -> None:
    """Draw rows over a number, with their bands, and levels."""
    ends = []
    for name, rows in curves.items():
        style = STYLES[name]
        x, y = [at for at, _ in rows], [row["regret_mean"] for _, row in rows]
        axes.plot(x, y, markersize=5, linewidth=1.6, **style.options())
        if all(row["regret_low"] is not None for _, row in rows):
            low, high = (
                [read_number(row, end) for _, row in rows] for end in ("regret_low", "regret_high")
            )
            axes.fill_between(x, low, high, color=style.color, alpha=0.12, linewidth=0)
        ends.append(CurveEnd(WORDS[name], x[-1], y[-1], style))
    for name, points in flat.items():
        x, y = [at for at, _ in points], [level for _, level in points]
        axes.plot(x, y, linewidth=1.6, **STYLES[name].options())
        ends.append(CurveEnd(WORDS[name], x[-1], y[-1], STYLES[name]))
    set_log_axes(axes)
    label_ends(axes, ends)
    axes.set_xlabel(label)


register_reproduction(
    Reproduction(
        name=NAME,
        title="regret without privacy, with a trusted server, and with devices only",
        trials=16,
        rounds=100_000,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
