"""A live run that fails or is interrupted is as if nothing had happened, or goes on."""

from __future__ import annotations

import contextlib
import signal

import numpy as np
import pytest
from makers import ask, bandit, every_kind, make, rows_of, tell

from discreet import DiscreetError
from discreet.live.store import MemoryStore
from discreet.mechanisms.exact import NoiseBlock

# after 4 rounds; by all others 4
RELEASED = {
    "contexts": 1,
    "items of slates": 1,
    "batch": 1,
    "slates": 2,
    "points in batches": 1,
    "search": 1,
    "one bit": 1,
}


class Broken(RuntimeError):
    """What is thrown into a run."""


def break_sampler(face, monkeypatch, failure):
    def fail(*_):
        raise failure

    monkeypatch.setattr(NoiseBlock, "take", fail)
    monkeypatch.setattr("secrets.randbelow", fail)
    monkeypatch.setattr("secrets.randbits", fail)


def break_learner(face, monkeypatch, failure):
    learn = type(face._run._engine.private.learner).learn

    def fail(self, trace, released):
        learn(self, trace, released)  # halfway: it has learned, and then fails
        raise failure

    monkeypatch.setattr(type(face._run._engine.private.learner), "learn", fail)


def break_store(face, monkeypatch, failure):
    def fail(*told, **named):
        raise failure

    monkeypatch.setattr(face._run, "_commit_tell", fail)


@pytest.mark.slow
@every_kind
@pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])
@pytest.mark.parametrize(
    "failure", [Broken("on purpose"), KeyboardInterrupt()], ids=["error", "interrupt"]
)
@pytest.mark.parametrize("breaking", [break_sampler, break_learner, break_store])
def test_a_tell_that_fails_leaves_the_run_as_if_nothing_had_happened(
    kind, in_file, failure, breaking, monkeypatch, tmp_path
):
    """The failed round is told again, and counts once: a padded tree and BLT counted it twice."""
    face = make(kind, path=tmp_path / "run.db" if in_file else None)
    for _ in range(3):
        tell(face, ask(face))
    decision = ask(face)
    before = rows_of(face)
    with monkeypatch.context() as patch:
        breaking(face, patch, failure)
        with pytest.raises(type(failure)):
            tell(face, decision)
        assert face._run._engine.channel_state == face._run._engine._blank, (
            "nothing raw stays behind"
        )
    assert rows_of(face) == before
    assert face.state().open == 1
    tell(face, decision)
    assert face.open_decisions == ()
    if kind != "advice in batches":
        assert face.state().released == RELEASED.get(kind, 4)
    stream = face._run._store.rows.stream
    if stream is not None:
        face._run._engine.channel_state[:] = stream
        assert face._run._engine.private.channel.rounds_seen() == 4
        face._run._engine.channel_state[:] = face._run._engine._blank


@every_kind
def test_an_ask_that_fails_leaves_the_run_as_if_nothing_had_happened(kind, monkeypatch):
    face = make(kind)
    tell(face, ask(face))
    before = rows_of(face)
    act = type(face._run._engine.private.learner).act

    def fail(self, observation, rng):
        act(self, observation, rng)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(face._run._engine.private.learner), "act", fail)
        for _ in range(4):
            with contextlib.suppress(KeyboardInterrupt):
                ask(face)
                before = rows_of(face)
    assert rows_of(face) == before
    assert ask(face).id == before[0][0]


@pytest.mark.parametrize("interrupted", range(1, 6))
def test_a_change_that_is_interrupted_on_its_way_into_the_tables_is_completed(interrupted):
    """The commit is one assignment: a Ctrl-C after it finds the change made, whichever table it had
    reached.
    """
    face = bandit(batch_size=1)
    tell(face, ask(face))
    decision = ask(face)
    store = face._run._store
    assert isinstance(store, MemoryStore)
    kept, steps = store.rows, []

    class Interrupted(type(kept)):
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value)
            steps.append(name)
            if len(steps) == interrupted:
                raise KeyboardInterrupt

    tables = [kept.open, kept.groups]
    kept.__class__ = Interrupted
    try:
        with contextlib.suppress(KeyboardInterrupt):
            tell(face, decision)
    finally:
        object.__setattr__(kept, "__class__", Interrupted.__mro__[1])
    assert face.state().released == 2, "with the assignment of the change it is made"
    if interrupted == 1:  # the release was drawn, and the retry completes it
        assert steps == ["drawn"]
        tell(face, decision)
        assert face.state().released == 2
    assert face.open_decisions == ()
    assert tables == [{}, {}]
    with pytest.raises(DiscreetError, match="has been told already"):
        tell(face, decision)


@pytest.mark.parametrize("interrupted", range(1, 5))
def test_a_decision_that_is_interrupted_on_its_way_into_the_tables_was_given(interrupted):
    face = bandit(batch_size=1)
    rows, steps = face._run._store.rows, []

    class Interrupted(type(rows)):
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value)
            steps.append(name)
            if len(steps) == interrupted:
                raise KeyboardInterrupt

    rows.__class__ = Interrupted
    with pytest.raises(KeyboardInterrupt):
        ask(face)
    object.__setattr__(rows, "__class__", Interrupted.__mro__[1])
    assert (face.state().round, face.state().open, sum(rows.choices.values())) == (1, 1, 1)
    assert rows.learner == face._run._engine.learner_state.tobytes()
    tell(face, 0)
    assert face.state().released == 1
    assert ask(face).id == 1


def test_a_signal_at_any_moment_neither_loses_nor_doubles_an_outcome():
    """Two hundred Ctrl-Cs from a timer: what was told without an exception counts, and what was
    not, at most once.
    """
    face = bandit(horizon=100_000, batch_size=2, simulation=True)
    acknowledged, interrupts, armed = 0, 0, False

    def interrupt(*_):
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    def tell_what_is_open():
        for one in face.open_decisions:
            face.tell(one.id, loss=0.5)

    old = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
    try:
        while interrupts < 200:
            try:
                armed = True
                while armed:
                    tell_what_is_open()
                    tell(face, ask(face))
                    acknowledged += 1
            except KeyboardInterrupt:
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    tell_what_is_open()
    progress = face.state()
    assert progress.round >= acknowledged > 200
    assert progress.released == progress.round // 2
    assert progress.open == 0


@pytest.mark.parametrize("name", ["state", "open_decisions", "release_due"])
def test_an_interrupt_while_a_method_begins_leaves_no_lock_behind(name):
    """Wherever Ctrl-C comes, the run answers afterwards, also while the traceback exists."""

    def interrupt(*_):
        raise KeyboardInterrupt

    run, rng, interrupted = bandit()._run, np.random.default_rng(1), 0
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, 1e-4))
                for _ in range(10_000):
                    getattr(run, name)()
            except KeyboardInterrupt:
                interrupted += 1
                assert not run._inside(), "the lock is free while the traceback lives"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 250
