"""What every store must do with several changes at once, as tests to inherit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from discreet.live.rows import Change
from discreet.live.store import Store
from discreet.testing.store_parts import (
    EXAMPLE,
    again,
    ask,
    contents,
    first_rows,
    flat,
    start,
    with_told,
)


class SeveralConformance:
    """Tests of ``together`` and ``defer``, and of what a run reads of many rows."""

    def test_several_changes_are_made_together(self, reach: Callable[[], Store]) -> None:
        """Each is in the rows at once, and all are kept when the block ends."""
        store, model = start(reach, first_rows()), first_rows()
        model.token = store.rows.token
        with store.together(lasting=False):
            for number in range(5):
                ask(store, number, new_group=number % 2 == 0, outcome=bytes(9))
                assert len(store.rows.open) == number + 1
        with store.together():
            store.tell(store.rows.counters, 3, group=with_told(store.rows, 2, 1))
            assert list(store.rows.open) == [0, 1, 2, 4]
            store.change(Change(store.rows.counters, outcome=(4, b"\1" + bytes(8))))
        for number in range(5):
            ask(model, number, new_group=number % 2 == 0, outcome=bytes(9))
        model.tell(model.counters, 3, group=with_told(model, 2, 1))
        model.change(Change(model.counters, outcome=(4, b"\1" + bytes(8))))
        assert contents(store.rows) == contents(model)
        store = again(reach, store)
        assert contents(store.rows) == contents(model)
        store.close()

    def test_several_changes_that_fail_are_taken_back(self, reach: Callable[[], Store]) -> None:
        """Also those before the one that failed."""
        store = start(reach, first_rows())
        ask(store, 0)
        before = contents(store.rows)
        with pytest.raises(ZeroDivisionError), store.together():  # noqa: PT012 - all are
            ask(store, 1)
            store.tell(store.rows.counters, 0, closed=0, learner=b"half")
            store.defer(1, 1, 0.5)
            raise ZeroDivisionError
        store.load(EXAMPLE)
        assert (contents(store.rows), store.rows.releases) == (before, 0)
        ask(store, 1)
        store = again(reach, store)
        assert list(store.rows.open) == [0, 1]
        store.close()

    def test_several_releases_are_kept_until_each_is_learned(
        self, reach: Callable[[], Store]
    ) -> None:
        """They come back bit for bit, in the order of drawing, and count as releases."""
        store = start(reach, first_rows())
        for number in range(3):
            ask(store, number)
        values = {2: 0.1, 0: np.array([[0.1, -1e-300]])}
        with store.together():
            for number, value in values.items():
                group = with_told(store.rows, number, 2)
                store.tell(store.rows.counters, number, group=group)
                store.defer(number, number, value)
        store = again(reach, store)
        found = store.rows.unlearned
        assert [(number, row[0], flat(row[1])) for number, row in found.items()] == [
            (2, 2, 0.1),
            (0, 0, [[0.1, -1e-300]]),
        ]
        assert (store.rows.releases, list(store.rows.open)) == (2, [1])
        with store.together(lasting=False):
            for released, (number, value) in enumerate(list(values.items()), start=1):
                counters = (3, 2, 1, released, 0)
                store.tell(counters, number, closed=number, released=number, value=value)
        store = again(reach, store)
        assert (store.rows.unlearned, store.rows.releases) == ({}, 2)
        assert list(store.rows.groups) == [1]
        store.close()

    def test_open_decisions_rise(self, reach: Callable[[], Store]) -> None:
        """They are read in the order of asking, from any number on."""
        store = start(reach, first_rows())
        for number in range(40):
            ask(store, number)
        for number in (3, 4, 20, 39):
            store.tell(store.rows.counters, number, closed=number)
        for _ in range(2):
            left = [number for number in range(40) if number not in (3, 4, 20, 39)]
            assert [row[0] for row in store.rows.open.rising()] == list(store.rows.open) == left
            assert [row[0] for row in store.rows.open.rising(after=19)] == left[-18:]
            assert store.rows.open.newest() == store.rows.open[38]
            assert (len(store.rows.open), 20 in store.rows.open) == (36, False)
            store = again(reach, store)
        store.close()

    def test_a_clock_that_was_set_back_is_kept(self, reach: Callable[[], Store]) -> None:
        """Decisions before a number were given at a time, at the latest."""
        store = start(reach, first_rows())
        ask(store, 0)
        store.change(Change(store.rows.counters, clock=((1, 5.5), (3, 7.25))))
        store = again(reach, store)
        assert [store.rows.given_at(number, 6.0) for number in (0, 1, 3)] == [5.5, 6.0, 6.0]
        store.close()
