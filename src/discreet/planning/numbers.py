"""Numbers of a plan in words."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.simulation.statistics import Interval


def share_words(share: float) -> str:
    """Return a share in words.

    >>> share_words(0.5), share_words(0.8)
    ('half', '80 %')
    """
    return "half" if share == 0.5 else in_percent(share)


def in_percent(share: float) -> str:
    """Return a share in percent.

    >>> in_percent(0.123), in_percent(0.004), in_percent(-0.02)
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
        low, high = (f"{100.0 * each:.0f}" for each in (interval.low, interval.high))
        return f"{in_percent(interval.value)} ({low} to {high})"
    value, low, high = (number(each) for each in interval)
    return f"{value} ({low} to {high})"


def align(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns, all but the first aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(pairs)
        )
        for pairs in (zip(row, widths, strict=True) for row in rows)
    ]
    return "\n".join(f"  {line}".rstrip() for line in lines)
