"""Regret along every axis, and maps of the best algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot import COLOURS, set_heading, set_log_axes
from discreet_papers.reproduce.drawing import GREY, add_legend_below, draw_means, make_panels
from discreet_papers.reproduce.faster_rates_table_1_experts.findings import (
    AXES,
    NAME,
    TITLES,
    AdviceGrowth,
)
from discreet_papers.reproduce.faster_rates_table_1_experts.games import (
    ALGORITHMS,
    ARMS,
    BATCHED,
    DELTA,
    EPSILON,
    LEARNS,
    LOCAL,
    NOBODY,
    OPEN,
    SIZE,
    TIGHT,
    Winner,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILLS = {**dict(zip(ALGORITHMS, COLOURS, strict=False)), NOBODY: "#DDDDDD"}
SHARES = {
    "measured": "per cent of uniform play's regret",
    "our_bounds": "the smallest bound, per cent of T",
    "measured_paper": "per cent of uniform play's regret",
    "theorems": "the smallest bound, per cent of T",
    "table_1": "the smallest rate, per cent of T",
}


def draw(found: AdviceGrowth) -> Mapping[str, Figure]:
    """Draw both figures."""
    return {NAME: _draw_growth(found), f"{NAME}-map": _draw_maps(found)}


def _draw_growth(found: AdviceGrowth) -> Figure:
    figure, axes = make_panels(2, 2, (9.6, 7.4), dpi=130)
    titles = {
        "T": f"over rounds: {SIZE} experts, ε = {EPSILON:g}",
        "T, switching": f"over rounds, experts that switch: {SIZE} experts, ε = {EPSILON:g}",
        "1/epsilon": f"over ε: {SIZE} experts, {found.length:,} rounds",
        "N": f"over experts: ε = {EPSILON:g}, {found.length:,} rounds",
    }
    for panel, axis in zip(axes.ravel(), titles, strict=True):
        _draw_lines(panel, found, axis, named=axis == "T")
        panel.set_title(titles[axis], fontsize=10)
        panel.set_xlabel(
            {"1/epsilon": "1 / ε (larger is more private)", "N": "experts N"}.get(axis, "rounds T")
        )
        along = AXES[axis]
        values = sorted({along(cell) for cell in found.lines[axis] if cell.calibration})
        set_log_axes(panel, rounds=None if axis == "1/epsilon" else values)
        panel.tick_params(labelsize=9)
    for row in axes:
        row[0].set_ylabel("mean regret against the best expert")
    add_legend_below(figure, columns=3)
    set_heading(
        figure,
        f"Private algorithms with expert advice, our tuning, {found.trials} trials, 95 % bars",
    )
    return figure


def _draw_lines(axes: Axes, found: AdviceGrowth, axis: str, *, named: bool) -> None:
    cells, along = found.lines[axis], AXES[axis]
    for index, name in enumerate((*ALGORITHMS, OPEN)):
        mine = [
            cell for cell in cells if cell.algorithm == name and cell.calibration in ("", TIGHT)
        ]
        label = {OPEN: "exp4, no privacy"}.get(name, name) if named else None
        draw_means(axes, [along(cell) for cell in mine], [cell.mean for cell in mine], index, label)
    blind = sorted(
        {along(cell): float(cell.blind.mean()) for cell in cells if cell.calibration}.items()
    )
    axes.plot(*zip(*blind, strict=True), color=GREY, label="uniform play" if named else None)


def _draw_maps(found: AdviceGrowth) -> Figure:
    figure, axes = make_panels(2, 3, (13.0, 8.2), dpi=130)
    for panel, (which, title) in zip(axes.T.ravel(), TITLES.items(), strict=False):
        _draw_map(panel, found, which)
        panel.set_title(f"{title}\n({SHARES[which]})", fontsize=10)
    _draw_key(axes[1][2])
    size = f"{ARMS} arms, T = {found.length:,}, δ = {DELTA:f}, {found.trials} trials"
    set_heading(figure, f"The best algorithm with N experts: {size}")
    return figure


def _draw_map(axes: Axes, found: AdviceGrowth, which: str) -> None:
    from matplotlib.patches import Rectangle

    sizes, epsilons = (sorted(set(values)) for values in zip(*found.maps, strict=True))
    for (experts, epsilon), here in found.maps.items():
        winner = here[which]
        x, y = epsilons.index(epsilon), sizes.index(experts)
        axes.add_patch(
            Rectangle((x, y), 1, 1, facecolor=FILLS[winner.best], edgecolor="white", linewidth=1.0)
        )
        dark = "black" if winner.best == NOBODY else "white"
        text = _format_entry(winner, measured=which.startswith("measured"))
        axes.text(x + 0.5, y + 0.5, text, color=dark, fontsize=8, ha="center", va="center")
    axes.set_xlim(0, len(epsilons))
    axes.set_ylim(0, len(sizes))
    axes.set_xticks(
        np.arange(len(epsilons)) + 0.5, [f"{epsilon:g}" for epsilon in epsilons], fontsize=8
    )
    axes.set_yticks(np.arange(len(sizes)) + 0.5, [str(experts) for experts in sizes], fontsize=8)
    axes.set_xlabel("ε", fontsize=9)
    axes.set_ylabel("experts N", fontsize=9)


def _format_entry(winner: Winner, *, measured: bool) -> str:
    if winner.best == NOBODY and not measured:
        return "vac."
    doubt = "" if winner.certain or winner.best == NOBODY else "?"
    return f"{100.0 * winner.value:.{0 if winner.value >= 0.01 else 1}f}{doubt}"


def _draw_key(axes: Axes) -> None:
    from matplotlib.patches import Patch

    names = {name: name for name in ALGORITHMS} | {
        LOCAL: "local-exp4, or batched-exp4\nwith batches of one round",
        BATCHED: "batched-exp4, longer batches\n(size by the bound)",
        NOBODY: f"none: over {100 * LEARNS:.0f} % of uniform play's\nregret, or only vacuous "
        "bounds (vac.)",
    }
    handles = [Patch(facecolor=FILLS[name], label=label) for name, label in names.items()]
    handles.append(Patch(facecolor="none", label="?: the lead may be chance (95 %)"))
    axes.axis("off")
    axes.legend(handles=handles, loc="center", fontsize=10, frameon=False, labelspacing=1.2)
