"""What every store must do, as tests to inherit: rows, transactions, one writer, keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import DiscreetError
from discreet.live.keys import KeyPlace
from discreet.live.rows import Change, Drawn, Draws, Rows
from discreet.live.store import Store
from discreet.testing.several_changes import SeveralConformance
from discreet.testing.store_parts import (
    EXAMPLE,
    RAW,
    RECIPE,
    again,
    ask,
    contents,
    first_rows,
    flat,
    group_of,
    opened,
    row,
    start,
    with_told,
)


class StoreConformance(SeveralConformance):
    """Tests of the contract ``discreet.live.Store``; inherit them and override ``reach``.

    Stores that outlive their process inherit ``DurableStoreConformance``, which has more.

    ::

        class TestMyStore(DurableStoreConformance):
            @pytest.fixture
            def reach(self, tmp_path):
                return lambda: MyStore(tmp_path / "run")
    """

    @pytest.fixture
    def reach(self, tmp_path: Path) -> Callable[[], Store]:
        """Return a function that returns a store for the same, at first empty, place each time."""
        raise NotImplementedError

    def stored_bytes(self, tmp_path: Path) -> bytes:
        """Return everything that is stored, as far as a test can reach it, to look for raw sums."""
        return b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())

    # Runs: created once, opened by one writer at a time.

    def test_a_created_run_can_be_opened(self, reach: Callable[[], Store]) -> None:
        """All rows come back as they were written, in a new session."""
        rows = first_rows()
        rows.draws = Draws({"state": 2**120}, {"state": 7})
        rows.counters, rows.epoch = (2**40, 7, 1, 3, 2), (2, 5)
        session = rows.session
        start(reach, rows).close()
        found = opened(reach)
        assert found.recipe() == RECIPE
        assert contents(found.rows) == contents(rows)
        assert found.rows.session != session
        found.close()

    def test_a_run_is_not_overwritten(self, reach: Callable[[], Store]) -> None:
        """A second ``create`` is refused, and the first run stays."""
        rows = first_rows()
        start(reach, rows).close()
        with pytest.raises(DiscreetError):
            reach().create(first_rows())
        found = opened(reach)
        assert found.rows.token == rows.token
        found.close()

    def test_where_there_is_no_run_nothing_is_opened(self, reach: Callable[[], Store]) -> None:
        """It says so, and a run can still be created."""
        with pytest.raises(DiscreetError):
            reach().open()
        start(reach, first_rows()).close()

    def test_a_run_has_one_writer(self, reach: Callable[[], Store]) -> None:
        """A second writer is refused until the first closes, and does not disturb it."""
        if reach().shared:
            pytest.skip("workers share it")
        first = start(reach, first_rows())
        with pytest.raises(DiscreetError):
            reach().open()
        ask(first, 0)
        first.close()
        second = opened(reach)
        with pytest.raises(DiscreetError):
            reach().open()
        assert list(second.rows.open) == [0]
        second.close()

    def test_workers_of_a_shared_store_see_what_others_have_changed(
        self, reach: Callable[[], Store]
    ) -> None:
        """Each operation begins with what is committed, and says so if that is something new."""
        if not reach().shared:
            pytest.skip("it has one writer")
        stale: list[int] = []
        first, second = start(reach, first_rows()), opened(reach)
        locks = [
            store.make_lock(lambda place=place: stale.append(place))  # type: ignore[misc]
            for place, store in enumerate((first, second))
        ]
        with locks[0]:
            ask(first, 0)
        with locks[0]:
            pass
        assert stale == []
        with locks[1]:
            assert stale == [1]
            second.load(EXAMPLE)
            assert list(second.rows.open) == [0]
            second.tell(second.rows.counters, 0, closed=0, learner=b"new")
        with locks[0]:
            assert stale == [1, 0]
            first.load(EXAMPLE)
            assert (list(first.rows.open), first.rows.learner) == ([], b"new")
        assert first.rows.session != second.rows.session
        first.close()
        second.close()

    # Changes: whole, lasting, and only what they say.

    def test_asking_opens_a_decision(self, reach: Callable[[], Store]) -> None:
        """The decision, its group, the count of its choice and its placeholder are kept."""
        store = start(reach, first_rows())
        ask(store, 0, held=RAW, outcome=bytes(9))
        ask(store, 1, new_group=False)
        store = again(reach, store)
        rows = store.rows
        assert [row[:5] for row in rows.open.values()] == [row(0)[:5], row(1)[:5]]
        assert rows.counters == (2, 0, 0, 0, 0)
        assert rows.choices == {0: 1, 1: 1}
        assert dict(rows.outcomes.items()) == {0: bytes(9)}
        assert group_of(rows, 0).held == RAW
        assert flat(group_of(rows, 0).action) == [0.1, -1e-300]
        assert flat(group_of(rows, 0).trace) == (7, 1 / 3, [1.0, 2.0, 3.0])
        store.close()

    def test_asking_counts_a_user(self, reach: Callable[[], Store]) -> None:
        """A bucket of users takes the place of the one with the same number."""
        store = start(reach, first_rows())
        for number, usage in enumerate([(5, 1, b"a user"), (8191, 1, b"x"), (5, 2, b"two"), None]):
            ask(store, number, usage=usage)
        store = again(reach, store)
        assert store.rows.usage == {5: (2, b"two"), 8191: (1, b"x")}
        assert len(store.user_secret) >= 16
        store.close()

    def test_telling_closes_a_decision(self, reach: Callable[[], Store]) -> None:
        """Group, release, learner, stream and generators change with it; the outcome is erased."""
        store = start(reach, first_rows())
        for number in (0, 1):
            ask(store, number, new_group=number == 0, outcome=bytes(9))
        group = (*group_of(store.rows, 0)[:4], 1, RAW)
        store.tell(store.rows.counters, 0, group=group)
        store = again(reach, store)
        assert (list(store.rows.open), list(store.rows.outcomes)) == ([1], [1])
        found = group_of(store.rows, 0)
        assert (found.told, found.held) == (1, RAW)
        draws = Draws({"state": 1}, {"state": 2})
        store.tell(
            (2, 0, 0, 1, 0),
            1,
            closed=0,
            released=0,
            value=[0.5, 1.5],
            learner=b"\0\1",
            stream=b"\2",
            draws=draws,
        )
        store = again(reach, store)
        assert contents(store.rows) == contents(first_rows()) | {
            "token": store.rows.token,
            "counters": (2, 0, 0, 1, 0),
            "learner": b"\0\1",
            "stream": b"\2",
            "draws": (dict(draws.learner), dict(draws.privacy)),
            "choices": {0: 1, 1: 1},
        }
        store.close()

    def test_another_change_does_what_it_says(self, reach: Callable[[], Store]) -> None:
        """Outcomes are kept, groups closed, decisions given up, and epochs begun."""
        store = start(reach, first_rows())
        for number in range(3):
            ask(store, number, outcome=bytes(9))
        store.change(Change(store.rows.counters, outcome=(1, b"\1" + bytes(8))))
        store.change(Change((3, 2, 0, 0, 1), closed=0, given_up=(0,)))
        store = again(reach, store)
        assert store.rows.outcomes[1] == b"\1" + bytes(8)
        assert (list(store.rows.open), list(store.rows.groups)) == ([1, 2], [1, 2])
        counters = (3, -1, 0, 0, 3)
        store.change(Change(counters, learner=b"new", stream=b"sum", epoch=(1, 3)))
        store = again(reach, store)
        rows = store.rows
        assert (rows.epoch, list(rows.groups), rows.counters) == ((1, 3), [], counters)
        assert (rows.learner, rows.stream) == (b"new", b"sum")
        store.close()

    @pytest.mark.parametrize("value", [0.1, [[0.1, -1e-300]]])
    def test_a_release_that_was_drawn_is_held_until_it_is_told(
        self, reach: Callable[[], Store], value: object
    ) -> None:
        """It comes back bit for bit, counts as a release, and nothing else has changed."""
        store = start(reach, first_rows())
        ask(store, 0)
        before = contents(store.rows)
        given = value if isinstance(value, float) else np.array(value)
        store.hold(Drawn(0, given, RAW))
        store = again(reach, store)
        drawn = store.rows.drawn
        assert drawn is not None
        assert type(drawn.value) is type(given)
        assert (drawn.decision, drawn.held, flat(drawn.value)) == (0, RAW, value)
        assert (contents(store.rows), store.rows.releases) == (before, 1)
        store.tell((1, 0, 0, 1, 0), 0, closed=0, released=0, value=given)
        store = again(reach, store)
        assert (store.rows.drawn, store.rows.releases) == (None, 1)
        store.close()

    def test_a_release_may_be_due_without_a_decision(self, reach: Callable[[], Store]) -> None:
        """That of a hold-out: its number is below 0, and so is that in place of a decision."""
        store, value = start(reach, first_rows()), np.array([0.5, -1e-300])
        ask(store, 0)
        before = contents(store.rows)
        store.hold(Drawn(-2, value, RAW))
        store = again(reach, store)
        assert store.rows.drawn is not None
        assert (store.rows.drawn.decision, store.rows.drawn.held) == (-2, RAW)
        assert flat(store.rows.drawn.value) == value.tolist()
        assert (contents(store.rows), store.rows.releases) == (before, 1)
        store.tell((1, 0, 0, 1, 0), -2, closed=-2, released=-2, value=value, stream=RAW)
        store = again(reach, store)
        assert (store.rows.drawn, store.rows.releases, store.rows.stream) == (None, 1, RAW)
        assert list(store.rows.open) == [0]
        store.close()

    @pytest.mark.parametrize("seed", range(5))
    def test_any_sequence_of_changes_is_kept(self, reach: Callable[[], Store], seed: int) -> None:
        """A store agrees with plain tables in memory, also when it is opened again and again."""
        rng, model = np.random.default_rng(seed), first_rows()
        store = start(reach, first_rows())
        model.token = store.rows.token
        for number in range(60):
            if rng.random() < 0.2:
                store = again(reach, store)
            for kept in (model, store):
                _change_at_random(kept, number, np.random.default_rng([seed, number]))
            assert contents(store.rows) == contents(model)
        store = again(reach, store)
        assert contents(store.rows) == contents(model)
        store.close()


class DurableStoreConformance(StoreConformance):
    """More tests, for stores that outlive their process: whole transactions, releases and keys."""

    def test_a_change_that_fails_leaves_everything_as_it_was(
        self, reach: Callable[[], Store]
    ) -> None:
        """A transaction is made whole or not at all; afterwards the store can be used."""
        store = start(reach, first_rows())
        ask(store, 0)
        before = contents(store.rows)
        wrong = (1, object(), (0, 0.0, np.zeros(3)), 1, 0, None)  # cannot be written
        with pytest.raises((DiscreetError, TypeError)):
            store.ask((2, 1, 0, 0, 0), row(1), 1, group=wrong, learner=b"half")
        store.load(EXAMPLE)
        assert contents(store.rows) == before
        store = again(reach, store)
        assert contents(store.rows) == before
        store.close()

    def test_a_group_is_released_once(self, reach: Callable[[], Store]) -> None:
        """A second release of the same group is refused, with all that belongs to it."""
        store = start(reach, first_rows())
        for number in (0, 1):
            ask(store, number, new_group=number == 0)
        group = with_told(store.rows, 0, 1)
        store.tell((2, 0, 0, 1, 0), 0, group=group, released=0, value=0.5)
        before = contents(store.rows)
        with pytest.raises(DiscreetError):
            store.tell((2, 0, 0, 2, 0), 1, closed=0, released=0, value=0.25, learner=b"twice")
        store.load(EXAMPLE)
        assert contents(store.rows) == before
        store.close()

    def test_raw_columns_are_encrypted(self, reach: Callable[[], Store], tmp_path: Path) -> None:
        """Held sums, streams and outcomes are nowhere in what is stored, but come back."""
        keys = tmp_path / "keys"
        keys.mkdir()
        place, rows = KeyPlace(keys / "a.key"), first_rows()
        rows.stream = RAW + b" 1"
        store = start(reach, rows, place)
        ask(store, 0, held=RAW + b" 2", outcome=RAW + b" 3")
        assert RAW not in self.stored_bytes(tmp_path)
        store.close()
        assert RAW not in self.stored_bytes(tmp_path)
        found = opened(reach, place)
        assert found.rows.stream == RAW + b" 1"
        assert (group_of(found.rows, 0).held, found.rows.outcomes[0]) == (RAW + b" 2", RAW + b" 3")
        found.close()

    def test_a_lost_key_loses_unfinished_groups_only(
        self, reach: Callable[[], Store], tmp_path: Path
    ) -> None:
        """Without its key a run is refused, or continues with another, without what it hid."""
        if reach().shared:
            pytest.skip("its keys follow from one secret")
        keys = tmp_path / "keys"
        keys.mkdir()
        store = start(reach, first_rows(), KeyPlace(keys / "a.key"))
        ask(store, 0, held=RAW)
        store.close()
        with pytest.raises(DiscreetError):
            reach().open(KeyPlace(keys / "b.key"))
        found = opened(reach, KeyPlace(keys / "b.key", lost=True))
        assert (list(found.rows.groups), list(found.rows.open)) == ([], [])
        assert found.rows.counters[4] == 1
        found.close()
        opened(reach, KeyPlace(keys / "b.key")).close()


def _change_at_random(store: Store | Rows, number: int, rng: np.random.Generator) -> None:
    """Make one change, the same one for the same generator."""
    rows = store.rows if isinstance(store, Store) else store
    kind, decisions = rng.random(), list(rows.open)
    if kind < 0.5 or not decisions:
        held = rng.bytes(5) if rng.random() < 0.5 else None
        usage = (number % 3, number, rng.bytes(16)) if number % 2 else None
        grouped = rng.random() < 0.7 or not rows.groups
        ask(store, number, new_group=grouped, held=held, usage=usage)
        return
    asked, running, left, released, lost = rows.counters
    decision = decisions[int(rng.integers(len(decisions)))]
    of = rows.open[decision][1]
    if kind < 0.8 and of in rows.groups:
        group = group_of(rows, of)
        closing = group.told + 1 >= group.size
        counters = (asked, running, left, released + closing, lost)
        later = None if closing else (*group[:4], group.told + 1, rng.bytes(5))
        learner, done = rng.bytes(3), of if closing else None
        store.tell(counters, decision, group=later, closed=done, released=done, learner=learner)
    elif kind < 0.95:
        store.change(Change((asked, running, left, released, lost + 1), given_up=(decision,)))
    else:
        counters = (asked, -1, 0, released, lost + len(rows.groups))
        epoch = (rows.epoch[0] + 1, asked)
        store.change(Change(counters, learner=rng.bytes(4), stream=rng.bytes(2), epoch=epoch))
