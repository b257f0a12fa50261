"""The command line: parse, call one public function, print."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from discreet.cli.audit import audit
from discreet.cli.cite import cite
from discreet.cli.completion import completion
from discreet.cli.counters import counters
from discreet.cli.describe import describe
from discreet.cli.errata import errata
from discreet.cli.listing import list_algorithms
from discreet.cli.reproduce import reproduce
from discreet.cli.simulate import simulate
from discreet.errors import DiscreetError, unknown_name


class Commands(click.Group):
    """A group that suggests the nearest command."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
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


for command in (list_algorithms, describe, simulate, reproduce, audit, errata, counters, cite, completion):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; what the user can mend is told in one sentence, with exit code 2."""
    try:
        code = cli.main(args=arguments, prog_name="discreet", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as reason:
        click.echo(reason.format_message())
        sys.exit(0)
    except (DiscreetError, click.ClickException) as reason:
        _complain(reason.format_message() if isinstance(reason, click.ClickException) else str(reason))
    except (OverflowError, MemoryError) as reason:
        _complain(f"a number is too large or too small to compute with ({type(reason).__name__}).")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read the output is gone
        sys.exit(0)
    except OSError as reason:
        _complain(f"cannot read or write {reason.filename or 'the output'}: {reason.strerror}.")
    except (KeyboardInterrupt, click.Abort):
        click.echo("discreet: interrupted before anything was finished; nothing was written.", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(sentence: str) -> NoReturn:
    click.echo(f"discreet: {' '.join(sentence.split())}", err=True)
    sys.exit(2)
