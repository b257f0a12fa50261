"""The inputs of a ledger: guarantees to charge, names of users, and the key that hides them."""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import sqlite3
import unicodedata
from datetime import timedelta
from pathlib import Path

from discreet.errors import (
    DiscreetError,
    cannot_make,
    check_path,
    no_file,
    shorten,
    whole_number,
)
from discreet.guarantee import Guarantee
from discreet.guarantee_words import period_words
from discreet.ledger.guards import is_damage

User = str | int | bytes
# Invisible characters of other categories: the grapheme joiner, fillers of Hangul, inherent vowels
# of Khmer, the joiner of Tifinagh, the blank of Braille, a note without a head, the place of an
# object, and variation selectors. And code points reserved for characters of this kind, or for
# none.
UNSEEN = frozenset(
    [*"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u180b\u180c\u180d\u180f"]
    + [*"\u2065\u2800\u2d7f\ufffc\U00016fe4\U0001d159"]
    + [chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9))]
    + [chr(code) for code in (*range(0xFDD0, 0xFDF0), *range(0xE0000, 0xE1000))]
    + [chr((plane << 16) + code) for plane in range(17) for code in (0xFFFE, 0xFFFF)]
)
# Keyed hashes of these in a file show that an earlier version counted users differently.
OLD_CHECKS = {
    b"check": "17 and '17'",
    b"check: users are text": "names that look the same",
}
KEY_BYTES = 16  # the shortest key: 128 bits cannot be guessed


def check_charge(
    guarantee: object, label: object, rounds: int, per: timedelta | None = None
) -> Guarantee:
    """Return a guarantee that can be charged.

    Refuse one that is not proved, does not hold in full, or covers fewer rounds than a user may
    have: a sum of such guarantees would mean nothing.
    """
    if not isinstance(guarantee, Guarantee):
        raise DiscreetError(f"guarantee is {shorten(guarantee)}, but must be a Guarantee.")
    if not guarantee.is_private:
        raise DiscreetError(
            f"guarantee is {guarantee.short}, but only differentially private releases can be "
            "charged."
        )
    if guarantee.status != "proved":
        raise DiscreetError(
            f"guarantee is {guarantee.status}, but only proved guarantees can be charged."
        )
    if guarantee.caveat:
        raise DiscreetError(
            f"guarantee holds {guarantee.caveat}, but only unconditional guarantees can be charged."
        )
    if guarantee.rounds < rounds:
        raise DiscreetError(
            f"guarantee is for {guarantee.unit}, but a user may be in {rounds} rounds: charge "
            f"guarantee.for_user(rounds={rounds})."
        )
    if guarantee.period is not None and (guarantee.period != per or guarantee.periods > 1):
        budget = "all time" if per is None else f"one period of {period_words(per)}"
        raise DiscreetError(
            f"guarantee is for {guarantee.unit}, but the budget is for {budget}: give the ledger "
            "the same per."
        )
    if not isinstance(label, str) or not label.isprintable():
        raise DiscreetError(f"label is {shorten(label)}, but must be printable text.")
    return guarantee


def user_name(user: object) -> str:
    r"""Return the text that names a user.

    Treating two users as one is safe; treating one as two is not. So texts that look alike are one
    name: compatible characters are equal (NFKC: full-width digits, ligatures), and invisible ones
    are removed: control and format characters (zero-width spaces and joiners, byte order marks,
    NUL, directions) and variation selectors. All blanks are equal, and those around a name are
    removed.

    >>> [user_name(user) for user in (17, "17", b"17", " 17", "１７", "1\u200b7", "\ufeff17\0")]
    ['17', '17', '17', '17', '17', '17', '17']
    """
    if isinstance(user, str | bytes):
        text = _text(user)
    elif (number := whole_number(user)) is not None:
        text = _text(number)
    else:
        raise DiscreetError(
            f"user is of type {type(user).__name__}, but must be text, a whole number or bytes."
        )
    if text is None:
        raise DiscreetError(
            "user is not valid text: bytes must be UTF-8 (or give their hex()), text must have "
            "no lone surrogates, and numbers at most 4,300 digits."
        )
    name = _normal(text)
    if not name:
        raise DiscreetError("user is empty, but must be text that names one person.")
    return name


def _normal(text: str) -> str:
    """Return a name without invisible characters, normalised again, as letters may have joined."""
    if text.isascii() and text.isprintable():  # the same result in a tenth of the time
        return " ".join(text.split())
    before, name = "", text
    while name != before:
        before, name = name, unicodedata.normalize("NFKC", name)
        seen = "".join(letter for letter in name if not _is_unseen(letter))
        name = " ".join(seen.split())
    return name


def _is_unseen(letter: str) -> bool:
    """Return whether a character is invisible; blanks such as line feeds are not."""
    if letter.isspace():
        return False
    return unicodedata.category(letter) in ("Cc", "Cf") or letter in UNSEEN


def _text(user: str | bytes | int) -> str | None:
    """Return the text, or None: the user must not appear in the chain of an exception."""
    try:
        if isinstance(user, bytes):
            return user.decode("utf-8")
        text = str(user)
        text.encode("utf-8")
    except ValueError:
        return None
    return text


def check_key(key: object, *, limited: bool, in_memory: bool) -> bytes | None:
    """Return the key for the pseudonyms of users, if there is a limit on users."""
    if not limited and key is not None:
        raise DiscreetError(
            "key is given, but max_rounds_per_user is None, and without it no user is stored."
        )
    if not limited or (key is None and in_memory):
        return secrets.token_bytes(32) if limited else None
    if not isinstance(key, bytes) or len(key) < KEY_BYTES:
        given = f"{len(key)} bytes" if isinstance(key, bytes) else f"a {type(key).__name__}"
        found = "None" if key is None else given
        advice = "make one with secrets.token_bytes(32), and keep it apart from the file"
        raise DiscreetError(
            f"key is {found}, but must be at least {KEY_BYTES} secret bytes: {advice}."
        )
    return key


def present_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file; create an empty one, readable by its owner only, if needed."""
    path = check_path("path", path)
    if os.path.isdir(path):  # noqa: PTH112 - false for impossible names
        raise no_file("path", path)
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except (OSError, ValueError) as error:
        raise cannot_make("path", path, error) from None
    return Path(path).absolute()


def check_stored_key(key: bytes | None, check: bytes | None, stored: bytes, where: str) -> None:
    """Refuse a key other than the ledger's, and a ledger that counted users differently."""
    if key is None or check is None:
        return
    for old, alike in OLD_CHECKS.items():
        if hmac.compare_digest(hmac.digest(key, old, "sha256"), stored):
            raise DiscreetError(
                f"the ledger {where} counted {alike} as two users, so it cannot be used any more."
            )
    if not hmac.compare_digest(check, stored):
        raise DiscreetError(f"key is not the one that the ledger {where} was created with.")


# What reading a damaged file may raise.
UNREADABLE = (sqlite3.Error, TypeError, ValueError, AttributeError, ArithmeticError, LookupError)


def unusable(error: Exception, where: str) -> DiscreetError:
    """Return the refusal of a ledger after an error of SQLite, or in reading its rows."""
    if isinstance(error, DiscreetError):
        return error
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
        return DiscreetError(f"the ledger {where} is a file of another kind.")
    damaged = is_damage(error) or not isinstance(error, sqlite3.Error)
    why = "is damaged" if damaged else f"cannot be used ({error})"
    return DiscreetError(f"the ledger {where} {why}, so nothing may be released.")
