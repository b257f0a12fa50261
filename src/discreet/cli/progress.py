"""Progress bars on the error stream."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from componentjit import being_compiled
from discreet.progress import ShowProgress


@contextlib.contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str], ShowProgress | None]]:
    """Yield a function that adds a bar with a title and returns its update; None if quiet."""
    if quiet:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Description(ProgressColumn):
        """The title of the bar, or the name of what is being compiled."""

        def render(self, task: Task) -> Text:
            name = being_compiled()
            return Text(task.description if name is None else compiling_words(name))

    parts = (Description(), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Progress(*parts, console=Console(stderr=True))

    def announce(title: str) -> ShowProgress:
        task = bars.add_task("preparing", total=None)

        def show(done: int, asked: int) -> None:
            bars.start()  # not earlier: bad input is refused without a bar
            bars.update(
                task, description=title if done else "preparing", completed=done, total=asked
            )

        return show

    try:
        yield announce
    finally:
        if bars.live.is_started:
            bars.stop()


def compiling_words(name: str) -> str:
    """Return the text of a bar during compilation.

    >>> compiling_words("exp3"), compiling_words("")
    ('compiling exp3, once', 'compiling, once')
    """
    return f"{f'compiling {name}'.strip()}, once"
