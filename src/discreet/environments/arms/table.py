"""Losses from a file: one row per round, one column an arm."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats, Generator
from discreet.environments.arms.log_like import names_in, refuse_log
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, count, reason_of, shorten
from discreet.problems import ArmGame, Arms, Environment, Problem
from discreet.ranges import Range
from discreet.tables import is_number, number_in, read_arrow, read_columns, read_npy


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
        raise DiscreetError(f"{path} cannot be read: {reason_of(reason)}.") from None
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
    read = read_columns(
        path,
        empty="is empty: losses come one row per round.",
        width="the rows before it have",
        has_names=_are_names,
        names_for_all=False,
    )
    if read.names is not None and not is_table:
        refuse_log(read.names, str(path))
    numbers, size = array("d"), 0  # far smaller than lists
    for row, cells in read.rows:
        size = len(cells)
        try:
            numbers.extend(map(number_in, cells))
        except ValueError:
            raise _fault(path, row, cells) from None
    if read.names is not None and size not in (0, len(read.names)):
        raise DiscreetError(
            f"{path} has {count(len(read.names), 'name')}, but {count(size, 'column')} of losses."
        )
    return np.array(numbers).reshape(-1, size or 1), read.first_row


def _are_names(cells: list[str]) -> bool:
    return not any(map(is_number, cells)) and all(cell.strip() for cell in cells)


def _fault(path: Path, row: int, cells: list[str]) -> DiscreetError:
    """Name the first cell of a row that is not a number."""
    column, cell = next(each for each in enumerate(cells, start=1) if not is_number(each[1]))
    shown = cell if len(cell) <= 30 else cell[:30] + "..."
    hint = " (columns are separated by commas)" if len(cells) == 1 else ""
    return DiscreetError(f"{path}, row {row}, column {column}: '{shown}' is not a number{hint}.")
