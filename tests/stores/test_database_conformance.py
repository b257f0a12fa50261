"""Databases do what every store must do: SQLite, and a real PostgreSQL server."""

from __future__ import annotations

import psycopg
import pytest
from servers import database_at

from discreet.live.database.tables import TABLES
from discreet.testing import DurableStoreConformance


class TestSqlite(DurableStoreConformance):
    @pytest.fixture
    def reach(self, tmp_path):
        with database_at(f"sqlite:///{tmp_path}/runs.db") as database:
            yield lambda: database.store("a run")


class TestPostgres(DurableStoreConformance):
    @pytest.fixture
    def reach(self, server):
        self.url = server.fresh_url()
        with database_at(self.url) as database:
            yield lambda: database.store("a run")

    def stored_bytes(self, tmp_path):
        with psycopg.connect(self.url) as connection:
            found = [
                repr(connection.execute(f"SELECT * FROM {table.name}").fetchall())
                for table in TABLES
            ]
        return "".join(found).encode()
