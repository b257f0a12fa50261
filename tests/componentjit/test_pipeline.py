"""Fewer of Numba's passes: what needs those that are left out is compiled in the ordinary way."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import compiler

import componentjit
from componentjit import Component
from componentjit.pipeline import NEEDLESS, short_pipeline

NOW, LATER = 0, 2


class Halving(Component):
    """A variable is an integer at first, and then a float."""

    values: np.ndarray

    def halved(self, value):
        place = self.values.size
        while place > value:
            place = place / 2
        return place


class Adding(Component):
    """A variable is a number that is written as an integer at first, and then a float."""

    values: np.ndarray

    def halved(self, value):
        total = 0
        for i in range(self.values.size):
            total += value * self.values[i]
        return total


class Pointing(Component):
    """A variable is an index at first, and then a float: it cannot be of one type."""

    values: np.ndarray

    def halved(self, value):
        found = 1
        found = self.values[found] * value
        return found + value


class Hashing(Component):
    """A variable is a large integer at first, of which every digit matters, and then a float."""

    values: np.ndarray

    def halved(self, value):
        found = 3
        for _ in range(37):
            found = 3 * found + 1
        found = found % 1000
        found = found / 7
        return found + value


class Counting(Component):
    """The counter of a loop becomes a float."""

    values: np.ndarray

    def halved(self, value):
        i = 0.5
        for i in range(self.values.size):
            value += i
        return value + i


class Choosing(Component):
    """A variable is one of two numbers that have names."""

    values: np.ndarray

    def halved(self, value):
        place = NOW
        if value > 3.0:
            place = LATER
        return self.values[place]


class Listing(Component):
    """Makes a list on the way."""

    values: np.ndarray

    def halved(self, value):
        return sum([value * each for each in self.values])


def ask(component, rounds):
    found = 0.0
    for t in range(rounds):
        found += component.halved(t + 1.5)
    return found


def passes_of(pipeline):
    """Return the names of all passes in the order in which they run."""
    from numba.core.registry import cpu_target
    from numba.core.types import int64

    flags = compiler.Flags()
    flags.enable_pyobject = False
    chosen = pipeline(
        cpu_target.typing_context, cpu_target.target_context, None, (int64,), None, flags, {}
    )
    (manager,) = chosen.define_pipelines()
    return [each.name() for each, _ in manager.passes]


def test_what_is_left_out_would_be_there():
    usual, short = passes_of(compiler.Compiler), passes_of(short_pipeline())
    assert set(usual) >= NEEDLESS
    assert [each for each in short if each != "refusal_of_rounding"] == [
        each for each in usual if each not in NEEDLESS
    ]
    assert "nopython_type_inference" in short


@pytest.mark.parametrize(
    ("kind", "ordinary"),
    [
        (Halving, True),
        (Hashing, True),
        (Counting, True),
        (Adding, False),
        (Choosing, False),
        (Pointing, True),
        (Listing, True),
    ],
)
def test_whatever_a_component_does_its_numbers_are_those_of_plain_python(kind, ordinary):
    component = kind(values=np.array([0.25, 3.0, 7.5]))
    compiled = componentjit.compile_for(ask, component)
    assert compiled(component, 7) == ask(component, 7)
    assert compiled.must_allocate == ordinary
