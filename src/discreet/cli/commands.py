"""All commands. Each one is imported when it is called, so that fast commands start fast."""

from __future__ import annotations

import importlib
from typing import NamedTuple, cast

import click
from click.shell_completion import get_completion_class

from discreet.cli.naming import SubcommandGroup, options_of, with_options
from discreet.errors import DiscreetError
from discreet.plugins import plugin_commands


class Target(NamedTuple):
    """Where to import a command from, and the summary that ``discreet --help`` shows."""

    module: str
    attribute: str
    summary: str


BUILT_IN = {
    "audit": Target("audit", "audit", "Attack an algorithm: epsilon found versus epsilon claimed."),
    "cite": Target("cite", "cite", "Print BibTeX for discreet and the papers behind it."),
    "describe": Target(
        "describe",
        "describe",
        "Show an algorithm's guarantee, parameters and regret bound.",
    ),
    "evaluate": Target(
        "evaluate", "evaluate_command", "Estimate from a log what fixed policies would have earned."
    ),
    "glossary": Target("glossary", "glossary", "Explain the terms that discreet uses."),
    "list": Target("listing", "list_command", "List algorithms or environments."),
    "plan": Target("plan", "plan", "Plan a study: choose an algorithm and an epsilon."),
    "report": Target("report", "report", "Print a study report from the file of a live run."),
    "run": Target("runs", "run", "Create, show and close runs on a service."),
    "serve": Target("serve", "serve", "Serve runs over HTTP from a folder."),
    "simulate": Target(
        "simulate", "simulate", "Simulate algorithms and show their regret or samples."
    ),
    "stress": Target(
        "stress", "stress_command", "Search for the losses that cause the most regret."
    ),
    "token": Target("tokens", "token", "Create, list and revoke tokens of a service."),
    "warm": Target("warm", "warm", "Compile algorithms ahead of their first use."),
}


class Commands(SubcommandGroup):
    """Commands that are imported on use, including plugins; suggests the nearest name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return sorted({*super().list_commands(ctx), *BUILT_IN, *plugin_commands()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name, or None."""
        if cmd_name in BUILT_IN:
            target = BUILT_IN[cmd_name]
            module = importlib.import_module(f"discreet.cli.{target.module}")
            return cast(click.Command, vars(module)[target.attribute])
        if cmd_name in plugin_commands():
            return cast(click.Command, plugin_commands()[cmd_name].load())
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; its errors name options instead of arguments."""
        try:
            return super().invoke(ctx)
        except DiscreetError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if command is not None:
                error.args = (with_options(str(error), options_of(command)),)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all names and summaries, without importing the commands."""
        short = {name: target.summary for name, target in BUILT_IN.items()}
        short |= {name: command.short_help for name, command in plugin_commands().items()}
        short |= {n: c.get_short_help_str(formatter.width) for n, c in self.commands.items()}
        rows = [(name, short[name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example: discreet simulate batched-tsallis-inf tsallis-inf uniform --epsilon 1",
)
@click.version_option(package_name="discreet")
def cli() -> None:
    """Learn online from sensitive feedback under differential privacy."""


@cli.command(epilog='Example: eval "$(discreet completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and names.

    Add the line in the example to your shell's start-up file.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = ctx.find_root()
    click.echo(kind(root.command, {}, "discreet", "_DISCREET_COMPLETE").source())
