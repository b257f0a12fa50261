"""All commands."""

from __future__ import annotations

from typing import cast

import click

from discreet.cli.audit import audit
from discreet.cli.cite import cite
from discreet.cli.completion import completion
from discreet.cli.describe import describe
from discreet.cli.glossary import glossary
from discreet.cli.listing import list_algorithms
from discreet.cli.plan import plan
from discreet.cli.simulate import simulate
from discreet.cli.warm import warm
from discreet.errors import unknown_name
from discreet.plugins import plugin_commands


class Commands(click.Group):
    """A group that suggests the nearest command, and has those of plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return sorted({*super().list_commands(ctx), *plugin_commands()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, if there is one of that name."""
        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name in plugin_commands():
            return cast(click.Command, plugin_commands()[cmd_name].load())
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line per command, without importing the commands of plugins."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))  # as click does: indents and a gap
        plugins = plugin_commands()
        rows = [
            (
                name,
                plugins[name].short_help
                if name not in self.commands
                else self.commands[name].get_short_help_str(width),
            )
            for name in names
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise unknown_name("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example: discreet simulate batched-tsallis-inf tsallis-inf uniform --epsilon 1",
)
@click.version_option(package_name="discreet")
def cli() -> None:
    """Learning online from sensitive feedback under differential privacy."""


for command in (
    list_algorithms,
    describe,
    simulate,
    plan,
    audit,
    glossary,
    warm,
    cite,
    completion,
):
    cli.add_command(command)
