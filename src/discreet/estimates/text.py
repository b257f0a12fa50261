"""Tables of estimates as text that fits a terminal, and names that fit a plot."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Iterable, Mapping, Sequence

WIDTH = 80  # columns of a terminal


def shortened(name: object, most: int) -> str:
    """Return a name shortened to at most ``most`` letters: its beginning and its end.

    >>> shortened("a treatment with a long name, dose 2", 20)
    'a treatmen…e, dose 2'
    """
    text = str(name)
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines: names on the left, numbers on the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return [
        "  ".join(
            cell.ljust(size) if i == 0 else cell.rjust(size)
            for i, (cell, size) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]


def numbered(labels: Iterable[Hashable]) -> dict[Hashable, str]:
    """Return short names for labels that are too long: their numbers.

    >>> numbered(["a long name", "another"])
    {'a long name': '[1]', 'another': '[2]'}
    """
    return {label: f"[{place}]" for place, label in enumerate(labels, 1)}


def legend(names: Mapping[Hashable, str], width: int = WIDTH) -> list[str]:
    """Return lines that say what short names mean."""
    lines = []
    for label, name in names.items():
        indent = " " * (len(name) + 1)
        lines += textwrap.wrap(f"{name} {label}", width, subsequent_indent=indent)
    return lines


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Return a paragraph as lines."""
    return textwrap.wrap(text, width, break_on_hyphens=False)
