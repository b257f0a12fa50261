"""Functions with the methods that they call written into them do what they did before."""

from __future__ import annotations

import dis
import linecache

import numpy as np
import pytest

from discreet.kernel import Component, compile_for, helper
from discreet.kernel.flattening import flattened


class Log(Component):
    """Notes in which order things happen."""

    notes: np.ndarray

    def noted(self, value):
        self.notes[int(self.notes[0]) + 1] = value
        self.notes[0] += 1
        return value

    def found(self, wanted):
        for i in range(1, 40):
            for j in range(2):
                if i > self.notes[0]:
                    break
                if self.notes[i] == wanted and j == 1:
                    return i
        return -1

    def sign(self, value):
        if value < 0:
            return -1.0
        if value > 0:
            self.noted(99.0)
            return 1.0
        return 0.0

    def both(self, value):
        if value > 3:
            return self.pair_of(value)
        return self.noted(value), 7.0

    def pair_of(self, value):
        return value, self.noted(value + 1)

    def grown(self, value):
        value += 1.0
        value *= 2.0
        return value

    def doubled(self, value, times=2):
        return value * times

    def reset(self):
        if self.notes[0] > 30:
            self.notes[0] = 0
            return
        self.noted(-5.0)


class Outer(Component):
    log: Log
    weight: float

    def noted(self, value):
        return self.log.noted(self.weight * value)

    def sign(self, value):
        return self.log.sign(value) - self.log.sign(-value)


@helper
def steps(value, log):
    count = 0
    while value > 1:
        value /= 2
        count += 1
        if count == 5:
            return count
    return log.noted(count)


def in_order(outer, x):
    y = x * outer.log.notes[0] + outer.noted(x) + outer.log.notes[0] * outer.log.noted(2.0)
    return outer.log.sign(outer.noted(y)) + y - outer.log.doubled(outer.noted(3.0), times=3)


def only_if_needed(outer, x):
    a = x > 2 and outer.noted(x) > 0 and outer.log.noted(5.0) > 0
    b = x > 2 or outer.noted(x) > 100 or outer.log.noted(6.0) > 0
    c = outer.noted(x) if x > 1 else outer.log.noted(8.0)
    return (1.0 if a else 0.0) + (2.0 if b else 0.0) + c


def with_loops(outer, x):
    total = 0.0
    while outer.log.noted(total) < 5 * outer.weight and total < 12:
        total += outer.log.found(outer.weight * x) + steps(x, outer.log)
        if total > 8:
            continue
        total += 1.5
    for i in range(int(outer.log.doubled(2))):
        total += outer.log.grown(total) * i
        outer.log.reset()
    return total


def read_first(outer, x):
    outer.log.notes[0] += outer.log.noted(0.0)
    outer.log.notes[1] -= outer.noted(x)
    a, b = outer.log.both(x)
    b, a = outer.log.both(a + b)
    x, y = outer.log.pair_of(a)
    return a - 2 * b + x * y, outer.sign(x)


@pytest.mark.parametrize("function", [in_order, only_if_needed, with_loops, read_first])
@pytest.mark.parametrize("x", [-2.0, 0.0, 1.0, 3.0, 7.0])
def test_results_and_effects_are_the_same(function, x):
    there, here, fast = (Outer(Log(np.zeros(400)), 1.5) for _ in range(3))
    flat = flattened(function, (here, x))
    assert flat(here, x) == function(there, x) == compile_for(function, fast)(fast, x)
    assert here.log.notes.tolist() == there.log.notes.tolist() == fast.log.notes.tolist()
    assert there.log.notes[0] > 0


@pytest.mark.parametrize("function", [in_order, only_if_needed, read_first])
def test_no_call_of_a_method_is_left(function):
    flat = flattened(function, (Outer(Log(np.zeros(400)), 1.5), 1.0))
    assert calls(function) & {"noted", "found", "both", "pair_of"}
    assert not calls(flat) & {"noted", "found", "sign", "both", "pair_of", "grown", "doubled", "steps"}


def calls(function):
    return {each.argval for each in dis.get_instructions(function) if each.opname in ("LOAD_METHOD", "LOAD_GLOBAL")}


def untouched(value):
    return value + 1


def test_without_components_nothing_changes():
    assert flattened(untouched, (3,))(3) == 4


def test_what_has_no_source_stays_as_it_is():
    names: dict = {}
    exec("def made(log, x):\n    return log.noted(x)", names)
    assert flattened(names["made"], (Log(np.zeros(40)), 1.0)) is names["made"]


def test_a_file_that_changed_since_it_was_imported_is_not_believed(tmp_path, monkeypatch):
    source = (
        "from discreet.kernel import Component\n"
        "class Kept(Component):\n"
        "    size: float\n"
        "    def kept_size(self, by):\n"
        "        return self.size * by\n"
        "def use(kept):\n"
        "    return kept.kept_size(2.0)\n"
    )
    (tmp_path / "kept_module.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    import kept_module  # type: ignore[import-not-found]

    (tmp_path / "kept_module.py").write_text(source.replace("self.size * by", "self.size + by"))
    linecache.clearcache()
    kept = kept_module.Kept(5.0)
    assert flattened(kept_module.use, (kept,))(kept) == 10.0
