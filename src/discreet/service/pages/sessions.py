"""Sign-ins: a visitor who has entered a token may read pages for some hours.

The browser stores a random id, in a cookie that scripts cannot read and other sites cannot make it
send. The service stores the token under the hash of that id, encrypted with a key derived from the
id. So neither the cookie nor the database shows a token: cookies go to every port of a host, and a
token could do more than read. Every page checks the rights of the token again, so revoking a token
ends its sign-ins.
"""

from __future__ import annotations

import hashlib
import secrets
import struct
import threading
import time
from collections.abc import Callable
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from discreet.service.pages.source import TokenSource

COOKIE = "discreet_session"  # its name in the browser
KIND = "session"
HOURS = 12.0  # duration of a sign-in
READERS = ("read", "admin")  # roles that may see pages
TIME = struct.Struct(">d")
ID_SIZE = 43  # characters of 32 random bytes


class SessionRecords(Protocol):
    """Storage of sign-ins: the records of the service's database, or memory."""

    def get(self, kind: str, name: str) -> bytes | None:
        """Return the content stored under a name."""

    def put(self, kind: str, name: str, content: bytes, at: float) -> None:
        """Store content under a new name."""

    def delete(self, kind: str, name: str) -> object:
        """Delete a name, if it exists."""

    def purge(self, kind: str, before: float) -> object:
        """Delete older content."""


class SessionMemory:
    """Sign-ins of one process, which end with it."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[bytes, float]] = {}
        self._lock = threading.Lock()

    def get(self, kind: str, name: str) -> bytes | None:
        """Return the content stored under a name."""
        found = self._kept.get((kind, name))
        return None if found is None else found[0]

    def put(self, kind: str, name: str, content: bytes, at: float) -> None:
        """Store content under a new name."""
        with self._lock:
            self._kept[kind, name] = content, at

    def delete(self, kind: str, name: str) -> None:
        """Delete a name, if it exists."""
        with self._lock:
            self._kept.pop((kind, name), None)

    def purge(self, kind: str, before: float) -> None:
        """Delete older content."""
        with self._lock:
            old = [key for key, (_, at) in self._kept.items() if key[0] == kind and at < before]
            for key in old:
                del self._kept[key]


class SignIns:
    """Begins and ends sign-ins, and checks what they may read."""

    def __init__(
        self,
        tokens: TokenSource,
        records: SessionRecords | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._tokens, self._clock = tokens, clock
        self._records = SessionMemory() if records is None else records

    def begin(self, token: str) -> str | None:
        """Return the id of a new sign-in; None if the token may not read anything."""
        run = self._tokens.runs_of(token)
        if run is None or self._tokens.role_of(token, run) not in READERS:
            return None
        now, session = self._clock(), secrets.token_urlsafe(32)
        self._records.purge(KIND, now - 3600.0 * HOURS)
        name, key = _places(session)
        nonce, content = secrets.token_bytes(12), TIME.pack(now) + token.encode()
        self._records.put(
            KIND, name, nonce + AESGCM(key).encrypt(nonce, content, _purpose(name)), now
        )
        return session

    def end(self, session: str) -> None:
        """Delete a sign-in."""
        self._records.delete(KIND, _places(session)[0])

    def token_of(self, session: str | None) -> str | None:
        """Return the token of a valid sign-in; None otherwise."""
        if session is None or len(session) != ID_SIZE:
            return None
        name, key = _places(session)
        kept = self._records.get(KIND, name)
        if kept is None:
            return None
        try:
            content = AESGCM(key).decrypt(kept[:12], kept[12:], _purpose(name))
        except InvalidTag:
            return None
        (begun,) = TIME.unpack(content[: TIME.size])
        if not 0.0 <= self._clock() - begun + 60.0 <= 3600.0 * HOURS:
            return None
        return content[TIME.size :].decode()

    def may_read(self, token: str, run: str) -> bool:
        """Return whether a token may see the pages of a run."""
        return self._tokens.role_of(token, run) in READERS

    def is_known(self, token: str) -> bool:
        """Return whether a token may still read something."""
        run = self._tokens.runs_of(token)
        return run is not None and self.may_read(token, run)


def _places(session: str) -> tuple[str, bytes]:
    """Return the name under which a sign-in is stored, and the key of its content."""
    text = session.encode()
    name = hashlib.blake2b(text, digest_size=32, person=b"session name").hexdigest()
    return name, hashlib.blake2b(text, digest_size=32, person=b"session key").digest()


def _purpose(name: str) -> bytes:
    """Return what a content is authenticated with: it is accepted as this sign-in only."""
    return f"sign-in by the cookie {COOKIE}, stored as {KIND} {name}".encode()
