"""Charts as SVG, drawn on the server: no script, no inline style, nothing to load.

A chart is as wide as the page allows, and its text keeps its size. So x is in percent; only curves
are stretched, inside a nested ``svg``. Colours come from classes in ``site.css``. A stand-alone
chart has a role, a title and a description; a mark inside a table, whose row has the same numbers,
is hidden from screen readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from discreet.service.pages.scales import clipped, percent, short, ticks, time_ticks

HEIGHT, TOP, FLOOR = 232, 10, 200  # of a chart, and of its plot area
STRETCHED = 1000  # the inner width of the plot, for any page width
COLOURS = 8  # of arms; the last one is for all others together


class Column(NamedTuple):
    """A time span, and the number of decisions of each series in it."""

    start: float  # seconds since 1970
    end: float
    counts: tuple[int, ...]


class Series(NamedTuple):
    """The name and the colour of one arm."""

    name: str
    colour: int


def merged(columns: Sequence[Column], most: int) -> list[Column]:
    """Return at most ``most`` time spans, merging neighbours."""
    size = -(-len(columns) // most) or 1
    together = []
    for at in range(0, len(columns), size):
        part = columns[at : at + size]
        counts = tuple(map(sum, zip(*(each.counts for each in part), strict=True)))
        together.append(Column(part[0].start, part[-1].end, counts))
    return together


def shares(columns: Sequence[Column], series: Sequence[Series], *, name: str) -> Markup:
    """Return the share of each series over time, stacked."""
    frame = ChartFrame(name, columns, 1.0, percents=True)
    lower = [0.0] * len(columns)
    totals = [sum(column.counts) for column in columns]
    now = [count / totals[-1] if totals[-1] else 0.0 for count in columns[-1].counts]
    none = not totals[-1]  # no decisions in the latest interval, so there are no shares
    areas, labels = [], []
    for place, (label, colour) in enumerate(series):
        parts = [c.counts[place] / t if t else 0.0 for c, t in zip(columns, totals, strict=True)]
        upper = [a + b for a, b in zip(lower, parts, strict=True)]
        areas.append(
            Markup('<path class="area s{}" d="{}"><title>{}: {} now</title></path>').format(
                colour, frame.between(lower, upper), label, "–" if none else percent(now[place])
            )
        )
        if now[place] > 0.09:
            middle = frame.y((lower[-1] + upper[-1]) / 2) + 4.0
            labels.append(
                Markup('<text class="inside on{}" x="99%" y="{:.1f}">{}</text>').format(
                    colour, middle, clipped(label, 24)
                )
            )
        lower = upper
    said = ", ".join(
        f"{each.name} {percent(part)}" for each, part in zip(series, now, strict=True) if part
    )
    described = f"Stacked areas over time, UTC. In the latest interval: {said or 'no decisions'}."
    return frame.drawn("Share of each arm over time", described, areas, labels)


def rates(columns: Sequence[Column], *, name: str) -> Markup:
    """Return decisions per second over time."""
    values = [sum(c.counts) / (c.end - c.start) if c.end > c.start else 0.0 for c in columns]
    frame = ChartFrame(name, columns, max(values) * 1.08 or 1.0)
    zero = [0.0] * len(columns)
    curves = [
        Markup('<path class="soft" d="{}"/>').format(frame.between(zero, values)),
        Markup('<path class="line" d="{}"/>').format(frame.along(values)),
    ]
    described = (
        f"A line over time, UTC. Highest {max(values):.4g}, latest {values[-1]:.4g} per second."
    )
    return frame.drawn("Decisions per second over time", described, curves, [])


class ChartFrame:
    """The axes of a chart, and positions in them."""

    def __init__(
        self, name: str, columns: Sequence[Column], high: float, *, percents: bool = False
    ) -> None:
        self._name, self._columns, self._high = name, columns, high
        self._start, self._end = columns[0].start, columns[-1].end
        self._percents = percents

    def y(self, value: float) -> float:
        """Return the position of a value, in pixels from the top."""
        return FLOOR - value / self._high * (FLOOR - TOP)

    def x(self, seconds: float, width: float = 100.0) -> float:
        """Return the position of a time, in percent of the width."""
        span = self._end - self._start
        return (seconds - self._start) / span * width if span > 0.0 else 0.0

    def along(self, values: Sequence[float]) -> str:
        """Return a path over steps of these heights."""
        steps = [f"H{self.x(column.start, STRETCHED):.1f}V{self.y(value):.1f}" for column, value in
                 zip(self._columns, values, strict=True)]  # fmt: skip
        return f"M0 {self.y(values[0]):.1f}{''.join(steps)}H{STRETCHED}"

    def between(self, lower: Sequence[float], upper: Sequence[float]) -> str:
        """Return the area between two paths of steps."""
        back = []
        for column, value in zip(reversed(self._columns), reversed(lower), strict=True):
            back.append(f"V{self.y(value):.1f}H{self.x(column.start, STRETCHED):.1f}")
        return f"{self.along(upper)}{''.join(back)}Z"

    def drawn(
        self, title: str, described: str, curves: Iterable[Markup], labels: Iterable[Markup]
    ) -> Markup:
        """Return the chart."""
        lines, values = [], []
        for value in ticks(0.0, self._high, 5):
            at = self.y(value)
            words = f"{100.0 * value:.0f} %" if self._percents else short(value)
            lines.append(
                Markup('<line class="grid" x1="0" x2="100%" y1="{0:.1f}" y2="{0:.1f}"/>').format(at)
            )
            values.append(
                Markup('<text class="tick end" x="44" y="{:.1f}">{}</text>').format(at + 4, words)
            )
        times = []
        for seconds, words in time_ticks(self._start, self._end):
            at = self.x(seconds)
            anchor = "end" if at > 97.0 else "middle"
            times.append(
                Markup(
                    '<line class="mark" x1="{0:.2f}%" x2="{0:.2f}%" y1="200" y2="205"/>'
                    '<text class="tick {1}" x="{0:.2f}%" y="221">{2}</text>'
                ).format(at, anchor, words)
            )
        return Markup(
            '<div class="plot"><svg class="scale" width="52" height="{height}" aria-hidden="true">'
            '{values}</svg><svg class="canvas" width="100%" height="{height}" role="img" '
            'aria-labelledby="{name}-title {name}-words"><title id="{name}-title">{title}</title>'
            '<desc id="{name}-words">{described}</desc>{lines}<svg width="100%" height="{height}" '
            'viewBox="0 0 {wide} {height}" preserveAspectRatio="none">{curves}</svg>'
            '{labels}<line class="floor" x1="0" x2="100%" y1="{floor}" y2="{floor}"/>{times}'
            "</svg></div>"
        ).format(
            height=HEIGHT,
            wide=STRETCHED,
            floor=FLOOR,
            name=self._name,
            title=title,
            described=described,
            values=Markup("").join(values),
            lines=Markup("").join(lines),
            curves=Markup("").join(curves),
            labels=Markup("").join(labels),
            times=Markup("").join(times),
        )


def sparkline(columns: Sequence[Column]) -> Markup:
    """Return a small curve of decisions per second, without axes; the table row has the number."""
    drawn = merged(columns, 40)
    values = [sum(c.counts) / (c.end - c.start) if c.end > c.start else 0.0 for c in drawn]
    if not values:
        return Markup('<svg class="spark" aria-hidden="true"></svg>')
    frame = ChartFrame("", drawn, max(values) or 1.0)
    return Markup(
        '<svg class="spark" aria-hidden="true" viewBox="0 {} {} {}" preserveAspectRatio="none">'
        '<path class="soft" d="{}"/><path class="line" d="{}"/></svg>'
    ).format(
        TOP - 6,
        STRETCHED,
        FLOOR - TOP + 8,
        frame.between([0.0] * len(drawn), values),
        frame.along(values),
    )


def bar(share: float, colour: int | None = None) -> Markup:
    """Return a bar inside a table."""
    kind = "plain" if colour is None else f"s{colour}"
    return Markup(
        '<svg class="bar" width="100%" height="10" aria-hidden="true">'
        '<rect class="track" width="100%" height="10" rx="5"/>'
        '<rect class="{}" width="{:.2f}%" height="10" rx="{}"/></svg>'
    ).format(kind, 100.0 * min(max(share, 0.0), 1.0), 5 if share > 0.01 else 0)


def swatch(colour: int) -> Markup:
    """Return a small square of a colour, for a legend."""
    return Markup(
        '<svg class="swatch" width="12" height="12" aria-hidden="true">'
        '<rect class="s{}" width="12" height="12" rx="3"/></svg>'
    ).format(colour)


def parts(
    pieces: Sequence[tuple[str, float, int]], total: float, *, name: str, title: str, words: str
) -> Markup:
    """Return one bar made of pieces: label, size, colour."""
    at, drawn = 0.0, []
    for label, size, colour in pieces:
        width = 100.0 * size / total if total > 0.0 else 0.0
        drawn.append(
            Markup(
                '<rect class="piece s{}" x="{:.3f}%" width="{:.3f}%" height="28">'
                "<title>{}</title></rect>"
            ).format(colour, at, width, label)
        )
        at += width
    return Markup(
        '<svg class="parts" width="100%" height="28" role="img" aria-labelledby="{0}-title '
        '{0}-words"><title id="{0}-title">{1}</title><desc id="{0}-words">{2}</desc>'
        '<rect class="track" width="100%" height="28"/>{3}</svg>'
    ).format(name, title, words, Markup("").join(drawn))


class Span(NamedTuple):
    """The range of values that a row of intervals shows."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the position of a value, in percent; values beyond the ends are at the ends."""
        width = self.high - self.low
        return 100.0 * min(max((value - self.low) / width, 0.0), 1.0) if width > 0.0 else 0.0


def interval(shown: Span, low: float, mean: float, high: float, colour: int) -> Markup:
    """Return an interval and its mean inside a table; ends beyond the scale have no end mark."""
    lines = [
        Markup('<line class="grid" x1="{0:.2f}%" x2="{0:.2f}%" y1="0" y2="26"/>').format(
            shown.at(tick)
        )
        for tick in ticks(*shown)
    ]
    ends = [
        Markup('<line class="end k{1}" x1="{0:.2f}%" x2="{0:.2f}%" y1="8" y2="18"/>').format(
            shown.at(end), colour
        )
        for end in (low, high)
        if shown.low <= end <= shown.high
    ]
    return Markup(
        '<svg class="interval" width="100%" height="26" aria-hidden="true">{0}'
        '<line class="reach k{1}" x1="{2:.2f}%" x2="{3:.2f}%" y1="13" y2="13"/>{4}'
        '<circle class="dot s{1}" cx="{5:.2f}%" cy="13" r="4.5"/></svg>'
    ).format(
        Markup("").join(lines),
        colour,
        shown.at(low),
        shown.at(high),
        Markup("").join(ends),
        shown.at(mean),
    )


def interval_axis(shown: Span) -> Markup:
    """Return the axis under a column of intervals."""
    drawn = [
        Markup(
            '<line class="mark" x1="{0:.2f}%" x2="{0:.2f}%" y1="0" y2="5"/>'
            '<text class="tick middle" x="{0:.2f}%" y="18">{1}</text>'
        ).format(shown.at(tick), short(tick).replace("-", "−"))
        for tick in ticks(*shown)
    ]
    return Markup('<svg class="axis" width="100%" height="22" aria-hidden="true">{}</svg>').format(
        Markup("").join(drawn)
    )
