"""Encryption of the raw rows of a run, with a secret that only its owner has."""

from __future__ import annotations

import hashlib
import os
import secrets
from typing import TYPE_CHECKING

from discreet.errors import DiscreetError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SALT, NONCE = 16, 12  # bytes before each encrypted row; 96 bits is the nonce of AES-GCM
OVERHEAD = SALT + NONCE + 16  # additional bytes of an encrypted row; it ends in its own tag
# Rows per subkey. Nonces are random, and a repeated one would reveal two rows and the
# authentication key. With 2^32 rows per subkey this has a probability below 2^-32 (NIST SP
# 800-38D, 8.3). So each time a run is opened, and after every 2^32 rows, there is a fresh subkey.
# Counting nonces instead would repeat them when a virtual machine is reset to a snapshot.
ROWS_PER_SUBKEY = 2**32
# Each purpose has its own key, derived with its own word.
PURPOSE, TAG_PURPOSE = b"discreet: rows of a run", b"discreet: the tag of a run"
USER_PURPOSE = b"discreet: users of a run"
RUN_PURPOSE = b"discreet: one of the runs of a database"


class RowCipher:
    """A secret, and the keys derived from it.

    Rows are encrypted with AES-256-GCM. The associated data name the row, so a row that was
    modified, or moved to another place, fails authentication.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._ciphers: dict[bytes, AESGCM] = {}  # by the salt of their subkeys
        self._renew()

    @property
    def fingerprint(self) -> str:
        """A digest of the key, stored in the run."""
        return hashlib.blake2b(self._secret, digest_size=8, person=b"fingerprint").hexdigest()

    def encrypt(self, raw: bytes, row: bytes) -> bytes:
        """Return a row's raw bytes encrypted: 44 bytes more, and never the same twice."""
        if self._rows_left == 0:
            self._renew()
        self._rows_left -= 1
        nonce = os.urandom(NONCE)
        return self._salt + nonce + self._cipher.encrypt(nonce, raw, row)

    def decrypt(self, stored: bytes, row: bytes) -> bytes:
        """Return the raw bytes of a row; raise ValueError if they were not written for it."""
        from cryptography.exceptions import InvalidTag

        salt, nonce, text = stored[:SALT], stored[SALT : SALT + NONCE], stored[SALT + NONCE :]
        if salt not in self._ciphers:
            self._ciphers[salt] = self._cipher_with(salt)
        try:
            return self._ciphers[salt].decrypt(nonce, text, row)
        except InvalidTag:
            raise ValueError("the row is not authentic") from None

    def _renew(self) -> None:
        """Switch to a fresh subkey."""
        self._salt, self._rows_left = secrets.token_bytes(SALT), ROWS_PER_SUBKEY
        self._cipher = self._ciphers[self._salt] = self._cipher_with(self._salt)

    def _cipher_with(self, salt: bytes) -> AESGCM:
        subkey = self._derived(salt, PURPOSE)
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(subkey)

    @property
    def tag_secret(self) -> bytes:
        """The secret of the tag that authenticates the run."""
        return self._derived(None, TAG_PURPOSE)

    @property
    def user_secret(self) -> bytes:
        """The secret under which the users of the run are hashed."""
        return self._derived(None, USER_PURPOSE)

    def of_run(self, token: str) -> RowCipher:
        """Return the cipher of one run in a database, derived from the database's secret."""
        return RowCipher(self._derived(token.encode(), RUN_PURPOSE))

    def _derived(self, salt: bytes | None, purpose: bytes) -> bytes:
        try:
            from cryptography.hazmat.primitives.hashes import SHA256
            from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        except ImportError:
            raise DiscreetError(
                "a live run in a file is encrypted, which needs the extra 'exact' (pip install "
                "'discreet[exact]')."
            ) from None
        return HKDF(SHA256(), 32, salt=salt, info=purpose).derive(self._secret)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(hidden)"
