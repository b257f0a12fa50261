"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from discreet.algorithms import list_algorithms
from discreet.environments import environment_names, environments
from discreet.environments.registry import file_options
from discreet.errors import DiscreetError
from discreet.options import Values
from discreet.problems import Problem

KINDS = {"int": int, "float": float}
Command = TypeVar("Command", bound=Callable[..., Any])


class AlgorithmName(click.ParamType[str]):
    """The name of an algorithm, completed by the shell."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin like this."""
        return [
            CompletionItem(n, help=a.title)
            for n, a in list_algorithms().items()
            if n.startswith(incomplete)
        ]


class EnvironmentName(click.ParamType[str]):
    """The name of an environment, completed by the shell."""

    name = "env"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the names that begin like this."""
        return [
            CompletionItem(n, help=t)
            for n, t in environment_names().items()
            if n.startswith(incomplete)
        ]


class Rounds(NamedTuple):
    """A number of rounds, and whether algorithms must do without knowing it."""

    number: int | None
    unknown: bool


class RoundsOption(click.ParamType[Rounds]):
    """A number of rounds, ``unknown``, or ``unknown:N`` to play or to state a bound for N rounds that are not known."""

    name = "rounds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Rounds:
        """Read it."""
        if isinstance(value, Rounds):
            return value
        word, colon, digits = str(value).partition(":")
        unknown = word == "unknown"
        if unknown and not colon:
            return Rounds(None, True)
        try:
            return Rounds(int(digits if unknown else str(value)), unknown)
        except ValueError:
            self.fail(f"{value!r} is not a number of rounds, 'unknown' or 'unknown:N'.", param, ctx)


NOT_TOLD = "'unknown' or 'unknown:N' does not tell algorithms how many there are"
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
delta = click.option(
    "--delta", type=float, default=0.0, show_default=True, help="Allowed failure of pure privacy."
)
on = click.option(
    "--on",
    type=click.Choice(["threads", "ray"]),
    default="threads",
    show_default=True,
    help="Where trials are played: on threads of this machine, or on a Ray cluster.",
)
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set an option of an algorithm or of the environment, or the range of losses: low=-1 "
    "high=1. May be repeated.",
)


def problem_parameters(command: Command) -> Command:
    """Add the parameters of all problems as options: ``--arms``, ``--dimension``, ..."""
    described: dict[str, tuple[Any, str, list[str]]] = {}
    for problem in known_problems():
        for each in fields(cast(Any, problem)):
            kind, text, defaults = described.setdefault(
                each.name, (each.type, each.metadata.get("help", ""), [])
            )
            if str(each.default) not in defaults:
                defaults.append(str(each.default))
    for name, (kind, text, defaults) in reversed(described.items()):
        usual = f"(default: {' or '.join(defaults)})"
        command = click.option(
            f"--{name}", type=KINDS.get(kind, str), help=f"{text} {usual}".strip()
        )(command)
    return command


def files(command: Command) -> Command:
    """Add the options of environments that name files: ``--losses``, ``--advice``."""
    for name in reversed(file_options()):
        text = f"File of {name} for the environment 'table'."
        command = click.option(f"--{name}", type=click.Path(path_type=Path), help=text)(command)
    return command


def given(arguments: Values) -> dict[str, Any]:
    """Return those arguments of a command that were given."""
    return {name: value for name, value in arguments.items() if value is not None}


def known_problems() -> list[type[Problem]]:
    """Return every kind of problem that an algorithm or an environment is for."""
    named = [type(each.problem) for each in list_algorithms().values()] + [
        each.problem for each in environments()
    ]
    return list(dict.fromkeys(sorted(named, key=lambda kind: kind.__name__ != "Arms")))


def parse_settings(texts: tuple[str, ...]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the declared range, and all other options as text."""
    bounds: dict[str, float] = {}
    others: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise DiscreetError(f"--set is '{text}', but must look like key=value.")
        if key in bounds or key in others:
            raise DiscreetError(f"--set gives {key} twice.")
        if key in ("low", "high"):
            try:
                bounds[key] = float(value)
            except ValueError:
                raise DiscreetError(f"{key} is '{value}', but must be a number.") from None
        else:
            others[key] = value
    return bounds, others
