"""Results as a folder of Parquet files, so that memory does not grow with the number of trials.

Each file is a *part* with some of the trials. The settings alone decide which trials are in which
part, and a part is written when all of its trials are finished. A file next to the parts records
the settings and the complete parts. So an interrupted sweep resumes where it stopped, and leaves
the same files as one that was never interrupted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypedDict

import numpy as np

from componentjit import value_digest
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_flag, check_path, reason_of, shorten, show_path
from discreet.guarantee import Json
from discreet.output import lock
from discreet.simulation.arrivals import Arrivals
from discreet.simulation.jobs import RegretJob
from discreet.simulation.measures import TidyColumns
from discreet.simulation.records import InMemory, add_calls
from discreet.simulation.results import parquet_writer, provenance
from discreet.simulation.statistics import interval
from discreet.simulation.trial import TrialOutcome

if TYPE_CHECKING:
    from discreet.simulation.contenders import Contender

# Readers of Parquet skip files whose names begin with an underscore or a dot.
FOLDER, PROGRESS = "results.parquet", "_progress.jsonl"
ROWS = 2**18  # the most in a part: 16 MB
ROUNDS = 2**26  # the most that are played for a part: seconds to minutes
DIGESTS = "options of"  # settings of which only a digest is kept
Tidy = Callable[[Integers, Floats, Floats], TidyColumns]  # of trials, regret and loss


def trials_in_part(contenders: int, marks: int, rounds: int) -> int:
    """Return how many trials a part has.

    >>> trials_in_part(1, 60, 100), trials_in_part(6, 120, 2**18), trials_in_part(1, 120, 10**9)
    (4369, 42, 1)
    """
    return max(1, min(ROWS // (contenders * marks), ROUNDS // (contenders * rounds)))


class JournalEntry(TypedDict, total=False):
    """A line of the journal: the settings in the first, then one complete part each."""

    settings: Json
    part: int
    trials: int
    clipped: int
    seconds: list[float]
    calls: list[int | None]


class Parts:
    """A sink that writes parts into a folder and locks it against other writers."""

    def __init__(
        self,
        folder: Path,
        settings: Json,
        tidy: Tidy,
        *,
        size: int,
        asked: int,
        keep: Callable[[], None],
    ) -> None:
        self.folder, self._tidy = folder / FOLDER, tidy
        self._size, self._asked, self._keep = size, asked, keep
        self._open: dict[int, dict[int, TrialOutcome]] = {}
        self._done: dict[int, JournalEntry] = {}
        self.folder.mkdir(parents=True, exist_ok=True)
        self._journal = (self.folder / PROGRESS).open("ab")
        try:
            if not lock(self._journal):
                raise DiscreetError(
                    f"{folder} is in use by another simulation: wait until it ends, or choose "
                    "another folder."
                )
            begun = begun_with(folder)
            if begun is None:
                self._note({"settings": settings})
            else:
                _compare(folder, begun, json.loads(json.dumps(settings)))
                entries = _entries(self.folder / PROGRESS)[1:]
                self._done = {
                    e["part"]: e for e in entries if (self.folder / part_name(e["part"])).is_file()
                }
                self._clear_unfinished()
        except BaseException:
            self._journal.close()
            raise
        if self._done:
            keep()
        self.finished = sum(len(self._trials_of(part)) for part in self._done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def _trials_of(self, part: int) -> range:
        return range(part * self._size, min((part + 1) * self._size, self._asked))

    def missing(self, asked: int) -> list[range]:
        """Return the trials of all parts that are not complete."""
        every = range(-(-asked // self._size))
        return [self._trials_of(part) for part in every if part not in self._done]

    def add(self, trial: int, outcome: TrialOutcome) -> None:
        """Take the outcome of a trial, and write its part once that is complete."""
        part = trial // self._size
        mine = self._open.setdefault(part, {})
        assert part not in self._done, f"trial {trial} was played twice"
        assert trial not in mine, f"trial {trial} was played twice"
        mine[trial] = outcome
        self.finished += 1
        if len(mine) == len(self._trials_of(part)):
            self._write(part)
            self._note(self._done[part])
            self._keep()

    def close(self) -> None:
        """Write the trials of incomplete parts; they are played again when the sweep is resumed."""
        for part in sorted(self._open):
            self._write(part)

    def record(self) -> PartsRecord:
        """Return the written results."""
        return PartsRecord(self.folder, [self._done[part] for part in sorted(self._done)])

    def _write(self, part: int) -> None:
        """Write a part; it appears complete or not at all."""
        arrow, parquet = parquet_writer()
        record = InMemory.of(self._open.pop(part))
        hidden, place = self.folder / f".{part_name(part)}", self.folder / part_name(part)
        with hidden.open("wb") as file:
            parquet.write_table(
                arrow.table(self._tidy(record.trials, record.regret, record.loss)), file
            )
            os.fsync(file.fileno())
        hidden.replace(place)
        self._done[part] = {
            "part": part,
            "trials": record.trials.size,
            "clipped": record.clipped,
            "seconds": record.seconds.tolist(),
            "calls": list(record.calls),
        }

    def _note(self, entry: JournalEntry) -> None:
        """Add a line to the journal of complete parts."""
        self._journal.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())

    def _clear_unfinished(self) -> None:
        """Remove incomplete parts, and a last line that was cut off."""
        complete = {PROGRESS, *map(part_name, self._done)}
        for file in self.folder.iterdir():
            if file.name not in complete:
                file.unlink()
        self._journal.truncate((self.folder / PROGRESS).read_bytes().rfind(b"\n") + 1)


def check_output(output: Path | str, *, resume: bool) -> Path:
    """Return the folder to write results into: a new or empty one, or one to resume."""
    check_flag("resume", resume)
    parquet_writer()
    folder = Path(check_path("output", output))
    try:
        begun = begun_with(folder) is not None
        is_new = (
            not any(folder.iterdir())
            if folder.is_dir()
            else not (folder.exists() or folder.is_symlink())
        )
    except OSError as reason:
        raise DiscreetError(
            f"output folder {show_path(folder)} cannot be created: {reason_of(reason)}."
        ) from None
    if is_new or (begun and resume):
        return folder
    if begun:
        raise DiscreetError(
            f"{folder} exists already: resume it with --resume, overwrite it with --overwrite, or "
            "choose another folder."
        )
    if not folder.is_dir():
        raise DiscreetError(
            f"{show_path(folder)} exists already and is not a folder: choose another output folder."
        )
    if resume:
        raise DiscreetError(
            f"{folder} has no results to resume: choose another output folder, or drop --resume."
        )
    raise DiscreetError(
        f"{folder} exists already: choose another output folder, or overwrite it with --overwrite."
    )


def settings_of(
    contenders: Sequence[Contender],
    title: str,
    job: RegretJob,
    asked: int,
    arrivals: Arrivals | None = None,
) -> Json:
    """Return everything that determines the numbers of a sweep, by names for messages."""
    made_by = provenance()
    return {
        "rounds": job.rounds,
        "trials": asked,
        "seed": job.seed,
        "low": job.bounds.low,
        "high": job.bounds.high,
        "clip": job.clip,
        "arrivals": "at once" if arrivals is None else str(arrivals),
        f"{DIGESTS} arrivals": "" if arrivals is None else value_digest(tuple(arrivals.waits)),
        "problem": {"plays": str(job.environment.problem), **job.environment.problem.parameters()},
        "environment": title,
        "algorithms": [contender.label for contender in contenders],
        "parameters": {
            contender.label: contender.facts.get("parameters", {}) for contender in contenders
        },
        f"{DIGESTS} the environment": value_digest(job.environment),
        DIGESTS: {each.label: value_digest(each.private) for each in contenders},
        "discreet": made_by["discreet"],
        "sources": made_by["sources"],
        "versions": made_by["versions"],
    }


def part_name(part: int) -> str:
    """Return the name of a part's file.

    >>> part_name(12)
    'part-000012.parquet'
    """
    return f"part-{part:06}.parquet"


def begun_with(folder: Path) -> Json | None:
    """Return the settings of a sweep begun in a folder, or None."""
    entries = _entries(folder / FOLDER / PROGRESS)
    return dict(entries[0]["settings"]) if entries else None


def _entries(journal: Path) -> list[JournalEntry]:
    """Return all complete lines of a file that need not exist."""
    if not journal.is_file():
        return []
    try:
        lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        entries: list[JournalEntry] = [json.loads(line) for line in lines if line[-1] == "\n"]
        if all(
            name in entry
            for entry, name in zip(entries, ["settings", *["part"] * len(entries)], strict=False)
        ):
            return entries
    except (ValueError, TypeError):
        pass
    raise DiscreetError(
        f"{journal} was changed and cannot be resumed: choose another output folder."
    )


def _compare(folder: Path, before: Json, now: Json) -> None:
    """Refuse to resume with other settings, and name the difference."""
    there, here = _flat(before), _flat(now)
    for name in there | here:
        if there.get(name) != here.get(name):
            was, value = (shorten(each.get(name, "nothing")) for each in (there, here))
            differs = f"{name} was {was} when {folder} was started, but is {value} now"
            if name.startswith(DIGESTS):
                differs = f"{name} were different when {folder} was started"
            raise DiscreetError(
                f"{differs}: resume with the same settings, or choose another output folder."
            )


def _flat(value: object, name: str = "") -> dict[str, object]:
    """Return all values in a nested dictionary by their paths."""
    if not isinstance(value, dict):
        return {name: value}
    found: dict[str, object] = {}
    for key, part in value.items():
        found |= _flat(part, f"{name} {key}".strip())
    return found


class PartsRecord:
    """A record that is read part by part; only the regret at the end is held for every trial."""

    def __init__(self, folder: Path, done: list[JournalEntry]) -> None:
        self._folder, self._parts = folder, [entry["part"] for entry in done]
        self.seconds = np.sum([entry["seconds"] for entry in done], axis=0)
        self.clipped = sum(entry["clipped"] for entry in done)
        self.calls = add_calls([entry["calls"] for entry in done])
        self.memory = None  # files do not store the memory of games

    def _read(self, part: int, *columns: str) -> list[Floats]:
        """Return some columns of a part: contender, trial, checkpoint."""
        _, parquet = parquet_writer()
        table = parquet.read_table(
            self._folder / part_name(part), columns=["label", "trial", "round", *columns]
        )
        contenders, trials, marks = (
            len(table[name].unique()) for name in ("label", "trial", "round")
        )
        return [
            table[name].to_numpy().reshape(contenders, trials, marks)
            for name in ("trial", *columns)
        ]

    @cached_property
    def _pass(self) -> tuple[Integers, Floats, Floats]:
        """Trials, final regret and bands, from one pass over all parts."""
        numbers, finals = [], []
        count, mean, squares = 0, np.zeros(()), np.zeros(())
        for part in self._parts:
            trials, regret = self._read(part, "regret")
            numbers.append(trials[0, :, 0])
            finals.append(regret[:, :, -1].copy())
            size, centre = regret.shape[1], regret.mean(axis=1)
            step, total = centre - mean, count + size
            squares = (
                squares
                + ((regret - centre[:, None]) ** 2).sum(axis=1)
                + step**2 * (count * size / total)
            )
            mean, count = mean + step * (size / total), total
        variance = squares / (count - 1) if count > 1 else np.full_like(mean, np.nan)
        return (
            np.concatenate(numbers).astype(np.int64),
            np.concatenate(finals, axis=1),
            interval(mean, variance, count),
        )

    @property
    def trials(self) -> Integers:
        """The numbers of all trials."""
        return self._pass[0]

    @property
    def final(self) -> Floats:
        """The regret at the end of the game: contender, trial."""
        return self._pass[1]

    @property
    def bands(self) -> Floats:
        """Mean regret over trials and the ends of its 95 % interval: contender, checkpoint, 3."""
        return self._pass[2]

    @property
    def regret(self) -> Floats:
        """Contender, trial, checkpoint: all of it, which may need much memory."""
        return np.concatenate([self._read(part, "regret")[1] for part in self._parts], axis=1)

    @property
    def loss(self) -> Floats:
        """Contender, trial, checkpoint: all of it, which may need much memory."""
        return np.concatenate([self._read(part, "loss")[1] for part in self._parts], axis=1)
