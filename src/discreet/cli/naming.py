"""Names on the command line: those of options in errors, and the nearest name of a command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from discreet.errors import DiscreetError, unknown_name

VERBS = "is|are|has|must|contains"


class SubcommandGroup(click.Group):
    """A group that suggests the nearest name, or gives the hint about a name that it lacks."""

    def __init__(self, *arguments: Any, hints: Mapping[str, str] = {}, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **settings)
        self.hints = hints

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest another."""
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            if args[0] in self.hints:
                raise DiscreetError(f"unknown command '{args[0]}': {self.hints[args[0]]}.")
            raise unknown_name("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


def options_of(command: click.Command) -> dict[str, str]:
    """Return the options of a command and its subcommands by the names of their arguments."""
    found: dict[str, str] = {}
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            found |= options_of(subcommand)
    for each in command.params:
        if isinstance(each, click.Option) and each.opts[0].startswith("--"):
            option = each.opts[0]
            found |= dict.fromkeys((str(each.name), option[2:].replace("-", "_")), option)
    return found


def with_options(sentence: str, options: dict[str, str]) -> str:
    """Return a sentence that names options.

    A name with an underscore is an argument wherever it is; any other name only as the subject.

    >>> with_options("rounds is 0: give default_wait.", options_of(click.Command("x", params=[
    ...     click.Option(["--rounds"]), click.Option(["--default-wait"])])))
    '--rounds is 0: give --default-wait.'
    """
    for name, option in options.items():
        if "_" in name:
            sentence = re.sub(rf"(?<![\w'\"./=-]){name}(?![\w'\"/=])", option, sentence)
        else:
            sentence = re.sub(rf"^{name}(?= ({VERBS})\b)", option, sentence)
    return sentence
