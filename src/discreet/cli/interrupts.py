"""Ctrl-C at any moment: a command works in a thread of its own, and the main thread does nothing but heed signals.

An interrupt as an exception in the middle of the work is not reliable: compiled loops do not see
it, and imports and finalisers may swallow it. So nothing is raised. The process ends as it is,
after unfinished output is removed; unless a command keeps what is finished: then it is asked to
stop (``check``), and has the last word.

Hardly anything is imported here, because an interrupt before the first line of ``run_as_program``
shows a traceback.
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


class _State:
    """What the thread that works and the one that heeds signals tell each other."""

    keeping = False  # there is something to keep
    requested = False  # and an interrupt asks to stop
    ending = False  # the process ends, whatever the command does
    clean_up: Callable[[], Sequence[object]] = (
        list  # removes what is unfinished, and returns what was written
    )


_state = _State()


def run_as_program(work: Callable[[], int]) -> NoReturn:
    """Exit with the code that the work returns, or as soon as there is an interrupt."""
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # jobs in the background ignore it, and still do
        signal.signal(signal.SIGINT, _interrupt)
    import threading

    codes: list[int] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            codes.append(work())
        except BaseException as failure:
            failures.append(failure)

    worker = threading.Thread(target=run, name="command", daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(0.05)  # again and again: a signal that comes just before a wait does not end it
    if requested():
        os._exit(EXIT_CODE)  # trials that were given up may still be running
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # all is done: a late one would only show a traceback
    if failures:
        raise failures[0]
    sys.exit(codes[0])


def clean_up_with(clean_up: Callable[[], Sequence[object]]) -> None:
    """Name what removes unfinished output when the process ends, and returns all that was written before."""
    _state.clean_up = clean_up


def keep_finished() -> None:
    """From now on the first interrupt is only a request, which ``check`` passes on; a second one ends at once."""
    _state.keeping = True


def requested() -> bool:
    """Return whether a command that keeps what is finished was asked to stop."""
    return _state.requested


def ending() -> bool:
    """Return whether the process is about to end, so that there is nothing more to say."""
    return _state.ending


def check() -> None:
    """Raise KeyboardInterrupt if the command was asked to stop."""
    if requested():
        raise KeyboardInterrupt


def message(*, written: bool = False) -> str:
    """Return what to say after an interrupt."""
    return (
        "discreet: interrupted; "
        f"{'what was written is complete' if written else 'nothing was written'}."
    )


def _interrupt(signum: int, frame: FrameType | None) -> None:
    if _state.ending:  # a signal while another one is being heeded
        return
    if _state.keeping and not _state.requested:
        _state.requested = True
        return
    _state.ending = True
    text = message(written=bool(_state.clean_up()))
    if os.isatty(2):
        text = f"\r\x1b[K\x1b[?25h{text}"  # in place of a progress bar, which hides the cursor
    os.write(
        2, f"{text}\n".encode()
    )  # not through sys.stderr, which the other thread may have locked
    os._exit(EXIT_CODE)
