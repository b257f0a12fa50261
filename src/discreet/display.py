"""Tables and facts as text for a terminal, and as HTML for a notebook, from one description.

The HTML has no scripts, no colours and no external resources, and all text in it is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Display", "ShownTable", "facts_html", "number", "render_table"]

WIDE = 150  # columns: wide enough that no table wraps in a file, a pipe or a notebook
CELL = "padding:0.15em 0.8em 0.15em 0"


def number(value: float | None, *, digits: int = 5) -> str:
    """Return a number formatted for reading, or a dash for None.

    >>> number(51482.93), number(0.0016261), number(None), number(262144.0)
    ('51,483', '0.0016261', '-', '262,144')
    >>> number(184.04, digits=3), number(-0.5, digits=3)
    ('184', '-0.5')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if 10**digits / 100 <= abs(value) < 1e15 else f"{value:.{digits}g}"


@dataclass(frozen=True)
class ShownTable:
    """A table; the columns whose positions are in ``right`` are right-aligned.

    >>> print(ShownTable(("arm", "mean"), (("A", "0.5"),), right=(1,)))
     arm   mean
     ──────────
     A      0.5
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[int] = ()

    def __str__(self) -> str:
        return render_table(self.head, self.rows, right=self.right)

    def _repr_html_(self) -> str:
        sides = ["right" if at in self.right else "left" for at in range(len(self.head))]
        head = "".join(
            f'<th style="{CELL};text-align:{side}">{html.escape(text)}</th>'
            for text, side in zip(self.head, sides, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="{CELL};text-align:{side}">{html.escape(text)}</td>'
                for text, side in zip(row, sides, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True)
class Display:
    """Paragraphs and tables, in order."""

    blocks: tuple[str | ShownTable, ...]

    def __str__(self) -> str:
        return "\n".join(str(block) for block in self.blocks)

    def _repr_html_(self) -> str:
        return "<div>" + "".join(map(_block_html, self.blocks)) + "</div>"


def _block_html(block: str | ShownTable) -> str:
    return f"<p>{html.escape(block)}</p>" if isinstance(block, str) else block._repr_html_()


def facts_html(title: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return named values below a title, as HTML.

    >>> facts_html("a < b", [("arms", "4")])
    '<div><p>a &lt; b</p><table><tbody><tr><th style="...">arms</th><td style="...">4</td>...'
    """
    rows = "".join(
        f'<tr><th style="{CELL};text-align:left">{html.escape(name)}</th>'
        f'<td style="{CELL};text-align:left">{html.escape(text)}</td></tr>'
        for name, text in facts
    )
    return f"<div><p>{html.escape(title)}</p><table><tbody>{rows}</tbody></table></div>"


def render_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> str:
    """Return a table as text, as wide as the terminal."""
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
    console = Console(highlight=False, markup=False, force_jupyter=False)
    if not console.is_terminal:
        console.width = WIDE
    with console.capture() as capture:
        console.print(grid)
    lines = (line.rstrip() for line in capture.get().splitlines())
    return "\n".join(line for line in lines if line)
