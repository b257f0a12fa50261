"""User limits: rounds counted per user, by the run or a ledger, and the charge of a run."""

from __future__ import annotations

import bisect
import contextlib
import hashlib
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple

from discreet.errors import DiscreetError, check_int, count
from discreet.guarantee import Guarantee
from discreet.guarantee_words import check_period, period_words, window_of
from discreet.ledger import Ledger, UserLimitReached
from discreet.ledger.inputs import User, user_name
from discreet.ledger.users import limit_words

# A bucket of users: the number of the bucket, the window, and one entry per user, in the order of
# their hashes. An entry is 12 bytes of the user's keyed hash and 4 bytes for the number of rounds.
# Other bits of that hash select the bucket of a user.
Usage = tuple[int, int, bytes]
Buckets = Mapping[int, tuple[int, bytes]]  # windows and entries, by bucket
# With 10^6 users, a bucket has 122 entries, or 2 kB. It fits into a page of the file, which is
# always written as a whole; reading and authenticating all of them takes some hundredths of a
# second.
BUCKETS = 8192
NAME, ENTRY = 12, 16
MOST = 2**32 - 1  # rounds of a user
PERSON = b"users of a run"


class UserLimit(NamedTuple):
    """The maximum number of rounds of each user in a run: in total, or in each period."""

    rounds: int
    per: timedelta | None = None

    @classmethod
    def of(cls, rounds: int | None, per: timedelta | None) -> UserLimit | None:
        """Return the limit described by these arguments, if any."""
        if rounds is None:
            if per is not None:
                raise DiscreetError("per is given, but max_rounds_per_user is None: give both.")
            return None
        number = check_int("max_rounds_per_user", rounds, minimum=1, maximum=MOST)
        return cls(number, None if per is None else check_period("per", per))

    def check(self, ledger: Ledger | None) -> None:
        """Refuse a ledger that counts users itself, or whose budget has another period."""
        if ledger is None:
            return
        if ledger.max_rounds_per_user is not None:
            raise DiscreetError(
                "max_rounds_per_user is given, but the ledger also limits the rounds of a user, "
                "over all its runs: give one of the two."
            )
        if self.per is not None and ledger.per != self.per:
            other = "all time" if ledger.per is None else period_words(ledger.per)
            raise DiscreetError(
                f"per is {period_words(self.per)}, but the ledger's budget is for {other}: use the "
                "same per for both."
            )


class UserCount:
    """Counts the rounds of users in the buckets of a run.

    Users appear only as keyed hashes. The number of the window never decreases: if the clock is set
    back, rounds count in the latest window so far. Writing a bucket drops its entries of earlier
    windows.
    """

    def __init__(self, limit: UserLimit, secret: bytes, window: int) -> None:
        self._limit = limit
        self._start = hashlib.blake2b(key=secret, digest_size=2 + NAME, person=PERSON)
        self._window = window  # the latest so far

    def catch_up(self, window: int) -> None:
        """Set the latest window in which another worker has counted a user."""
        self._window = max(self._window, window)

    def add(self, usage: Buckets, now: float, user: User) -> Usage:
        """Return the bucket of a user with one more round, or refuse if the limit is reached."""
        window = self._now(now)
        bucket, name = self._place(user)
        users = _in_window(usage, bucket, window)
        at, rounds = _find(users, name)
        if rounds >= self._limit.rounds:
            raise UserLimitReached(limit_words(*self._limit))
        entry = name + (rounds + 1).to_bytes(ENTRY - NAME, "big")
        return bucket, window, users[:at] + entry + users[at + (ENTRY if rounds else 0) :]

    def rounds(self, usage: Buckets, now: float, user: User) -> int:
        """Return how many rounds of a user have been counted in the current window."""
        bucket, name = self._place(user)
        return _find(_in_window(usage, bucket, self._now(now)), name)[1]

    def at_limit(self, usage: Buckets, now: float) -> int:
        """Return how many users have no round left in the current window."""
        window, most = self._now(now), self._limit.rounds.to_bytes(ENTRY - NAME, "big")
        found = 0
        for bucket in usage:
            users = _in_window(usage, bucket, window)
            found += sum(
                users[end - ENTRY + NAME : end] >= most
                for end in range(ENTRY, len(users) + 1, ENTRY)
            )
        return found

    def buckets_of(self, users: Iterable[User]) -> list[int]:
        """Return the buckets of users; skip invalid names."""
        found = []
        for user in users:
            with contextlib.suppress(DiscreetError):
                found.append(self._place(user)[0])
        return found

    def _now(self, now: float) -> int:
        per = self._limit.per
        if per is not None:
            self._window = max(self._window, window_of(now, per))
        return self._window

    def _place(self, user: User) -> tuple[int, bytes]:
        """Return the bucket of a user, and the user's hash in it."""
        hashed = self._start.copy()
        hashed.update(user_name(user).encode())
        digest = hashed.digest()
        return int.from_bytes(digest[:2], "big") % BUCKETS, digest[2:]


def _in_window(usage: Buckets, bucket: int, window: int) -> bytes:
    """Return the entries of a bucket, or none if they are of an earlier window."""
    held, users = usage.get(bucket, (window, b""))
    return users if held >= window else b""


def _find(users: bytes, name: bytes) -> tuple[int, int]:
    """Return where the entry of a user begins, or would be inserted, and the user's rounds."""
    places = range(len(users) // ENTRY)
    at = ENTRY * bisect.bisect_left(
        places, name, key=lambda place: users[ENTRY * place : ENTRY * place + NAME]
    )
    if users[at : at + NAME] != name:
        return at, 0
    return at, int.from_bytes(users[at + NAME : at + ENTRY], "big")


class Admission:
    """Charges a run to a ledger before its first decision, and counts its users.

    The label of the charge names the run, and a label is charged once. So a run that stopped after
    its charge, or continues in another process, is not charged again.

    If the run has a limit, it counts a user in the transaction of the decision (docs/proofs.md:
    Users counted with their decisions). If the ledger has one, it counts a user before the decision
    is made: a crash in between may leave a counted round that was not played, never the other way
    round.
    """

    def __init__(
        self, ledger: Ledger | None, guarantee: Guarantee, label: str, users: UserLimit | None
    ) -> None:
        self._ledger, self._guarantee, self._label = ledger, guarantee, label
        self._counts = users is not None  # the run counts users
        self._limit = users
        if ledger is not None and ledger.max_rounds_per_user is not None:
            self._limit = UserLimit(ledger.max_rounds_per_user, ledger.per)
        if users is not None:
            users.check(ledger)
        self._charged = ledger is None

    @property
    def needed(self) -> bool:
        """Whether there is anything to charge or to count."""
        return self._ledger is not None or self._counts

    @property
    def label(self) -> str | None:
        """The label of the charge in the ledger; None without a ledger."""
        return None if self._ledger is None else self._label

    @property
    def limited(self) -> bool:
        """Whether the run or the ledger limits users."""
        return self._limit is not None

    def covering(self, guarantee: Guarantee) -> Guarantee:
        """Return a guarantee for the maximum number of rounds of a user."""
        if self._limit is None:
            return guarantee
        rounds, per = self._limit
        mine = guarantee.for_user(rounds=rounds)
        return mine if per is None else mine.in_period(per)

    def check(self, user: User | None) -> None:
        """Refuse a missing user if users are counted, and a given one if they are not."""
        if self._limit is None and user is not None:
            raise DiscreetError(
                "user is given, but this run does not limit the rounds of a user: create the run, "
                "or its ledger, with max_rounds_per_user."
            )
        if self._limit is not None and user is None:
            what = "the run" if self._counts else "the ledger"
            rounds = count(self._limit.rounds, "round")
            raise DiscreetError(f"ask needs the user: {what} allows each user at most {rounds}.")

    def check_known(self) -> None:
        """Refuse a ledger that limits users but has not counted the run's users so far."""
        ledger = self._ledger
        if ledger is None or ledger.max_rounds_per_user is None:
            return
        if all(entry.label != self._label for entry in ledger.entries()):
            raise DiscreetError(
                "ledger limits the rounds of a user, but is not the one that counted this run's "
                "users so far: give that ledger."
            )

    def check_room(self) -> None:
        """Refuse a run that the ledger's budget does not cover now; charge nothing."""
        if self._ledger is not None:
            self._ledger.check_room(self.covering(self._guarantee))

    def charge(self) -> None:
        """Charge the run, unless it has been charged."""
        if not self._charged and self._ledger is not None:
            self._ledger.charge(self.covering(self._guarantee), label=self._label, once=True)
            self._charged = True

    def count(self, user: User | None) -> None:
        """Count a round of the user, if the ledger counts users."""
        if user is not None and self._ledger is not None and not self._counts:
            self._ledger.admit(user)


def bare_id(number: int) -> DiscreetError:
    """Return the refusal of a bare id, which may name another user's decision after a failure."""
    return DiscreetError(
        f"decision is the id {number}, but this run counts its users, and after a power failure "
        "another user may get the same id: give the decision itself (store all of its fields)."
    )
