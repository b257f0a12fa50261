"""Users of a ledger: how often each may take part, and that nobody can be read out of it."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3

import numpy as np
import pytest
from promises import KEY, promise

from discreet.errors import DiscreetError
from discreet.ledger import Ledger, UserLimitReached


def test_one_name_is_one_user_however_it_is_written():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    assert [ledger.admit("Ren\u00e9"), ledger.admit("Rene\u0301")] == [1, 2]


def test_users_have_a_limit():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    assert ledger.max_rounds_per_user == 3
    assert [ledger.admit("Ada") for _ in range(3)] == [1, 2, 3]
    with pytest.raises(
        UserLimitReached, match="this user has been in 3 rounds, and no more is allowed"
    ) as refusal:
        ledger.admit("Ada")
    assert "Ada" not in str(refusal.value)
    assert refusal.value.__context__ is None
    assert ledger.rounds_of("Ada") == 3
    assert ledger.rounds_of("Bob") == 0
    assert ledger.admit("Bob") == 1
    assert ledger.spent.epsilon == 0.0


def test_a_user_is_one_text_however_it_is_given():
    ledger = Ledger(1.0, max_rounds_per_user=9)
    users = [17, "17", b"17", " 17", "17\n", np.int64(17)]
    assert [ledger.admit(user) for user in users] == [1, 2, 3, 4, 5, 6]
    others = [-17, "017", "1 7", "\ud800", "Ada", "ada"]
    assert [ledger.admit(user) for user in others] == [1] * len(others)


@pytest.mark.parametrize(
    ("user", "complaint"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        (b"\xff", "is not valid text"),
        pytest.param(10**5000, "is not valid text", id="digits"),
    ],
)
def test_what_names_nobody_is_refused_without_showing_it(user, complaint):
    with pytest.raises(DiscreetError, match=f"user {complaint}") as refusal:
        Ledger(1.0, max_rounds_per_user=2).admit(user)
    assert refusal.value.__context__ is None


def test_a_file_that_counted_users_otherwise_is_refused(tmp_path):
    path = tmp_path / "ledger"
    Ledger(1.0, max_rounds_per_user=2, path=path, key=KEY).close()
    with sqlite3.connect(path) as file:
        file.execute("UPDATE terms SET key_check = ?", (hmac.digest(KEY, b"check", "sha256"),))
    file.close()
    with pytest.raises(DiscreetError, match="counted 17 and '17' as two users"):
        Ledger(1.0, max_rounds_per_user=2, path=path, key=KEY)


@pytest.mark.parametrize("user", [1.5, None, True, ("Ada",), bytearray(b"Ada")])
def test_what_is_no_user_is_refused_without_showing_it(user):
    with pytest.raises(
        DiscreetError, match=r"user is of type .*, but must be text, a whole number or bytes"
    ) as refusal:
        Ledger(1.0, max_rounds_per_user=2).admit(user)
    assert "Ada" not in str(refusal.value)


def test_users_are_not_counted_without_a_limit():
    ledger = Ledger(1.0)
    for method in (ledger.admit, ledger.rounds_of):
        with pytest.raises(
            DiscreetError, match="max_rounds_per_user is None, but must be set"
        ) as refusal:
            method("Ada")
        assert "Ada" not in str(refusal.value)


@pytest.mark.parametrize(
    ("user", "tagged"),
    [("ada@example.com", b"user:ada@example.com"), (123456789, b"user:123456789")],
)
def test_the_file_holds_neither_users_nor_the_key(user, tagged, tmp_path):
    ledger = Ledger(1.0, max_rounds_per_user=3, path=tmp_path / "ledger", key=KEY)
    ledger.charge(promise(), label="the label")
    ledger.admit(user)
    ledger.admit("another")
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    plain = str(user).encode()
    for digest in (hashlib.sha256(plain), hashlib.sha256(tagged)):
        assert digest.digest() not in raw
        assert digest.hexdigest().encode() not in raw
    for secret in (plain, tagged, KEY, KEY[:8], KEY.hex().encode(), (123456789).to_bytes(4, "big")):
        assert secret not in raw
    assert hmac.digest(KEY, tagged, "sha256") in raw, "what is looked for would be found"
    assert b"the label" in raw


def test_repr_shows_the_state_and_no_secrets(tmp_path):
    ledger = Ledger(1.0, 1e-6, max_rounds_per_user=3, path=tmp_path / "ledger", key=KEY)
    ledger.charge(promise(0.25))
    ledger.admit("Ada")
    for text in (repr(ledger), str(ledger)):
        assert text.startswith(
            "Ledger(epsilon=1.0, delta=1e-06, composition='basic', max_rounds_per_user=3; spent "
        )
        assert "0.25" in text
        assert str(tmp_path / "ledger") in text
        for secret in ("Ada", repr(KEY)[2:-1], KEY.hex()):
            assert secret not in text
    ledger.close()
    assert "; closed; kept in" in repr(ledger)
    assert "; kept in memory)" in repr(Ledger(1.0))
