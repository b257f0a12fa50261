"""What the tests of stores are made of: a run to begin with, changes to it, and its contents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.live.keys import KeyPlace
from discreet.live.rows import Example, Group, GroupRow, OpenRow, Recipe, Rows
from discreet.live.store import Store
from discreet.live.users import Usage

EXAMPLE: Example = (np.zeros(2), (0, 0.0, np.zeros(3)))
RECIPE: Recipe = {
    "client": "Bandit",
    "arms": ["A", 'a "quoted" label', 3],
    "horizon": None,
    "epsilon": 0.1,
    "options": {"batch_size": 4},
}
RAW = b"a raw sum that nobody may read"


def contents(rows: Rows) -> dict[str, object]:
    """Return everything in the tables except the session, to be compared."""
    return {
        "recipe": rows.recipe,
        "token": rows.token,
        "counters": rows.counters,
        "epoch": rows.epoch,
        "learner": rows.learner,
        "stream": rows.stream,
        "draws": None if rows.draws is None else tuple(map(dict, rows.draws)),
        "groups": {number: flat(group) for number, group in rows.groups.items()},
        "open": {number: row[:5] for number, row in rows.open.items()},
        "outcomes": dict(rows.outcomes.items()),
        "choices": dict(rows.choices),
        "usage": dict(rows.usage),
    }


def flat(value: object) -> object:
    """Return arrays as lists, to be compared."""
    if isinstance(value, tuple):
        return tuple(flat(part) for part in value)
    return value.tolist() if isinstance(value, np.ndarray) else value


def first_rows() -> Rows:
    """Return the rows of a new run."""
    return Rows(RECIPE, "0123456789abcdef", b"learner")


def start(reach: Callable[[], Store], rows: Rows, key: KeyPlace | None = None) -> Store:
    """Start a run in a store."""
    store = reach()
    store.create(rows, key)
    store.load(EXAMPLE)
    return store


def opened(reach: Callable[[], Store], key: KeyPlace | None = None) -> Store:
    """Return a store whose run is opened."""
    store = reach()
    store.open(key)
    store.load(EXAMPLE)
    return store


def again(reach: Callable[[], Store], store: Store) -> Store:
    """Close a store, and open its run again."""
    store.close()
    return opened(reach)


def row(number: int, group: int = 0) -> OpenRow:
    """Return the fields of a ticket."""
    return number, group, number % 3, "token.session", 1.7e9 + number / 3.0, None


def group_of(rows: Rows, number: int) -> Group:
    """Return a group with names for its fields."""
    return Group(*rows.groups[number])


def with_told(rows: Rows, number: int, told: int) -> GroupRow:
    """Return a group with another number of outcomes."""
    first, action, trace, size, _, held = group_of(rows, number)
    return first, action, trace, size, told, held


def ask(
    store: Store | Rows,
    number: int,
    *,
    new_group: bool = True,
    held: bytes | None = None,
    outcome: bytes | None = None,
    usage: Usage | None = None,
) -> None:
    """Open a decision, in a new group or the running one."""
    rows = store.rows if isinstance(store, Store) else store
    asked, running, left, released, lost = rows.counters
    of = number if new_group else running
    action, trace = np.array([0.1, -1e-300]), (7, 1 / 3, np.array([1.0, 2.0, 3.0]))
    store.ask(
        (asked + 1, of, 1 if new_group else left - 1, released, lost),
        row(number, of),
        rows.choices.get(number % 3, 0) + 1,
        group=(of, action, trace, 2, 0, held) if new_group else None,
        outcome=outcome,
        usage=usage,
    )
