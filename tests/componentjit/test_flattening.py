"""Functions with the methods that they call written into them do what they did before."""

from __future__ import annotations

import dis
import linecache

import numpy as np
import pytest

from componentjit import Component, compile_for, helper
from componentjit.flattening import flatten


class Log(Component):
    """Notes in which order things happen."""

    written_notes: np.ndarray

    def written_noted(self, value):
        self.written_notes[int(self.written_notes[0]) + 1] = value
        self.written_notes[0] += 1
        return value

    def written_found(self, wanted):
        for i in range(1, 40):
            for j in range(2):
                if i > self.written_notes[0]:
                    break
                if self.written_notes[i] == wanted and j == 1:
                    return i
        return -1

    def written_sign(self, value):
        if value < 0:
            return -1.0
        if value > 0:
            self.written_noted(99.0)
            return 1.0
        return 0.0

    def written_both(self, value):
        if value > 3:
            return self.written_pair_of(value)
        return self.written_noted(value), 7.0

    def written_pair_of(self, value):
        return value, self.written_noted(value + 1)

    def written_grown(self, value):
        value += 1.0
        value *= 2.0
        return value

    def written_doubled(self, value, times=2):
        return value * times

    def written_reset(self):
        if self.written_notes[0] > 30:
            self.written_notes[0] = 0
            return
        self.written_noted(-5.0)


class Outer(Component):
    written_log: Log
    written_weight: float

    def written_noted(self, value):
        return self.written_log.written_noted(self.written_weight * value)

    def written_sign(self, value):
        return self.written_log.written_sign(value) - self.written_log.written_sign(-value)


@helper
def steps(value, log):
    count = 0
    while value > 1:
        value /= 2
        count += 1
        if count == 5:
            return count
    return log.written_noted(count)


def in_order(outer, x):
    y = (
        x * outer.written_log.written_notes[0]
        + outer.written_noted(x)
        + outer.written_log.written_notes[0] * outer.written_log.written_noted(2.0)
    )
    return (
        outer.written_log.written_sign(outer.written_noted(y))
        + y
        - outer.written_log.written_doubled(outer.written_noted(3.0), times=3)
    )


def only_if_needed(outer, x):
    a = x > 2 and outer.written_noted(x) > 0 and outer.written_log.written_noted(5.0) > 0
    b = x > 2 or outer.written_noted(x) > 100 or outer.written_log.written_noted(6.0) > 0
    c = outer.written_noted(x) if x > 1 else outer.written_log.written_noted(8.0)
    return (1.0 if a else 0.0) + (2.0 if b else 0.0) + c


def with_loops(outer, x):
    total = 0.0
    while outer.written_log.written_noted(total) < 5 * outer.written_weight and total < 12:
        total += outer.written_log.written_found(outer.written_weight * x) + steps(
            x, outer.written_log
        )
        if total > 8:
            continue
        total += 1.5
    for i in range(int(outer.written_log.written_doubled(2))):
        total += outer.written_log.written_grown(total) * i
        outer.written_log.written_reset()
    return total


def read_first(outer, x):
    outer.written_log.written_notes[0] += outer.written_log.written_noted(0.0)
    outer.written_log.written_notes[1] -= outer.written_noted(x)
    a, b = outer.written_log.written_both(x)
    b, a = outer.written_log.written_both(a + b)
    x, y = outer.written_log.written_pair_of(a)
    return a - 2 * b + x * y, outer.written_sign(x)


@pytest.mark.parametrize("function", [in_order, only_if_needed, with_loops, read_first])
@pytest.mark.parametrize("x", [-2.0, 0.0, 1.0, 3.0, 7.0])
def test_results_and_effects_are_the_same(function, x):
    there, here, fast = (Outer(Log(np.zeros(400)), 1.5) for _ in range(3))
    flat = flatten(function, (here, x))
    assert flat(here, x) == function(there, x) == compile_for(function, fast)(fast, x)
    assert (
        here.written_log.written_notes.tolist()
        == there.written_log.written_notes.tolist()
        == fast.written_log.written_notes.tolist()
    )
    assert there.written_log.written_notes[0] > 0


@pytest.mark.parametrize("function", [in_order, only_if_needed, read_first])
def test_no_call_of_a_method_is_left(function):
    flat = flatten(function, (Outer(Log(np.zeros(400)), 1.5), 1.0))
    assert calls(function) & {"written_noted", "written_found", "written_both", "written_pair_of"}
    assert not calls(flat) & {
        "written_noted",
        "written_found",
        "written_sign",
        "written_both",
        "written_pair_of",
        "written_grown",
        "written_doubled",
        "steps",
    }


def calls(function):
    return {
        each.argval
        for each in dis.get_instructions(function)
        if each.opname in ("LOAD_METHOD", "LOAD_GLOBAL")
    }


def untouched(value):
    return value + 1


def test_without_components_nothing_changes():
    assert flatten(untouched, (3,))(3) == 4


def test_what_has_no_source_stays_as_it_is():
    names: dict = {}
    exec("def made(log, x):\n    return log.written_noted(x)", names)
    assert flatten(names["made"], (Log(np.zeros(40)), 1.0)) is names["made"]


def test_a_file_that_changed_since_it_was_imported_is_not_believed(tmp_path, monkeypatch):
    source = (
        "from componentjit import Component\nclass Kept(Component):\n    size: float\n    def "
        "kept_size(self, by):\n        return self.size * by\ndef use(kept):\n    return "
        "kept.kept_size(2.0)\n"
    )
    (tmp_path / "kept_module.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    import kept_module  # type: ignore[import-not-found]

    (tmp_path / "kept_module.py").write_text(source.replace("self.size * by", "self.size + by"))
    linecache.clearcache()
    kept = kept_module.Kept(5.0)
    assert flatten(kept_module.use, (kept,))(kept) == 10.0


def _other_max(first, second):
    return 100.0


class Plain(Component):
    written_size: float

    def written_larger(self, value):
        return max(self.written_size, value)


class Shadowing(Component):
    written_size: float

    def written_larger(self, value):
        return value


def own_max(part, value):
    first = max(1.0, value)  # a global of this module by that name, see below
    return first + part.written_larger(value)


def local_max(part, value):
    max = value + 1.0  # noqa: A001
    return max + part.written_larger(value)


def test_a_global_named_like_a_builtin_does_not_hide_it_from_others():
    moved = type(own_max)(own_max.__code__, {**globals(), "max": _other_max}, "own_max")
    assert own_max(Plain(3.0), 2.0) == 5.0
    for call in (moved, flatten(moved, (Plain(3.0), 2.0))):
        assert call(Plain(3.0), 2.0) == 103.0


def test_a_local_named_like_a_builtin_does_not_hide_it_from_others():
    assert (
        local_max(Plain(3.0), 2.0) == flatten(local_max, (Plain(3.0), 2.0))(Plain(3.0), 2.0) == 6.0
    )


class Holder(Component):
    written_inside: Component

    def written_held(self, value):
        return self.written_inside.written_larger(value)


def through(holder, value):
    return holder.written_held(value)


def test_the_same_class_around_others_is_compiled_again():
    run = compile_for(through, Holder(Plain(3.0)), Holder(Shadowing(3.0)))
    assert run(Holder(Plain(3.0)), 2.0) == 3.0
    assert run(Holder(Shadowing(3.0)), 2.0) == 2.0
