"""The folder and the settings of a service."""

from __future__ import annotations

import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import DiscreetError, reason_of, shorten, show_path

SECRET = 32  # bytes
ORIGIN = re.compile(r"https?://[^/?#@\s]+")
FOLDER = "discreet-service"  # the default folder


@dataclass(frozen=True)
class Settings:
    """The operator's settings.

    Parameters
    ----------
    origins
        Origins of web pages that may call the service, such as ``https://shop.example``.
    rate, burst
        Requests per second of one token, and how many at once; 0 means no limit.
    open_rate, open_burst
        The same for callers without a token, by address: devices, health checks, wrong tokens.
    body_seconds
        Seconds within which the headers of a request must arrive, and then its body.
    release_every, publish_every
        Seconds between times at which due releases are made, and models of device tasks published.
        These times are always multiples of the period.
    simulations
        Whether to allow simulations, which protect nobody: for tests and demonstrations.

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

    def __post_init__(self) -> None:
        for origin in self.origins:
            if origin != "*" and not ORIGIN.fullmatch(origin):
                raise DiscreetError(
                    f"origin is {shorten(origin)}, but must look like 'https://shop.example', "
                    "without a path."
                )


class ServiceFolder:
    """The folder of a service: database, secret, witness, device tasks."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def make(cls, path: str | os.PathLike[str]) -> ServiceFolder:
        """Return the folder, and create it if needed; only its owner can read it."""
        folder = Path(path).expanduser().resolve()
        if folder.is_file():
            raise DiscreetError(f"folder is {show_path(folder)}, which is a file, not a folder.")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / "tasks").mkdir(mode=0o700, exist_ok=True)
        except OSError as reason:
            raise DiscreetError(
                f"folder is {show_path(folder)}, but cannot be created ({reason_of(reason)})."
            ) from None
        if not os.access(folder, os.W_OK | os.X_OK):
            raise DiscreetError(f"folder is {show_path(folder)}, but it is not writable.")
        return cls(folder)

    @classmethod
    def known(cls, path: str | os.PathLike[str]) -> ServiceFolder:
        """Return the folder of an existing service, or refuse any other."""
        folder = Path(path).expanduser().resolve()
        if not (folder / "secret").is_file():
            raise DiscreetError(
                f"folder is {show_path(folder)}, but it has no service: give --folder, or start "
                "one with discreet serve."
            )
        return cls.make(folder)

    @property
    def database_url(self) -> str:
        """The URL of its own database."""
        return f"sqlite:///{self.path / 'service.db'}"

    @property
    def tasks(self) -> Path:
        """The folder of device tasks."""
        return self.path / "tasks"

    @property
    def witness(self) -> Path:
        """The path of the witness."""
        return self.path / "witness"

    def secret(self) -> bytes:
        """Return the service's secret; it is created once, and only its owner can read it."""
        path = self.path / "secret"
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return self._new_secret(path)
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise DiscreetError(
                f"{show_path(path)} can be read by others: chmod 600 it, and consider who may have "
                "read it."
            )
        if len(content) != SECRET:
            raise DiscreetError(f"{show_path(path)} is damaged: it must have {SECRET} bytes.")
        return content

    @staticmethod
    def _new_secret(path: Path) -> bytes:
        """Write a new secret: completely or not at all, and never over an existing one."""
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
