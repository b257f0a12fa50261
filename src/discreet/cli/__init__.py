"""The command line: parse, call one public function, print."""

from __future__ import annotations

import os
import sys

from discreet.cli import interrupts

__all__ = ["main", "options", "progress", "run", "text"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: with code 2 and one sentence for what the user can mend, 130 for an interrupt.

    Without arguments it is the program itself, and takes those that the program was given.
    """
    if arguments is None:
        interrupts.run_as_program(lambda: run(None))
    sys.exit(run(arguments))


def run(arguments: list[str] | None) -> int:
    """Run a command and return its exit code."""
    import click  # here, as everything that takes time to import: interrupts are heeded by now

    from discreet.errors import DiscreetError
    from discreet.output import abandon_unfinished
    from discreet.plugins import load_plugins

    interrupts.clean_up_with(abandon_unfinished)
    try:
        load_plugins()  # before any command asks what there is
        from discreet.cli.commands import cli

        code = cli.main(args=arguments, prog_name="discreet", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as reason:
        click.echo(reason.format_message())
        return 0
    except (DiscreetError, click.ClickException) as reason:
        return _complain(
            reason.format_message() if isinstance(reason, click.ClickException) else str(reason)
        )
    except (OverflowError, MemoryError) as reason:
        return _complain(
            f"a number is too large or too small to compute with ({type(reason).__name__})."
        )
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # nobody reads the output any more
        return 0
    except OSError as reason:
        return _complain(
            f"cannot read or write {reason.filename or 'the output'}: {reason.strerror}."
        )
    except (KeyboardInterrupt, click.Abort):
        click.echo(interrupts.message(), err=True)
        return interrupts.EXIT_CODE
    return code if isinstance(code, int) else 0


def _complain(sentence: str) -> int:
    """Say what is wrong, unless it is only that an interrupt took the output away."""
    import click

    if not interrupts.ending():
        click.echo(f"discreet: {' '.join(sentence.split())}", err=True)
    return 2
