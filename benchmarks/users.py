"""The cost of counting users: in the transaction of a decision, and in a ledger."""

from __future__ import annotations

import contextlib
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

from measuring import LEAST_TURNS, Row

from discreet import Bandit, DiscreetError, Ledger
from discreet.live.users import ENTRY, NAME

ASKS, TOGETHER, SINGLY = 1_000, 500, 20
MANY = 10**6  # users who already have a round
MONTH = timedelta(days=30)


def fill(bandit: Bandit, users: int) -> None:
    """Count a round for many users at once, as if each had asked."""
    run = bandit._run
    store, counting = run._store, run._users
    names: dict[int, list[bytes]] = {}
    for user in range(users):
        bucket, name = counting._place(f"user {user}")
        names.setdefault(bucket, []).append(name + (1).to_bytes(ENTRY - NAME, "big"))
    window = counting._now(time.time())
    with store._change(store.rows.counters):
        for bucket, entries in names.items():
            row = (bucket, window, b"".join(sorted(entries)))
            store._file.execute("INSERT INTO usage VALUES (?, ?, ?)", row)
            store._tag.put("usage", *row)
            store.rows.usage[bucket] = row[1:]


def seconds(ask: Callable[[int], object], number: int) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()  # waiting for the disk is not processor time
    for turn in range(number):
        ask(turn)
    return (time.perf_counter() - start) / number


def asks(turns: int) -> tuple[float, float, float, float]:
    """Return seconds of an ask in a file, without users, with few, with 10^6; and of opening it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def new(file: str, **limit: object) -> Bandit:
            place = {"path": folder / file, "key": folder / f"{file}.key"}
            return Bandit(arms=4, horizon=10**7, epsilon=0.1, **limit, **place)

        limit = {"max_rounds_per_user": 10**6, "per": MONTH}
        plain, few, many = new("plain"), new("few", **limit), new("many", **limit)
        fill(many, MANY)
        found: list[list[float]] = [[], [], []]
        for turn in range(turns):
            first = turn * ASKS
            found[0].append(seconds(lambda i: plain.ask(), ASKS))
            found[1].append(seconds(lambda i: few.ask(user=f"user {i % 100}"), ASKS))
            found[2].append(
                seconds(lambda i, n=first: many.ask(user=f"user {(n + i) * 7919 % MANY}"), ASKS)
            )
        for decision in many.open_decisions:  # opening is measured by itself
            with contextlib.suppress(DiscreetError):  # its batch may have been given up already
                many.give_up(decision.id)
        many.close()
        opened = []
        for _ in range(turns):
            start = time.perf_counter()
            again = Bandit.open(folder / "many", key=folder / "many.key")
            opened.append(time.perf_counter() - start)
            again.close()
        plain.close()
        few.close()
        without, some, all_ = (min(each) for each in found)
        return without, some, all_, min(opened)


def admissions(turns: int) -> tuple[float, float]:
    """Return seconds to admit a user to a ledger in a file: alone, and with 499 others."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(
            1.0, max_rounds_per_user=10**6, path=Path(folder) / "l", key=secrets.token_bytes(32)
        )
        users = [f"user {number}" for number in range(TOGETHER)]
        singly = [seconds(lambda i: ledger.admit(users[i]), SINGLY) for _ in range(turns)]
        together = [seconds(lambda i: ledger.admit_all(users), 2) for _ in range(turns)]
        return min(singly), min(together) / TOGETHER


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for each way to count users."""
    without, few, many, opened = asks(turns)
    plain = f"{without * 1e6:.0f} µs without users"
    for what, ours, most in (("100", few, 2.0), ("10^6", many, 5.0)):
        name = f"ask in a file, {what} users with a limit"
        yield Row(name, f"{ours * 1e6:.0f} µs", plain, ours / without, "x", most=most)
    yield Row("... per second, 10^6 users", f"{1.0 / many:,.0f}", "", 1.0 / many, "", least=2_000.0)
    yield Row("open a run with 10^6 users", f"{opened:.2f} s", "", opened, "s", most=0.5)
    singly, together = admissions(turns)
    yield Row(
        f"admit {TOGETHER} users together",
        f"{1.0 / together:,.0f} per second",
        f"{1.0 / singly:,.0f} one by one",
        singly / together,
        "x",
        least=10.0,
    )
