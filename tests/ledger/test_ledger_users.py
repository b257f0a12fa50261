"""Users of a ledger: how often each may take part, and that nobody can be read out of it."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import sqlite3

import numpy as np
import pytest
from promises import KEY, promise

from discreet.errors import DiscreetError
from discreet.ledger import Ledger, UserLimitReached
from discreet.ledger.inputs import user_name


def test_one_name_is_one_user_however_it_is_written():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    assert [ledger.admit("Ren\u00e9"), ledger.admit("Rene\u0301")] == [1, 2]


LOOK_ALIKES = {
    "zero-width space": "A\u200bda",
    "zero-width joiner": "Ada\u200d",
    "word joiner": "Ad\u2060a",
    "byte order mark": "\ufeffAda",
    "soft hyphen": "A\u00adda",
    "NUL": "Ada\0",
    "control character": "A\x07da",
    "right to left": "\u202eAda\u202c",
    "variation selector": "A\ufe0fda",
    "grapheme joiner": "A\u034fda",
    "tag": "Ada\U000e0041",
    "object": "Ada\ufffc",
    "joiner of Tifinagh": "A\u2d7fda",
    "first noncharacters": "\ufdd0Ada\ufdef",
    "noncharacter of the first plane": "Ada\ufffe",
    "noncharacter of the last plane": "A\U0010ffffda",
    "full width": "\uff21\uff44\uff41",
    "ligature apart": "Ada",
    "no-break space": "\u00a0Ada\u3000",
    "bytes with a mark": b"\xef\xbb\xbfAda",
    "bytes with NUL": b"Ada\0",
}


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_names_that_look_the_same_are_one_user(name):
    ledger = Ledger(1.0, max_rounds_per_user=3)
    assert [ledger.admit("Ada"), ledger.admit(LOOK_ALIKES[name])] == [1, 2]


def test_a_name_of_no_visible_character_is_empty():
    for plane in range(17):
        for letter in (chr(plane << 16 | 0xFFFE), chr(plane << 16 | 0xFFFF), "\ufdd5"):
            with pytest.raises(DiscreetError, match="user is empty"):
                user_name(letter)


def test_characters_next_to_invisible_ones_are_seen():
    names = ["A\ufdcfda", "A\ufdf0da", "A\ufffdda", "A\u2d7eda", "A\U0001fffdda"]
    assert len({user_name(name) for name in [*names, "Ada"]}) == 6


def test_normal_names_stay_normal():
    """Leaving characters out may join others: a name is normal only if nothing changes any more."""
    letters = ["e", "\u0301", "\u200b", "\u0327", "\ufb01", " ", "\u00a0", "\u1100", "\u1161", "\0"]
    for many in itertools.product(letters, repeat=4):
        text = "x" + "".join(many)
        name = user_name(text)
        assert user_name(name) == name
        assert user_name(text.replace("\u200b", "").replace("\0", "")) == name


def test_users_have_a_limit():
    ledger = Ledger(1.0, max_rounds_per_user=3)
    assert ledger.max_rounds_per_user == 3
    assert [ledger.admit("Ada") for _ in range(3)] == [1, 2, 3]
    with pytest.raises(
        UserLimitReached, match="this user has had 3 rounds, which is the limit"
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
    others = [-17, "017", "1 7", "Ada", "ada"]
    assert [ledger.admit(user) for user in others] == [1] * len(others)


@pytest.mark.parametrize(
    ("user", "complaint"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        ("\u200b\ufeff\0\u2060 \ufe0f", "is empty"),
        ("\ud800", "is not valid text"),
        (b"\xff", "is not valid text"),
        (np.timedelta64(1, "s"), "is of type timedelta64"),
        (bytearray(b"Ada"), "is of type bytearray"),
        (True, "is of type bool"),
        pytest.param(10**5000, "is not valid text", id="digits"),
    ],
)
def test_what_names_nobody_is_refused_without_showing_it(user, complaint):
    with pytest.raises(DiscreetError, match=f"user {complaint}") as refusal:
        Ledger(1.0, max_rounds_per_user=2).admit(user)
    assert refusal.value.__context__ is None


@pytest.mark.parametrize(
    ("check", "names"),
    [(b"check", "17 and '17'"), (b"check: users are text", "names that look the same")],
)
def test_a_file_that_counted_users_otherwise_is_refused(check, names, tmp_path):
    path = tmp_path / "ledger"
    Ledger(1.0, max_rounds_per_user=2, path=path, key=KEY).close()
    with sqlite3.connect(path) as file:
        file.execute("UPDATE terms SET key_check = ?", (hmac.digest(KEY, check, "sha256"),))
    file.close()
    with pytest.raises(DiscreetError, match=f"counted {names} as two users"):
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
