"""The game loop for many trials at once: made from its one definition, and fed with the states of those trials."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import math
import pickle
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from componentjit.compiling import HOW, cache_root
from componentjit.digest import fingerprint
from componentjit.flattening import written_out
from componentjit.lanes.kinds import Kinds, Varying
from componentjit.lanes.layout import Layout, fixed_lengths
from componentjit.lanes.machine import compiled, functions_in, load, machine_name
from componentjit.lanes.normal import Failure, NotVectorizable, normal_form, value_at
from componentjit.lanes.simplifying import simplified
from componentjit.lanes.widths import LANES
from componentjit.sources import NotInlinable
from componentjit.syntax import names_read
from componentjit.watching import compiling

Array = np.ndarray[Any, Any]
NO_FAILURE = (0, 0)  # room for the numbers that an error tells
LINE = 64  # bytes
LONG = 250  # statements: in a longer loop lanes go different ways, and each waits for all others

_found: dict[object, Program | NotVectorizable] = {}


def program_for(function: Callable[..., Any], examples: Mapping[str, Any]) -> Program:
    """Return the program for arguments like the examples, by name, or raise ``NotVectorizable``; it is written once."""
    root = next(iter(examples))
    alike = [
        _likeness(value, rounds=name not in (root, "held")) for name, value in examples.items()
    ]
    key = (function, *alike)
    if key not in _found:
        digest = fingerprint(function, tuple(examples.values()), f"{_how()} {alike}")
        found = None if digest is None else _kept(digest)
        if found is None:
            with compiling():
                found = _written(function, examples, digest)
        _found[key] = found
    found = _found[key]
    if isinstance(found, NotVectorizable):
        raise found
    return found


def _likeness(value: object, *, rounds: bool) -> object:
    """Return all of a value that code depends on: classes, lengths of arrays (but of ``rounds``), kinds of numbers."""
    if isinstance(value, tuple):
        return (type(value), *(_likeness(part, rounds=rounds) for part in value))
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape[1:] if rounds else value.shape
    return type(value)


class Sheet(NamedTuple):
    """All that is needed to run compiled code, and is not in it."""

    root: str  # the argument that every trial has a copy of
    paths: dict[str, str]  # of arrays and numbers by name, such as private.learner.weights
    arrays: frozenset[str]
    layout: Layout
    failures: tuple[Failure, ...]
    functions: tuple[str, ...]  # of the C library
    is_long: bool  # whether lanes rarely do the same


class Program:
    """A loop for ``LANES`` trials, for components of the classes and sizes of the examples."""

    def __init__(
        self, sheet: Sheet, text: str, digest: str | None, code: Callable[..., int] | None = None
    ) -> None:
        self.sheet, self.text, self._code = sheet, text, code
        self.digest = digest or _digest_of(text)
        layout, first = sheet.layout, len(sheet.layout.integers)
        self.lengths = {
            name: first + layout.lengths.index((name, 0)) for name in layout.handed & sheet.arrays
        }
        self.slots = {
            sheet.paths[name]: (layout.pointers.index(name), name) for name in self.lengths
        }

    @classmethod
    def written(
        cls, function: Callable[..., Any], examples: Mapping[str, Any], digest: str | None
    ) -> Program:
        """Write the code, or raise ``NotVectorizable``; ``examples`` are arguments by name, as one trial has them."""
        from componentjit.lanes.emitting import Emitter  # LLVM is loaded when it is needed

        try:
            written = written_out(function, list(examples.values()))
        except NotInlinable:
            raise NotVectorizable("the loop stays a call") from None
        root = next(iter(examples))
        fields = {name: value_at(examples, path) for name, path in written.fields.items()}
        given = {
            name: value
            for name, value in examples.items()
            if isinstance(value, np.ndarray) or name == "held"
        }
        normal = normal_form(written.body, written.globals, fields, given)
        paths = {name: written.fields.get(name, name) for name in (*normal.arrays, *normal.numbers)}
        handed = {name for name, path in paths.items() if not path.startswith(f"{root}.")}
        body = simplified(
            normal.body, Kinds(normal, normal.body).flags, fixed_lengths(normal, handed)
        )
        kinds = Kinds(normal, body)
        varying = Varying(normal, body)
        if {"t", "mark"} & varying.names or "going" in names_read(body):
            raise NotVectorizable("trials that may end before the last round")
        if any(not array.size for array in normal.arrays.values()):
            raise NotVectorizable("an empty array")
        layout = Layout(normal, kinds, handed)
        text = str(Emitter(normal, body, kinds, varying, layout).module)
        is_long = (
            sum(isinstance(node, ast.stmt) for each in written.body for node in ast.walk(each))
            > LONG
        )
        arrays, failures = frozenset(normal.arrays), tuple(normal.failures)
        return cls(
            Sheet(root, paths, arrays, layout, failures, functions_in(text), is_long), text, digest
        )

    def is_compiled(self) -> bool:
        """Return whether it can start at once."""
        return self._code is not None or _path(self.digest).is_file()

    def compile(self) -> None:
        """Compile the code, unless that was done before, and keep it."""
        if self._code is None:
            kept = _kept(self.digest)
            if isinstance(kept, Program):
                self._code = kept._code
                return
            with compiling():
                code = compiled(self.text)
                self._code = load(code, self.sheet.functions)
            _keep(self.digest, (self.sheet, code))

    def start(self, component: Any, generators: Mapping[str, Sequence[Any]]) -> Lanes:
        """Return trials before their first round, each with a copy of the first argument and generators of its own."""
        layout = self.sheet.layout
        mine = {
            name: path
            for name, path in self.sheet.paths.items()
            if path.startswith(f"{self.sheet.root}.")
        }
        values = {name: value_at({self.sheet.root: component}, path) for name, path in mine.items()}
        arrays = {
            name: _in_lanes(value) for name, value in values.items() if name in self.sheet.arrays
        }
        held = room_for((max(1, len(layout.held)), LANES))
        words = {name: _words(each) for name, each in generators.items()}
        tables = words | {"held": held} | arrays
        addresses = [address_of(tables[name]) if name in tables else 0 for name in layout.pointers]
        numbers = [
            *(values[name] for name in layout.integers),
            *(0 for _ in layout.lengths),
            *NO_FAILURE,
        ]
        for position, (name, axis) in enumerate(layout.lengths, len(layout.integers)):
            numbers[position] = arrays[name].shape[axis] if name in arrays else 0
        pointers, integers = np.array(addresses, dtype=np.uint64), np.array(numbers, dtype=np.int64)
        floats = np.array([values[name] for name in layout.floats], dtype=np.float64)
        return Lanes(
            tables, pointers, integers, floats, tuple(map(address_of, (pointers, integers, floats)))
        )

    def run(self, lanes: Lanes, handed: Mapping[str, Array]) -> None:
        """Go on: ``handed`` are all other arrays, as ``game.losses``, with an axis of lanes at the end."""
        for path, array in handed.items():
            if path in self.slots:
                slot, name = self.slots[path]
                assert array.flags.c_contiguous, "compiled code reads arrays row by row"
                lanes.addresses[slot] = address_of(array)
                axes = len(self.sheet.layout.axes[name])
                lanes.integers[self.lengths[name] : self.lengths[name] + axes] = array.shape[:axes]
        assert self._code is not None, "compile comes first"
        failed = self._code(*lanes.call)
        if failed:
            failure = self.sheet.failures[failed - 1]
            told = lanes.integers[-len(NO_FAILURE) :].tolist() if failure.numbers else []
            raise failure.kind(
                failure.message.format(*told) if failure.numbers else failure.message
            )


class Lanes(NamedTuple):
    """The state of trials side by side: in all arrays the last axis is that of trials."""

    tables: dict[str, Array]  # by name: of components, what is held, and generators
    addresses: Array
    integers: Array
    floats: Array
    call: tuple[int, ...]  # where these three are


def _written(
    function: Callable[..., Any], examples: Mapping[str, Any], digest: str | None
) -> Program | NotVectorizable:
    """Return a program that was not written before, or why there is none, which is kept."""
    try:
        return Program.written(function, examples, digest)
    except NotVectorizable as unfit:
        found = unfit
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:  # of a component, untold
        found = NotVectorizable(f"{type(error).__name__}: {error}")
    if digest is not None:
        _keep(digest, str(found))
    return found


@functools.cache
def _how() -> str:
    """Return what code depends on besides the loop: how it is written, the machine, and the C library."""
    sources = "".join(
        path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))
    )
    return f"{HOW} {sources} {machine_name()} {platform.libc_ver()}"


def _digest_of(text: str) -> str:
    return hashlib.sha256(f"{machine_name()} {text}".encode()).hexdigest()[:40]


def _path(digest: str) -> Path:
    return cache_root() / "lanes" / digest


def _kept(digest: str) -> Program | NotVectorizable | None:
    """Return what was compiled in an earlier process, or why there is nothing, if that is known."""
    try:
        kept = pickle.loads(_path(digest).read_bytes())
        if isinstance(kept, str):
            return NotVectorizable(kept)
        sheet, code = kept
        return Program(sheet, "", digest, load(code, sheet.functions))
    except (
        OSError,
        EOFError,
        AttributeError,
        ImportError,
        TypeError,
        ValueError,
        pickle.UnpicklingError,
    ):
        return None


def _keep(digest: str, what: object) -> None:
    """Keep it for other processes, if there is room for it."""
    path = _path(digest)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            dir=path.parent
        ) as folder:  # a full disk leaves nothing behind
            part = Path(folder) / digest
            part.write_bytes(pickle.dumps(what))
            part.replace(path)  # never half a file


def address_of(array: Array) -> int:
    """Return where an array's numbers are; ``ctypes.data`` takes ten times as long."""
    found: int = array.__array_interface__["data"][0]
    return found


def room_for(shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """Return an array of zeros that begins where a line of the fast memory does, so that no vector is in two of them."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, dtype=np.uint8)
    start = -address_of(memory) % LINE
    found: Array = memory[start : start + size].view(dtype).reshape(shape)
    return found


def _in_lanes(array: Array) -> Array:
    found = room_for((*array.shape, LANES), array.dtype)
    found[:] = array[..., None]
    return found


def _words(generators: Sequence[Any]) -> Array:
    """Return the states of PCG64 generators, and their steps, as rows of words."""
    words = room_for((4, LANES), np.uint64)
    for lane, generator in enumerate(generators):
        state = generator.bit_generator.state["state"]
        for row, number in ((0, state["state"]), (2, state["inc"])):
            words[row, lane], words[row + 1, lane] = number >> 64, number & (2**64 - 1)
    return words
