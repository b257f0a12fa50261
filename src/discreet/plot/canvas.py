"""Figures, curve styles, ticks and labels.

Files are drawn without pyplot, so that a user's own plots are left alone.
"""

from __future__ import annotations

import itertools
import math
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, reason_of, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def require_matplotlib() -> None:
    """Raise an error that says how to install matplotlib, if it is missing or cannot start."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise DiscreetError("plots need matplotlib: pip install 'discreet[output]'.") from None
    except ValueError as reason:  # of a setting in the environment, or in its own file
        raise _unusable(reason) from None


def _unusable(reason: Exception) -> DiscreetError:
    backend = os.environ.get("MPLBACKEND")
    named = "" if backend is None else f" (MPLBACKEND is {shorten(backend)})"
    said = str(reason).partition(";")[0].rstrip(".")
    return DiscreetError(f"matplotlib cannot load a backend{named}: {said}.")


def new_figure(width: float, height: float, *, dpi: int = 150) -> Figure:
    """Return an empty figure for a file, with constrained layout."""
    require_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=dpi, layout="constrained")


def given_or_new(
    ax: object, size: tuple[float, float] | None = None, *, file: str = "use path= for a file"
) -> Axes:
    """Return the given axes, or for None those of a new pyplot figure, which a notebook shows."""
    require_matplotlib()
    try:
        from matplotlib import pyplot
        from matplotlib.axes import Axes

        if ax is None:
            return pyplot.subplots(figsize=size or (6.4, 4.2), layout="constrained")[1]
    except (ImportError, ValueError) as reason:
        raise _unusable(reason) from None
    if not isinstance(ax, Axes):
        raise DiscreetError(f"ax is {shorten(ax)}, but must be axes of matplotlib: {file}.")
    return ax


def save(figure: Figure, path: Path | str) -> Path:
    """Write a figure at its own resolution, or as PDF or SVG, depending on the file's suffix.

    PDF files embed fonts that journals accept (Type 42, not 3). The same figure gives the same
    file, without a date.
    """
    import matplotlib

    dated = {".pdf": "CreationDate", ".svg": "Date"}.get(Path(path).suffix.lower())
    same: Any = {"pdf.fonttype": 42, "svg.hashsalt": "discreet"}
    try:
        with matplotlib.rc_context(same):
            figure.savefig(path, dpi="figure", metadata={dated: None} if dated else None)
    except (OSError, TypeError, ValueError, AttributeError) as reason:
        sentence = reason_of(reason).splitlines()[0].rstrip(".")
        raise DiscreetError(
            f"the plot cannot be written to {shorten(str(path))}: {sentence}."
        ) from None
    return Path(path)


def apply_layout(axes: Axes) -> None:
    """Apply a figure's layout now, so that the size of its axes is known."""
    from matplotlib.figure import Figure

    if isinstance(axes.figure, Figure) and axes.figure.get_layout_engine() is not None:
        with warnings.catch_warnings():  # about a lack of room, which ``check_room`` reports
            warnings.simplefilter("ignore", UserWarning)
            axes.figure.draw_without_rendering()


def size_in_points(axes: Axes) -> tuple[float, float]:
    """Return the width and height of axes in points."""
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


def wrap_text(text: str, fontsize: float, width: float) -> str:
    """Wrap a text at a width in points; only wider words are split.

    >>> wrap_text("one two three", 10.0, 60.0).split()
    ['one', 'two', 'three']
    >>> wrap_text("one two three", 10.0, 60.0).count(chr(10))
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
                fits = max(1, int(0.9 * len(longer) * width / wide))  # 0.9: letters differ in width
                lines.append(longer[:fits])
                longer = longer[fits:]
            line = longer
        lines.append(line)
    return "\n".join(lines)


def set_title(axes: Axes, text: str, *, fontsize: float = 10.0) -> None:
    """Put a title above axes, wrapped to their width."""
    apply_layout(axes)
    axes.set_title(wrap_text(text, fontsize, size_in_points(axes)[0]), fontsize=fontsize)


def set_heading(figure: Figure, text: str, *, fontsize: float = 12.0) -> None:
    """Put a title above a whole figure, wrapped to its width."""
    width = 0.96 * 72.0 * figure.get_figwidth()  # 72 points per inch, and a margin of 2 % per side
    figure.suptitle(wrap_text(text, fontsize, width), fontsize=fontsize)


# Okabe and Ito's colours, which colour-blind readers can tell apart; olive replaces their yellow,
# which is too light for lines. Line styles and markers repeat the distinction.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
MARKERS = "os^DvPX*"
LINE_HEIGHT = 1.35  # of labels at the ends of curves, in units of the font size
FEW = 6  # up to this many curves are explained by a legend; more are labelled at their ends

LineStyle = str | tuple[float, tuple[float, ...]]
LINES: tuple[LineStyle, ...] = (
    "solid",
    (0.0, (5.0, 1.6)),
    (0.0, (1.2, 1.4)),
    (0.0, (6.0, 1.6, 1.2, 1.6)),
    (0.0, (2.6, 1.2)),
    (0.0, (6.0, 1.4, 1.2, 1.4, 1.2, 1.4)),
    (0.0, (9.0, 2.5)),
    (0.0, (1.2, 3.5)),
)


class CurveStyle(NamedTuple):
    """How one curve is drawn; the fields are named like matplotlib's options."""

    color: str
    linestyle: LineStyle
    marker: str

    def options(self) -> dict[str, Any]:
        """Return it as options of matplotlib's ``plot``."""
        return self._asdict()


def curve_styles(
    curves: Sequence[tuple[str, float]], colors: Sequence[str] | None = None
) -> list[CurveStyle]:
    """Return a style for every curve, given its algorithm and epsilon; no two are the same.

    Up to six curves get a colour each. With more, the colour shows the algorithm and the line
    style the epsilon (the largest is solid). If there are too many of either, colours and line
    styles have no meaning and only distinguish curves. ``colors`` replaces the default colours.

    >>> styles = curve_styles([("exp3", 1.0), ("exp3", 0.1)])
    >>> styles[1] == CurveStyle(COLOURS[1], "solid", MARKERS[1])
    True
    """
    palette = tuple(colors or COLOURS)
    if len(curves) <= min(FEW if colors is None else len(palette), len(palette)):
        return [
            CurveStyle(palette[i], LINES[0], MARKERS[i % len(MARKERS)]) for i in range(len(curves))
        ]
    names = list(dict.fromkeys(name for name, _ in curves))
    epsilons = sorted({epsilon for _, epsilon in curves}, reverse=True)
    found = []
    for name, epsilon in curves:
        lap, place = divmod(names.index(name), len(palette))
        line = lap * len(epsilons) + epsilons.index(epsilon)
        found.append(
            CurveStyle(
                palette[place], LINES[line % len(LINES)], MARKERS[names.index(name) % len(MARKERS)]
            )
        )
    if len({look[:2] for look in found}) == len(curves):
        return found
    pairs = itertools.product(LINES, enumerate(palette))
    return [
        CurveStyle(colour, line, MARKERS[i % len(MARKERS)])
        for (line, (i, colour)), _ in zip(pairs, curves, strict=False)
    ]


def distinct_styles(count: int, colors: Sequence[str] | None = None) -> list[CurveStyle]:
    """Return styles that differ in colour, line and marker: overlapping curves stay visible."""
    palette = tuple(colors or COLOURS)
    found = []
    for i in range(count):
        lap, place = divmod(i, len(palette))
        found.append(
            CurveStyle(palette[place], LINES[(place + lap) % len(LINES)], MARKERS[i % len(MARKERS)])
        )
    return found


# Multiples of powers of ten, from coarse to fine.
STEPS: tuple[tuple[float, ...], ...] = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0),
    tuple(tenths / 10.0 for tenths in range(10, 100)),
)


def tick_text(value: float) -> str:
    """Return the text of a number at a tick.

    >>> tick_text(65536.0), tick_text(0.01), tick_text(1e6), tick_text(2.5)
    ('65,536', '0.01', '1,000,000', '2.5')
    """
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:g}"


def log_ticks(low: float, high: float, *, minimum: int = 3) -> list[float]:
    """Return round numbers for a logarithmic axis, at least ``minimum`` of them if possible.

    >>> log_ticks(20.0, 30_000.0), log_ticks(150.0, 1100.0)
    ([100.0, 1000.0, 10000.0], [200.0, 500.0, 1000.0])
    """
    found: list[float] = []
    for steps in STEPS:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [
            step * 10.0**power
            for power in powers
            for step in steps
            if low <= step * 10.0**power <= high
        ]
        if len(found) >= minimum:
            break
    return found


def set_log_axes(axes: Axes, *, rounds: Sequence[float] | None = None) -> None:
    """Make both axes of a finished plot logarithmic, with x ticks at ``rounds`` if given."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
    set_log_axis(axes, "y")
    apply_layout(axes)  # the labels of one axis take room from the other
    set_log_axis(axes, "x", rounds)


def set_log_axis(
    axes: Axes,
    which: Literal["x", "y"],
    values: Sequence[float] | None = None,
    *,
    fontsize: float = 10.0,
) -> None:
    """Set the ticks of one logarithmic axis, as many as fit.

    ``fontsize`` is the largest in use; smaller labels have more room.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axes.get_xlim() if which == "x" else axes.get_ylim())
    ticks = sorted(values) if values is not None else log_ticks(low, high)
    width, height = size_in_points(axes)
    # A label needs its width and a gap, or its height and 60 % of it.
    sizes = [
        text_width(tick_text(tick), fontsize) + 8.0 if which == "x" else 1.6 * fontsize
        for tick in ticks
    ]
    places = (
        np.log(np.array(ticks) / low) / math.log(high / low) * (width if which == "x" else height)
    )
    axis.set_major_locator(FixedLocator(_drop_crowded(ticks, places.tolist(), sizes)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def _drop_crowded(
    ticks: Sequence[float], places: Sequence[float], sizes: Sequence[float]
) -> list[float]:
    """Return every tick, or every second, third, ... from the last, so that none overlap."""
    for step in range(1, len(ticks)):
        kept = range(len(ticks) - 1, -1, -step)
        if all(
            places[a] - places[b] >= (sizes[a] + sizes[b]) / 2.0
            for a, b in itertools.pairwise(kept)
        ):
            return [ticks[i] for i in reversed(kept)]
    return list(ticks[-1:])


class CurveEnd(NamedTuple):
    """The last point of a curve, its label and its style."""

    label: str
    x: float
    y: float
    look: CurveStyle


def spread_labels(wanted: Sequence[float], gap: float) -> Floats:
    """Return the places in [0, 1] nearest to the wanted ones, in order, at least a gap apart.

    After subtracting its share of the gaps, no place may lie below the previous one, so this is a
    monotone regression.

    >>> spread_labels([0.5, 0.5, 0.9], 0.1).round(9).tolist()
    [0.45, 0.55, 0.9]
    """
    order = np.argsort(wanted, kind="stable")
    shares = gap * np.arange(len(wanted))
    blocks: list[list[float]] = []  # sum and count of places that touch
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


def label_ends(axes: Axes, ends: Sequence[CurveEnd], *, fontsize: float = 8.0) -> None:
    """Label every curve to the right of the axes, with a line from the end of the curve."""
    apply_layout(axes)
    height = size_in_points(axes)[1]
    fontsize = min(fontsize, height / (LINE_HEIGHT * len(ends)))
    inverse = axes.transAxes.inverted()
    wanted = [
        float(np.clip(inverse.transform(axes.transData.transform((e.x, e.y)))[1], 0.0, 1.0))
        for e in ends
    ]
    for end, place in zip(
        ends, spread_labels(wanted, LINE_HEIGHT * fontsize / height), strict=True
    ):
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
                "patchA": None,  # or the line would end beside the box of the text
                "shrinkA": 2.0,
                "shrinkB": 0.0,
                "relpos": (0.0, 0.5),
            },
        )
