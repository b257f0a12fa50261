"""One class, two speeds: nested tuples, arrays, generators, names, fields and copies."""

from __future__ import annotations

import copy
import gc
import pickle
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

import componentjit
from componentjit import Component, ComponentError, Raw


class Inner(Component):
    factor: float
    counts: np.ndarray

    def measure(self, value, rng):
        self.counts[0] += 1
        return self.factor * value + rng.normal()


class Outer(Component):
    inner: Inner
    other: Inner
    table: np.ndarray

    def measure(self, value, rng):
        return self.inner.measure(value, rng) + self.other.measure(self.table[1, 2], rng)


class Allocating(Component):
    size: int

    def measure(self, value, rng):
        return np.full(self.size, value).sum() + rng.random()


def total(component, rounds, rng):
    result = 0.0
    for t in range(rounds):
        result += component.measure(float(t), rng)
    return result


def nested():
    inner = Inner(2.0, np.zeros(1, np.int64)), Inner(-1.0, np.zeros(1, np.int64))
    return Outer(*inner, np.arange(12.0).reshape(3, 4))


def test_nested_tuples_arrays_and_a_generator_agree_at_both_speeds():
    plain, fast = nested(), nested()
    compiled = componentjit.compile_for(total, fast)
    assert total(plain, 50, np.random.default_rng(3)) == compiled(
        fast, 50, np.random.default_rng(3)
    )
    assert plain.inner.counts[0] == fast.inner.counts[0] == 50
    assert plain.other.counts[0] == fast.other.counts[0] == 50


def test_a_component_that_allocates_still_runs():
    component = Allocating(3)
    compiled = componentjit.compile_for(total, component)
    expected = total(component, 10, np.random.default_rng(1))
    assert compiled(component, 10, np.random.default_rng(1)) == pytest.approx(expected, rel=1e-12)
    assert compiled.must_allocate


def test_a_method_takes_the_arguments_of_the_one_that_it_replaces():
    with pytest.raises(
        ComponentError,
        match=r"Wrong.measure takes \(self, value\), but the method that it replaces takes "
        r"\(self, value, rng\)",
    ):

        class Wrong(Allocating):
            def measure(self, value):
                return value


def field_then_method():
    class First(Component):
        reach: float

    class Second(First):
        def reach(self):
            return 1.0


def method_then_field():
    class First(Component):
        def reach(self):
            return 1.0

    class Second(First):
        reach: float


def both_at_once():
    class First(Component):
        reach: float

        def reach(self):
            return 1.0


@pytest.mark.parametrize("define", [field_then_method, method_then_field, both_at_once])
def test_no_field_has_the_name_of_a_method_of_the_same_class(define):
    with pytest.raises(
        ComponentError, match="has both a field and a method called reach: rename one"
    ):
        define()


class Thermostat(Component):
    """Has a method and fields whose names mean something else below."""

    valve: np.ndarray
    target: float

    def adjust(self, heat, limit):
        self.valve[0] += min(heat, limit)
        return self.valve[0] - self.target

    def level(self):
        return self.valve[0]


class Tank(Component):
    """Shares nothing with a thermostat but names: other arguments, and a field for a method."""

    level: float
    content: np.ndarray

    def adjust(self, amount):
        self.content[0] += amount * self.level
        return self.content[0]

    def target(self, by):
        return self.level + by


class House(Component):
    thermostat: Thermostat
    tank: Tank


def live_in(house, rounds):
    found = 0.0
    for t in range(rounds):
        found += house.thermostat.adjust(0.5 * t, 2.0) - house.tank.adjust(0.25)
        found += house.thermostat.level() + house.tank.level * house.thermostat.target
        found += house.tank.target(by=0.125)
    return found


@componentjit.helper_apart
def through_numba(thermostat, tank, t):
    """Stays a function, so that Numba finds these methods, and not the flattener."""
    found = thermostat.adjust(limit=2.0, heat=0.5 * t) - tank.adjust(0.25)
    found += thermostat.level() + tank.level * thermostat.target
    return found + tank.target(0.125)


def live_in_through_numba(house, rounds):
    found = 0.0
    for t in range(rounds):
        found += through_numba(house.thermostat, house.tank, t)
    return found


@pytest.mark.parametrize("run", [live_in, live_in_through_numba])
def test_unrelated_classes_may_use_the_same_names_for_different_things(run):
    def house():
        return House(Thermostat(np.zeros(1), 3.0), Tank(1.5, np.zeros(1)))

    plain, fast = house(), house()
    compiled = componentjit.compile_for(run, fast)
    assert run(plain, 7) == compiled(fast, 7)
    assert plain.tank.content[0] == fast.tank.content[0] > 0
    assert not compiled.must_allocate


class Stretched(Component):
    """Hands out an array, by a method that is declared to do so."""

    views = frozenset({"shown"})

    numbers: np.ndarray

    def shown(self, t):
        return self.numbers[t]


@componentjit.helper_apart
def sum_of(stretched, t):
    row = stretched.shown(t)
    return row[0] + row[1]


def sum_rows(stretched, rounds):
    found = 0.0
    for t in range(rounds):
        found += sum_of(stretched, t)
    return found


def test_a_method_that_returns_a_view_needs_no_reference_counting():
    component = Stretched(np.arange(12.0).reshape(6, 2))
    compiled = componentjit.compile_for(sum_rows, component)
    assert compiled(component, 6) == sum_rows(component, 6) == 66.0


class Growing(Component):
    """A frame: subclasses say by how much."""

    total: Raw[np.ndarray]

    def measure(self, value, rng):
        self.total[0] += self.amount(value)
        return self.total[0]


class Doubling(Growing):
    factor: float = 2.0

    def amount(self, value):
        return self.factor * value


class Twice(Doubling):
    """Inherits everything."""


@pytest.mark.parametrize("kind", [Doubling, Twice])
def test_a_component_inherits_fields_and_methods_at_both_speeds(kind):
    plain, fast = kind(total=np.zeros(1)), kind(total=np.zeros(1))
    compiled = componentjit.compile_for(total, fast)
    assert (
        total(plain, 5, np.random.default_rng(0))
        == compiled(fast, 5, np.random.default_rng(0))
        == 40.0
    )
    assert not compiled.must_allocate
    assert kind._fields == ("total", "factor")
    assert kind._field_defaults == {"factor": 2.0}


def test_raw_fields_are_hidden_and_so_is_what_cannot_be_told():
    class Odd(Component):
        known: float
        secret: Raw[np.ndarray] | None
        odd: NoSuchName  # noqa: F821

    assert repr(Twice(total=np.full(1, 0.123))) == "Twice(total=<hidden>, factor=2.0)"
    assert repr(Odd(1.0, None, 3.0)) == "Odd(known=1.0, secret=<hidden>, odd=<hidden>)"


def test_fields_cannot_be_set_and_defaults_come_last():
    with pytest.raises(AttributeError, match="is read-only: keep mutable state in arrays"):
        nested().inner = None
    with pytest.raises(ComponentError, match="fields with defaults must come after fields without"):

        class Late(Doubling):
            more: float


def test_a_class_that_checks_its_fields_keeps_doing_so_in_subclasses():
    class Checked(Component):
        size: int

        def __new__(cls, size):
            if size < 1:
                raise ComponentError("size must be at least 1.")
            return cls._make((size,))

    class Sub(Checked):
        pass

    assert Sub(3).size == 3
    for kind in (Checked, Sub):
        with pytest.raises(ComponentError, match="at least 1"):
            kind(0)


def test_only_what_can_be_compiled_is():
    class Slow(Component):
        compiles = False
        size: int

    assert componentjit.compilable(nested())
    assert not componentjit.compilable(Slow(1))
    assert not componentjit.compilable(Inner(1.0, object()))


class Draw(NamedTuple):
    arm: int
    weight: float


def test_plain_tuples_get_their_names_back():
    held = (3, Draw(1, 2.5), (np.arange(2), 7))
    plain = componentjit.as_plain(held)
    assert type(plain[1]) is tuple
    assert componentjit.with_names(held, plain) == held
    assert type(componentjit.with_names(held, plain)[1]) is Draw


def test_copies_have_state_of_their_own():
    one = nested()
    other = componentjit.copy(one)
    other.inner.counts[0] = 7
    assert one.inner.counts[0] == 0
    assert [name for name, _ in componentjit.arrays(one)] == [
        "inner.counts",
        "other.counts",
        "table",
    ]


class Alone(Component):
    """Has no twin once it has counted."""

    counts: np.ndarray

    def _check_copy(self):
        if self.counts[0] > 0:
            raise ComponentError("it has counted, and must have no twin.")


class Holding(Component):
    part: Alone


def test_a_component_that_must_have_no_twin_is_asked_before_every_kind_of_copy():
    alone = Alone(np.zeros(1, np.int64))
    ways = [
        copy.copy,
        copy.deepcopy,
        componentjit.copy,
        lambda each: each._replace(),
        *(
            partial(pickle.dumps, protocol=protocol)
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ]
    for way in ways:
        way(alone)
    alone.counts[0] = 1
    for way in ways:
        with pytest.raises(ComponentError, match="must have no twin"):
            way(alone)
    for way in (copy.deepcopy, componentjit.copy, pickle.dumps):
        with pytest.raises(ComponentError, match="must have no twin"):
            way(Holding(alone))


def test_a_field_that_is_not_there_cannot_be_replaced():
    with pytest.raises(ValueError, match="Alone has no field 'count'"):
        Alone(np.zeros(1))._replace(count=3)


@componentjit.compiled_as(lambda value: value + 1.0)
def one_more(value):
    return [value, 1.0].pop() + float(str(value))


class Stepping(Component):
    start: float

    def measure(self, value, rng):
        return one_more(self.start) + value


def test_a_function_that_cannot_be_compiled_has_a_stand_in():
    rng = np.random.default_rng(0)
    component = Stepping(2.0)
    assert (
        total(component, 3, rng)
        == componentjit.compile_for(total, component)(component, 3, rng)
        == 12.0
    )


def test_a_class_is_made_whole_while_garbage_is_collected():
    """The model of a component is itself a class, and a class that nobody holds is taken apart."""
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        made = [
            type(f"Made{k}", (Component,), {"__annotations__": {"size": "int"}}) for k in range(50)
        ]
    finally:
        gc.set_threshold(*before)
    assert [kind(3).size for kind in made] == [3] * 50
