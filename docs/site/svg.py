"""Small figures as SVG in the page itself: they follow the page's text colour, light or dark."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

WIDE, HIGH = 420.0, 180.0
LEFT, RIGHT, BELOW = 64.0, 110.0, 28.0
# legible on white and on black
COLOURS = ("#2f86cc", "#d9660a", "#0c9b74", "#c0699c", "#8a8a8a")
DASHES = ("", "", "", "", "5 3")
APART = 13.0  # between names at the ends of lines


def raw(svg: Sequence[str]) -> list[str]:
    """Return the lines of a block that puts a figure into a page."""
    return ["```{raw} html", *svg, "```"]


def draw_lines(
    places: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    words: str,
    *,
    low: float,
    top: float,
    digits: int = 0,
    muted: Sequence[str] = (),
) -> list[str]:
    """Return a figure of lines over rounds, each with its name at its end; some are dashed."""

    def x_of(at: float) -> float:
        return LEFT + (WIDE - LEFT - RIGHT) * at / places[-1]

    def y_of(value: float) -> float:
        return 8 + (HIGH - BELOW - 8) * (1 - (value - low) / (top - low))

    svg = [
        f'<svg class="curve" viewBox="0 0 {WIDE:.0f} {HIGH:.0f}" role="img" '
        f'aria-label="{html.escape(words)}" xmlns="http://www.w3.org/2000/svg">'
    ]
    for value in (low, top):
        y = y_of(value)
        svg.append(
            f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="currentColor" stroke-opacity=".2"/><text x="{LEFT - 6}" y="{y + 4:.1f}" '
            f'text-anchor="end">{value:,.{digits}f}</text>'
        )
    for text, at, anchor in (("0", 0.0, "start"), (f"{places[-1]:,.0f} rounds", 1.0, "end")):
        x = x_of(at * places[-1])
        svg.append(f'<text x="{x:.1f}" y="{HIGH - 8}" text-anchor="{anchor}">{text}</text>')
    heights = _spread({name: y_of(line[-1]) for name, line in lines.items()})
    looks = iter(zip(COLOURS, DASHES, strict=True))
    for name, line in lines.items():
        colour, dash = (COLOURS[-1], DASHES[-1]) if name in muted else next(looks)
        path = " ".join(
            f"{x_of(at):.1f},{y_of(min(max(value, low), top)):.1f}"
            for at, value in zip(places, line, strict=True)
        )
        svg.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="1.8" '
            f'stroke-dasharray="{dash}" points="{path}"/><text x="{WIDE - RIGHT + 6}" '
            f'y="{heights[name] + 4:.1f}" style="fill:{colour}">{html.escape(name)}</text>'
        )
    return [*svg, "</svg>"]


def _spread(heights: dict[str, float]) -> dict[str, float]:
    """Move names that would overlap apart; all stay inside."""
    order = sorted(heights, key=lambda name: heights[name])
    for above, below in pairwise(order):
        heights[below] = max(heights[below], heights[above] + APART)
    excess = heights[order[-1]] - (HIGH - BELOW + 4)
    for name in reversed(order):
        if excess <= 0:
            break
        heights[name] -= excess
        lower = order.index(name) - 1
        excess = heights[order[lower]] - (heights[name] - APART) if lower >= 0 else 0.0
    assert all(math.isfinite(each) for each in heights.values())
    return heights


def draw_shadow(points: Sequence[tuple[float, float]], words: str) -> str:
    """Return the outline of a set, with dots at the points that were found on it."""
    span = max(max(abs(x), abs(y)) for x, y in points) or 1.0
    places = [(60 + 48 * x / span, 60 - 48 * y / span) for x, y in points]
    outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    corners = sorted({(round(x, 1), round(y, 1)) for x, y in places})
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.2"/>' for x, y in corners)
    return (
        f'<figure class="shadow"><svg viewBox="0 0 120 120" role="img" '
        f'aria-label="{html.escape(words)}" xmlns="http://www.w3.org/2000/svg">'
        f'<polygon points="{outline}" fill="{COLOURS[0]}" fill-opacity=".25" '
        f'stroke="{COLOURS[0]}"/>{dots if len(corners) < 40 else ""}</svg>'
        f"<figcaption>{html.escape(words)}</figcaption></figure>"
    )
