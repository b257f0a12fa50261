"""Errors are stripped of frames whatever happens while they are: limits, a full stack, Ctrl-C."""

from __future__ import annotations

import contextlib
import copy
import linecache
import pickle
import sys

import pytest
from makers import ADVICE, MAKERS, ask, make, tell
from raw_frames import OWN, SECRET, Broken, Thrower, leaks, raw_values

from discreet import Advisor, ContextualBandit, DiscreetError
from discreet.live import MemoryStore, frames
from discreet.mechanisms.exact import sampler

NAME = "user-of-this-test"


def showing(error, words):
    """Return the frames inside the library whose variables contain some words."""
    place, found = error.__traceback__, []
    while place is not None:
        code, seen = place.tb_frame.f_code, repr(list(place.tb_frame.f_locals.values()))
        if "/src/discreet/" in code.co_filename and words in seen:
            found.append(code.co_qualname if hasattr(code, "co_qualname") else code.co_name)
        place = place.tb_next
    return found


def ask_twice(face, **options):
    if isinstance(face, ContextualBandit):
        return face.ask_many([[0.5], [SECRET]], **options)
    if isinstance(face, Advisor):
        return face.ask_many([ADVICE, ADVICE], **options)
    return face.ask_many(2, **options)


@pytest.mark.parametrize("kind", MAKERS)
def test_refused_users_are_in_no_frame(kind):
    face = make(kind, max_rounds_per_user=1)
    ask(face, user=NAME)
    uses = {
        "ask": lambda: ask(face, user=NAME),
        "ask, any limit": lambda: ask(face, user=NAME, at_limit="never"),
        "ask_many": lambda: ask_twice(face, users=[NAME, NAME]),
        "rounds_of": lambda: face.rounds_of([NAME]),
    }
    for use in uses.values():
        with pytest.raises(DiscreetError) as refusal:
            use()
        assert showing(refusal.value, NAME) == []


@pytest.mark.parametrize("contexts", [[[SECRET], [SECRET, 1.0]], [[SECRET], None]])
def test_refused_contexts_are_in_no_frame(contexts):
    face = make("contexts")
    for given in (contexts, iter(contexts)):
        with pytest.raises(DiscreetError, match="the numbers of the context") as refusal:
            face.ask_many(given)
        assert showing(refusal.value, str(SECRET)) == []


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, pickle.dumps])
def test_stores_in_memory_cannot_be_copied(twin):
    """Every copy would release the same batch with its own noise."""
    store = MemoryStore()
    face = make("batch", store=store)
    tell(face, ask(face))
    for each in (store, store.rows):
        with pytest.raises(DiscreetError, match="because a copy could release the same data"):
            twin(each)


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


KINDS = ("batch", "every round", "tree", "cube", "slates", "items of slates", "contexts")


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stack_that_is_nearly_full_shows_nothing(kind, clip):
    """With any number of frames left, from too few to enter ``tell`` to enough to complete it."""
    face, failures = make(kind, horizon=4000, clip=clip), 0
    for _ in range(2):
        tell(face, ask(face), SECRET)
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    for left in range(1, 60):
        decision, error = ask(face), None
        try:
            deeper(
                sys.getrecursionlimit() - depth - left, lambda told=decision: tell(face, told, OWN)
            )
        except (RecursionError, DiscreetError) as failure:  # checks of arguments refuse instead
            error, failures = failure, failures + 1
        numbers, held = raw_values(face)
        assert error is None or leaks(error, numbers, held) == [], left
        with contextlib.suppress(DiscreetError):  # told, if its release is stored
            tell(face, decision, OWN)
    assert failures > 10


def test_drawing_noise_on_a_stack_that_is_nearly_full_is_a_recursion_error():
    """Also where OpenDP converts arguments, for which ctypes would raise its own error."""
    draw, failures = sampler("laplace", 2.0**45), 0
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    for left in range(1, 60):
        try:
            deeper(sys.getrecursionlimit() - depth - left, lambda: draw(1))
        except RecursionError:
            failures += 1
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


@pytest.mark.parametrize("kind", ["tree", "items of slates", "cube", "contexts"])
def test_an_interrupt_of_every_attempt_to_strip_an_error_shows_nothing(kind, monkeypatch):
    """Python handles signals when it enters a function, before the first line of it."""
    face = make(kind)
    decision = ask(face)

    first = []

    def interrupted(error):
        first.append(error)  # as an unraisable error keeps what was handled at its time
        raise KeyboardInterrupt

    monkeypatch.setattr(frames, "without_frames", interrupted)
    with pytest.raises(KeyboardInterrupt) as interrupt:
        tell(face, decision, [OWN, "refused"])
    for error in (interrupt.value, *first):
        assert leaks(error, *raw_values(face)) == []
