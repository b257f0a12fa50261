"""What schema 1 is: whoever changes a table raises the version and adds a step."""

from __future__ import annotations

import hashlib
import sqlite3

import pytest
from servers import database_at

from discreet import DiscreetError
from discreet.live.database.schema import ABOUT, SCHEMA, STEPS
from discreet.live.database.sealing import Seal
from discreet.live.database.tables import TABLES, create_statement
from discreet.live.row_cipher import RowCipher

# of the statements that made the tables of each version, and of its tags
MADE = {1: "a8805150360c678a"}


def digest_of_version():
    kinds = {name: name for name in ("whole", "real", "text", "bytes")}
    made = [create_statement(table, kinds) for table in (ABOUT, *TABLES)]
    seal = Seal(RowCipher(b"s" * 32))
    rows = {
        "run": (1, "name", None, b"ab", 2.5),
        "batch": (1, "0", "[1]", 4, 2, b"held"),
        "decision": (1, 0, 3, "ab.cd", 1.5, b"outcome"),
        "usage": (1, 2, b"users"),
    }
    tags = [seal.of(table, columns).hex() for table, columns in rows.items()]
    return hashlib.blake2b("\n".join(made + tags).encode(), digest_size=8).hexdigest()


def test_the_tables_and_tags_of_a_version_never_change():
    assert digest_of_version() == MADE[SCHEMA]
    assert sorted(STEPS) == list(range(1, SCHEMA))


@pytest.mark.parametrize(
    "damage",
    ["ALTER TABLE discreet_ledger DROP COLUMN closed", "DROP TABLE discreet_usage"],
)
def test_other_tables_are_refused_in_one_sentence(tmp_path, damage):
    path = tmp_path / "runs.db"
    database_at(f"sqlite:///{path}").close()
    with sqlite3.connect(path) as file:
        file.execute(damage)
    file.close()
    with pytest.raises(DiscreetError, match="does not match schema 1: it is damaged, or from"):
        database_at(f"sqlite:///{path}")
