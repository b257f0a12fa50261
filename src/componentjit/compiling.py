"""How methods and loops are compiled, and where compiled code is cached."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import platformdirs

from componentjit import (
    flattening,
    guards,
    inlining,
    numba_internals,
    packing,
    pipeline,
    sources,
    syntax,
)
from componentjit.calls import call_python, compiled_call
from componentjit.component import Component, compiled_as, helpers, stand_ins
from componentjit.digest import classes_in, fingerprint
from componentjit.flattening import flatten
from componentjit.guards import compiled_note, note_numbers
from componentjit.numba_internals import (
    compare_flags_quickly,
    counting_options,
    entry_point,
    lean_options,
    pass_generators_by_address,
    resolve_methods_by_class,
)
from componentjit.refusing import cannot_compile, numba_errors
from componentjit.state import as_plain
from componentjit.watching import watch

Function = TypeVar("Function", bound=Callable[..., Any])

# Methods and helpers are called by compiled code only, and need no entry point for C. LLVM inlines
# them, because a call would pass the component by value, which costs 100 ns per round.
MINIMAL: Any = {"no_cfunc_wrapper": True}
INLINED: Any = MINIMAL | {"forceinline": True}

# How code is compiled, as a part of digests: another version of this package compiles again.
PARTS = (
    flattening,
    guards,
    inlining,
    numba_internals,
    packing,
    pipeline,
    sources,
    syntax,
    sys.modules[__name__],
)
HOW = "".join(Path(str(each.__file__)).read_text(encoding="utf-8") for each in PARTS)

# Numbers that plain Python processes in the time that compiling takes: 0.3 µs each, 0.7 s.
WORTH = 2**21

_known_to_numba: set[object] = set()
_digests: dict[object, str | None] = {}
_numbers: dict[object, int] = {}  # that each function has processed, or will process
_dispatchers: dict[tuple[Any, ...], Compiled] = {}
_lock = threading.Lock()


@compiled_as(lambda array: array)
def as_list(array: np.ndarray[Any, Any]) -> Any:
    """Return numbers to read in a loop: a list in Python, where that is faster, else the array."""
    return array.tolist()


def compile_for(function: Function, *components: object) -> Function:
    """Return ``function`` compiled for arguments that are, or contain, the given components.

    Compiled code is kept on disk in a folder named by a digest of all code that it can depend on,
    as it is in memory: the methods of the components' classes, all helpers, and the constants that
    they name. Any edit gives another folder, so outdated code is never loaded. Code that is defined
    in ``__main__`` (a script, a prompt) or names something that has no digest is compiled in memory
    only.
    """
    key = (function, *classes_in(components))
    if key not in _dispatchers:
        with _lock:
            _tell_numba()
            if key not in _dispatchers:
                _dispatchers[key] = Compiled(function, _digest_of(function, components))
    return cast(Function, _dispatchers[key])


def compile_if_worth(function: Function, *components: object, numbers: int) -> Function:
    """Return ``function``, compiled if its past calls and the next one are worth it.

    The next call processes ``numbers``, each of which takes plain Python a third of a microsecond
    (what takes longer counts as several). So the time is never much more than twice the shortest.
    """
    key = (function, *classes_in(components))
    with _lock:
        _numbers[key] = _numbers.get(key, 0) + numbers
    if _numbers[key] < WORTH and not was_compiled(function, *components):
        return function
    return compile_for(function, *components)


def was_compiled(function: Callable[..., Any], *components: object) -> bool:
    """Return whether the cache has a function compiled for components and records like these."""
    digest, name = _digest_of(function, components), _mark_name(components)
    return digest is not None and any(
        (_folder(digest, lean=lean) / name).is_file() for lean in (True, False)
    )


def _digest_of(function: Callable[..., Any], components: tuple[object, ...]) -> str | None:
    """Return the digest that names the folder of compiled code; a process computes it once."""
    key = (function, *classes_in(components))
    if key not in _digests:
        _digests[key] = fingerprint(function, components, HOW)
    return _digests[key]


def _folder(digest: str, *, lean: bool) -> Path:
    """Return the folder of the cache; Numba's own key does not include reference counting."""
    return cache_root() / f"{digest}-{'lean' if lean else 'ordinary'}"


def _mark_name(components: tuple[object, ...]) -> str:
    """Return the name of the file that marks code as cached for these kinds of components."""
    kinds = repr([_kind_of(each) for each in components if isinstance(each, tuple)])
    return f"{hashlib.sha256(kinds.encode()).hexdigest()[:20]}.kept"


def _kind_of(value: object) -> object:
    """Return the types that a value is made of; lengths of arrays do not matter."""
    if isinstance(value, tuple):
        return (type(value), *[_kind_of(part) for part in value])
    return (
        (value.dtype.str, value.ndim, value.flags.c_contiguous)
        if isinstance(value, np.ndarray)
        else type(value)
    )


def _tell_numba() -> None:
    """Register with Numba what was declared since the last call; Numba is imported only here."""
    from numba.extending import overload, register_jitable

    if as_plain not in _known_to_numba:
        _known_to_numba.add(as_plain)
        watch()
        compare_flags_quickly()
        pass_generators_by_address()
        resolve_methods_by_class(_method_of, _method_options)
        overload(as_plain, jit_options=INLINED)(lambda value: _plain_tuple(value))
        overload(packing.pack, jit_options=INLINED)(
            lambda value, table, row, start: packing.compiled_pack(value)
        )
        overload(packing.unpack, jit_options=INLINED)(
            lambda example, table, row, start: packing.compiled_unpack(example)
        )
    if call_python not in _known_to_numba:
        _known_to_numba.add(call_python)
        overload(call_python, jit_options=INLINED)(_return_always(compiled_call()))
    if note_numbers not in _known_to_numba:
        _known_to_numba.add(note_numbers)
        overload(note_numbers, jit_options=INLINED)(_return_always(compiled_note()))
    for function, stand_in in list(stand_ins.items()):
        if function not in _known_to_numba:
            _known_to_numba.add(function)
            overload(function, jit_options=INLINED)(_return_always(stand_in))
    for function in tuple(helpers):
        if function not in _known_to_numba:
            _known_to_numba.add(function)
            register_jitable(**MINIMAL)(function)


def _plain_tuple(value: Any) -> Callable[[Any], Any]:
    """Return the compiled ``as_plain`` for a type: one expression that rebuilds the tuple."""

    def expression(kind: Any, text: str) -> str:
        if not hasattr(kind, "types"):
            return text
        parts = [expression(part, f"{text}[{i}]") for i, part in enumerate(kind.types)]
        return f"({''.join(f'{part}, ' for part in parts)})"

    return cast(Callable[[Any], Any], eval(f"lambda value: {expression(value, 'value')}"))


def _method_of(cls: type, name: str) -> Callable[..., Any] | None:
    """Return the method of a component's class; None for other classes, and for fields."""
    return cls._methods.get(name) if issubclass(cls, Component) else None


def _method_options(cls: type[Component], name: str) -> dict[str, Any]:
    """Return the options for compiling a method whose calls could not be inlined before."""
    if name in cls.views:
        return {"inline": "always", **MINIMAL, **counting_options()}
    return dict(INLINED)


def _return_always(stand_in: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that picks the stand-in, whatever the types of the arguments."""

    def resolve(*arguments: Any) -> Callable[..., Any]:
        return stand_in

    resolve.__signature__ = inspect.signature(stand_in)  # type: ignore[attr-defined]
    return resolve


class Compiled:
    """A function that is compiled at its first call with arguments of given classes.

    It is compiled without reference counting if possible, else (``must_allocate``) with it.
    """

    def __init__(self, function: Callable[..., Any], digest: str | None) -> None:
        self.must_allocate = lean_options() is None
        self._function, self._digest = function, digest
        self.versions: dict[tuple[object, ...], Any] = {}
        # By version: for how many kinds of arguments code is marked as cached.
        self._noted: dict[object, int] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call the version without reference counting, if there is one."""
        if not self.must_allocate:
            try:
                return self._call(arguments, lean=True)
            except numba_errors():  # raised while compiling, before anything ran
                self.must_allocate = True
        return self.ordinary(*arguments)

    def ordinary(self, *arguments: Any) -> Any:
        """Call the version with reference counting."""
        try:
            return self._call(arguments, lean=False)
        except numba_errors() as error:  # its message has a hundred lines
            raise cannot_compile(error, classes_in(arguments)) from None

    def _call(self, arguments: tuple[Any, ...], *, lean: bool) -> Any:
        version = self.version(arguments, lean=lean)
        result = version(*arguments)
        if self._digest is not None and self._noted.get(version) != len(version.overloads):
            self._noted[version] = len(version.overloads)
            mark = _folder(self._digest, lean=lean) / _mark_name(arguments)
            with contextlib.suppress(OSError):  # a full disk must not lose the result
                mark.parent.mkdir(parents=True, exist_ok=True)
                mark.touch()
        return result

    def version(self, arguments: tuple[Any, ...], *, lean: bool) -> Any:
        """Return the version with or without reference counting."""
        key = (lean, *classes_in(arguments))
        if key not in self.versions:
            with _lock:
                if key not in self.versions:
                    self.versions[key] = _declare(
                        flatten(self._function, arguments), self._digest, lean=lean
                    )
        return self.versions[key]

    def entry(self, arguments: tuple[Any, ...], *, lean: bool) -> Callable[..., Any]:
        """Return compiled code that was called before with arguments like these."""
        return entry_point(self.version(arguments, lean=lean), arguments)


def _declare(function: Callable[..., Any], digest: str | None, *, lean: bool) -> Callable[..., Any]:
    """Return Numba's dispatcher for a function; it compiles when it is called."""
    import numba

    options: dict[str, Any] = MINIMAL | {"nogil": True, "error_model": "numpy"}
    if lean:
        options |= (lean_options() or {}) | {"pipeline_class": pipeline.short_pipeline()}
    njit: Any = numba.njit  # takes one option that its published signature does not name
    if digest is None:
        return cast(Callable[..., Any], njit(**options)(function))
    with _cache_folder(_folder(digest, lean=lean)):
        return cast(Callable[..., Any], njit(cache=True, **options)(function))


@contextlib.contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    """Use our folder as Numba's disk cache while a function is declared."""
    import numba

    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def cache_root() -> Path:
    """Return the folder that holds the cache.

    It is in NUMBA_CACHE_DIR if set, else in the user's cache folder, else in a temporary one.
    """
    configured = os.environ.get("NUMBA_CACHE_DIR")
    if configured:
        return _writable(Path(configured) / "componentjit")
    return _writable(platformdirs.user_cache_path("componentjit", appauthor=False))


@functools.cache
def _writable(root: Path) -> Path:
    """Return the folder, or a temporary one if nothing can be written there."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError:
        warnings.warn(
            f"{root} is not writable: compiled code will not be kept for the next run.",
            stacklevel=2,
        )
        return Path(tempfile.mkdtemp(prefix="componentjit-"))
