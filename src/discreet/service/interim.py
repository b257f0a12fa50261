"""A folder of run files with the methods of a database, one operation at a time."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from discreet.errors import DiscreetError
from discreet.live import FileStore, LiveClient
from discreet.live.run_reader import read_run


class TellRequest(NamedTuple):
    decision_id: int
    token: str | None
    outcome: Mapping[str, Any]


class AskRequest(NamedTuple):
    name: str | None
    arguments: Mapping[str, Any]


class Repeated(NamedTuple):
    decision: Any


class FolderRecords:
    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS record "
            "(kind TEXT, name TEXT, content BLOB, at REAL, run TEXT, PRIMARY KEY (kind, name))"
        )

    def get(self, kind: str, name: str) -> bytes | None:
        with self._lock:
            found = self._file.execute(
                "SELECT content FROM record WHERE kind = ? AND name = ?", (kind, name)
            ).fetchone()
        return None if found is None else found[0]

    def put(
        self,
        kind: str,
        name: str,
        content: bytes,
        at: float,
        run: str | None = None,
        *,
        replace: bool = False,
    ) -> None:
        with self._lock:
            if replace:
                self._file.execute("DELETE FROM record WHERE kind = ? AND name = ?", (kind, name))
            try:
                self._file.execute(
                    "INSERT INTO record VALUES (?, ?, ?, ?, ?)", (kind, name, content, at, run)
                )
            except sqlite3.IntegrityError:
                raise DiscreetError(f"there is a {kind} of that name.") from None

    def delete(self, kind: str, name: str) -> None:
        with self._lock:
            self._file.execute("DELETE FROM record WHERE kind = ? AND name = ?", (kind, name))

    def names(self, kind: str) -> list[str]:
        with self._lock:
            found = self._file.execute(
                "SELECT name FROM record WHERE kind = ? ORDER BY name", (kind,)
            )
            return [name for (name,) in found]

    def purge(self, kind: str, before: float) -> int:
        with self._lock:
            return self._file.execute(
                "DELETE FROM record WHERE kind = ? AND at < ?", (kind, before)
            ).rowcount


class FolderDatabase:
    shared = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        self.records = FolderRecords(folder / "records.db")
        self._given: dict[tuple[int, str], Any] = {}

    def store(self, name: str) -> FileStore:
        return FileStore(self._folder / "runs" / f"{name}.db")

    def run_names(self) -> list[str]:
        return sorted(path.stem for path in (self._folder / "runs").glob("*.db"))

    def recipe_of(self, name: str) -> Any:
        return read_run(self._folder / "runs" / f"{name}.db").recipe

    def now(self) -> float:
        return time.time()

    def close(self) -> None:
        self.records._file.close()

    def exchange(
        self,
        live: LiveClient[Any],
        drain: Callable[[], tuple[list[TellRequest], list[AskRequest]]],
    ) -> list[Any]:
        tells, asks = drain()
        results: list[Any] = []
        for number, token, outcome in tells:
            try:
                results.append(self._tell(live, number, token, outcome))
            except DiscreetError as refused:
                results.append(refused)
        for name, arguments in asks:
            key = (id(live), name or "")
            if name is not None and key in self._given:
                results.append(Repeated(self._given[key]))
                continue
            try:
                results.append(live.ask(**arguments))  # type: ignore[attr-defined]
                if name is not None:
                    self._given[key] = results[-1]
            except DiscreetError as refused:
                results.append(refused)
        return results

    @staticmethod
    def _tell(
        live: LiveClient[Any], number: int, token: str | None, outcome: Mapping[str, Any]
    ) -> bool:
        run = live._run
        if token is None:
            live.tell(number, **outcome)  # type: ignore[attr-defined]
            return True
        ((name, value),) = outcome.items()
        row = run._store.rows.open.get(number)
        feedback = live._feedback(number, name, value)
        return run.tell_by_id(number, token, None if row is None else row[2], feedback)
