"""Ctrl-C at any moment: commands run in a worker thread, and the main thread handles signals.

KeyboardInterrupt in the middle of the work is not reliable: compiled loops do not see it, and
imports and finalisers may swallow it. So nothing is raised. The process removes unfinished output
and exits. A command that keeps finished trials is asked to stop instead (``check``), and ends by
itself.

Little is imported here, because an interrupt before ``run_as_program`` shows a traceback.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # type checkers take it for true
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import NoReturn

EXIT_CODE = 130
HANDLES = 4  # files that any command has open at once, besides the three streams
FEW_HANDLES = "discreet: too few files can be opened at once: allow more with ulimit -n."


class _State:
    """What the worker thread and the main thread share."""

    keeping = False  # there are finished trials to keep
    requested = False  # an interrupt asked the command to stop
    ending = False  # the process is about to exit
    clean_up: Callable[[], Sequence[object]] = (
        list  # removes what is unfinished, and returns what was written
    )
    stop: Callable[[], None] | None = None  # asks a command to end by itself


_state = _State()


def run_as_program(work: Callable[[], int]) -> NoReturn:
    """Exit with the code that the work returns, or at once when there is an interrupt."""
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # background jobs ignore it, and should go on doing so
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
    import threading

    codes: list[int] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            codes.append(work())
        except BaseException as failure:
            failures.append(failure)

    worker = threading.Thread(target=run, name="command", daemon=True)
    try:
        worker.start()
    except RuntimeError as reason:
        say(f"discreet: no thread can be started ({reason}).")
        os._exit(2)
    while worker.is_alive():
        worker.join(0.05)  # in a loop: a signal that arrives just before a wait does not end it
    if requested():
        os._exit(EXIT_CODE)  # abandoned trials may still be running
    # finished: a late signal would only show a traceback
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if failures:
        raise failures[0]
    sys.exit(codes[0])


def clean_up_with(clean_up: Callable[[], Sequence[object]]) -> None:
    """Set the function that removes unfinished output on exit and returns what was written."""
    _state.clean_up = clean_up


def stop_with(stop: Callable[[], None]) -> None:
    """Let SIGINT and SIGTERM call a function that asks the command to end by itself."""
    _state.stop = stop


def keep_finished() -> None:
    """Make the first interrupt a request to stop (see ``check``); a second one exits at once."""
    _state.keeping = True


def requested() -> bool:
    """Return whether a command that keeps what is finished was asked to stop."""
    return _state.requested


def ending() -> bool:
    """Return whether the process is about to exit, so that nothing more should be printed."""
    return _state.ending


def check() -> None:
    """Raise KeyboardInterrupt if the command was asked to stop."""
    if requested():
        raise KeyboardInterrupt


def message(*, written: bool = False) -> str:
    """Return the message after an interrupt."""
    return (
        "discreet: interrupted; "
        f"{'what was written is complete' if written else 'nothing was written'}."
    )


def _interrupt(signum: int, frame: FrameType | None) -> None:
    if _state.ending:  # a signal while another one is being handled
        return
    if _state.stop is not None:
        _state.stop()
        return
    if _state.keeping and not _state.requested:
        _state.requested = True
        return
    _state.ending = True
    text = message(written=bool(_state.clean_up()))
    if os.isatty(2):
        text = f"\r\x1b[K\x1b[?25h{text}"  # replaces a progress bar, which hides the cursor
    say(text)
    os._exit(EXIT_CODE)


def _terminate(signum: int, frame: FrameType | None) -> None:
    if _state.stop is not None:
        _state.stop()
        return
    signal.signal(signum, signal.SIG_DFL)  # as if there had been no handler
    os.kill(os.getpid(), signum)


def say(text: str) -> None:
    """Print a line, if that is possible: not through sys.stderr, which may be locked or None."""
    import contextlib

    with contextlib.suppress(OSError):  # of a full disk: nobody can read it
        os.write(2, f"{text}\n".encode(errors="backslashreplace"))


def occupy_closed_streams() -> None:
    """Open what the caller has closed: otherwise the next file opened would be taken for it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, this one
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")  # libraries write to it


def check_handles() -> None:
    """Exit with one sentence if too few files can be opened at once for anything to work."""
    opened: list[int] = []
    try:
        while len(opened) < HANDLES:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        say(FEW_HANDLES)
        os._exit(2)
    finally:
        for each in opened:
            os.close(each)
