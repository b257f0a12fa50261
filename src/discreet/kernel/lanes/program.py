"""The game loop for many trials at once: made from its one definition, and fed with the states of those trials."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from discreet.kernel.compiling import cache_root
from discreet.kernel.flattening import written_out
from discreet.kernel.lanes.kinds import Kinds, Varying
from discreet.kernel.lanes.machine import is_kept, load
from discreet.kernel.lanes.normal import Normal, Unfit, normal_form, value_at
from discreet.kernel.lanes.simplifying import names_read, simplified
from discreet.kernel.lanes.widths import LANES
from discreet.kernel.sources import Stays

Array = np.ndarray[Any, Any]
LONGEST = 250  # statements: lanes go different ways, and each waits for all others


_found: dict[object, Program | Unfit] = {}


def program_for(function: Callable[..., Any], examples: Mapping[str, Any]) -> Program:
    """Return the program for arguments like the examples, by name, or raise ``Unfit``; it is written once."""
    root = next(iter(examples))
    key = (function, *(_likeness(value, rounds=name not in (root, "held")) for name, value in examples.items()))
    if key not in _found:
        try:
            _found[key] = Program(function, examples)
        except Unfit as unfit:
            _found[key] = unfit
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:  # of a component, untold
            _found[key] = Unfit(f"{type(error).__name__}: {error}")
    found = _found[key]
    if isinstance(found, Unfit):
        raise found
    return found


def _likeness(value: object, *, rounds: bool) -> object:
    """Return all of a value that code depends on: classes, lengths of arrays (but of ``rounds``), kinds of numbers."""
    if isinstance(value, tuple):
        return (type(value), *(_likeness(part, rounds=rounds) for part in value))
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape[1:] if rounds else value.shape
    return type(value)


class Program:
    """A loop for ``LANES`` trials, for components of the classes and sizes of the examples."""

    def __init__(self, function: Callable[..., Any], examples: Mapping[str, Any]) -> None:
        """Write the code, or raise ``Unfit``; ``examples`` are arguments by name, as one trial has them."""
        from discreet.kernel.lanes.emitting import Emitter, Layout  # LLVM is loaded when it is needed

        try:
            written = written_out(function, list(examples.values()))
        except Stays:
            raise Unfit("the loop stays a call") from None
        self.root = next(iter(examples))
        fields = {name: value_at(examples, path) for name, path in written.fields.items()}
        given = {name: value for name, value in examples.items() if isinstance(value, np.ndarray) or name == "held"}
        if sum(isinstance(node, ast.stmt) for each in written.body for node in ast.walk(each)) > LONGEST:
            raise Unfit("a loop so long that lanes would rarely do the same")
        self.normal: Normal = normal_form(written.body, written.globals, fields, given)
        kinds = Kinds(self.normal, self.normal.body)
        body = simplified(self.normal.body, kinds.flags)
        kinds = Kinds(self.normal, body)
        varying = Varying(self.normal, body)
        if {"t", "mark"} & varying.names or "going" in names_read(body):
            raise Unfit("trials that may end before the last round")
        if any(not array.size for array in self.normal.arrays.values()):
            raise Unfit("an empty array")
        self.paths = {name: written.fields.get(name, name) for name in (*self.normal.arrays, *self.normal.numbers)}
        handed = {name for name, path in self.paths.items() if not path.startswith(f"{self.root}.")}
        self.layout = Layout(self.normal, kinds, handed)
        first = len(self.layout.integers)
        self.lengths = {name: first + self.layout.lengths.index((name, 0)) for name in handed & self.normal.arrays.keys()}
        self.slots = {self.paths[name]: (self.layout.pointers.index(name), name) for name in self.lengths}
        self.text = str(Emitter(self.normal, body, kinds, varying, self.layout).module)
        self._code: Callable[..., int] | None = None

    def is_compiled(self) -> bool:
        """Return whether it can start at once."""
        return self._code is not None or is_kept(self.text, cache_root() / "lanes")

    def compile(self) -> None:
        """Compile the code, or load what was compiled before."""
        if self._code is None:
            self._code = load(self.text, cache_root() / "lanes")

    def start(self, component: Any, generators: Mapping[str, Sequence[Any]]) -> Lanes:
        """Return trials before their first round, each with a copy of the first argument and generators of its own."""
        mine = {name: path for name, path in self.paths.items() if path.startswith(f"{self.root}.")}
        values = {name: value_at({self.root: component}, path) for name, path in mine.items()}
        arrays = {name: _in_lanes(value) for name, value in values.items() if name in self.normal.arrays}
        held = np.zeros((max(1, len(self.layout.held)), LANES))
        words = {name: _words(each) for name, each in generators.items()}
        tables = words | {"held": held} | arrays
        addresses = [address_of(tables[name]) if name in tables else 0 for name in self.layout.pointers]
        numbers = [*(values[name] for name in self.layout.integers), *(0 for _ in self.layout.lengths)]
        for position, (name, axis) in enumerate(self.layout.lengths, len(self.layout.integers)):
            numbers[position] = arrays[name].shape[axis] if name in arrays else 0
        pointers, integers = np.array(addresses, dtype=np.uint64), np.array(numbers, dtype=np.int64)
        floats = np.array([values[name] for name in self.layout.floats], dtype=np.float64)
        return Lanes(tables, pointers, integers, floats, tuple(map(address_of, (pointers, integers, floats))))

    def run(self, lanes: Lanes, handed: Mapping[str, Array]) -> None:
        """Go on: ``handed`` are all other arrays, as ``game.losses``, with an axis of lanes at the end."""
        for path, array in handed.items():
            if path in self.slots:
                slot, name = self.slots[path]
                assert array.flags.c_contiguous, "compiled code reads arrays row by row"
                lanes.addresses[slot] = address_of(array)
                axes = len(self.layout.axes[name])
                lanes.integers[self.lengths[name] : self.lengths[name] + axes] = array.shape[:axes]
        assert self._code is not None, "compile comes first"
        failed = self._code(*lanes.call)
        if failed:
            failure = self.normal.failures[failed - 1]
            raise failure.kind(failure.message)


class Lanes(NamedTuple):
    """The state of trials side by side: in all arrays the last axis is that of trials."""

    tables: dict[str, Array]  # by name: of components, what is held, and generators
    addresses: Array
    integers: Array
    floats: Array
    call: tuple[int, ...]  # where these three are


def address_of(array: Array) -> int:
    """Return where an array's numbers are; ``ctypes.data`` takes ten times as long."""
    found: int = array.__array_interface__["data"][0]
    return found


def _in_lanes(array: Array) -> Array:
    return np.ascontiguousarray(np.broadcast_to(array[..., None], (*array.shape, LANES)))


def _words(generators: Sequence[Any]) -> Array:
    """Return the states of PCG64 generators, and their steps, as rows of words."""
    words = np.empty((4, LANES), dtype=np.uint64)
    for lane, generator in enumerate(generators):
        state = generator.bit_generator.state["state"]
        for row, number in ((0, state["state"]), (2, state["inc"])):
            words[row, lane], words[row + 1, lane] = number >> 64, number & (2**64 - 1)
    return words
