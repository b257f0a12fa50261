"""Labels at the ends of curves, moved apart until none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.contracts import Floats
from discreet.plot.canvas import settle, size_in_points
from discreet.plot.looks import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class End(NamedTuple):
    """The last point of a curve, its name, and how it looks."""

    label: str
    x: float
    y: float
    look: Look


def spread(wanted: Sequence[float], gap: float) -> Floats:
    """Return the places from 0 to 1 that are nearest to the wanted ones, in their order, with a gap between any two.

    Without its share of the gaps every place must be at least the one below: that is a monotone
    regression.

    >>> spread([0.5, 0.5, 0.9], 0.1).round(9).tolist()
    [0.45, 0.55, 0.9]
    """
    order = np.argsort(wanted, kind="stable")
    shares = gap * np.arange(len(wanted))
    blocks: list[list[float]] = []  # sum and count of neighbours that touch
    for value in np.asarray(wanted, dtype=np.float64)[order] - shares:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    level = np.concatenate([np.full(int(count), total / count) for total, count in blocks])
    found = np.empty(len(wanted))
    found[order] = np.clip(level, 0.0, max(0.0, 1.0 - float(shares[-1]))) + shares
    return found


def label_ends(axes: Axes, ends: Sequence[End], *, fontsize: float = 8.0) -> None:
    """Write the name of every curve to the right of the axes, with a line from the curve's end to its name."""
    settle(axes)
    height = size_in_points(axes)[1]
    fontsize = min(fontsize, height / (1.35 * len(ends)))
    inverse = axes.transAxes.inverted()
    wanted = [
        float(np.clip(inverse.transform(axes.transData.transform((e.x, e.y)))[1], 0.0, 1.0))
        for e in ends
    ]
    for end, place in zip(ends, spread(wanted, 1.35 * fontsize / height), strict=True):
        axes.annotate(
            end.label,
            xy=(end.x, end.y),
            xytext=(1.06, float(place)),
            textcoords="axes fraction",
            va="center",
            fontsize=fontsize,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": end.look.color,
                "linestyle": end.look.linestyle,
                "linewidth": 1.2,
                "shrinkA": 2.0,
                "shrinkB": 0.0,
                "relpos": (0.0, 0.5),
            },
        )
