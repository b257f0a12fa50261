"""The key of a run: it hides the raw sums in a file, and knows how far the run is.

The key lies elsewhere than the file, so that who gets hold of the file alone, of a copy or of a
backup, learns no more than what was released. It also counts releases: a run that is older than its
key is an old copy, and to go on with it would release batches again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import weakref
from pathlib import Path

import numpy as np

from discreet.errors import DiscreetError
from discreet.ledger.turns import in_every_child
from discreet.live.disk import keep_entry
from discreet.output import lock

MARK = b"discreet"
SECRET, NONCE, VERSION = 32, 16, 8  # bytes
SIZE = len(MARK) + SECRET + VERSION
FOLDER = "DISCREET_KEYS"  # the variable that names where keys are kept


_opened: weakref.WeakSet[Key] = weakref.WeakSet()


class Key:
    """A secret, and the number of releases of its run, in a file that only its owner can read.

    While it is open nobody else can open it, in this process or another: so of a run and a copy of
    its file one is refused.
    """

    def __init__(self, path: Path, *, new: bool) -> None:
        try:
            if new:
                _write_new(path)
            self._file = path.open("r+b", buffering=0)
        except FileExistsError:
            raise DiscreetError(
                f"key is {str(path)!r}, where a file is already: give a new path."
            ) from None
        except OSError as error:
            raise DiscreetError(f"key is {str(path)!r}, which cannot be used ({error}).") from None
        _opened.add(self)
        weakref.finalize(self, self._file.close)
        self.path = path
        if not lock(self._file):
            self.close()
            raise DiscreetError(
                f"key is {str(path)!r}, which is in "
                "use: the "
                "same "
                "run is "
                "open, "
                "here or "
                "from a "
                "copy "
                "of its file."
            )
        content = self._file.read(SIZE)
        self._secret = content[len(MARK) : len(MARK) + SECRET]
        if content[: len(MARK)] != MARK or len(content) < SIZE:
            self.close()
            raise DiscreetError(
                f"key is {str(path)!r}, but that is a file of another kind, not the key of a run."
            )
        self.version = int.from_bytes(content[-VERSION:], "big")

    @classmethod
    def for_new(cls, path: str | os.PathLike[str] | None, token: str, needed: bool) -> Key | None:
        """Return the key of a new run, at a path or where keys are kept; none if nothing raw is kept."""
        return cls(Path(path or usual_path(token)).absolute(), new=True) if needed else None

    @classmethod
    def existing(cls, path: str | os.PathLike[str] | None, token: str) -> Key:
        """Return the key of a run that goes on."""
        place = Path(path or usual_path(token)).absolute()
        if not place.is_file():
            raise DiscreetError(
                "the key of this run is not at "
                f"{place}: say "
                "with "
                "key= "
                "where it "
                "is; if "
                "it is "
                "lost, "
                "lost_key=True goes on "
                "without the outcomes of unfinished batches."
            )
        return cls(place, new=False)

    @property
    def fingerprint(self) -> str:
        """What a run remembers of its key."""
        return hashlib.blake2b(self._secret, digest_size=8, person=b"fingerprint").hexdigest()

    def hide(self, raw: bytes | None) -> bytes | None:
        """Return raw bytes as nobody without the key can read them, never twice the same."""
        if raw is None:
            return None
        nonce = secrets.token_bytes(NONCE)
        return nonce + self._masked(raw, nonce)

    def show(self, hidden: bytes | None) -> bytes | None:
        """Undo ``hide``."""
        return None if hidden is None else self._masked(hidden[NONCE:], hidden[:NONCE])

    def _masked(self, text: bytes, nonce: bytes) -> bytes:
        """Return the bytes, each combined with one of a stream that looks random without the key."""
        stream = hashlib.shake_256(self._secret + nonce).digest(len(text))
        return (np.frombuffer(text, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()

    def advance(self, version: int) -> None:
        """Remember on the disk that there were that many releases; the number never falls."""
        if version <= self.version:
            return
        try:
            self._file.seek(SIZE - VERSION)
            self._file.write(version.to_bytes(VERSION, "big"))
            os.fsync(self._file.fileno())
        except (OSError, ValueError) as error:
            raise DiscreetError(
                "what was told and released counts, but "
                "its key "
                f"{self.path} "
                "cannot be "
                "written "
                f"({error}): nothing goes "
                "on before it can."
            ) from None
        self.version = version

    def close(self) -> None:
        """Give the key free."""
        self._file.close()

    def __repr__(self) -> str:
        return f"Key({str(self.path)!r})"


def usual_path(token: str) -> Path:
    """Return where the key of a run is kept, if its path is not given."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(
        os.path.expanduser("~"), ".local", "state"
    )
    return Path(os.environ.get(FOLDER) or os.path.join(state, "discreet", "keys")) / f"{token}.key"


def _write_new(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(file, MARK + secrets.token_bytes(SECRET) + bytes(VERSION))
        os.fsync(file)
    finally:
        os.close(file)
    keep_entry(path.parent)


def _leave_to_the_parent() -> None:
    """Close all keys in a forked process, which must not keep them when its parent has ended."""
    for key in list(_opened):
        key.close()


in_every_child(_leave_to_the_parent)
