"""Mean regret over epsilon, with confidence bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

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
from discreet_papers.reproduce.drawing import GREY, panels
from discreet_papers.reproduce.files import number
from discreet_papers.reproduce.price_of_privacy.analysis import NAME, Prices
from discreet_papers.reproduce.price_of_privacy.sweep import EPSILONS, OURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLACK = "#000000"  # of the best without privacy


def draw(found: Prices) -> Mapping[str, Figure]:
    """Draw one line an algorithm, published ones beside ours, between uniform play and the best without privacy."""
    figure, both = panels(1, 2, (14.0, 5.0), dpi=150, sharex=True, sharey=True)
    sides = {"algorithms of papers": [name for name in found.private if name not in OURS]}
    sides["ours"] = [name for name in found.private if name in OURS]
    for axes, (title, names) in zip(both, sides.items(), strict=True):
        _draw_side(axes, found, names, title)
    game = found.game
    size = f"{game.problem.sizes}, {game.rounds:,} rounds, {found.trials} trials"
    figure.suptitle(f"The price of privacy: regret with {game.environment} losses, {size}")
    return {NAME: figure}


def _draw_side(axes: Axes, found: Prices, names: Sequence[str], title: str) -> None:
    """Draw some of the algorithms; limits are those of all, so that both sides can be compared."""
    shapes = distinct_styles(len(names), [colour for colour in COLOURS if colour != BLACK])
    ends = []
    for name, look in zip(names, shapes, strict=True):
        rows = found.private[name]
        x, y = [number(row, "epsilon") for row in rows], [row["regret_mean"] for row in rows]
        axes.plot(x, y, markersize=4, linewidth=1.4, **look.options())
        if found.trials > 1:
            low, high = (
                [number(row, end) for row in rows] for end in ("regret_low", "regret_high")
            )
            axes.fill_between(x, low, high, color=look.color, alpha=0.08, linewidth=0)
        ends.append(CurveEnd(name, x[-1], y[-1], look))
    for label, level, look in (
        ("uniform play, ε = 0", found.blind, CurveStyle(GREY, LINES[2], "")),
        (f"{found.floor}, no privacy", found.least, CurveStyle(BLACK, LINES[0], "")),
    ):
        axes.axhline(level, color=look.color, linestyle=look.linestyle)
        ends.append(CurveEnd(label, EPSILONS[-1], level, look))
    means = [found.least, *(row["regret_mean"] for rows in found.private.values() for row in rows)]
    positive = [mean for mean in means if mean > 0.0]
    axes.set_ylim(0.6 * min(positive), 1.6 * max(found.blind, *means))  # bands that reach 0 are cut
    set_log_axes(axes)
    label_ends(axes, ends)
    axes.set_xlabel("ε: less of it is more privacy")
    axes.set_ylabel("mean regret, 95 % bands")
    set_title(axes, title)
