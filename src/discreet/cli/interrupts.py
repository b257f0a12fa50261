"""Ctrl-C at any moment: commands run in a worker thread, and the main thread handles signals.

KeyboardInterrupt is not reliable while work is in progress: compiled loops do not see it, and
imports and finalisers may swallow it. So no exception is raised. The process removes unfinished
output and exits. A command that keeps finished trials is asked to stop instead (``check``), and
exits by itself.

This module imports little, because an interrupt before ``run_as_program`` shows a traceback.
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
HANDLES = 4  # files that every command has open at once, besides the three streams
FEW_HANDLES = "discreet: the limit on open files is too low: raise it with ulimit -n."


class _State:
    """State shared by the worker thread and the main thread."""

    keeping = False  # there are finished trials to keep
    requested = False  # an interrupt asked the command to stop
    ending = False  # the process is about to exit
    clean_up: Callable[[], Sequence[object]] = (
        list  # removes unfinished output and returns what was written
    )
    stop: Callable[[], None] | None = None  # asks the command to exit by itself


_state = _State()


def run_as_program(work: Callable[[], int]) -> NoReturn:
    """Exit with the code that the work returns, or at once on an interrupt."""
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # background jobs ignore it, and should keep ignoring it
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
        say(f"discreet: cannot start a thread ({reason}).")
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
    """Make SIGINT and SIGTERM call a function that asks the command to exit by itself."""
    _state.stop = stop


def keep_finished() -> None:
    """Make the first interrupt a request to stop (see ``check``); a second one exits at once."""
    _state.keeping = True


def requested() -> bool:
    """Return whether a command that keeps finished trials was asked to stop."""
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
        f"{'all files written are complete' if written else 'nothing was written'}."
    )


def _interrupt(signum: int, frame: FrameType | None) -> None:
    if _state.ending:  # another signal is being handled
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
    signal.signal(signum, signal.SIG_DFL)  # the default action, as without a handler
    os.kill(os.getpid(), signum)


def say(text: str) -> None:
    """Print a line if possible, without sys.stderr, which may be locked or None."""
    import contextlib

    with contextlib.suppress(OSError):  # a full disk: the message is lost anyway
        os.write(2, f"{text}\n".encode(errors="backslashreplace"))


def occupy_closed_streams() -> None:
    """Reopen closed standard streams: the next file opened would take their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")  # libraries write to it


def check_handles() -> None:
    """Exit with one sentence if the limit on open files is too low for any command."""
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
