"""Tables, facts and numbers as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import click

WIDTH = 117  # columns of facts, without their indentation


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Print a table; the columns whose positions are in ``right`` are aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for position, title in enumerate(head):
        grid.add_column(
            title,
            justify="right" if position in right else "left",
            overflow="fold",
            no_wrap=position == 0,
        )
    for row in rows:
        grid.add_row(*row)
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 150  # columns: wide enough that no table is folded in a file or a pipe
    with console.capture() as capture:
        console.print(grid)
    lines = (line.rstrip() for line in capture.get().splitlines())
    click.echo("\n".join(line for line in lines if line))


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


def number(value: float | None, *, digits: int = 5) -> str:
    """Return a number as people write it, or a dash for None.

    >>> number(51482.93), number(0.0016261), number(None), number(262144.0)
    ('51,483', '0.0016261', '-', '262,144')
    >>> number(184.04, digits=3), number(-0.5, digits=3)
    ('184', '-0.5')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if 10**digits / 100 <= abs(value) < 1e15 else f"{value:.{digits}g}"
