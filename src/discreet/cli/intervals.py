"""Coverage and width of estimates, as a table."""

from __future__ import annotations

import click

from discreet.cli.text import number, table
from discreet.simulation import RegretRow, Results


def print_intervals(results: Results[RegretRow]) -> None:
    """Print how often intervals held, and how wide they were, if that was measured."""
    if not results.intervals:
        return
    level = 100.0 * results.intervals[0]["level"]
    click.echo(
        f"Intervals of level {level:g} %, from releases: how often they held after every release, "
        "and how wide they were at the end"
    )
    rows = [
        [
            row["label"],
            row["interval"],
            f"{100.0 * row['coverage']:.1f} %",
            number(row["width"], digits=3),
        ]
        for row in results.intervals
    ]
    table(["algorithm", "mean of", "held", "width"], rows, right=(2, 3))
