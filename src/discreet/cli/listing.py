"""discreet list: every named algorithm."""

from __future__ import annotations

import json

import click

from discreet.algorithms import algorithms
from discreet.cli import options
from discreet.cli.text import table


@click.command(name="list", epilog="Example: discreet list --json")
@options.as_json
def list_algorithms(as_json: bool) -> None:
    """Show every named algorithm: what it is for, what it promises, where it comes from."""
    rows = []
    for name, algorithm in algorithms().items():
        guarantee = algorithm.build().guarantee
        rows.append(
            {
                "name": name,
                "title": algorithm.title,
                "problem": algorithm.field,
                "feedback": algorithm.problem.feedback,
                "model": guarantee.model,
                "status": guarantee.status,
                "paper": algorithm.citation.text if as_json else algorithm.citation.short,
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    table(list(rows[0]), [list(row.values()) for row in rows])
