"""Losses from a file: one row per round, one column an arm."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats, Generator
from discreet.environments.arms.log_like import names_in, refuse_log
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, count, shorten
from discreet.problems import ArmGame, Arms, Environment, Problem
from discreet.ranges import Range
from discreet.tables import csv_rows, is_number, read_arrow, read_npy


class Table(Environment):
    """Replays fixed losses: the same game in every trial.

    >>> Table(np.array([[0.0, 1.0], [1.0, 0.0]])).deal(1, 2, np.random.default_rng()).losses
    array([[1., 0.]])
    """

    losses: Floats
    file: str = "array"
    first_row: int = 1  # of the file, so that messages name the row as an editor shows it

    @property
    def problem(self) -> Arms:
        """An arm for each column."""
        return Arms(int(self.losses.shape[1]))

    @property
    def length(self) -> int:
        """How many rounds there are: one for each row."""
        return int(self.losses.shape[0])

    @property
    def source(self) -> str:
        """The file."""
        return self.file

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rows start to stop."""
        return ArmGame(np.ascontiguousarray(self.losses[start:stop]))

    def checked(
        self, problem: Problem, rounds: int, bounds: Range, *, clip: bool
    ) -> tuple[Environment, int]:
        """Check or clip the rows that will be played."""
        played, row = self._replace(losses=self.losses[:rounds]), f"{self.file}, row"
        return problem.check(
            played, bounds, clip=clip, before=self.first_row - 1, row=row, column="column"
        )

    def __repr__(self) -> str:
        return f"Table({self.file}: {self.length} rounds, {self.problem.sizes})"


@register_environment(
    "table", title="losses from a CSV or NPY file, one row per round", problem=Arms
)
def table(
    *,
    bounds: Range,
    losses: Path | str | ArrayLike | None = None,
    rewards: Path | str | ArrayLike | None = None,
    is_table: bool = False,
) -> Table:
    """Return the table of losses, or of rewards turned into losses, in an array or in a file.

    Columns that look like those of a log are refused unless ``is_table`` is set.
    """
    if losses is not None and rewards is None:
        return as_table("losses", losses, is_table=is_table)
    if losses is not None or rewards is None:
        given = "neither was" if losses is None else "both were"
        raise DiscreetError(
            f"environment 'table' needs a file of losses or one of rewards, and {given} given."
        )
    found = as_table("rewards", rewards, is_table=is_table)
    turned = f"{found.file} (a reward r is the loss {bounds.low + bounds.high:g} - r)"
    return found._replace(losses=bounds.low + (bounds.high - found.losses), file=turned)


def as_table(name: str, losses: Path | str | ArrayLike, *, is_table: bool = False) -> Table:
    """Return the table from an array, from an object convertible to one, or from a file.

    Lists, a DataFrame and any Arrow object (of polars, DuckDB, pyarrow) are convertible.
    """
    if isinstance(losses, Path | str):
        return read_table(losses, is_table=is_table)
    table = read_arrow(losses)
    if not is_table:
        refuse_log(names_in(table), name)
    values = numbers_of(name, table)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise DiscreetError(
            f"{name} has shape {values.shape}, but must be a table of finite numbers, one row per "
            "round."
        )
    if min(values.shape) < 2:
        raise DiscreetError(
            f"{name} has shape {values.shape}, but at least 2 rounds and 2 columns are needed."
        )
    return Table(np.ascontiguousarray(values, dtype=np.float64))


def numbers_of(name: str, given: ArrayLike) -> Floats:
    """Return an array of numbers, or refuse what was given instead."""
    try:
        values = np.asarray(given)
    except Exception:  # rows of different lengths, or objects that are not numbers
        values = np.asarray(None)
    if values.dtype.kind not in "biuf" or values.ndim == 0:
        raise DiscreetError(
            f"{name} is {shorten(given)}, but must be a file or a table of numbers with rows of "
            "one length."
        )
    return values


def read_table(path: Path | str, *, is_table: bool = False) -> Table:
    """Read losses from a ``.npy`` file, or a CSV file whose first line may name the columns."""
    path = Path(path)
    try:
        if not path.is_file():
            raise DiscreetError(
                f"{path} is not a file: give a CSV or NPY file with one row per round."
            )
        losses, first_row = (
            (read_npy(path), 1) if path.suffix == ".npy" else _read_csv(path, is_table=is_table)
        )
    except OSError as reason:
        raise DiscreetError(f"{path} cannot be read: {reason.strerror}.") from None
    if losses.shape[0] < 2:
        raise DiscreetError(
            f"{path} has {count(losses.shape[0], 'row')} of losses, but at least 2 rounds are "
            "needed."
        )
    if losses.shape[1] < 2:
        hint = "" if path.suffix == ".npy" else ", separated by commas"
        raise DiscreetError(
            f"{path} has {count(losses.shape[1], 'column')}, but at least 2 arms are needed{hint}."
        )
    bad = np.argwhere(~np.isfinite(losses))
    if bad.size:
        row, column = (int(i) for i in bad[0])
        raise DiscreetError(
            f"{path}, row {row + first_row}, column {column + 1}: a loss must be a finite number."
        )
    return Table(losses, str(path), first_row)


def _read_csv(path: Path, *, is_table: bool) -> tuple[Floats, int]:
    first, header = next(csv_rows(path), (0, None))
    if header is None:
        raise DiscreetError(f"{path} is empty: losses come one row per round.")
    named = not any(is_number(cell) for cell in header) and all(cell.strip() for cell in header)
    skip = first - 1 + named
    if named and not is_table:
        refuse_log(header, str(path))
    try:
        with warnings.catch_warnings():
            # no rows: reported below, with the file's name
            warnings.simplefilter("ignore", UserWarning)
            losses = np.loadtxt(
                path,
                delimiter=",",
                skiprows=skip,
                ndmin=2,
                encoding="utf-8-sig",
                comments=None,
                quotechar='"',
            )
    except ValueError:
        raise _first_fault(path, skip) from None
    if named and losses.size and len(header) != losses.shape[1]:
        raise DiscreetError(
            f"{path} has {count(len(header), 'name')}, but {count(losses.shape[1], 'column')} of "
            "losses."
        )
    return losses, 1 + skip


def _first_fault(path: Path, skip: int) -> DiscreetError:
    """Name the row and column that cannot be read; called only if there is one."""
    width = None
    for row, cells in csv_rows(path):
        if row <= skip:
            continue
        width = len(cells) if width is None else width
        if len(cells) != width:
            here = count(len(cells), "column")
            return DiscreetError(
                f"{path}, row {row} has {here}, but the rows before it have {width}."
            )
        for column, cell in enumerate(cells, start=1):
            if not is_number(cell):
                shown = cell if len(cell) <= 30 else cell[:30] + "..."
                hint = " (columns are separated by commas)" if width == 1 else ""
                return DiscreetError(
                    f"{path}, row {row}, column {column}: '{shown}' is not a number{hint}."
                )
    return DiscreetError(f"{path} cannot be read as a table of numbers separated by commas.")
