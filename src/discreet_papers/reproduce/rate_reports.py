"""Tables of rates as reproductions: text and figures that are the same for every table."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from discreet.plot import LINES, set_heading, set_log_axes, set_log_axis
from discreet.simulation import Interval
from discreet_papers.reproduce.drawing import GREY, add_legend_below, draw_means, make_panels
from discreet_papers.reproduce.games import PlayedGame, play_games
from discreet_papers.reproduce.rates import (
    LEARNT,
    RateCurve,
    RateGrowth,
    RatePanel,
    RateTable,
    measure_growth,
)
from discreet_papers.reproduce.registry import Reproduction, register_reproduction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Describe = Callable[[RateGrowth], list[str]]  # returns lines of text about the results
WIDTH = 118  # of text in a terminal
AXES = {"T": "rounds T", "n": "dimension n", "1/ε": "1 / ε (larger is more private)"}


def register_rate_table(
    table: RateTable, describe: Describe, *, title: str, trials: int, rounds: int
) -> None:
    """Register a table of rates as a reproduction of this usual size."""
    register_reproduction(
        Reproduction(
            name=table.name,
            title=title,
            trials=trials,
            rounds=rounds,
            sweep=table.sweep,
            play=play_games,
            analyse=partial(_analyse, table, describe),
            draw=partial(draw_growth, table),
        )
    )


def _analyse(table: RateTable, describe: Describe, played: Sequence[PlayedGame]) -> RateGrowth:
    found = measure_growth(table, played)
    return replace(found, text="\n".join(describe(found)))


# Text


def paragraph(*sentences: str) -> list[str]:
    """Wrap sentences into lines."""
    return textwrap.wrap(" ".join(sentences), WIDTH)


def exponent_lines(found: RateGrowth, stated: str) -> list[str]:
    """Return each curve's fitted exponents, the stated ones and those of our bounds."""
    wide = max(len(curve.row.name) for curve in found.curves) + 2
    return [
        *paragraph(
            "Exponents of regret with 95 % intervals. Measured: where regret is at most "
            f"{100.0 * LEARNT:.0f} % of that of staying at the centre (above that, it grows with T "
            "because nothing is learned). All points: without that condition. Then the stated "
            "exponents, and those of our bounds, unless they are vacuous. Algorithms learn even "
            "where their bound is vacuous (when_vacuous=play)."
        ),
        f"  {'':<{wide}}{'over':<6}{'points':>6}  {'measured':>12}  {'all points':>12}  "
        f"{stated:>9}  {'our bound':>9}",
        *(_exponent_line(curve, wide) for curve in found.curves if not curve.is_level),
    ]


def _exponent_line(curve: RateCurve, wide: int) -> str:
    return (
        f"  {curve.row.name:<{wide}}{curve.panel.axis:<6}"
        f"{len(curve.learnt_cells):>3}/{len(curve.fitted_cells):<2}  "
        f"{_format_interval(curve.exponent_learnt):>12}  {_format_interval(curve.exponent):>12}  "
        f"{_format_number(curve.row.exponent(curve.panel.axis)):>9}  "
        f"{_format_number(curve.exponent_of_bound):>9}"
    )


def share_lines(curves: Sequence[RateCurve], head: str) -> list[str]:
    """Return the share of the centre's regret that is left along the curves of one panel."""
    wide = max(len(curve.row.name) for curve in curves) + 2
    return [
        f"  {head:<{wide}}"
        + "".join(f"{_format_place(curves[0], along):>14}" for along in curves[0].along),
        *(
            f"  {curve.row.name:<{wide}}"
            + "".join(f"{_format_share(cell.share):>14}" for cell in curve.cells)
            for curve in curves
        ),
    ]


def _format_place(curve: RateCurve, along: float) -> str:
    if curve.panel.axis == "T":
        return f"T = {along:,.0f}"
    return f"n = {along:g}" if curve.panel.axis == "n" else f"ε = {1.0 / along:g}"


def _format_share(share: Interval) -> str:
    half = "" if math.isnan(share.high) else f" ± {100.0 * (share.high - share.value):.0f}"
    return f"{100.0 * share.value:.0f}{half} %"


def _format_interval(interval: Interval) -> str:
    if math.isnan(interval.value):
        return "-"
    half = "" if math.isnan(interval.high) else f" ± {interval.high - interval.value:.2f}"
    return f"{interval.value:.2f}{half}"


def _format_number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def format_ratio(found: RateGrowth, panel: RatePanel, name: str, other: str) -> str:
    """Return regret at the end of a panel as a multiple of another row's."""
    mine, theirs = (found.curve(panel, row).cells[-1].regret.value for row in (name, other))
    return f"{mine / theirs:.3g} times" if theirs > 0.0 else "no multiple of"


def describe_agreement(found: RateGrowth, panel: RatePanel) -> str:
    """Say how far measured exponents are from the stated ones at most, and for which row."""
    apart = [
        (abs(curve.exponent_learnt.value - curve.row.exponent(panel.axis)), curve.row.name)
        for curve in found.curves_of(panel)
        if not math.isnan(curve.exponent_learnt.value + curve.row.exponent(panel.axis))
    ]
    if not apart:
        return "nothing is learned in games this short"
    largest, name = max(apart)
    return f"measured exponents are at most {largest:.2f} from those of the table ({name})"


# Figures


def draw_growth(table: RateTable, found: RateGrowth) -> Mapping[str, Figure]:
    """Draw one column per panel: regret above, and its share of the centre's regret below."""
    count = len(table.panels)
    figure, axes = make_panels(2, count, (4.2 * count + 0.6, 7.0), dpi=130, squeeze=False)
    for column, panel in enumerate(table.panels):
        above, below = axes[0][column], axes[1][column]
        _draw_curves(found, panel, above, below, named=column == 0)
        above.set_title(panel.title.format(longest=f"{found.longest:,}"), fontsize=10)
        below.set_xlabel(AXES[panel.axis])
    axes[0][0].set_ylabel("mean regret")
    axes[1][0].set_ylabel("share of the regret of\nstaying at the centre")
    add_legend_below(figure, columns=count)
    set_heading(figure, f"{table.heading}, {found.trials} trials, 95 % bars")
    return {table.name: figure}


def _draw_curves(
    found: RateGrowth, panel: RatePanel, above: Axes, below: Axes, *, named: bool
) -> None:
    mine = found.curves_of(panel)
    for index, curve in enumerate(mine):
        label = curve.row.name if named else None
        draw_means(above, curve.along, [cell.regret for cell in curve.cells], index, label)
        draw_means(below, curve.along, [cell.share for cell in curve.cells], index, None)
    below.axhline(1.0, color=GREY, linewidth=1.0)
    below.axhline(LEARNT, color=GREY, linestyle=LINES[1], linewidth=1.0)
    means = [cell.regret.value for curve in mine for cell in curve.cells if cell.regret.value > 0.0]
    above.set_ylim(0.6 * min(means), 1.6 * max(means))  # cuts bars that reach 0
    shares = [cell.share.value for curve in mine for cell in curve.cells]
    below.set_ylim(0.0, 1.1 * max(1.0, *shares))
    ticks = None if panel.axis == "1/ε" else mine[0].along
    set_log_axes(above, rounds=ticks)
    below.set_xscale("log")
    below.grid(alpha=0.3)
    set_log_axis(below, "x", ticks)
    for axes in (above, below):
        axes.tick_params(labelsize=8)
