"""Regret over T at epsilon 1, and over epsilon at the largest T."""

from __future__ import annotations

import math
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
from discreet_papers.reproduce.zheng_table_1_contextual.analysis import NAME, ContextualGrowth
from discreet_papers.reproduce.zheng_table_1_contextual.sweep import BLIND, EPSILONS, KINDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVELS = {
    BLIND: ("uniform play", CurveStyle(GREY, LINES[2], "")),
    "linucb": ("no privacy", CurveStyle(GREY, LINES[1], "")),
}


def draw(found: ContextualGrowth) -> Mapping[str, Figure]:
    """Draw mean regrets with their intervals, beside uniform play and LinUCB without privacy."""
    figure, axes = panels(1, 2, (10.8, 4.6), dpi=150)
    longest = found.lengths[-1]
    ends: tuple[list[CurveEnd], list[CurveEnd]] = ([], [])
    for index, (role, look) in enumerate(zip(KINDS, distinct_styles(len(KINDS)), strict=True)):
        over_rounds = [found.regret[role, rounds, 1.0] for rounds in found.lengths]
        over_epsilon = [found.regret[role, longest, epsilon] for epsilon in EPSILONS]
        for panel, x, means, labels in zip(
            axes, (found.lengths, EPSILONS), (over_rounds, over_epsilon), ends, strict=True
        ):
            draw_means(panel, x, means, index, role)
            labels.append(CurveEnd(role, x[-1], means[-1].value, look))
    for name, (label, look) in LEVELS.items():
        levels = [found.regret[name, rounds, math.inf].value for rounds in found.lengths]
        axes[0].plot(found.lengths, levels, **look.options())
        axes[1].plot(EPSILONS, [levels[-1]] * len(EPSILONS), **look.options())
        for labels, x in zip(ends, (found.lengths, EPSILONS), strict=True):
            labels.append(CurveEnd(label, x[-1], levels[-1], look))
    for panel, labels, x in zip(axes, ends, (found.lengths, EPSILONS), strict=True):
        set_log_axes(panel, rounds=x)
        label_ends(panel, labels)
    axes[0].set_xlabel("rounds")
    axes[0].set_ylabel("mean regret, 95 % bars")
    axes[1].set_xlabel("ε: less of it is more privacy")
    set_title(axes[0], "over rounds, at ε = 1")
    set_title(axes[1], f"over ε, after {longest:,} rounds")
    set_heading(
        figure,
        f"Private contextual bandits, 10 arms with 10 normal features, {found.trials} trials",
    )
    return {NAME: figure}
