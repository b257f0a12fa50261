"""The users of a ledger: their rounds, in total or in each period, by keyed hash."""

from __future__ import annotations

import hmac
import sqlite3
from datetime import timedelta

from discreet.errors import DiscreetError, count
from discreet.guarantee_words import period_words, window_of
from discreet.ledger.inputs import user_name

USERS = "CREATE TABLE users (digest BLOB PRIMARY KEY, rounds INTEGER) WITHOUT ROWID"
# ``period`` is the length of the windows, in seconds; ``latest`` the last window used
RENEWED = (
    "CREATE TABLE users (digest BLOB PRIMARY KEY, window INTEGER, rounds INTEGER) WITHOUT ROWID",
    "CREATE TABLE period (seconds REAL, latest INTEGER)",
)


def limit_words(rounds: int, per: timedelta | None) -> str:
    """Return the message for a user at the limit.

    >>> limit_words(3, timedelta(days=30))
    'this user has had 3 rounds in this period of 30 days, which is the limit.'
    """
    where = "" if per is None else f" in this period of {period_words(per)}"
    return f"this user has had {count(rounds, 'round')}{where}, which is the limit."


class LedgerUsers:
    """Counts users in the file of a ledger, in transactions of the ledger.

    With a period, rounds count in the window of the clock. Its number never decreases: if the clock
    is set back, rounds count in the latest window so far.
    """

    def __init__(self, limit: int | None, per: timedelta | None, key: bytes | None) -> None:
        self._limit, self.per, self._key = limit, per, key

    def create(self, file: sqlite3.Connection) -> None:
        """Create the tables."""
        if self.per is None:
            file.execute(USERS)
            return
        for statement in RENEWED:
            file.execute(statement)
        file.execute("INSERT INTO period VALUES (?, 0)", (self.per.total_seconds(),))

    def stored_period(self, file: sqlite3.Connection) -> timedelta | None:
        """Return the period of the ledger in a file; earlier versions wrote none."""
        if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'period'").fetchone():
            return None
        return timedelta(seconds=file.execute("SELECT seconds FROM period").fetchone()[0])

    def digest(self, user: object) -> bytes:
        """Return a user's pseudonym."""
        if self._key is None:
            raise DiscreetError(
                "max_rounds_per_user is None, but must be set to count the rounds of users."
            )
        return hmac.digest(self._key, b"user:" + user_name(user).encode("utf-8"), "sha256")

    def window(self, file: sqlite3.Connection, now: float) -> int:
        """Return the window in which rounds count now."""
        if self.per is None:
            return 0
        (latest,) = file.execute("SELECT latest FROM period").fetchone()
        return max(int(latest), window_of(now, self.per))

    def rounds(self, file: sqlite3.Connection, digest: bytes, window: int) -> int:
        """Return how many rounds a user has had, in a window if there are periods."""
        where: str = ""
        row: tuple[bytes | int, ...] = (digest,)
        if self.per is not None:
            where, row = " AND window >= ?", (digest, window)
        found = file.execute(f"SELECT rounds FROM users WHERE digest = ?{where}", row).fetchone()
        return int(found[0]) if found else 0

    def count(self, file: sqlite3.Connection, digest: bytes, window: int) -> int | None:
        """Count a round of a user; return the rounds so far, or None if at the limit."""
        rounds = self.rounds(file, digest, window) + 1
        if self._limit is not None and rounds > self._limit:
            return None
        row: tuple[bytes | int, ...] = (digest, rounds)
        if self.per is not None:
            row = (digest, window, rounds)
        file.execute(f"INSERT OR REPLACE INTO users VALUES ({', '.join('?' * len(row))})", row)
        return rounds

    def keep(self, file: sqlite3.Connection, window: int) -> None:
        """Store the latest window; delete counts of earlier ones when a new one begins."""
        if self.per is None:
            return
        if file.execute("UPDATE period SET latest = ?1 WHERE latest < ?1", (window,)).rowcount:
            file.execute("DELETE FROM users WHERE window < ?", (window,))
