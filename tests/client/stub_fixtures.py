"""Fixtures: a stand-in for the service, and connections to it."""

from __future__ import annotations

import httpx
import pytest
from stub_service import TOKEN, Bridge, StubService

import discreet


@pytest.fixture
def stub():
    return StubService()


@pytest.fixture
def bridge(stub):
    found = Bridge(stub.app)
    yield found
    found.end()


@pytest.fixture
def service(bridge):
    with discreet.connect("http://localhost", token=TOKEN, transport=bridge) as connection:
        yield connection


@pytest.fixture
def connected(stub):
    """Return a way to make connections for coroutines."""

    def make(**options):
        transport = httpx.ASGITransport(stub.app)
        return discreet.connect_async(
            "http://localhost", token=TOKEN, transport=transport, **options
        )

    return make
