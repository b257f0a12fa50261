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
from discreet.kernel.lanes.normal import Normal, Unfit, normal_form
from discreet.kernel.lanes.simplifying import simplified
from discreet.kernel.lanes.widths import LANES
from discreet.kernel.sources import Stays

Array = np.ndarray[Any, Any]
LONGEST = 250  # statements: lanes go different ways, and each waits for all others


_found: dict[object, Program | Unfit] = {}


def program_for(function: Callable[..., Any], examples: Mapping[str, Any]) -> Program:
    """Return the program for arguments like the examples, by name, or raise ``Unfit``; it is written once."""
    key = (function, *(_likeness(value, rounds=name == "game") for name, value in examples.items()))
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
        self.paths = written.fields
        fields = {name: _at(examples, path) for name, path in written.fields.items()}
        given = {name: examples[name] for name in ("marks", "scores", "held")}
        if sum(isinstance(node, ast.stmt) for each in written.body for node in ast.walk(each)) > LONGEST:
            raise Unfit("a loop so long that lanes would rarely do the same")
        self.normal: Normal = normal_form(written.body, written.globals, fields, given)
        kinds = Kinds(self.normal, self.normal.body)
        body = simplified(self.normal.body, kinds.flags)
        kinds = Kinds(self.normal, body)
        varying = Varying(self.normal, body)
        if {"t", "mark"} & varying.names:
            raise Unfit("trials that end at different times")
        if any(not array.size for array in self.normal.arrays.values()):
            raise Unfit("an empty array")
        dealt = {name for name, path in written.fields.items() if path.startswith("game.")}
        self.layout = Layout(self.normal, kinds, dealt)
        self.dealt = {name: self.paths[name].removeprefix("game.") for name in dealt & self.normal.arrays.keys()}
        self.text = str(Emitter(self.normal, body, kinds, varying, self.layout).module)
        self._code: Callable[..., int] | None = None

    def is_compiled(self) -> bool:
        """Return whether it can start at once."""
        return self._code is not None or is_kept(self.text, cache_root() / "lanes")

    def compile(self) -> None:
        """Compile the code, or load what was compiled before."""
        if self._code is None:
            self._code = load(self.text, cache_root() / "lanes")

    def start(self, component: Any, learners: Sequence[Any], privacies: Sequence[Any]) -> Lanes:
        """Return trials before their first round, each with a copy of the component and generators of its own."""
        private = {
            name: _in_lanes(_at({"private": component}, self.paths[name]))
            for name in self.normal.arrays
            if self.paths.get(name, "").startswith("private.")
        }
        numbers = {
            name: _at({"private": component}, self.paths[name])
            for name in self.normal.numbers
            if self.paths[name].startswith("private.")
        }
        held = np.zeros((len(self.layout.held), LANES))
        return Lanes(private, numbers, held, _words(learners), _words(privacies))

    def play(self, lanes: Lanes, game: Mapping[str, Array], marks: Array, scores: Array) -> None:
        """Play the next rounds: ``game`` holds its arrays by the names of fields, with an axis of lanes at the end."""
        dealt = {name: game[field] for name, field in self.dealt.items()}
        arrays = lanes.arrays | dealt | {"marks": marks, "scores": scores}
        used = [arrays[name] for name in self.normal.arrays]
        tables = [lanes.learner_rng, lanes.privacy_rng, lanes.held, *used]
        assert all(each.flags.c_contiguous for each in tables), "compiled code reads arrays row by row"
        pointers = np.array([each.ctypes.data for each in tables], dtype=np.uint64)
        lengths = [array.shape[axis] for (name, axis) in self.layout.lengths for array in [arrays[name]]]
        integers = np.array([*(lanes.numbers[name] for name in self.layout.integers), *lengths], dtype=np.int64)
        floats = np.array([lanes.numbers[name] for name in self.layout.floats], dtype=np.float64)
        assert self._code is not None, "compile comes first"
        failed = self._code(*(each.ctypes.data for each in (pointers, integers, floats)))
        if failed:
            failure = self.normal.failures[failed - 1]
            raise failure.kind(failure.message)


class Lanes(NamedTuple):
    """The state of trials side by side: in all arrays the last axis is that of trials."""

    arrays: dict[str, Array]
    numbers: dict[str, float]
    held: Array
    learner_rng: Array
    privacy_rng: Array


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


def _at(records: Mapping[str, Any], path: str) -> Any:
    name, *fields = path.split(".")
    value = records[name]
    for field in fields:
        value = getattr(value, field)
    return value
