"""discreet list: all algorithms, or all environments."""

from __future__ import annotations

import itertools
import json
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

import click

from discreet.algorithms import list_algorithms
from discreet.cli import options
from discreet.environments import environments
from discreet.options import Values
from discreet.problems import Arms

WIDTH = 80  # columns: the narrowest terminal in use
INTERNAL = ("is_table",)  # answers a question that an error message asks
MODELS = {"central": "central", "local": "local", "joint": "joint", "none": "-"}


class EnvironmentFacts(TypedDict):
    """The listed facts about an environment."""

    name: str
    title: str
    problem: str
    usual: Values
    options: Values


@click.command(name="list", epilog="Example: discreet list --json")
@click.option(
    "--environments",
    "wants_environments",
    is_flag=True,
    help="List environments instead, with their options.",
)
@options.as_json
def list_command(wants_environments: bool, as_json: bool) -> None:
    """List all algorithms with their problem, privacy model and source."""
    if wants_environments:
        games = _environments()
        facts, lines = json.dumps(games, indent=2, ensure_ascii=False), _environment_lines(games)
    else:
        rows = _algorithms(whole_citation=as_json)
        facts, lines = json.dumps(rows, indent=2, ensure_ascii=False), _algorithm_lines(rows)
    click.echo(facts if as_json else "\n".join(lines))


def _algorithms(*, whole_citation: bool) -> list[dict[str, str]]:
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
                "paper": algorithm.credit(whole=whole_citation),
            }
        )
    return rows


def _algorithm_lines(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield a paragraph for each problem: names, privacy models, titles and papers."""
    order = list(dict.fromkeys(_problem(row) for row in rows))
    grouped = itertools.groupby(
        sorted(rows, key=lambda row: order.index(_problem(row))), key=_problem
    )
    first = max(len(row["name"]) for row in rows) + 2
    for (problem, feedback), mine in grouped:
        yield f"{problem} (feedback: {feedback})"
        for row in mine:
            doubt = "" if row["status"] in ("proved", "none") else f"; {row['status']}"
            source = "" if row["paper"] == "-" else f" ({row['paper']}{doubt})"
            yield from _entry(
                f"  {row['name']:<{first}}{MODELS[row['model']]:<9}", row["title"] + source
            )
        yield ""
    yield "Second column: the privacy model, or - for none (see discreet glossary central)."


def _problem(row: Mapping[str, str]) -> tuple[str, str]:
    return row["problem"], row["feedback"]


def _environments() -> list[EnvironmentFacts]:
    return [
        {
            "name": each.name,
            "title": each.title,
            "problem": each.problem_with().title,
            "usual": dict(each.usual),
            "options": {
                name: option.default
                for name, option in each.options.items()
                if not option.is_file and name not in INTERNAL
            },
        }
        for each in environments()
    ]


def _environment_lines(rows: Sequence[EnvironmentFacts]) -> Iterator[str]:
    """Yield a paragraph for each problem."""
    order = [Arms.title, *(row["problem"] for row in rows)]
    first = max(len(row["name"]) for row in rows) + 2
    for problem, mine in itertools.groupby(
        sorted(rows, key=lambda row: order.index(row["problem"])), lambda row: row["problem"]
    ):
        yield problem
        for row in mine:
            usual = [f"--{name} {shlex.quote(str(value))}" for name, value in row["usual"].items()]
            own = [
                name if value in (None, (), "") else f"{name}={value}"
                for name, value in row["options"].items()
            ]
            options_ = [f"options: {', '.join(own)}"] if own else []
            facts = [*([" ".join(usual)] if usual else []), *options_]
            shown = f" ({'; '.join(facts)})" if facts else ""
            yield from _entry(f"  {row['name']:<{first}}", row["title"] + shown)
        yield ""
    yield "In brackets: options with their defaults. Set one like this: --set gap=0.2"


def _entry(head: str, text: str) -> list[str]:
    """Return a name and its text, wrapped."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
    )
