"""discreet list: every named algorithm."""

from __future__ import annotations

import itertools
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence

import click

from discreet.algorithms import list_algorithms
from discreet.cli import options
from discreet.cli.adversaries import show_environments

WIDTH = 80  # of a terminal, at least
MODELS = {"central": "central", "local": "local", "joint": "joint", "none": "-"}


@click.command(name="list", epilog="Example: discreet list --json")
@click.option(
    "--environments",
    "adversaries",
    is_flag=True,
    help="Show environments instead, with their options.",
)
@options.as_json
def list_command(adversaries: bool, as_json: bool) -> None:
    """Show every named algorithm: what it is for, what it promises, where it comes from."""
    if adversaries:
        show_environments(as_json)
        return
    rows = []
    for name, algorithm in list_algorithms().items():
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
    click.echo("\n".join(_lines(rows)))


def _lines(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield a paragraph for each problem: names, the model of privacy, and what each algorithm is."""
    order = list(dict.fromkeys(_place(row) for row in rows))
    grouped = itertools.groupby(sorted(rows, key=lambda row: order.index(_place(row))), key=_place)
    first = max(len(row["name"]) for row in rows) + 2
    for (problem, feedback), mine in grouped:
        yield f"{problem} (seen: {feedback})"
        for row in mine:
            doubt = "" if row["status"] in ("proved", "none") else f"; {row['status']}"
            source = "" if row["paper"] == "-" else f" ({row['paper']}{doubt})"
            head = f"  {row['name']:<{first}}{MODELS[row['model']]:<9}"
            yield from textwrap.wrap(
                row["title"] + source,
                WIDTH,
                initial_indent=head,
                subsequent_indent=" " * len(head),
                break_on_hyphens=False,
            )
        yield ""
    yield "Second column: the model of privacy, - for none (discreet glossary central)."


def _place(row: Mapping[str, str]) -> tuple[str, str]:
    return row["problem"], row["feedback"]
