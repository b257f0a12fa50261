"""The command line: parse, call one public function, print."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

import lazy_loader

from discreet.cli import interrupts

TYPE_CHECKING = False  # type checkers take it for true; the module typing takes time to import
if TYPE_CHECKING:
    from discreet.cli.options import AlgorithmName as AlgorithmName
    from discreet.cli.options import EnvironmentName as EnvironmentName
    from discreet.cli.options import SectionCommand as SectionCommand
    from discreet.cli.options import as_json as as_json
    from discreet.cli.options import delta as delta
    from discreet.cli.options import on as on
    from discreet.cli.options import option as option
    from discreet.cli.options import overwrite as overwrite
    from discreet.cli.options import problem_parameters as problem_parameters
    from discreet.cli.options import quiet as quiet
    from discreet.cli.options import seed as seed
    from discreet.cli.progress import progress_bar as progress_bar
    from discreet.cli.text import facts as facts
    from discreet.cli.text import number as number
    from discreet.cli.text import table as table

# What plugins need to write a command; imported on first use, after interrupts are handled.
__getattr__, _, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "options": [
            "AlgorithmName",
            "EnvironmentName",
            "SectionCommand",
            "as_json",
            "delta",
            "on",
            "option",
            "overwrite",
            "problem_parameters",
            "quiet",
            "seed",
        ],
        "progress": ["progress_bar"],
        "text": ["facts", "number", "table"],
    },
)
__all__ += ["interrupts", "main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: code 2 and one sentence for bad input, 130 for an interrupt.

    Without ``arguments``, it runs as the program itself, with the arguments of the process.
    """
    if arguments is None:
        interrupts.occupy_closed_streams()
        interrupts.check_handles()
        interrupts.run_as_program(lambda: run(None))
    sys.exit(run(arguments))


def run(arguments: list[str] | None) -> int:
    """Run a command and return its exit code."""
    import click  # slow imports come after interrupts are handled

    from discreet.errors import DiscreetError, reason_of
    from discreet.output import abandon_unfinished
    from discreet.plugins import load_plugins

    interrupts.clean_up_with(abandon_unfinished)
    if sys.stdout is None:
        return _complain("standard output is closed, so nothing can be printed: remove >&-.")
    try:
        load_plugins(commands_only=True)  # plugins add commands and algorithms
        from discreet.cli.commands import cli

        try:
            code = cli.main(args=arguments, prog_name="discreet", standalone_mode=False)
        except click.exceptions.NoArgsIsHelpError as reason:
            click.echo(reason.format_message())
            code = 0
        sys.stdout.flush()
    except (DiscreetError, click.ClickException) as reason:
        return _complain(
            reason.format_message() if isinstance(reason, click.ClickException) else str(reason)
        )
    except (OverflowError, MemoryError) as reason:
        return _complain(
            f"a number is too large or too small to compute with ({type(reason).__name__})."
        )
    except BrokenPipeError:
        _drop_output()  # the reader has closed the pipe
        return 0
    except OSError as reason:
        if reason.errno in (errno.EMFILE, errno.ENFILE):
            return _complain(interrupts.FEW_HANDLES.removeprefix("discreet: "))
        if reason.filename is None:
            _drop_output()
        return _complain(
            f"cannot read or write {reason.filename or 'the output'}: {reason_of(reason)}."
        )
    except UnicodeEncodeError as reason:
        _drop_output()
        shown = reason.object[reason.start : reason.start + 1].encode("ascii", "backslashreplace")
        return _complain(f"the output's encoding, {reason.encoding}, cannot show {shown.decode()}.")
    except (KeyboardInterrupt, click.Abort):
        click.echo(interrupts.message(), err=True)
        return interrupts.EXIT_CODE
    return code if isinstance(code, int) else 0


def _drop_output() -> None:
    """Discard pending output: Python would try to write it at exit, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(sentence: str) -> int:
    """Print an error, unless the process is ending after an interrupt; return exit code 2."""
    import click

    if not interrupts.ending():
        with contextlib.suppress(OSError):  # a full disk: the message is lost anyway
            click.echo(f"discreet: {' '.join(sentence.split())}", err=True)
    return 2
