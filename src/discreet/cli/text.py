"""Tables, facts and numbers as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import click

from discreet.display import number, render_table

__all__ = ["facts", "number", "table"]

WIDTH = 117  # columns of facts, without their indentation


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print a table; the columns whose positions are in ``right`` are right-aligned."""
    click.echo(render_table(head, rows, right=right))


def facts(title: str, lines: Sequence[tuple[str, str]]) -> None:
    """Print a title and named values, wrapped."""
    width = max(len(key) for key, _ in lines)
    click.echo(f"{title}\n")
    for key, value in lines:
        first, *others = textwrap.wrap(
            value, WIDTH - width, break_long_words=False, break_on_hyphens=False
        ) or [""]
        click.echo(f"  {key:<{width}}  {first}")
        for line in others:
            click.echo(f"  {'':<{width}}  {line}")
