"""The place of a legend: inside the axes if it covers nothing there, otherwise above or below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetError
from discreet.plot.canvas import apply_layout, size_in_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

HEADROOM = (1.0, 1.12, 1.25, 1.4)  # heights of the axes to try, as multiples
LEAST_WIDTH, LEAST_HEIGHT = 90.0, 54.0  # minimum size of axes, in points, for readable curves
OPTIONS: dict[str, Any] = {
    "frameon": False,
    "handlelength": 2.0,
    "columnspacing": 1.0,
    "handletextpad": 0.5,
}


def place_legend(axes: Axes, *, fontsize: float, above: bool) -> None:
    """Add a legend that covers no curve: inside, or outside if there is no room."""
    low, high = axes.get_ylim()
    scale = axes.yaxis.get_transform()
    bottom, top = scale.transform([low, high])
    for factor in HEADROOM:
        higher = float(scale.inverted().transform([bottom + factor * (top - bottom)])[0])
        axes.set_ylim(low, higher, auto=None)  # limits adapt if the user changes the scale
        legend = axes.legend(fontsize=fontsize, labelspacing=0.35, **OPTIONS)
        apply_layout(axes)
        if not covers_curves(axes, legend):
            return
    axes.set_ylim(low, high, auto=None)
    _put_outside(axes, fontsize=fontsize, above=above)


def covers_curves(axes: Axes, legend: Legend) -> bool:
    """Return whether a legend covers a curve or a band, or sticks out of the axes."""
    from matplotlib.collections import PolyCollection

    box, inside = legend.get_window_extent(), axes.get_window_extent().padded(1.0)
    if not (inside.x0 <= box.x0 and box.x1 <= inside.x1):
        return True
    if not (inside.y0 <= box.y0 and box.y1 <= inside.y1):
        return True
    lines = [(line.get_path(), line.get_transform(), False) for line in axes.lines]
    bands = [
        (path, band.get_transform(), True)
        for band in axes.collections
        if isinstance(band, PolyCollection)
        for path in band.get_paths()
    ]
    return any(
        path.transformed(transform).intersects_bbox(box, filled=filled)
        for path, transform, filled in (*lines, *bands)
    )


def _put_outside(axes: Axes, *, fontsize: float, above: bool) -> None:
    """Put the legend above or below the axes, in as many columns as the figure has room for."""
    handles, names = axes.get_legend_handles_labels()
    points = 72.0 / axes.figure.dpi
    axes.legend().remove()
    apply_layout(axes)
    inside = axes.get_window_extent().frozen()
    # The distance from the axes, in font sizes; below, the ticks and their label are in between.
    gap = 0.3
    if not above:
        gap += (inside.y0 - axes.xaxis.label.get_window_extent().y0) * points / fontsize
    for columns in range(min(4, len(names)), 0, -1):
        edge = 1.0 + gap * fontsize / (inside.width * points)  # the gap is on both sides
        for x, side in ((0.5, "center"), (edge, "right")):  # aligned right, it may be wider
            legend = axes.legend(
                handles,
                names,
                fontsize=fontsize,
                ncols=columns,
                labelspacing=0.3,
                bbox_to_anchor=(x, 1.0 if above else 0.0),
                borderaxespad=gap,
                **{**OPTIONS, "loc": f"{'lower' if above else 'upper'} {side}"},
            )
            wide = legend.get_window_extent().width * points
            room = (inside.width if x < 1.0 else inside.x1) * points
            if wide <= room - 2.0:
                apply_layout(axes)
                return
    apply_layout(axes)


def check_room(axes: Axes, size: tuple[float, float], curves: int) -> None:
    """Refuse a figure in which labels leave no room for the curves."""
    apply_layout(axes)
    width, height = size_in_points(axes)
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        raise DiscreetError(
            f"size is {size[0]:g} by {size[1]:g} inches, which leaves no room for {curves} curves "
            "and their labels: draw fewer curves with only=[...], shorten the labels, or make the "
            "figure larger."
        )
