"""Bearer tokens: hashed, with a role, for one run or all runs."""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal, cast, get_args

from discreet.errors import check_choice, check_finite
from discreet.live.database.records import Records
from discreet.service.problems import HttpProblem, not_found
from discreet.service.specs import check_run_name

Role = Literal["decide", "read", "admin"]
ROLES = get_args(Role)
EVERY_RUN = "*"
KIND = "token"  # of the records
PREFIX = "dsc_"  # lets secret scanners recognise a token
LONGEST_LABEL = 100


@dataclass(frozen=True)
class Grant:
    """The rights of a token; the token itself is not stored."""

    id: str
    role: Role
    run: str  # or "*" for all runs
    label: str
    created: float
    expires: float | None

    def allows(self, role: Role, run: str) -> bool:
        """Return whether it has a role for a run, or for all runs ("*")."""
        return (self.run in (EVERY_RUN, run)) and self.role in (role, "admin")

    def reads(self, run: str) -> bool:
        """Return whether it has any role for a run."""
        return self.run in (EVERY_RUN, run)


class Tokens:
    """The tokens of a service. All are in memory; ``refresh`` reads them again."""

    def __init__(self, records: Records, clock: Callable[[], float]) -> None:
        self._records, self._clock = records, clock
        self._grants: dict[str, Grant] = {}  # by digest
        self._known: dict[bytes, Grant] = {}  # by header, of requests so far
        self._lock = threading.Lock()
        self.refresh()

    def refresh(self) -> None:
        """Read all tokens: another process may have created or revoked some."""
        found = {}
        for digest in self._records.names(KIND):
            content = self._records.get(KIND, digest)
            if content is not None:
                found[digest] = Grant(**json.loads(content))
        with self._lock:
            if found != self._grants:
                self._grants, self._known = found, {}

    def create(
        self, role: str, run: str = EVERY_RUN, label: str = "", expires: float | None = None
    ) -> tuple[str, Grant]:
        """Create a token; return it, this once, and its rights."""
        check_choice("role", role, ROLES)
        if not isinstance(run, str):
            raise HttpProblem("invalid", "run must be the name of a run, or * for all.")
        if run != EVERY_RUN:
            check_run_name(run)
        if not isinstance(label, str) or len(label) > LONGEST_LABEL or not label.isprintable():
            raise HttpProblem(
                "invalid", f"label must be at most {LONGEST_LABEL} printable characters."
            )
        now = self._clock()
        if expires is not None and check_finite("expires", expires) <= now:
            raise HttpProblem("invalid", "expires is in the past: give seconds since 1970.")
        token = PREFIX + secrets.token_urlsafe(32)
        grant = Grant(f"tok_{secrets.token_hex(6)}", cast(Role, role), run, label, now, expires)
        self._records.put(KIND, digest_of(token.encode()), json.dumps(asdict(grant)).encode(), now)
        self.refresh()
        return token, grant

    def revoke(self, identity: str) -> None:
        """Revoke a token, but not the last one that may administer all runs."""
        grants = dict(self._grants)
        digest = next((each for each, grant in grants.items() if grant.id == identity), None)
        if digest is None:
            raise not_found("such token")
        rest = [grant for each, grant in grants.items() if each != digest]
        if not any(each.allows("admin", EVERY_RUN) and each.expires is None for each in rest):
            raise HttpProblem(
                "last-admin",
                "this is the last token that administers all runs: create another one first.",
            )
        self._records.delete(KIND, digest)
        self.refresh()

    def all(self) -> list[Grant]:
        """Return the rights of all tokens, oldest first."""
        return sorted(self._grants.values(), key=lambda grant: (grant.created, grant.id))

    def grant_of(self, header: bytes) -> Grant | None:
        """Return the rights of the token in an Authorization header; None if it is unknown."""
        try:
            grant = self._known[header]
        except KeyError:
            scheme, _, token = header.partition(b" ")
            grants = self._grants
            found = grants.get(digest_of(token)) if scheme.lower() == b"bearer" else None
            if found is None:
                return None
            grant = found
            with self._lock:
                if grants is self._grants and scheme == b"Bearer":
                    self._known[header] = grant
        if grant.expires is not None and grant.expires <= self._clock():
            return None
        return grant

    def role_of(self, token: str, run: str) -> Role | None:
        """Return the role of a token for a run, or for all runs ("*")."""
        grant = self.grant_of(b"Bearer " + token.encode("utf-8", "replace"))
        return grant.role if grant is not None and grant.reads(run) else None

    def runs_of(self, token: str) -> str | None:
        """Return the run of a token, "*" for all runs; None if the token is unknown."""
        grant = self.grant_of(b"Bearer " + token.encode("utf-8", "replace"))
        return None if grant is None else grant.run


def digest_of(token: bytes) -> str:
    """Return the stored digest of a token. It has 256 random bits, so a plain hash is enough."""
    return hashlib.sha256(token).hexdigest()
