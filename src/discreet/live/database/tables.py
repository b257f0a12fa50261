"""The tables of a database of runs, and the statements common to both dialects."""

from __future__ import annotations

from typing import NamedTuple

from discreet.live.tags import StoredValue

Row = tuple[StoredValue, ...]
WHOLE, REAL, TEXT, BYTES = "whole", "real", "text", "bytes"  # types of columns


class SqlTable(NamedTuple):
    """A table: its columns with their types, and which of them identify a row."""

    name: str
    columns: dict[str, str]
    key: tuple[str, ...]

    @property
    def listed(self) -> str:
        """All columns, as listed in a statement."""
        return ", ".join(self.columns)


def _whole(names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), WHOLE)


# Counters, small tables and the version of a run are in its row, so that one statement reads them.
# ``state`` is a random name of the last change: a copy in memory is valid while it is the same.
# ``releases`` and ``changes`` count what must not be lost; the last of each has a random name, and
# the witness knows both. ``tag`` authenticates the row.
LARGE = ("learner", "stream", "draws", "slots", "clock", "final", "choices")
COUNTERS = ("asked", "running", "left_over", "released", "lost", "epoch", "epoch_start")
VERSION = ("releases", "changes", "release_name", "change_name")
RUN = SqlTable(
    "discreet_run",
    {
        "run": WHOLE,
        "name": TEXT,
        "token": TEXT,
        "recipe": TEXT,
        "protected": WHOLE,
        **_whole(" ".join(COUNTERS)),
        **_whole("open waiting untaught last_window"),
        "learner": BYTES,
        "stream": BYTES,
        "draws": TEXT,
        "slots": TEXT,
        "clock": TEXT,
        "final": BYTES,
        "choices": TEXT,
        "ended": TEXT,
        "restored": WHOLE,
        "version": WHOLE,
        "state": BYTES,
        "releases": WHOLE,
        "changes": WHOLE,
        "release_name": BYTES,
        "change_name": BYTES,
        "tag": BYTES,
    },
    ("run",),
)
BATCH = SqlTable(
    "discreet_batch",
    {
        "run": WHOLE,
        "number": WHOLE,
        "action": TEXT,
        "trace": TEXT,
        "size": WHOLE,
        "told": WHOLE,
        "held": BYTES,
        "tag": BYTES,
    },
    ("run", "number"),
)
DECISION = SqlTable(
    "discreet_decision",
    {
        "run": WHOLE,
        "number": WHOLE,
        "batch": WHOLE,
        "choice": WHOLE,
        "token": TEXT,
        "asked_at": REAL,
        "outcome": BYTES,
        "tag": BYTES,
    },
    ("run", "number"),
)
# Releases that the learner may not have learned from yet. ``place`` is their order; a single one
# has -1.
HELD = SqlTable(
    "discreet_held",
    {
        "run": WHOLE,
        "number": WHOLE,
        "place": WHOLE,
        "decision": WHOLE,
        "shape": TEXT,
        "value": BYTES,
        "held": BYTES,
        "draws": TEXT,
        "tag": BYTES,
    },
    ("run", "number"),
)
# At most one per batch. ``value`` is 64-bit floats, ``choice`` -1 if there is none.
RELEASE = SqlTable(
    "discreet_release",
    {
        "run": WHOLE,
        "number": WHOLE,
        "choice": WHOLE,
        "size": WHOLE,
        "probability": REAL,
        "at": REAL,
        "value": BYTES,
        "tag": BYTES,
    },
    ("run", "number"),
)
# Rounds of users: users.py
USAGE = SqlTable(
    "discreet_usage",
    {"run": WHOLE, "number": WHOLE, "last_window": WHOLE, "users": BYTES, "tag": BYTES},
    ("run", "number"),
)
# Records of a service: tokens, names of decisions, restores
RECORD = SqlTable(
    "discreet_record",
    {"kind": TEXT, "name": TEXT, "content": BYTES, "at": REAL, "run": TEXT},
    ("kind", "name"),
)
# The ledger: its terms and its version; and its charges
LEDGER = SqlTable(
    "discreet_ledger",
    {
        "number": WHOLE,
        "epsilon": REAL,
        "delta": REAL,
        "composition": TEXT,
        "token": TEXT,
        "closed": TEXT,
        "releases": WHOLE,
        "changes": WHOLE,
        "release_name": BYTES,
        "change_name": BYTES,
        "tag": BYTES,
    },
    ("number",),
)
CHARGE = SqlTable(
    "discreet_charge",
    {
        "number": WHOLE,
        "label": TEXT,
        "epsilon": REAL,
        "delta": REAL,
        "rho": REAL,
        "status": TEXT,
        "time": TEXT,
        "total": TEXT,
    },
    ("number",),
)
# The last version of each run known to a witness, by its token; in a separate database
WITNESS = SqlTable(
    "discreet_witness",
    {"run": TEXT, **dict.fromkeys(VERSION[:2], WHOLE), **dict.fromkeys(VERSION[2:], BYTES)},
    ("run",),
)
TABLES = (RUN, BATCH, DECISION, HELD, RELEASE, USAGE, RECORD, LEDGER, CHARGE)
OF_RUNS = (BATCH, DECISION, HELD, RELEASE, USAGE)


def create_statement(table: SqlTable, types: dict[str, str], *, ending: str = "") -> str:
    """Return the statement that creates a table; ``types`` are those of a dialect."""
    columns = [f"{name} {types[kind]}" for name, kind in table.columns.items()]
    columns.append(f"PRIMARY KEY ({', '.join(table.key)})")
    if table is RUN:
        columns += ["UNIQUE (name)", "CHECK (version IS NOT NULL)"]
    return f"CREATE TABLE {table.name} ({', '.join(columns)}){ending}"


def replacing(table: SqlTable) -> str:
    """Return the end of an insertion that replaces the row with the same key."""
    others = [name for name in table.columns if name not in table.key]
    changed = ", ".join(f"{name} = excluded.{name}" for name in others)
    return f" ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {changed}"
