"""Stand-ins through which compiled code uses sets that cannot be compiled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from componentjit import Call, PythonFailed, call_python, compilable, helper, map_parts
from discreet.contracts import Floats, Integers
from discreet.sets.contract import Barrier, Gauged, LinearOracle, Projecting, Vertices

Part = TypeVar("Part")
MINIMISE, TANGENT, PROJECT, GAUGE, LEADER, DIKIN = range(6)


class InPython(Projecting, Gauged, Barrier, Vertices):
    """Replaces a set in compiled code: copies arguments into ``shared``, and calls Python.

    It declares all abilities, but a learner uses only those of its actual set.
    """

    address: int
    number: int
    done: Integers
    shared: Floats
    middle: Floats

    def centre(self) -> Floats:
        """Return the centre, which does not change."""
        return self.middle.copy()

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Call the oracle of the set."""
        copy_into(direction, self.shared, 0)
        self.ask_python(MINIMISE)
        copy_out(self.shared, 1, point)

    def tangent(self, vector: Floats) -> None:
        """Replace the vector by its projection onto the hull."""
        copy_into(vector, self.shared, 0)
        self.ask_python(TANGENT)
        copy_out(self.shared, 0, vector)

    def project(self, point: Floats) -> None:
        """Replace the point by its projection."""
        copy_into(point, self.shared, 0)
        self.ask_python(PROJECT)
        copy_out(self.shared, 0, point)

    def gauge(self, point: Floats) -> float:
        """Return the gauge."""
        copy_into(point, self.shared, 0)
        self.ask_python(GAUGE)
        found: float = self.shared[1, 0]
        return found

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the leader."""
        copy_into(sums, self.shared, 0)
        copy_into(point, self.shared, 2)  # a search may start there
        self.shared[1, 0] = rate
        self.ask_python(LEADER)
        copy_out(self.shared, 2, point)

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write a step and its slope."""
        copy_into(point, self.shared, 0)
        copy_into(direction, self.shared, 1)
        self.ask_python(DIKIN)
        copy_out(self.shared, 2, step)
        copy_out(self.shared, 3, slope)

    def ask_python(self, what: int) -> None:
        """Let Python process the rows."""
        self.done[0] = 0
        call_python(self.address, self.number, what)
        if self.done[0] == 0:
            raise PythonFailed("the Python oracle of a set raised an error.")


def with_calls(component: Part) -> tuple[Part, list[Call]]:
    """Return the component with stand-ins for sets that cannot be compiled, and their calls.

    A set and its stand-in share state.
    """
    calls: list[Call] = []

    def stand_in(within: LinearOracle) -> LinearOracle:
        if compilable(within):
            return within
        shared = np.zeros((4, within.dimension))
        call = Call(_Answers(within, shared))
        calls.append(call)
        return InPython(call.address, call.number, call.done, shared, within.centre())

    return map_parts(component, LinearOracle, stand_in), calls


class _Answers:
    """Calls the methods of a set with the rows of an array as arguments."""

    def __init__(self, within: LinearOracle, shared: Floats) -> None:
        self._set: Any = within
        self._rows = tuple(shared)

    def __call__(self, what: int) -> None:
        first, second, third, fourth = self._rows
        if what == MINIMISE:
            self._set.minimise_linear(first, second)
        elif what == TANGENT:
            self._set.tangent(first)
        elif what == PROJECT:
            self._set.project(first)
        elif what == GAUGE:
            second[0] = self._set.gauge(first)
        elif what == LEADER:
            self._set.leader(first, float(second[0]), third)
        else:
            self._set.dikin(first, second, third, fourth)


@helper
def copy_into(vector: Floats, rows: Floats, row: int) -> None:
    """Copy a vector into a row."""
    for i in range(vector.size):
        rows[row, i] = vector[i]


@helper
def copy_out(rows: Floats, row: int, vector: Floats) -> None:
    """Copy a row into a vector."""
    for i in range(vector.size):
        vector[i] = rows[row, i]


@contextlib.contextmanager
def failures_of(calls: Sequence[Call]) -> Iterator[None]:
    """Raise the exception of the failed call instead of the error from compiled code."""
    try:
        yield
    except PythonFailed:
        reasons = [call.failure for call in calls if call.failure is not None]
        raise (
            reasons[0] if reasons else KeyboardInterrupt()
        ) from None  # an interrupt may come before a call has begun
