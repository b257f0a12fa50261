"""The curves that a figure shows, their names and colours, and the size of the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from discreet.errors import (
    DiscreetError,
    check_choice,
    check_range,
    check_share,
    check_text,
    count,
    shorten,
    unknown_name,
)
from discreet.plot.canvas import CurveStyle, curve_styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.drawing import Colors, Labels

AXES = ("", "x", "y", "xy")
NARROW = 4.5  # inches: a narrower figure is meant for a column of a paper
LEVEL = 0.95


class PlotCurve(NamedTuple):
    """A curve that can be drawn: its place in the results, its label, algorithm and epsilon."""

    place: int
    label: str
    algorithm: str
    epsilon: float


class ShownCurve(NamedTuple):
    """A curve as it is drawn."""

    place: int  # in the results
    label: str
    look: CurveStyle


class TextSizes(NamedTuple):
    """Sizes of letters, lines and markers, in points."""

    label: float
    tick: float
    legend: float
    title: float
    line: float
    marker: float


WIDE_SIZES = TextSizes(label=10.0, tick=10.0, legend=9.0, title=10.0, line=1.4, marker=4.0)
# Journals ask for letters of at least 7 or 8 points at print size.
NARROW_SIZES = TextSizes(label=8.0, tick=7.0, legend=7.0, title=8.0, line=1.1, marker=2.8)


def is_narrow(axes: Axes) -> bool:
    """Return whether axes are in a figure for one column of a paper."""
    from matplotlib.figure import Figure

    figure = axes.get_figure(root=True)
    return isinstance(figure, Figure) and figure.get_figwidth() < NARROW


def sizes_for(axes: Axes) -> TextSizes:
    """Return the sizes of letters and lines in a figure of that width."""
    return NARROW_SIZES if is_narrow(axes) else WIDE_SIZES


@dataclass(frozen=True, kw_only=True)
class FigureChoice:
    """The options of a figure, checked."""

    labels: Labels | None = None
    only: str | Sequence[str] | None = None
    colors: Colors | None = None
    log: str = ""
    size: tuple[float, float] | None = None
    bands: float | bool | None = LEVEL
    title: str | None = None

    def __post_init__(self) -> None:
        check_choice("log", self.log, ("x", "y", "xy") if self.log != "" else AXES)
        if self.title is not None:
            check_text("title", self.title)
        if self.size is not None:
            object.__setattr__(self, "size", _check_size(self.size))
        _check_bands(self.bands)

    @property
    def level(self) -> float | None:
        """The level of confidence bands, or None if there are none."""
        if self.bands is None or self.bands is False:
            return None
        return LEVEL if self.bands is True else float(self.bands)

    def colored(self, colors: Colors | None) -> FigureChoice:
        """Return the same with other colours."""
        return replace(self, colors=colors)

    def curves(self, known: Sequence[PlotCurve]) -> list[ShownCurve]:
        """Return the curves to draw, in order, each with its label and style."""
        chosen = _select(self.only, known)
        texts = _texts(self.labels, chosen, known)
        looks = _looks(self.colors, chosen, known)
        return [
            ShownCurve(curve.place, text, look)
            for curve, text, look in zip(chosen, texts, looks, strict=True)
        ]


def _check_size(size: object) -> tuple[float, float]:
    if not isinstance(size, Sequence) or isinstance(size, str) or len(size) != 2:
        raise DiscreetError(
            f"size is {shorten(size)}, but must be a width and a height in inches, such as "
            "(3.3, 2.4)."
        )
    return check_range("width", size[0], 1.0, 100.0), check_range("height", size[1], 1.0, 100.0)


def _check_bands(bands: object) -> None:
    if bands is not None and not isinstance(bands, bool):
        check_share("bands", bands)


def _select(only: str | Sequence[str] | None, known: Sequence[PlotCurve]) -> list[PlotCurve]:
    """Return the curves requested by label or by algorithm, in the requested order."""
    if only is None:
        return list(known)
    names = [only] if isinstance(only, str) else list(only)
    if not names:
        raise DiscreetError("only= is empty, but must name at least one curve.")
    found: dict[int, PlotCurve] = {}
    for name in names:
        found |= {each.place: each for each in _named(name, known)}
    return list(found.values())


def _named(name: object, known: Sequence[PlotCurve]) -> list[PlotCurve]:
    """Return the curve with that label, or else all curves of the algorithm with that name."""
    found = [each for each in known if name == each.label]
    found = found or [each for each in known if name == each.algorithm]
    if not found:
        every = {each.label for each in known} | {each.algorithm for each in known} - {"custom"}
        raise unknown_name("curve", name, every)
    return found


def _texts(
    labels: Labels | None, chosen: Sequence[PlotCurve], known: Sequence[PlotCurve]
) -> list[str]:
    """Return the label of every curve: the caller's, if given."""
    if labels is None:
        return [each.label for each in chosen]
    if isinstance(labels, Mapping):
        given = _by_place("labels", labels, known)
        return [check_text("a label", given.get(each.place, each.label)) for each in chosen]
    if isinstance(labels, str) or len(labels) != len(chosen):
        raise DiscreetError(
            f"labels is {shorten(labels)}, but must be a list with one label for each of "
            f"{count(len(chosen), 'curve')}, or a dictionary from curve labels to new labels."
        )
    return [check_text("a label", each) for each in labels]


def _looks(
    colors: Colors | None, chosen: Sequence[PlotCurve], known: Sequence[PlotCurve]
) -> list[CurveStyle]:
    """Return the style of every curve, in the caller's colours, if given."""
    named = [(each.algorithm, each.epsilon) for each in chosen]
    if colors is None or not isinstance(colors, Mapping):
        return curve_styles(named, None if colors is None else _check_colors(colors))
    given = _by_place("colors", colors, known)
    _check_colors(list(given.values()))
    return [
        look._replace(color=given.get(each.place, look.color))
        for each, look in zip(chosen, curve_styles(named), strict=True)
    ]


def _by_place(name: str, given: Mapping[str, str], known: Sequence[PlotCurve]) -> dict[int, str]:
    """Return the given texts by the place of their curve."""
    found: dict[int, str] = {}
    for key, text in given.items():
        curves = _named(key, known)
        if name == "labels" and len(curves) > 1:
            every = ", ".join(f"'{each.label}'" for each in curves)
            raise DiscreetError(
                f"labels has one entry for {shorten(key)}, which has {len(curves)} curves; give "
                f"each its own: {every}."
            )
        found |= {each.place: text for each in curves}
    return found


def _check_colors(colors: Sequence[str]) -> Sequence[str]:
    from matplotlib.colors import is_color_like

    for each in colors:
        if not is_color_like(each):
            raise DiscreetError(
                f"colors contains {shorten(each)}, but must contain colours, such as 'black', "
                "'#0072B2' or 'C0'."
            )
    return colors
