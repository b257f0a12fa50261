"""Sign-ins: what is stored is accepted only as what it was stored for."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from discreet.service.pages import sessions
from discreet.service.pages.sessions import KIND, TIME, SessionMemory, SignIns

TOKEN, NOW = "a-token", 1e9


class Tokens:
    """One token, which may read everything."""

    def runs_of(self, token):
        return "*" if token == TOKEN else None

    def role_of(self, token, run):
        return "read" if token == TOKEN else None


@pytest.fixture
def records():
    return SessionMemory()


@pytest.fixture
def sign_ins(records):
    return SignIns(Tokens(), records, clock=lambda: NOW)


def test_a_sign_in_is_found_until_it_ends(sign_ins):
    session = sign_ins.begin(TOKEN)
    assert sign_ins.token_of(session) == TOKEN
    assert sign_ins.token_of(session[:-1] + "?") is None
    sign_ins.end(session)
    assert sign_ins.token_of(session) is None


@pytest.mark.parametrize("purpose", [None, b"", b"something else"])
def test_content_for_another_purpose_is_no_sign_in(sign_ins, records, purpose):
    """It has the right key and place, but was not encrypted as a sign-in of this cookie."""
    session = sign_ins.begin(TOKEN)
    name, key = sessions._places(session)
    nonce = b"0" * 12
    content = AESGCM(key).encrypt(nonce, TIME.pack(NOW) + TOKEN.encode(), purpose)
    records.put(KIND, name, nonce + content, NOW)
    assert sign_ins.token_of(session) is None


def test_the_name_of_the_cookie_is_part_of_the_purpose(sign_ins, monkeypatch):
    session = sign_ins.begin(TOKEN)
    monkeypatch.setattr(sessions, "COOKIE", "another_cookie")
    assert sign_ins.token_of(session) is None
