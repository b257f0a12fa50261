"""A folder of run files with the methods of a database, one operation at a time."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError
from discreet.live import FileStore
from discreet.live.run_reader import read_run


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


class NamingStore(FileStore):
    def recall(self, name: str) -> bytes | None:
        return self.names.get(name)

    def remember(self, name: str, content: bytes) -> None:
        self.names[name] = content


class FolderDatabase:
    shared = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        self.records = FolderRecords(folder / "records.db")

    def store(self, name: str) -> FileStore:
        store = NamingStore(self._folder / "runs" / f"{name}.db")
        store.names = {}
        return store

    def run_names(self) -> list[str]:
        return sorted(path.stem for path in (self._folder / "runs").glob("*.db"))

    def recipe_of(self, name: str) -> Any:
        return read_run(self._folder / "runs" / f"{name}.db").recipe

    def now(self) -> float:
        return time.time()

    def close(self) -> None:
        self.records._file.close()
