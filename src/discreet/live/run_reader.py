"""Reading the public part of a run's file while another process writes to it."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

from discreet.errors import DiscreetError, check_path, no_file
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
    """The public facts of a run's file at one moment. Nothing in it is raw."""

    recipe: Recipe
    labels: tuple[Hashable, ...]  # of all arms, including added and retired ones
    asked: int
    released: int
    lost: int  # batches given up
    open: int  # decisions whose outcome may still arrive
    waiting: int  # incomplete batches
    unused: int  # outcomes in them
    choices: dict[int, int]  # how often each choice was made
    sums: list[ReleaseSum]
    aside: Sums | None  # released sums of held-out rounds
    first: float | None  # times of the first and the last release, in seconds since 1970
    last: float | None
    final: list[SumAtEnd] | None  # the sums of the final release
    retired: tuple[int, ...]  # indices of arms
    held: list[int] | None  # held-out rounds of each arm

    def final_sums(self) -> list[SumAtEnd] | None:
        """Return the sums of the final release."""
        return self.final

    def release_sums(self) -> list[ReleaseSum]:
        """Return the sums of everything released."""
        return self.sums

    def held_out(self) -> Sums | None:
        """Return the released sums of held-out rounds."""
        return self.aside


def read_run(path: str | os.PathLike[str]) -> RunFacts:
    """Return the public content of a run's file, as it is at one moment.

    This does not change the file, takes no lock that would block a writer, and needs no key. So
    nothing is decrypted, and tampering is not detected.
    """
    given = check_path("path", path)
    if not os.path.isfile(given):
        raise no_file("path", given)
    whole = Path(given).resolve()
    with sqlite_lock, file_access.Explained(str(whole)), file_access.reading(str(whole)):
        for _ in range(TRIES):
            before = _traces(whole)
            with _connection(whole) as file, file_access.snapshot(file):
                file_access.check_mark(file, whole)
                facts = _facts(file)
            # Without a log there was no writer, unless one started meanwhile.
            if before[0] or _traces(whole) == before:
                return facts
    raise DiscreetError(f"{whole} is being opened or closed by another process: try again.")


def _traces(path: Path) -> tuple[bool, int, int]:
    """Return whether there is a log of changes, and the file's size and time."""
    log, found = path.with_name(path.name + "-wal"), path.stat()
    return log.exists(), found.st_size, found.st_mtime_ns


@contextlib.contextmanager
def _connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect for reading; without a writer, leave no files beside the run."""
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
    waiting, unused = execute("SELECT count(*), total(told) FROM batch").fetchone()
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
        unused=int(unused),
        choices=dict(execute("SELECT choice, times FROM choice WHERE choice >= 0")),
        sums=summed(rows),
        aside=sums_in(recipe, learner),
        first=min(times, default=None),
        last=max(times, default=None),
        final=next((sums_at_end(row.value) for row in rows if row.batch == FINAL), None),
        retired=() if slots is None else slots.retired,
        held=held_in(recipe, learner),
    )
