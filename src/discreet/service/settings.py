"""The folder of a service, and how it serves."""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import DiscreetError, show_path

SECRET = 32  # bytes
FOLDER = "discreet-service"  # where a service is unless told otherwise


@dataclass(frozen=True)
class Settings:
    """What an operator may choose.

    Parameters
    ----------
    origins
        Web pages that browsers may call the service from, such as ``https://shop.example``.
    rate, burst
        Requests a second of one token, and how many at once; 0 means no limit.
    open_rate, open_burst
        The same for callers without a token, by address: devices, health checks, wrong tokens.
    body_seconds
        Within which the headers of a request must have come, and then its body.
    release_every, publish_every
        How often releases are made that are due, and models of device tasks published, in seconds.
        These times are multiples of it, whatever happens.
    simulations
        Whether runs may be simulations, which protect nobody: for tests and demonstrations.

    """

    origins: tuple[str, ...] = ()
    rate: float = 10_000.0
    burst: float = 20_000.0
    open_rate: float = 100.0
    open_burst: float = 1_000.0
    body_seconds: float = 10.0
    release_every: float = 1.0
    publish_every: float = 60.0
    simulations: bool = False


class ServiceFolder:
    """One folder with all that a service keeps: database, secret, witness, device tasks."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def make(cls, path: str | os.PathLike[str]) -> ServiceFolder:
        """Return the folder, and create it if it is not there; only its owner can read it."""
        folder = Path(path).expanduser().resolve()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / "tasks").mkdir(mode=0o700, exist_ok=True)
        except OSError as reason:
            raise DiscreetError(
                f"folder is {show_path(folder)}, which cannot be made ({reason.strerror})."
            ) from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise DiscreetError(f"folder is {show_path(folder)}, which cannot be written.")
        return cls(folder)

    @classmethod
    def known(cls, path: str | os.PathLike[str]) -> ServiceFolder:
        """Return a folder that a service has used, or refuse any other."""
        folder = Path(path).expanduser().resolve()
        if not (folder / "secret").is_file():
            raise DiscreetError(
                f"folder is {show_path(folder)}, but no service has used it: give --folder, or "
                "start one with discreet serve."
            )
        return cls.make(folder)

    @property
    def database_url(self) -> str:
        """Where its own database is."""
        return f"sqlite:///{self.path / 'service.db'}"

    @property
    def tasks(self) -> Path:
        """Where device tasks are."""
        return self.path / "tasks"

    @property
    def witness(self) -> Path:
        """Where the witness of runs is."""
        return self.path / "witness"

    def secret(self) -> bytes:
        """Return the service's secret; it is made once, and only its owner can read it."""
        path = self.path / "secret"
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return self._new_secret(path)
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise DiscreetError(
                f"{show_path(path)} can be read by others: chmod 600 it, and think of who may have "
                "read it."
            )
        if len(content) != SECRET:
            raise DiscreetError(f"{show_path(path)} is damaged: it must have {SECRET} bytes.")
        return content

    @staticmethod
    def _new_secret(path: Path) -> bytes:
        """Write a new secret: whole or not at all, and never over another one."""
        content = secrets.token_bytes(SECRET)
        draft = path.with_name(f".secret-{os.getpid()}-{secrets.token_hex(4)}")
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(file, content)
            os.fsync(file)
        finally:
            os.close(file)
        try:
            os.link(draft, path)
        except FileExistsError:  # another process was first
            return path.read_bytes()
        finally:
            draft.unlink()
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return content
