"""Progress bars in notebooks and terminals: ``progress=True``."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable
from typing import Any

from discreet.errors import DiscreetError, shorten

__all__ = ["ShowProgress", "make_progress"]

ShowProgress = Callable[[int, int], None]  # takes the number done, and the total
WIDTH = 40  # characters of a bar in a terminal
PAUSE = 0.1  # seconds between two updates


def make_progress(
    progress: ShowProgress | bool | None, what: str = "trials"
) -> ShowProgress | None:
    """Return the function that is called with the progress: the user's, or a bar if True."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return NotebookBar(what) if in_notebook() else TerminalBar(what)
    if not callable(progress):
        raise DiscreetError(
            f"progress is {shorten(progress)}, but must be True, or a function of finished and "
            f"total {what}."
        )
    return progress


def in_notebook() -> bool:
    """Return whether this runs in a notebook, without importing IPython."""
    shell: Any = sys.modules.get("IPython")
    return shell is not None and "IPKernelApp" in (shell.get_ipython() or _Nothing()).config


class _Nothing:
    config: tuple[str, ...] = ()


class TerminalBar:
    """One line on the error stream, which is overwritten."""

    def __init__(self, what: str) -> None:
        self._what, self._next = what, 0.0

    def __call__(self, done: int, asked: int) -> None:
        now = time.monotonic()
        if now < self._next and done < asked:
            return
        self._next = now + PAUSE
        self.show(done, asked)

    def show(self, done: int, asked: int) -> None:
        """Write the line."""
        filled = WIDTH * done // max(1, asked)
        bar = "━" * filled + " " * (WIDTH - filled)
        end = "\n" if done >= asked else ""
        sys.stderr.write(f"\r{self._what} {bar} {done:,}/{asked:,}{end}")
        sys.stderr.flush()


class NotebookBar(TerminalBar):
    """A bar in a notebook, updated in the place where it first appeared."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self._shown: Any = None

    def show(self, done: int, asked: int) -> None:
        """Draw the bar."""
        from IPython import display

        drawn: Any = display  # its functions have no types
        said = html.escape(f"{done:,}/{asked:,} {self._what}")
        bar = drawn.HTML(f'<progress value="{done}" max="{max(1, asked)}"></progress> {said}')
        if self._shown is None:
            self._shown = drawn.display(bar, display_id=True)
        else:
            self._shown.update(bar)
