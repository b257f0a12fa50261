"""The curves of a figure as rows of a table, so that anyone can redraw them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

CurveRow = dict[str, object]
# Labels made by matplotlib; any other label that begins with an underscore is a name that is hidden
# from legends.
UNNAMED = ("_child", "_container", "_nolegend_")


class DrawnCurve(NamedTuple):
    """A line of a figure, with its own label, if any, and its bars by their place."""

    panel: str
    line: Line2D
    label: str | None
    bars: dict[float, tuple[float, float]]

    @property
    def look(self) -> tuple[str, str, str]:
        """What distinguishes it from other curves."""
        line = self.line
        return str(line.get_color()), str(line.get_linestyle()), str(line.get_marker())


def curve_rows(figure: Figure) -> list[CurveRow]:
    """Return a row for every point of every curve: panel, curve, x, y and the ends of its bar.

    A panel is named by its title, or by its number. A curve without a label is named after a curve
    that looks the same, in any panel, or else by its colour.
    """
    drawn = [
        curve
        for place, axes in enumerate(figure.axes, start=1)
        for curve in _curves_of(axes, axes.get_title().replace("\n", " ") or f"panel {place}")
    ]
    named = [curve for curve in drawn if curve.label is not None]
    rows: list[CurveRow] = []
    for curve in drawn:
        name = curve.label or _name_of_alike(curve, named)
        points = np.column_stack([np.asarray(each, float) for each in curve.line.get_data(False)])
        for x, y in points[np.isfinite(points).all(axis=1)].tolist():
            low, high = curve.bars.get(x) or (None, None)
            at = {"x": x, "y": y, "low": low, "high": high}
            rows.append({"panel": curve.panel, "curve": name, **at})
    return rows


def _name_of_alike(curve: DrawnCurve, named: list[DrawnCurve]) -> str:
    """Return the only label of curves with the same look, or with the same colour."""
    for width in (3, 1):
        labels = {each.label for each in named if each.look[:width] == curve.look[:width]}
        if len(labels) == 1:
            return str(labels.pop())
    return f"({curve.look[0]})"


def _curves_of(axes: Axes, panel: str) -> Iterator[DrawnCurve]:
    from matplotlib.container import ErrorbarContainer

    with_bars: dict[Line2D, tuple[str, dict[float, tuple[float, float]]]] = {}
    caps: set[Any] = set()
    for container in axes.containers:
        if isinstance(container, ErrorbarContainer) and container.lines[0] is not None:
            line, ends, segments = container.lines
            with_bars[line] = str(container.get_label()), _bars(segments)
            caps |= set(ends)
    for line in axes.lines:
        if line in caps or line.get_transform() != axes.transData:
            continue  # the end of a bar, or a level across the axes
        label, bars = with_bars.get(line, (str(line.get_label()), {}))
        unnamed = label == "None" or label.startswith(UNNAMED)
        yield DrawnCurve(
            panel, line, None if unnamed else label.removeprefix("_").replace("\n", " "), bars
        )


def _bars(collections: Any) -> dict[float, tuple[float, float]]:  # noqa: ANN401
    """Return the ends of vertical bars, by their place."""
    found = {}
    for collection in collections:
        for ends in collection.get_segments():
            if len(ends) == 2 and ends[0][0] == ends[1][0] and np.isfinite(ends).all():
                found[float(ends[0][0])] = float(ends[0][1]), float(ends[1][1])
    return found
