"""Numbers, tables and paragraphs as people read them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from discreet.simulation.statistics import Interval

WIDTH = 100


def share_words(share: float) -> str:
    """Return a share in words.

    >>> share_words(0.5), share_words(0.8)
    ('half', '80 %')
    """
    return "half" if share == 0.5 else percent(share)


def percent(share: float) -> str:
    """Return a share in percent.

    >>> percent(0.123), percent(0.004), percent(-0.02)
    ('12 %', '0.4 %', '-2 %')
    """
    return f"{100.0 * share:.1g} %" if 0.0 < abs(share) < 0.0095 else f"{100.0 * share:.0f} %"


def number(value: float) -> str:
    """Return a number with three digits.

    >>> number(0.66666), number(5.3333), number(1234.5)
    ('0.667', '5.33', '1,234')
    """
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def spread_words(interval: Interval, *, percent: bool = False) -> str:
    """Return a value with its interval in brackets.

    >>> spread_words(Interval(0.5, 0.4, 0.6)), spread_words(Interval(0.5, 0.4, 0.6), percent=True)
    ('0.5 (0.4 to 0.6)', '50 % (40 to 60)')
    """
    if percent:
        value, low, high = (f"{round(100.0 * each)}" for each in interval)
        return f"{value} % ({low} to {high})"
    value, low, high = (number(each) for each in interval)
    return f"{value} ({low} to {high})"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows with their columns below each other, all but the first to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(pairs)
        )
        for pairs in (zip(row, widths, strict=True) for row in rows)
    ]
    return "\n".join(f"  {line}".rstrip() for line in lines)


def fill(paragraph: str, *, whole_words: bool = False) -> str:
    """Return a paragraph in lines of a width that can be read."""
    return textwrap.fill(paragraph, WIDTH, break_long_words=not whole_words, break_on_hyphens=False)
