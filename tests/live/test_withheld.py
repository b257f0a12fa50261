"""No error that leaves a live object carries raw data, in a message, a note or a frame."""

from __future__ import annotations

import contextlib
import sys
import threading

import pytest
from makers import ADVICE, ask, make, tell
from raw_frames import OWN, SECRET, Broken, Thrower, leaks, raw_values

from discreet import Advisor, Device, DiscreetError, LocalServer
from discreet.live import frames
from discreet.live.client import LiveClient
from discreet.mechanisms.exact import AT_ONCE, NoiseBlock

KINDS = (
    "batch",
    "one bit",
    "every round",
    "tree",
    "slates",
    "pairs of points",
    "advice in batches",
    "contexts",
)


def thrown_into(face, use, at):
    """Call something with an error thrown in; return that error, and whether it was thrown."""
    thrower, error = Thrower(at), None
    sys.settrace(thrower)
    try:
        use()
    except BaseException as failure:
        error = failure
    finally:
        sys.settrace(None)
    return error, thrower.thrown


def fail_at_every_line(kind, path=None, every=1):
    """Throw an error at lines of a tell and of an ask; return how many, and what they carried."""
    face = make(kind, path=path, horizon=4000)
    tell(face, ask(face), SECRET)
    tell(face, ask(face), SECRET)
    decision, found, thrown_at = ask(face), [], 0
    uses = {"tell": lambda: tell(face, decision, OWN), "ask": lambda: ask(face)}
    for name, use in uses.items():
        for at in range(1, 2_000, every):
            error, thrown = thrown_into(face, use, at)
            if thrown is None:
                break
            thrown_at += 1
            if error is not None:
                numbers, held = raw_values(face)
                found += [(name, thrown, each) for each in leaks(error, numbers, held)]
            with contextlib.suppress(DiscreetError):
                tell(face, decision, OWN)
            decision = ask(face)
    return thrown_at, found


@pytest.mark.slow
@pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_error_at_any_line_carries_nothing_raw(kind, in_file, tmp_path):
    """Every line of a tell and of an ask fails once: the error shows nothing that others told."""
    path, every = (tmp_path / "run.db", 3) if in_file else (None, 1)
    thrown, found = fail_at_every_line(kind, path, every)
    assert found == []
    assert thrown > 40


def test_frames_with_raw_data_would_be_found(monkeypatch):
    monkeypatch.setattr("discreet.live.run.without_frames", lambda error: error)
    monkeypatch.setattr("discreet.live.arms.without_frames", lambda error: error)
    face = make("batch")
    tell(face, ask(face), SECRET)
    decision = ask(face)
    found = []
    for at in range(1, 60):
        error, _ = thrown_into(face, lambda: tell(face, decision, OWN), at)
        if error is not None:
            found += leaks(error, *raw_values(face))
    assert any("held" in each for each in found)


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_shows_nothing_of_others(kind, tmp_path, monkeypatch):
    import sqlite3

    from discreet.live.file_store import FileStore

    face = make(kind, path=tmp_path / "run.db")
    rows, streaming = face._run._store.rows, face._run._engine.streaming
    for _ in range(3 if kind != "batch" else 2):
        tell(face, ask(face), SECRET)
    decision = ask(face)
    group = rows.group(rows.open[max(rows.open)][1])
    encrypts = streaming or group.told + 1 < group.size  # a released batch holds nothing more
    assert encrypts or kind != "batch"

    def full(*_, **__):
        raise sqlite3.OperationalError("database or disk is full")

    names = ("_seal", "_write_state", "_delete", "_encrypted")
    for name in names[: 4 if encrypts else 3]:
        with monkeypatch.context() as patch:
            patch.setattr(FileStore, name, full)
            with pytest.raises(DiscreetError, match="disk is full") as refusal:
                tell(face, decision, OWN)
        assert leaks(refusal.value, *raw_values(face)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_refused_outcomes_are_not_in_frames(kind):
    face = make(kind)
    decision = ask(face)
    for outcome in (1e6 + SECRET, [SECRET] * 7, str(SECRET), {"a": SECRET}, None):
        with pytest.raises(DiscreetError) as refusal:
            face.tell(decision, **{"losses" if "tree" in kind else "loss": outcome})
        assert leaks(refusal.value, {SECRET, 1e6 + SECRET}, []) == []
    with pytest.raises(DiscreetError) as refusal:
        tell(face, 99, SECRET)
    assert leaks(refusal.value, {SECRET, 1.0 - SECRET}, []) == []


def canaries(first):
    """Return a draw of noise that nobody could miss, and all that it has drawn."""
    drawn = set()

    def draw(count):
        fresh = [first + len(drawn) + each for each in range(count)]
        drawn.update(fresh)
        return fresh

    return draw, drawn


def reported_by_threads(block, monkeypatch, thrower=None):
    """Use numbers until another thread draws; return what it reports, with its frames."""
    reported = []
    with monkeypatch.context() as patch:
        patch.setattr(threading, "excepthook", reported.append)
        patch.setattr(threading, "_trace_hook", thrower)
        before = set(threading.enumerate())
        while len(block._numbers) >= AT_ONCE // 2:
            block.take()
        block.take()
        for thread in set(threading.enumerate()) - before:
            thread.join()
    return reported


def test_noise_that_fails_to_be_drawn_ahead_is_in_no_frame(monkeypatch):
    """The other thread draws, and fails with the noise in its frames: nobody is shown them."""
    face = make("every round")
    block = face._run._engine.private.channel.noise.block
    right, drawn = canaries(1_234_567_890)

    def fails(count):
        fresh = right(count)
        raise MemoryError(f"on purpose, after {len(fresh)} numbers")

    monkeypatch.setattr(block, "_draw", right)
    block.take()
    monkeypatch.setattr(block, "_draw", fails)
    for error in reported_by_threads(block, monkeypatch):
        assert leaks(error.exc_value, drawn, []) == []
    assert block._drawing is False
    while block._numbers:
        block.take()
    decision = ask(face)
    with pytest.raises(MemoryError, match="on purpose") as failure:
        tell(face, decision, OWN)
    assert leaks(failure.value, drawn | {OWN}, []) == []
    monkeypatch.setattr(block, "_draw", right)
    tell(face, decision, OWN)


@pytest.mark.parametrize("at", range(1, 12))
def test_an_error_at_any_line_of_drawing_ahead_shows_no_noise(at, monkeypatch):
    block = NoiseBlock("laplace", 2.0**45)
    right, drawn = canaries(1_234_567_890)
    monkeypatch.setattr(block, "_draw", right)
    block.take()
    for error in reported_by_threads(block, monkeypatch, Thrower(at)):
        assert leaks(error.exc_value, drawn, []) == []
        assert error.exc_type is Broken
    assert len({block.take() for _ in range(2 * AT_ONCE)}) == 2 * AT_ONCE


def test_noise_needs_no_thread(monkeypatch):
    def fail(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    block = NoiseBlock("laplace", 2.0**45)
    assert len({block.take() for _ in range(3 * AT_ONCE)}) == 3 * AT_ONCE


def test_a_device_shows_neither_features_nor_outcomes():
    device = Device(dimension=2, epsilon=1.0)
    device.update(LocalServer(dimension=2, horizon=100, epsilon=1.0).model())
    with pytest.raises(DiscreetError) as refusal:
        device.choose([[SECRET, 3.0], [0.0, 0.0]])
    assert leaks(refusal.value, {SECRET}, []) == []
    device.choose([[SECRET, 0.0], [0.0, 0.0]])
    with pytest.raises(DiscreetError) as refusal:
        device.report(1.0 + SECRET)
    assert leaks(refusal.value, {SECRET, 1.0 + SECRET}, []) == []


def test_unexpected_errors_say_where_they_came_from():
    first = ValueError("first")
    try:
        try:
            raise first
        except ValueError:
            raise KeyError("second") from None
    except KeyError as error:
        second = frames.without_frames(error)
    assert second.__traceback__ is first.__traceback__ is None
    assert "raised in test_unexpected_errors_say_where" in second.__notes__[0]
    assert "test_withheld.py, line" in first.__notes__[0]


def test_every_public_method_that_can_fail_is_guarded():
    """Those that take outcomes, and those of a run: by the decorator, or by their own code."""
    from discreet import live

    for kind in [each for each in vars(live).values() if isinstance(each, type)]:
        if issubclass(kind, LiveClient) and kind is not LiveClient:
            method = vars(kind).get("tell") or kind.tell
            names = method.__code__.co_names
            assert hasattr(method, "__wrapped__") or "without_frames" in names, kind
    for name in ("state", "open_decisions", "read_learner", "snapshot", "close", "give_up"):
        assert hasattr(getattr(live.LiveRun, name), "__wrapped__"), name


def test_advice_is_public():
    """It is what the program shows, so frames may have it."""
    advisor = make("advice in batches")
    assert isinstance(advisor, Advisor)
    assert advisor.ask(ADVICE).id == 0
