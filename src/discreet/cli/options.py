"""Options shared by several commands, and help that lists options in sections."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from discreet.algorithms import list_algorithms
from discreet.environments import environment_names, environments
from discreet.environments.registry import environment_of_file, file_options
from discreet.errors import DiscreetError
from discreet.options import Values
from discreet.problems import Problem

KINDS = {"int": int, "float": float}
# Name, type, shown default and help of each option.
LateOptions = tuple[tuple[str, Any, str | bool, str], ...]
LATE_OPTIONS: LateOptions = (
    (
        "--delay",
        str,
        "0",
        "Rounds until an outcome is known: a number, exponential(MEAN), uniform(LOW,HIGH) or "
        "geometric(MEAN).",
    ),
    ("--group", int, "1", "Number of decisions made before any of their outcomes is used."),
    ("--missing", float, "0", "Share of outcomes that never arrive."),
    (
        "--wait",
        int,
        False,
        "Rounds after a decision at which its outcome is used; a later outcome counts as missing.",
    ),
)
DEFAULT_OUTCOME: LateOptions = (
    ("--default-outcome", float, False, "Value to use for a missing outcome."),
)
DEFAULT_LOSS: LateOptions = (
    ("--default-reward", float, False, "Reward to use for a missing outcome."),
    ("--default-loss", float, False, "Loss to use for a missing outcome."),
)
DecoratedCommand = TypeVar("DecoratedCommand", bound=Callable[..., Any])

# Sections shared by several commands.
GAME, PRIVACY, RUN, OUTPUT, LATE = "Game", "Privacy", "Run", "Output", "Late outcomes"


class Decorator(Protocol):
    """A function that adds an option to a command."""

    def __call__(self, command: DecoratedCommand, /) -> DecoratedCommand:
        """Return the command with the option."""


class HelpRow(NamedTuple):
    """A row of a command's help: section, option, text and position."""

    section: str
    option: str
    text: str
    place: tuple[int, int] = (0, 0)  # which problem, and which of its parameters


class SectionOption(click.Option):
    """An option that is listed in a section of the help."""

    def __init__(self, *arguments: Any, section: str, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **settings)
        self.section = section

    def help_rows(self, ctx: click.Context) -> Iterator[HelpRow]:
        """Yield its row, or nothing if it is hidden."""
        record = self.get_help_record(ctx)
        if record is not None:
            names, text = record
            # click puts extra brackets around a default in words
            yield HelpRow(
                self.section, names, re.sub(r"default: \((.*)\)\]$", r"default: \1]", text)
            )


class Meaning(NamedTuple):
    """What a parameter means in one problem."""

    section: str
    text: str
    place: tuple[int, int]


class ProblemOption(SectionOption):
    """A parameter of one or more problems, listed under each with its meaning there.

    The name with underscores, as in Python, is accepted as well, but not shown.
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401
        meanings: list[Meaning],
        **settings: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*arguments, section=meanings[0].section, **settings)
        self.meanings = meanings

    def help_rows(self, ctx: click.Context) -> Iterator[HelpRow]:
        """Yield a row for each problem."""
        for row in super().help_rows(ctx):
            shown = re.sub(r", --\w*_\w*", "", row.option)
            for section, text, place in self.meanings:
                yield HelpRow(section, shown, text, place)


class SectionCommand(click.Command):
    """A command whose help lists options in sections, in the order in which they are declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections with aligned second columns."""
        rows: list[HelpRow] = []
        params = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for of_problems, group in itertools.groupby(
            params, lambda each: isinstance(each, ProblemOption)
        ):
            found: list[HelpRow] = []
            for each in group:
                if isinstance(each, SectionOption):
                    found += each.help_rows(ctx)
                elif (record := each.get_help_record(ctx)) is not None:  # --help, which comes last
                    found.append(HelpRow(found[-1].section if found else "Options", *record))
            rows += sorted(found, key=lambda row: row.place) if of_problems else found
        width = max(len(row.option) for row in rows)
        for section in dict.fromkeys(row.section for row in rows):
            with formatter.section(section):
                mine = [row for row in rows if row.section == section]
                formatter.write_dl([(row.option.ljust(width), row.text) for row in mine])


def option(section: str, *names: str, **settings: Any) -> Decorator:  # noqa: ANN401
    """Return an option that is listed in a section of the help; ``settings`` are click's."""
    return click.option(*names, cls=SectionOption, section=section, **settings)


def late(*, default_outcome: bool = False) -> Decorator:
    """Return the options for late outcomes; plans have outcomes instead of losses."""
    defaults = DEFAULT_OUTCOME if default_outcome else DEFAULT_LOSS

    def add(command: DecoratedCommand) -> DecoratedCommand:
        for name, kind, shown, text in reversed((*LATE_OPTIONS, *defaults)):
            command = option(LATE, name, type=kind, show_default=shown, help=text)(command)
        return command

    return add


class AlgorithmName(click.ParamType[str]):
    """The name of an algorithm, completed by the shell."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with what was typed."""
        return [
            CompletionItem(name, help=known.title)
            for name, known in list_algorithms().items()
            if name.startswith(incomplete)
        ]


class EnvironmentName(click.ParamType[str]):
    """The name of an environment, completed by the shell."""

    name = "env"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with what was typed."""
        return [
            CompletionItem(name, help=title)
            for name, title in environment_names().items()
            if name.startswith(incomplete)
        ]


class Rounds(NamedTuple):
    """A number of rounds, and whether it is hidden from the algorithms."""

    number: int | None
    unknown: bool


class SeveralNumbers(click.ParamType[float]):
    """One number of an option that can be repeated."""

    name = "float"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or say how to give several."""
        try:
            return float(cast(Any, value))
        except ValueError:
            option = "the option" if param is None else param.opts[0]
            more = f"; repeat {option} for several values" if "," in str(value) else ""
            self.fail(f"{value!r} is not a valid float{more}.", param, ctx)


class RoundsOption(click.ParamType[Rounds]):
    """A number of rounds, ``unknown``, or ``unknown:N`` for N rounds hidden from algorithms."""

    name = "rounds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Rounds:
        """Return the parsed number of rounds."""
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


HIDDEN_HORIZON = "'unknown' or 'unknown:N' hides the horizon from the algorithms"

as_json = option(OUTPUT, "--json", "as_json", is_flag=True, help="Print JSON instead of text.")
quiet = option(OUTPUT, "--quiet", is_flag=True, help="Do not show progress.")
overwrite = option(
    OUTPUT, "--overwrite", is_flag=True, help="Write into the output folder even if it exists."
)
delta = option(
    PRIVACY,
    "--delta",
    type=float,
    default=0.0,
    show_default=True,
    help="Delta of (epsilon, delta)-privacy.",
)
on = option(
    RUN,
    "--on",
    type=click.Choice(["threads", "ray"]),
    default="threads",
    show_default=True,
    help="Run trials on threads of this machine, or on a Ray cluster.",
)
settings = option(
    GAME,
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set an option of an algorithm or environment, or the range of losses (low=-1 high=1). "
    "Repeatable.",
)


def epsilon(*, multiple: bool = False) -> Decorator:
    """Return the option ``--epsilon``, with 1 as its default."""
    return option(
        PRIVACY,
        "--epsilon",
        type=SeveralNumbers() if multiple else float,
        multiple=multiple,
        default=[1.0] if multiple else 1.0,
        show_default=True,
        help="Epsilon of differential privacy" + (" (repeatable)." if multiple else "."),
    )


def seed(default: int = 0) -> Decorator:
    """Return the option ``--seed``."""
    text = "Random seed; the same seed gives the same numbers."
    return option(RUN, "--seed", type=int, default=default, show_default=True, help=text)


def problem_parameters(command: DecoratedCommand) -> DecoratedCommand:
    """Add the parameters of all problems as options: ``--arms``, ``--dimension``, ..."""
    kinds: dict[str, Any] = {}
    meanings: dict[str, list[Meaning]] = {}
    for number, problem in enumerate(known_problems()):
        for position, each in enumerate(fields(cast(Any, problem))):
            default = "none" if each.default == "" else each.default
            text = f"{each.metadata.get('help', '')}  [default: {default}]".strip()
            kinds.setdefault(each.name, each.type)
            found = Meaning(_section(problem), text, (number, position))
            meanings.setdefault(each.name, []).append(found)
    for name, rows in reversed(meanings.items()):
        kind = KINDS.get(kinds[name], str)
        flags = dict.fromkeys((f"--{name.replace('_', '-')}", f"--{name}"))
        decorate = click.option(*flags, name, type=kind, cls=ProblemOption, meanings=rows)
        command = decorate(command)
    return command


def _section(problem: type[Problem]) -> str:
    """Return the heading for a problem's parameters, such as "Contexts (contextual bandit)"."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "-", problem.__name__).capitalize()
    known = dict.fromkeys(known.field for known in list_algorithms(problem).values())
    titles = ", ".join(known or [problem().title])
    if titles.startswith(name.lower()):  # as in "best-arm search"
        return titles.capitalize()
    return f"{name} ({titles})"


def files(command: DecoratedCommand) -> DecoratedCommand:
    """Add the options of environments that name files: ``--losses``, ``--advice``, ``--log``."""
    for name in reversed(file_options()):
        what = "Log of decisions" if name == "log" else f"File of {name}"
        text = f"{what}, for the environment '{environment_of_file(name)}'."
        decorate = option(GAME, f"--{name}", type=click.Path(path_type=Path), help=text)
        command = decorate(command)
    return command


def given(arguments: Values) -> dict[str, Any]:
    """Return the arguments of a command that were given."""
    return {name: value for name, value in arguments.items() if value is not None}


def known_problems() -> list[type[Problem]]:
    """Return all problems that have an algorithm or an environment."""
    named = [type(each.problem) for each in list_algorithms().values()] + [
        each.problem for each in environments()
    ]
    return list(dict.fromkeys(sorted(named, key=lambda kind: kind.__name__ != "Arms")))


def parse_settings(texts: tuple[str, ...]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the declared range, and the other options as text."""
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
