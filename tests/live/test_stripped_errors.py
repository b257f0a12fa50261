"""Errors are stripped of frames whatever happens while they are: limits, a full stack, Ctrl-C."""

from __future__ import annotations

import contextlib
import linecache
import sys

import pytest
from makers import ask, make, tell
from raw_frames import OWN, SECRET, Broken, Thrower, leaks, raw_values

from discreet import DiscreetError


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_on_tracebacks_shows_nothing_more(limit, monkeypatch):
    face = make("batch")
    for _ in range(3):
        tell(face, ask(face), SECRET)
    decision = ask(face)

    def broken(self, trace, released):
        raise RuntimeError("learning fails")

    monkeypatch.setattr(type(face._run._engine.learner), "learn", broken)
    monkeypatch.setattr(sys, "tracebacklimit", limit, raising=False)
    with pytest.raises(RuntimeError, match="learning fails") as refusal:
        tell(face, decision, OWN)
    numbers, held = raw_values(face)
    assert leaks(refusal.value, numbers | {face._run._store.rows.drawn.value}, held) == []


def deeper(levels, use):
    return use() if levels <= 0 else deeper(levels - 1, use)


@pytest.mark.parametrize("kind", ["batch", "every round", "tree", "slates"])
def test_a_stack_that_is_nearly_full_shows_nothing(kind):
    """With any number of frames left, from too few to enter ``tell`` to enough to complete it."""
    face, failures = make(kind, horizon=4000), 0
    for _ in range(2):
        tell(face, ask(face), SECRET)
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    for left in range(3, 60):
        decision, error = ask(face), None
        try:
            deeper(
                sys.getrecursionlimit() - depth - left, lambda told=decision: tell(face, told, OWN)
            )
        except RecursionError as failure:
            error, failures = failure, failures + 1
        numbers, held = raw_values(face)
        assert error is None or leaks(error, numbers - {OWN, 1.0 - OWN}, held) == [], left
        with contextlib.suppress(DiscreetError):  # told, if its release is stored
            tell(face, decision, OWN)
    assert failures > 10


class Later(Thrower):
    """Throws a second error at the n-th line after a first one, in handlers as well."""

    armed = False

    def __call__(self, frame, event, arg):
        if "/src/discreet/" not in frame.f_code.co_filename:
            return None
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if self.armed and event == "line" and not line.startswith(("with ", "try:")):
            self.lines += 1
            if self.lines == self.at:
                raise KeyboardInterrupt
        return self


@pytest.mark.parametrize("kind", ["batch", "slates", "tree"])
@pytest.mark.parametrize("use", [ask, None])
def test_an_interrupt_while_an_error_is_stripped_shows_nothing(kind, use, monkeypatch):
    """The first error comes from the learner, the second one at every line on the way out."""
    face, thrower = make(kind, horizon=6000), None
    tell(face, ask(face), SECRET)

    def broken(self, trace, released):
        if thrower is not None:
            thrower.armed = True
        raise Broken("on purpose")

    monkeypatch.setattr(type(face._run._engine.learner), "learn", broken)
    while face._run._store.rows.drawn is None:
        decision = ask(face)
        with contextlib.suppress(Broken):
            tell(face, decision, SECRET)
    for at in range(1, 120):
        thrower, error = Later(at), None
        sys.settrace(thrower)
        try:
            ask(face) if use is ask else tell(face, decision, OWN)
        except BaseException as failure:
            error = failure
        finally:
            sys.settrace(None)
        numbers, held = raw_values(face)
        assert leaks(error, numbers - {OWN, 1.0 - OWN}, held) == [], at
        if thrower.lines < at:
            break
    assert 5 < at < 119
