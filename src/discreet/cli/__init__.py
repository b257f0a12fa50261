"""The command line: parse, call one public function, print."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from discreet.errors import DiscreetError
from discreet.plugins import load_plugins


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; what the user can mend is told in one sentence, with exit code 2."""
    try:
        load_plugins()  # before any command asks what there is
        from discreet.cli.commands import cli

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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads the output any more
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
