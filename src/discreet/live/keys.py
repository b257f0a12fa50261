"""The key of a run: it encrypts raw rows, authenticates the run, and detects old copies.

It also holds a small release from its draw until the run has stored it.

The key is stored separately from the run. A run file alone, or a copy or backup of it, reveals no
more than what was released.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import struct
import sys
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import platformdirs

from discreet.errors import (
    LONG_PATH,
    DiscreetError,
    cannot_make,
    check_path,
    no_file,
    reason_of,
    shorten,
    show_path,
)
from discreet.ledger.guards import run_in_children
from discreet.live.row_cipher import RowCipher
from discreet.live.watched_file import WatchedName
from discreet.output import lock
from discreet.processes import process_mark

if TYPE_CHECKING:
    from discreet.live.rows import Recipe

MARK = b"discreet"  # the first bytes of a key file
SECRET, NAME = 32, 16  # bytes of the secret, and of a random name
VERSION = struct.Struct(f">QQ{NAME}s{NAME}s")
START = len(MARK) + SECRET  # the position of the version
SIZE = START + VERSION.size
# The version and a note behind it are written at once, and lie in the first sector of the file,
# which a disk writes completely or not at all.
SECTOR, LENGTH = 512, 2
LONGEST_NOTE = SECTOR - SIZE - LENGTH
FOLDER = "DISCREET_KEYS"  # the environment variable with the folder of keys

# Syncs the content of a file but not its times: its size never changes. Not on every system.
sync = os.fdatasync if sys.platform == "linux" else os.fsync

_opened: weakref.WeakSet[Key] = weakref.WeakSet()


class Version(NamedTuple):
    """The version of a run, which is compared with its key to refuse old copies.

    Names are random, so two copies that both continued differ in them.
    """

    releases: int
    changes: int  # the number of changes that must not be lost
    last_release: bytes  # its name
    last_change: bytes

    def with_release(self, name: bytes, more: int = 1) -> Version:
        """Return the version after one or more further releases, the last with this name."""
        return Version(self.releases + more, self.changes, name, self.last_change)

    def with_change(self) -> Version:
        """Return the version after one more change, with a fresh name."""
        return Version(self.releases, self.changes + 1, self.last_release, new_name())


NEW = Version(0, 0, bytes(NAME), bytes(NAME))


def new_name() -> bytes:
    """Return a unique name."""
    return os.urandom(NAME)


class Key(RowCipher):
    """A secret and the version of its run, in a file that only its owner can read.

    Only one holder at a time can open it, across all processes: of a run and a copy of its file,
    one is refused.

    """

    def __init__(self, path: Path, *, new: bool) -> None:
        try:
            if new:
                _write_new(path)
            self._file = path.open("r+b", buffering=0)
        except FileExistsError:
            raise DiscreetError(
                f"key is {shown(path)}, where there is already a file: give a new path."
            ) from None
        except OSError as error:
            raise unusable(path, error) from None
        _opened.add(self)
        self._mark = process_mark()
        weakref.finalize(self, self._file.close)
        self.path = path
        if not lock(self._file):
            self.close()
            raise DiscreetError(
                f"key is {shown(path)}, which is in use: the same run, or a copy of its file, is "
                "open."
            )
        content = self._file.read(SECTOR)
        secret = content[len(MARK) : len(MARK) + SECRET]
        if content[: len(MARK)] != MARK or len(content) < SIZE:
            self.close()
            found = "a file of another kind, not the key of a run"
            if content[: len(MARK)] == MARK:
                found = f"a truncated key: {len(content)} of {SIZE} bytes"
            raise DiscreetError(f"key is {shown(path)}, but that is {found}.")
        self._take(content)
        self._watched = WatchedName(path)
        # a process that was killed, or whose sync failed, may have written what is not on the disk
        self._is_known = new
        super().__init__(secret)

    def _take(self, content: bytes) -> None:
        self.version = Version(*VERSION.unpack_from(content, START))
        length = int.from_bytes(content[SIZE : SIZE + LENGTH], "big")
        # a drawn release, encrypted, until the run has stored it
        self.note = content[SIZE + LENGTH :][:length]
        self._is_known = True  # what is here is what is in the file

    def reread(self) -> None:
        """Read version and note again if a failed write may have changed them; keep what is found.

        It is written again, because what a failed sync leaves may never reach the disk.
        """
        if self._is_known:
            return
        try:
            self._file.seek(0)
            content = self._file.read(SECTOR)
            self._file.seek(START)
            if not self._mark[0]:
                raise ValueError("this is another process")
            self._file.write(content[START:])
            sync(self._file.fileno())
        except (OSError, ValueError) as error:
            raise self._unwritable("nothing has changed", error) from None
        self._take(content)

    def advance(self, version: Version, note: bytes | None = None) -> None:
        """Record the version of the run; its numbers never decrease.

        Releases and notes wait for the disk. Other changes do not: they may reach the disk later,
        in the order of writing, so after a power failure the key may be behind the run. A new note
        replaces the earlier one; without a new one, that stays.
        """
        if not self._is_known:
            self.reread()
        before, former = self.version, self.note
        known, counted = before.releases, before.changes
        if version.changes <= counted and version.last_change != before.last_change:
            version = version._replace(changes=counted, last_change=before.last_change)
        if version.releases <= known and version.last_release != before.last_release:
            version = version._replace(releases=known, last_release=before.last_release)
        if note is None:
            note = former
        if version == before and note == former:
            return
        row = VERSION.pack(*version) + len(note).to_bytes(LENGTH, "big")
        file = self._file
        self._is_known = False
        try:
            file.seek(START)
            if not self._mark[0]:  # a signal handler may have forked
                raise ValueError("this is another process")
            file.write(row + note.ljust(len(former), b"\0"))
            if version.releases > known or note:
                sync(file.fileno())
        except (OSError, ValueError) as error:
            what = "nothing has changed" if note else "recorded outcomes and releases count"
            raise self._unwritable(what, error) from None
        self.version, self.note, self._is_known = version, note, True

    def check_present(self) -> None:
        """Refuse to go on without the file."""
        self._watched.check(f"the key {self.path}")

    def _unwritable(self, what: str, error: OSError | ValueError) -> DiscreetError:
        return DiscreetError(
            f"{what}, but the key {self.path} cannot be written ({reason_of(error)}): the run "
            "stops until it can."
        )

    def close(self) -> None:
        """Close the key, so that another process can open it."""
        self._file.close()

    def __repr__(self) -> str:
        return f"Key({str(self.path)!r})"


# From recipe, state and epoch of a learner, and traces of lost batches: its state without them.
Forget = Callable[["Recipe", bytes, int, Sequence[str]], bytes]


class KeyPlace(NamedTuple):
    """Where the key of a run is: at a path or in the usual folder; or that it is lost."""

    path: str | os.PathLike[str] | None = None
    lost: bool = False
    forget: Forget | None = None  # how the learner forgets batches if the key is lost

    def create(self, token: str) -> Key:
        """Return the key of a new run."""
        return Key(self._path(token), new=True)

    def find(self, token: str, fingerprint: str) -> Key:
        """Return the key of a run; refuse another run's key."""
        path = self._path(token)
        if not is_file(path):
            former = _former_path(token)
            hint = f" (it is at {former}: move it)" if os.path.isfile(former) else ""
            raise DiscreetError(
                f"the key of this run is not at {show_path(path)}{hint}: give its path with "
                "key=; if it is lost, lost_key=True continues without the outcomes of unfinished "
                "batches."
            )
        key = Key(path, new=False)
        if key.fingerprint != fingerprint:
            key.close()
            raise DiscreetError(f"key is {shown(path)}, but that is the key of another run.")
        return key

    def check(self) -> KeyPlace:
        """Return this place, or refuse a value that cannot be the path of a key."""
        if self.path is not None:
            check_path("key", self.path)
        return self

    def _path(self, token: str) -> Path:
        given = self.check().path
        return (usual_path(token) if given is None else Path(given)).absolute()


def is_file(path: Path) -> bool:
    """Return whether a key may be at a path; refuse a path that the system refuses."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise unusable(path, error) from None


def unusable(path: Path, error: OSError) -> DiscreetError:
    """Return the refusal of a key that cannot be read or written."""
    return DiscreetError(
        f"key is {shown(path)}, but this file cannot be used ({reason_of(error)})."
    )


def shown(path: Path) -> str:
    """Return the path of a key in quotes, shortened if it is long."""
    return shorten(str(path), most=LONG_PATH)


def usual_path(token: str) -> Path:
    """Return the default path of a run's key."""
    given = os.environ.get(FOLDER)
    state = platformdirs.user_state_path("discreet", appauthor=False)
    return (Path(given) if given else state / "keys") / f"{token}.key"


def _former_path(token: str) -> Path:
    """Return where earlier versions stored the key, on every system."""
    home = os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(os.environ.get("XDG_STATE_HOME") or home, "discreet", "keys", f"{token}.key")


def new_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file; if needed, create a durable empty one, for its owner only."""
    path = check_path("path", path)
    if os.path.isdir(path):  # noqa: PTH112 - false for impossible names
        raise no_file("path", path)
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            keep_entry(Path(path).absolute().parent)
    except (OSError, ValueError) as error:
        raise cannot_make("path", path, error) from None
    return Path(path).resolve()


def _write_new(path: Path) -> None:
    """Write a new key: completely, or not at all if the process is killed."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(error.errno, "its folder is a file", str(path.parent)) from None
    if os.path.lexists(path):
        raise FileExistsError
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    file = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        try:
            # at its full size, so that no later write needs disk space
            os.write(file, (MARK + secrets.token_bytes(SECRET)).ljust(SECTOR, b"\0"))
            os.fsync(file)
        finally:
            os.close(file)
        # Unlike a rename, a link replaces nothing; some file systems have no links.
        try:
            os.link(draft, path)
        except (OSError, AttributeError):
            if os.path.lexists(path):
                raise FileExistsError from None
            draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
    keep_entry(path.parent)


def keep_entry(folder: Path) -> None:
    """Write the entries of a folder to the disk; systems that cannot open folders do it anyway."""
    with contextlib.suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _close_in_child() -> None:
    """Close all keys in a forked process, which must not hold them after its parent has ended."""
    for key in list(_opened):
        key.close()


run_in_children(_close_in_child)
