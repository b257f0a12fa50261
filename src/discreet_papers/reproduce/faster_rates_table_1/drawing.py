"""Regret over T at epsilon 1, and over epsilon at the largest T."""

from __future__ import annotations

from collections.abc import Mapping
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
from discreet_papers.reproduce.drawing import GREY, draw_means, panels
from discreet_papers.reproduce.faster_rates_table_1.analysis import NAME, Growth, blind
from discreet_papers.reproduce.faster_rates_table_1.sweep import ALGORITHMS, FIXED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLIND = CurveStyle(GREY, LINES[2], "")


def draw(found: Growth) -> Mapping[str, Figure]:
    """Draw mean regrets with their intervals, beside uniform play."""
    figure, axes = panels(1, 2, (10.4, 4.4), dpi=150)
    longest = found.lengths[-1]
    ends: tuple[list[CurveEnd], list[CurveEnd]] = ([], [])
    for index, (name, look) in enumerate(
        zip(ALGORITHMS, distinct_styles(len(ALGORITHMS)), strict=True)
    ):
        over_rounds = [found.regret[name, rounds, 1.0] for rounds in found.lengths]
        over_epsilon = [found.regret[name, longest, epsilon] for epsilon in FIXED]
        drawn = ((found.lengths, over_rounds), (FIXED, over_epsilon))
        for panel, (x, means), labels in zip(axes, drawn, ends, strict=True):
            draw_means(panel, x, means, index, name)
            labels.append(CurveEnd(name, x[-1], means[-1].value, look))
    uniform = blind(found)
    axes[0].plot(found.lengths, uniform, **BLIND.options())
    axes[1].plot(FIXED, [uniform[-1]] * len(FIXED), **BLIND.options())
    for panel, labels, x in zip(axes, ends, (found.lengths, FIXED), strict=True):
        labels.append(CurveEnd("uniform play, ε = 0", x[-1], uniform[-1], BLIND))
        set_log_axes(panel, rounds=x)
        label_ends(panel, labels)
    axes[0].set_xlabel("rounds")
    axes[0].set_ylabel("mean regret, 95 % bars")
    axes[1].set_xlabel("ε: less of it is more privacy")
    set_title(axes[0], "over rounds, at ε = 1")
    set_title(axes[1], f"over ε, after {longest:,} rounds")
    set_heading(
        figure,
        f"Regret of old and new private bandits with deterministic losses, {found.trials} trials",
    )
    return {NAME: figure}
