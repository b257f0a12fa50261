"""discreet list --environments: every named environment, by problem."""

from __future__ import annotations

import itertools
import json
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from typing import TypedDict

import click

from discreet.environments import environments
from discreet.options import Values
from discreet.problems import Arms

WIDTH = 80  # of a terminal, at least


class Played(TypedDict):
    """What is said of an environment."""

    name: str
    title: str
    problem: str
    usual: Values
    options: Values


def show_environments(as_json: bool) -> None:
    """Print what is played, where it is usually played, and all options with their defaults."""
    rows: list[Played] = [
        {
            "name": each.name,
            "title": each.title,
            "problem": each.problem_with().title,
            "usual": dict(each.usual),
            "options": {
                name: option.default for name, option in each.options.items() if not option.is_file
            },
        }
        for each in environments()
    ]
    click.echo(
        json.dumps(rows, indent=2, ensure_ascii=False) if as_json else "\n".join(_lines(rows))
    )


def _lines(rows: Sequence[Played]) -> Iterator[str]:
    """Yield a paragraph for each problem."""
    order = [Arms.title, *(row["problem"] for row in rows)]
    first = max(len(row["name"]) for row in rows) + 2
    for problem, mine in itertools.groupby(
        sorted(rows, key=lambda row: order.index(row["problem"])), lambda row: row["problem"]
    ):
        yield problem
        for row in mine:
            usual = [f"--{name} {shlex.quote(str(value))}" for name, value in row["usual"].items()]
            given = [
                f"--set {name}={value}"
                for name, value in row["options"].items()
                if value not in (None, ())
            ]
            shown = f" ({' '.join(usual + given)})" if usual or given else ""
            head = f"  {row['name']:<{first}}"
            yield from textwrap.wrap(
                row["title"] + shown,
                WIDTH,
                initial_indent=head,
                subsequent_indent=" " * len(head),
                break_on_hyphens=False,
            )
        yield ""
    yield "In brackets: what is played unless something else is given."
