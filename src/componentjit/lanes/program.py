"""A loop for many trials at once: made from its single definition, and run on their states."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import pickle
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from componentjit.compiling import HOW, cache_root
from componentjit.digest import fingerprint
from componentjit.errors import LoopError, NotVectorizable, shorten
from componentjit.flattening import inline_calls
from componentjit.lanes.kinds import Kinds, Varying
from componentjit.lanes.layout import (
    CARRIED,
    LANES,
    NUMBERS_TOLD,
    Layout,
    address_of,
    copy_to_lanes,
    fixed_lengths,
    generator_words,
    room_for,
)
from componentjit.lanes.machine import compile_module, functions_in, load, machine_name
from componentjit.lanes.normal import Failure, to_normal_form
from componentjit.lanes.records import value_at
from componentjit.lanes.simplifying import simplify
from componentjit.loops import LoopInterface, interface_of, parameters_of
from componentjit.sources import NotInlinable
from componentjit.syntax import names_read
from componentjit.watching import compiling

Array = np.ndarray[Any, Any]
# Statements. In a longer loop, lanes take different branches, and each waits for all others: of the
# loops that were measured, only one is longer (370 statements), and it gains little from lanes.
LONG = 250

_found: dict[object, Program | NotVectorizable] = {}


def program_for(function: Callable[..., Any], examples: Mapping[str, Any]) -> Program:
    """Return the program for arguments like the examples, by name, or raise ``NotVectorizable``.

    The loop must declare its interface (``vectorizable``). Examples are arguments of one trial;
    anything may stand for a generator. The program is written once for each kind of arguments.
    """
    interface, names = interface_of(function), parameters_of(function)
    if set(examples) != set(names):
        raise LoopError(
            f"{function.__name__} takes {', '.join(names)}, but examples has "
            f"{', '.join(examples) or 'nothing'}."
        )
    examples = {name: examples[name] for name in names}
    any_length = {*interface.tables, *interface.uniform}
    signature = [_signature(value, any_length=x in any_length) for x, value in examples.items()]
    key = (function, *signature)
    if key not in _found:
        how = f"{_how()} {interface} {signature}"
        digest = fingerprint(function, tuple(examples.values()), how)
        found = None if digest is None else _load(digest)
        if found is None:
            with compiling():
                found = _write(function, interface, examples, digest)
        _found[key] = found
    found = _found[key]
    if isinstance(found, NotVectorizable):
        raise found
    return found


def _signature(value: object, *, any_length: bool) -> object:
    """Return what code depends on in a value: classes, lengths of arrays, kinds of numbers.

    Arrays of ``any_length`` may have any number of rows.
    """
    if isinstance(value, tuple):
        return (type(value), *(_signature(part, any_length=any_length) for part in value))
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape[1:] if any_length else value.shape
    return type(value)


class Sheet(NamedTuple):
    """Everything that is needed to run compiled code, apart from the code."""

    interface: LoopInterface
    paths: dict[str, str]  # of arrays and numbers by name, such as private.learner.weights
    arrays: frozenset[str]
    layout: Layout
    failures: tuple[Failure, ...]
    functions: tuple[str, ...]  # of the C library
    is_long: bool  # whether lanes rarely take the same branches


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
        self.integer_slots = {
            name: layout.first_integer + i for i, name in enumerate(layout.uniform_integers)
        }
        self.float_slots = {
            name: len(layout.floats) + i for i, name in enumerate(layout.uniform_floats)
        }
        self.needed = {*self.slots, *self.integer_slots, *self.float_slots}

    @classmethod
    def write(
        cls,
        function: Callable[..., Any],
        interface: LoopInterface,
        examples: Mapping[str, Any],
        digest: str | None,
    ) -> Program:
        """Write the code, or raise ``NotVectorizable``."""
        from componentjit.lanes.emitting import Emitter  # LLVM is loaded when it is needed

        try:
            loop = inline_calls(function, list(examples.values()))
        except NotInlinable as reason:
            raise NotVectorizable(str(reason)) from None
        normal = to_normal_form(loop, interface, examples)
        paths = {name: loop.fields.get(name, name) for name in (*normal.arrays, *normal.numbers)}
        handed = {name for name, path in paths.items() if not _is_in(path, interface.state)}
        for name in handed & normal.numbers.keys():
            raise NotVectorizable(f"{paths[name]} is a number, but tables are made of arrays")
        body = simplify(
            normal.body, Kinds(normal, normal.body).flags, fixed_lengths(normal, handed)
        )
        kinds = Kinds(normal, body)
        varying = Varying(normal, body)
        if set(interface.uniform) & varying.names or set(interface.running) & names_read(body):
            raise NotVectorizable("trials that may end before the last round")
        if any(not array.size for array in normal.arrays.values()):
            raise NotVectorizable("an empty array")
        layout = Layout(normal, kinds, handed)
        text = str(Emitter(normal, body, kinds, varying, layout).module)
        statements = (isinstance(node, ast.stmt) for each in loop.body for node in ast.walk(each))
        arrays, failures = frozenset(normal.arrays), tuple(normal.failures)
        is_long = sum(statements) > LONG
        return cls(
            Sheet(interface, paths, arrays, layout, failures, functions_in(text), is_long),
            text,
            digest,
        )

    def is_compiled(self) -> bool:
        """Return whether it can start at once."""
        return self._code is not None or _path(self.digest).is_file()

    def compile(self) -> None:
        """Compile the code, unless that was done before, and cache it."""
        if self._code is None:
            kept = _load(self.digest)
            if isinstance(kept, Program):
                self._code = kept._code
                return
            with compiling():
                code = compile_module(self.text)
                self._code = load(code, self.sheet.functions)
            _keep(self.digest, (self.sheet, code))

    def start(
        self,
        component: Any,
        generators: Mapping[str, Sequence[Any]],
        carried: Mapping[str, float] | None = None,
    ) -> Lanes:
        """Return trials before their first round, each with a copy of the component.

        ``generators`` has, for each argument that is a generator, one generator per trial. Carried
        values start at the given numbers, which are the same in all trials, or else at 0.
        """
        sheet, layout = self.sheet, self.sheet.layout
        self._check_start(generators, carried or {})
        mine = {x: path for x, path in sheet.paths.items() if _is_in(path, sheet.interface.state)}
        values = {
            name: value_at({sheet.interface.state: component}, path) for name, path in mine.items()
        }
        arrays = {
            name: copy_to_lanes(value) for name, value in values.items() if name in sheet.arrays
        }
        rows = room_for((max(1, len(layout.carried)), LANES))
        words = {name: generator_words(each) for name, each in generators.items()}
        tables = words | {CARRIED: rows} | arrays
        addresses = [address_of(tables[name]) if name in tables else 0 for name in layout.pointers]
        numbers = [
            *(values[name] for name in layout.integers),
            *(arrays[name].shape[axis] if name in arrays else 0 for name, axis in layout.lengths),
            *(0 for _ in layout.uniform_integers),
            *(0 for _ in range(NUMBERS_TOLD)),
        ]
        pointers, integers = np.array(addresses, dtype=np.uint64), np.array(numbers, dtype=np.int64)
        floats = np.array(
            [values[name] for name in layout.floats] + [0.0] * len(layout.uniform_floats),
            dtype=np.float64,
        )
        views = {
            name: row if layout.carried_kinds[name] == "f" else row.view(np.int64)
            for name, row in zip(layout.carried, rows, strict=False)
        }
        for name, value in (carried or {}).items():
            views[name][:] = value
        call = tuple(map(address_of, (pointers, integers, floats)))
        return Lanes(tables, views, pointers, integers, floats, call)

    def _check_start(
        self, generators: Mapping[str, Sequence[Any]], carried: Mapping[str, float]
    ) -> None:
        wanted = self.sheet.interface.generators
        if set(generators) != set(wanted):
            raise LoopError(
                f"generators has {', '.join(generators) or 'nothing'}, but the loop declares "
                f"{', '.join(wanted) or 'none'}."
            )
        for name, each in generators.items():
            if len(each) != LANES:
                raise LoopError(f"{name} has {len(each)} generators, but there are {LANES} lanes.")
        for name, value in carried.items():
            if name not in self.sheet.layout.carried or np.ndim(value):
                raise LoopError(
                    f"carried has {name}={shorten(value)}, but may have one number for each of "
                    f"{', '.join(self.sheet.layout.carried) or 'none'}."
                )

    def run(self, lanes: Lanes, handed: Mapping[str, Any]) -> None:
        """Run the loop on ``handed``: all tables and all uniform arguments.

        Names are such as ``game.losses``. Tables have an extra last axis, for lanes.
        """
        if self._code is None:
            raise LoopError("the program was not compiled: call compile() before run().")
        missing = self.needed - handed.keys()
        if missing:  # compiled code would read from a missing address
            raise LoopError(f"the loop needs {', '.join(sorted(missing))}, which was not passed.")
        for path, value in handed.items():
            if path in self.slots:
                self._hand_in(lanes, path, value)
            elif path in self.integer_slots:
                lanes.integers[self.integer_slots[path]] = value
            elif path in self.float_slots:
                lanes.floats[self.float_slots[path]] = value
            elif path.partition(".")[0] not in self.sheet.interface.tables:
                raise LoopError(f"{path} was passed, but the loop has no such argument.")
        failed = self._code(*lanes.call)
        if failed:
            failure = self.sheet.failures[failed - 1]
            told = lanes.integers[-NUMBERS_TOLD:].tolist() if failure.numbers else []
            raise failure.kind(
                failure.message.format(*told) if failure.numbers else failure.message
            )

    def _hand_in(self, lanes: Lanes, path: str, array: Array) -> None:
        """Note where an array is, and how long its axes are."""
        slot, name = self.slots[path]
        layout = self.sheet.layout
        lengths = layout.axes[name]
        axes = len(lengths)
        lanes_axis = () if path in self.sheet.interface.uniform else (LANES,)
        if array.dtype != layout.dtypes[name] or array.shape[1:] != (*lengths[1:], *lanes_axis):
            wanted = ", ".join(["any length", *map(str, (*lengths[1:], *lanes_axis))])
            raise LoopError(
                f"{path} is an array of {array.dtype} with shape {array.shape}, but the loop was "
                f"written for {layout.dtypes[name]} with shape ({wanted})."
            )
        if not array.flags.c_contiguous:
            raise LoopError(f"{path} must be contiguous in memory: see numpy.ascontiguousarray.")
        lanes.addresses[slot] = address_of(array)
        lanes.integers[self.lengths[name] : self.lengths[name] + axes] = array.shape[:axes]


class Lanes(NamedTuple):
    """The state of trials side by side: in all arrays the last axis is for trials."""

    tables: dict[str, Array]  # by name: of components, what is carried, and generators
    carried: dict[str, Array]  # what is carried, by name, for reading
    addresses: Array
    integers: Array
    floats: Array
    call: tuple[int, ...]  # where these three are


def _is_in(path: str, argument: str) -> bool:
    return path.startswith(f"{argument}.")


def _write(
    function: Callable[..., Any],
    interface: LoopInterface,
    examples: Mapping[str, Any],
    digest: str | None,
) -> Program | NotVectorizable:
    """Write a program, or return why there is none; that reason is cached."""
    try:
        return Program.write(function, interface, examples, digest)
    except NotVectorizable as reason:
        found = reason
    except LoopError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:  # a component does something unforeseen
        found = NotVectorizable(f"{type(error).__name__}: {error}")
    if digest is not None:
        _keep(digest, str(found))
    return found


@functools.cache
def _how() -> str:
    """Return what else code depends on: this package, the machine, the C library."""
    sources = "".join(
        path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))
    )
    return f"{HOW} {sources} {machine_name()} {platform.libc_ver()}"


def _digest_of(text: str) -> str:
    return hashlib.sha256(f"{machine_name()} {text}".encode()).hexdigest()[:40]


def _path(digest: str) -> Path:
    return cache_root() / "lanes" / digest


def _load(digest: str) -> Program | NotVectorizable | None:
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
    """Cache it for other processes, if there is room on the disk."""
    path = _path(digest)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            dir=path.parent
        ) as folder:  # a full disk leaves nothing behind
            part = Path(folder) / digest
            part.write_bytes(pickle.dumps(what))
            part.replace(path)  # never half a file
