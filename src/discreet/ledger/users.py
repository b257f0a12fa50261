"""Who a user is: one text, however it is given."""

from __future__ import annotations

import unicodedata
from numbers import Integral

from discreet.errors import DiscreetError

User = str | int | bytes


def user_name(user: object) -> str:
    """Return the text that names a user; to take two users for one is safe, to take one for two is not.

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
            "user is no text: bytes must be UTF-8 (or give "
            "their "
            "hex()), and "
            "numbers at "
            "most "
            "4,300 "
            "digits."
        )
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise DiscreetError("user is empty, but must be text that names one person.")
    return name


def _text(user: str | bytes | Integral) -> str | None:
    """Return the text, or None; who it was must not stay in the chain of an exception."""
    try:
        if isinstance(user, bytes):
            return user.decode("utf-8")
        return user if isinstance(user, str) else str(int(user))
    except ValueError:
        return None
