"""Figures, and titles that fit into them. Files are drawn without pyplot, so that nobody's own plots are touched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DiscreetError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plotting() -> None:
    """Say how to get matplotlib, if it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise DiscreetError("plots need matplotlib: pip install 'discreet[output]'.") from None


def new_figure(width: float, height: float, *, dpi: int = 150) -> Figure:
    """Return an empty figure for a file, whose parts make room for each other."""
    plotting()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=dpi, layout="constrained")


def shown_axes() -> Axes:
    """Return the axes of a new figure that pyplot knows, and shows in a notebook."""
    plotting()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")[1]


def save(figure: Figure, path: Path | str) -> Path:
    """Write a figure at its own resolution."""
    figure.savefig(path, dpi="figure")
    return Path(path)


def settle(axes: Axes) -> None:
    """Let a figure that arranges its parts do it now, so that the size of the axes is known."""
    from matplotlib.figure import Figure

    if isinstance(axes.figure, Figure) and axes.figure.get_layout_engine() is not None:
        axes.figure.draw_without_rendering()


def size_in_points(axes: Axes) -> tuple[float, float]:
    """Return width and height of axes."""
    box, points = axes.get_window_extent(), 72.0 / axes.figure.dpi
    return box.width * points, box.height * points


def text_width(text: str, fontsize: float) -> float:
    """Return the width of the longest line, in points.

    >>> text_width("a longer text", 10.0) > 2.0 * text_width("short", 10.0) > 40.0
    True
    """
    from matplotlib.cbook import is_math_text
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font, width_and_more = FontProperties(size=fontsize), text_to_path.get_text_width_height_descent
    return max(
        float(width_and_more(line, font, is_math_text(line))[0]) for line in text.split("\n")
    )


def wrapped(text: str, fontsize: float, width: float) -> str:
    """Return a text with lines that are no wider than this, in points; only a word that is wider is cut.

    >>> wrapped("one two three", 10.0, 60.0).split()
    ['one', 'two', 'three']
    >>> wrapped("one two three", 10.0, 60.0).count(chr(10))
    1
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, fontsize) > width:
                lines.append(line)
                longer = word
            while len(longer) > 1 and (wide := text_width(longer, fontsize)) > width:
                fits = max(1, int(0.9 * len(longer) * width / wide))  # letters are not all alike
                lines.append(longer[:fits])
                longer = longer[fits:]
            line = longer
        lines.append(line)
    return "\n".join(lines)


def set_title(axes: Axes, text: str, *, fontsize: float = 10.0) -> None:
    """Put a title above axes, over as many lines as it needs."""
    settle(axes)
    axes.set_title(wrapped(text, fontsize, size_in_points(axes)[0]), fontsize=fontsize)


def set_heading(figure: Figure, text: str, *, fontsize: float = 12.0) -> None:
    """Put a title above a whole figure, over as many lines as it needs."""
    figure.suptitle(wrapped(text, fontsize, 0.96 * 72.0 * figure.get_figwidth()), fontsize=fontsize)
