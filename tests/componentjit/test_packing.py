"""Records are written into rows of a table and read back, in Python and compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from componentjit import Component, compile_for, pack, packed_size, unpack


class Inner(NamedTuple):
    weights: np.ndarray
    sure: bool


class Outer(NamedTuple):
    place: int
    inner: Inner
    share: float
    items: np.ndarray  # of integers


class Shelf(Component):
    example: Outer
    table: np.ndarray

    def put(self, value, row):
        pack(value, self.table, row, 1)

    def total(self, row):
        found = unpack(self.example, self.table, row, 1)
        most = found.inner.weights[1, 0] + found.items[2] + found.share + found.place
        return most if found.inner.sure else -most


def filled(shelf, value):
    shelf.put(value, 0)
    shelf.put(Outer(40, Inner(value.inner.weights, False), value.share, value.items), 2)
    return shelf.total(0), shelf.total(2)


def make():
    inner = Inner(np.array([[1.0, 2.0], [3.0, 4.0]]), True)
    value = Outer(7, inner, 0.5, np.array([5, 6, 7]))
    blank = Outer(0, Inner(np.zeros((2, 2)), False), 0.0, np.zeros(3, np.int64))
    return Shelf(blank, np.zeros((3, 1 + packed_size(value)))), value


def test_both_speeds_read_what_was_written():
    shelf, value = make()
    assert packed_size(value) == 10
    assert filled(shelf, value) == (17.5, -50.5)
    again, _ = make()
    assert compile_for(filled, again)(again, value) == (17.5, -50.5)
    assert again.table.tolist() == shelf.table.tolist()


def test_what_is_read_has_the_types_and_the_arrays_of_the_example():
    shelf, value = make()
    shelf.put(value, 1)
    found = unpack(shelf.example, shelf.table, 1, 1)
    assert [type(part) for part in (found, found.place, found.inner.sure)] == [Outer, int, bool]
    assert found.items is shelf.example.items
    assert found.items.tolist() == value.items.tolist()


@pytest.mark.parametrize("value", [3, 2.5, True, np.array([1.0, 2.0]), (1, 2.0)])
def test_single_numbers_arrays_and_plain_tuples(value):
    table = np.zeros((1, packed_size(value)))
    pack(value, table, 0, 0)
    example = np.zeros(2) if isinstance(value, np.ndarray) else value
    assert np.array_equal(unpack(example, table, 0, 0), value)
