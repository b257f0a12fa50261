"""Pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(map(str, row))} |" for row in rows]


def toctree(pages: Iterable[str], *, caption: str = "", hidden: bool = False) -> list[str]:
    """Return the lines of a table of contents."""
    options = [f":caption: {caption}"] if caption else []
    options += [":hidden:"] if hidden else []
    return ["```{toctree}", *options, ":maxdepth: 1", "", *pages, "```"]
