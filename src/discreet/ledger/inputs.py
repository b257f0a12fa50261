"""What a ledger accepts: guarantees to charge, names of users, and the key to hide them."""

from __future__ import annotations

import secrets
import unicodedata
from numbers import Integral

from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee

User = str | int | bytes
KEY_BYTES = 16  # the shortest key: 128 bits cannot be guessed


def check_charge(guarantee: object, label: object, rounds: int) -> Guarantee:
    """Return a guarantee that can be charged.

    Refuse one that is not proved, does not hold in full, or covers fewer rounds than a user may be
    in: a sum of such guarantees would mean nothing.
    """
    if not isinstance(guarantee, Guarantee):
        raise DiscreetError(f"guarantee is {guarantee!r}, but must be a Guarantee.")
    if not guarantee.is_private:
        raise DiscreetError(
            f"guarantee is {guarantee.short}, but only differentially private releases can be "
            "charged."
        )
    if guarantee.status != "proved":
        raise DiscreetError(
            f"guarantee is {guarantee.status}, but only what is proved can be charged."
        )
    if guarantee.caveat:
        raise DiscreetError(
            f"guarantee holds {guarantee.caveat}, but only what holds in full can be charged."
        )
    if guarantee.rounds < rounds:
        raise DiscreetError(
            f"guarantee is for {guarantee.unit}, but users may be in {rounds}: charge "
            "for_user(...)."
        )
    if not isinstance(label, str) or not label.isprintable():
        raise DiscreetError(f"label is {label!r}, but must be printable text.")
    return guarantee


def user_name(user: object) -> str:
    """Return the text that names a user.

    Mistaking two users for one is safe; mistaking one for two is not.

    >>> [user_name(user) for user in (17, "17", b"17", " 17")]
    ['17', '17', '17', '17']
    """
    if isinstance(user, bool) or not isinstance(user, str | bytes | Integral):
        raise DiscreetError(
            f"user is of type {type(user).__name__}, but must be text, a whole number or bytes."
        )
    text = _text(user)
    if text is None:
        raise DiscreetError(
            "user is not valid text: bytes must be UTF-8 (or give their hex()), and numbers at "
            "most 4,300 digits."
        )
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise DiscreetError("user is empty, but must be text that names one person.")
    return name


def _text(user: str | bytes | Integral) -> str | None:
    """Return the text, or None: the user must not appear in the chain of an exception."""
    try:
        if isinstance(user, bytes):
            return user.decode("utf-8")
        return user if isinstance(user, str) else str(int(user))
    except ValueError:
        return None


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
