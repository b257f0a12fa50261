"""Reading a run's file while another process writes it: what is public, and nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

from discreet.errors import DiscreetError, check_path, shorten
from discreet.estimates.released import ReleaseSum, SumAtEnd, sums_at_end
from discreet.ledger.guards import sqlite_lock
from discreet.live import file_access
from discreet.live.holdout import Sums, held_in, sums_in
from discreet.live.release_log import summed
from discreet.live.row_text import release_row
from discreet.live.rows import FINAL, Recipe
from discreet.live.slots import slots_from

TRIES = 3


class RunFacts(NamedTuple):
    """What a file says about its run at one moment. Nothing in it is raw."""

    recipe: Recipe
    labels: tuple[Hashable, ...]  # of arms, also of those that came later or are retired
    asked: int
    released: int
    lost: int  # batches that were given up
    open: int  # decisions whose outcome may still come
    waiting: int  # batches that are not complete
    choices: dict[int, int]  # how often each was made
    sums: list[ReleaseSum]
    aside: Sums | None  # what was released of the rounds that were held out
    first: float | None  # when the first and the last release were, in seconds since 1970
    last: float | None
    final: list[SumAtEnd] | None  # what the final release has released
    retired: tuple[int, ...]  # arms, by number
    held: list[int] | None  # rounds of each arm that were held out

    def final_sums(self) -> list[SumAtEnd] | None:
        """Return what the final release has released."""
        return self.final

    def release_sums(self) -> list[ReleaseSum]:
        """Return the sums of everything released."""
        return self.sums

    def held_out(self) -> Sums | None:
        """Return what was released of the rounds that were held out."""
        return self.aside


def read_run(path: str | os.PathLike[str]) -> RunFacts:
    """Return what is public in the file of a run, as it is at one moment.

    The file is not changed, no lock is taken that a writer would wait for, and no key is needed.
    So nothing is decrypted, and the file is not checked for changes by others.
    """
    given = check_path("path", path)
    if not os.path.isfile(given):
        raise DiscreetError(f"path is {shorten(given)}, but there is no file.")
    whole = Path(given).resolve()
    with sqlite_lock, file_access.Explained(str(whole)), file_access.reading(str(whole)):
        for _ in range(TRIES):
            before = _traces(whole)
            with _connection(whole) as file, file_access.snapshot(file):
                file_access.check_mark(file, whole)
                facts = _facts(file)
            # Without a log nobody was writing, unless somebody began meanwhile.
            if before[0] or _traces(whole) == before:
                return facts
    raise DiscreetError(f"{whole} is being opened and closed by another process: try again.")


def _traces(path: Path) -> tuple[bool, int, int]:
    """Return whether there is a log of changes, and size and time of the file."""
    log, found = path.with_name(path.name + "-wal"), path.stat()
    return log.exists(), found.st_size, found.st_mtime_ns


@contextlib.contextmanager
def _connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect for reading; where nobody writes, without leaving files beside the run."""
    kind = "mode=ro" if _traces(path)[0] else "mode=ro&immutable=1"
    file = file_access.connect(f"{path.as_uri()}?{kind}")
    try:
        yield file
    finally:
        file.close()


def _facts(file: sqlite3.Connection) -> RunFacts:
    execute = file.execute
    text, changed, asked, released, lost, learner = execute(
        "SELECT recipe, slots, asked, released, lost, learner FROM run"
    ).fetchone()
    (is_open,) = execute("SELECT count(*) FROM decision").fetchone()
    (waiting,) = execute("SELECT count(*) FROM batch").fetchone()
    rows = [release_row(row) for row in execute("SELECT * FROM release ORDER BY batch")]
    times = [row.at for row in rows if row.at is not None]
    recipe, slots = cast(Recipe, json.loads(text)), slots_from(changed)
    return RunFacts(
        recipe=recipe,
        labels=tuple(recipe.get("arms", ())) if slots is None else slots.labels,
        asked=asked,
        released=released,
        lost=lost,
        open=is_open,
        waiting=waiting,
        choices=dict(execute("SELECT choice, times FROM choice WHERE choice >= 0")),
        sums=summed(rows),
        aside=sums_in(recipe, learner),
        first=min(times, default=None),
        last=max(times, default=None),
        final=next((sums_at_end(row.value) for row in rows if row.batch == FINAL), None),
        retired=() if slots is None else slots.retired,
        held=held_in(recipe, learner),
    )
