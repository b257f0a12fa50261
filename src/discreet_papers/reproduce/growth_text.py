"""Tables of rates in words."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

from discreet.simulation.statistics import Interval
from discreet_papers.reproduce.growth import LEARNT, Curve, Growth
from discreet_papers.reproduce.rates import Panel

WIDTH = 118  # of text in a terminal


def paragraph(*sentences: str) -> list[str]:
    """Return sentences as lines."""
    return textwrap.wrap(" ".join(sentences), WIDTH)


def exponent_lines(found: Growth, stated: str) -> list[str]:
    """Return fitted exponents, curve by curve, beside those of a theorem or table and those of our bounds."""
    wide = max(len(curve.row.name) for curve in found.curves) + 2
    return [
        *paragraph(
            "Exponents of regret with 95 % intervals: measured where regret is at most "
            f"{100.0 * LEARNT:.0f} % of what",
            "staying at the centre loses (above that it grows with T because nothing is learnt), "
            "and at all points;",
            "as stated; and those of our bounds, where they say anything. Algorithms learn even "
            "where their bound",
            "says nothing (when_vacuous=play).",
        ),
        f"  {'':<{wide}}{'over':<6}{'points':>6}  {'measured':>12}  {'all points':>12}  "
        f"{stated:>9}  {'our bound':>9}",
        *(_line(curve, wide) for curve in found.curves if not curve.is_level),
    ]


def _line(curve: Curve, wide: int) -> str:
    return (
        "  "
        f"{curve.row.name:<{wide}}{curve.panel.axis:<6}{len(curve.learnt_cells):>3}/{len(curve.fitted_cells):<2}  "
        f"{_fitted(curve.exponent_learnt):>12}  {_fitted(curve.exponent):>12}  "
        f"{_number(curve.row.exponent(curve.panel.axis)):>9}  "
        f"{_number(curve.exponent_of_bound):>9}"
    )


def share_lines(curves: Sequence[Curve], head: str) -> list[str]:
    """Return what share of the centre's regret is left along curves of one panel."""
    wide = max(len(curve.row.name) for curve in curves) + 2
    return [
        f"  {head:<{wide}}"
        + "".join(f"{_place(curves[0], along):>14}" for along in curves[0].along),
        *(
            f"  {curve.row.name:<{wide}}"
            + "".join(f"{_percent(cell.share):>14}" for cell in curve.cells)
            for curve in curves
        ),
    ]


def _place(curve: Curve, along: float) -> str:
    axis = curve.panel.axis
    return (
        f"T = {along:,.0f}"
        if axis == "T"
        else f"n = {along:g}"
        if axis == "n"
        else f"ε = {1.0 / along:g}"
    )


def _percent(share: Interval) -> str:
    half = "" if math.isnan(share.high) else f" ± {100.0 * (share.high - share.value):.0f}"
    return f"{100.0 * share.value:.0f}{half} %"


def _fitted(interval: Interval) -> str:
    if math.isnan(interval.value):
        return "-"
    half = "" if math.isnan(interval.high) else f" ± {interval.high - interval.value:.2f}"
    return f"{interval.value:.2f}{half}"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def times(found: Growth, panel: Panel, name: str, other: str) -> str:
    """Return regret at the end of a panel as a multiple of another row's."""
    mine, theirs = (found.curve(panel, row).cells[-1].regret.value for row in (name, other))
    return f"{mine / theirs:.3g} times" if theirs > 0.0 else "no multiple"


def agreement(found: Growth, panel: Panel) -> str:
    """Return how far measured exponents are from those that are stated, at most, and where."""
    apart = [
        (abs(curve.exponent_learnt.value - curve.row.exponent(panel.axis)), curve.row.name)
        for curve in found.curves_of(panel)
        if not math.isnan(curve.exponent_learnt.value + curve.row.exponent(panel.axis))
    ]
    if not apart:
        return "nothing is learnt in games this short"
    most, name = max(apart)
    return f"measured exponents are at most {most:.2f} from those of the table ({name})"
