"""One definition, two speeds: classes that run as plain Python and compiled.

A component (learner, channel, mechanism, game) is a ``NamedTuple`` whose fields are parameters and NumPy arrays and
whose methods read like pseudo-code. ``@compiled`` makes those methods known to Numba; nothing else changes, and the
plain-Python behaviour stays as written.

>>> from typing import NamedTuple
>>> import numpy as np
>>> @compiled
... class Counter(NamedTuple):
...     step: int
...     total: np.ndarray
...     def count_up(self, times):
...         self.total[0] += self.step * times
>>> def run(counter, rounds):
...     for _ in range(rounds):
...         counter.count_up(1)
...     return counter.total[0]
>>> counter = Counter(2, np.zeros(1))
>>> float(run(counter, 3)), float(compile_for(run, counter)(counter, 3))
(6.0, 12.0)

Some rules follow from how it works:

* a method name has one list of arguments across all classes (Numba resolves by name, then by class), and no field has the
  name of a compiled method;
* compiled methods allocate nothing: they work on arrays that are fields. That removes reference counting from the loop
  (four times faster); a component that must allocate still runs, more slowly;
* state that changes lives in arrays; scalar fields are parameters.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np

from discreet.errors import DiscreetError

Class = TypeVar("Class", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])

# Methods that may return an array, or a view of one. Without reference counting a function cannot return one, so these
# are typed as if there were reference counting, and inlined where there is none.
VIEWS = frozenset({"observe", "feedback", "query"})

# How methods are compiled. Inlined by LLVM, because a component goes into a call by value: 100 ns of a round otherwise.
IN_VIEWS: dict[str, Any] = {"inline": "always", "jit_options": {"_nrt": True}}
ELSEWHERE: dict[str, Any] = {"jit_options": {"forceinline": True}}

_methods: dict[str, dict[type, Callable[..., Any]]] = {}
_helpers: list[Callable[..., Any]] = []
_known_to_numba: set[object] = set()
_dispatchers: dict[tuple[Any, ...], Callable[..., Any]] = {}
_lock = threading.Lock()


def compiled(cls: Class) -> Class:
    """Let the public methods of a ``NamedTuple`` class run inside compiled loops."""
    if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise DiscreetError(f"compiled: {cls.__name__} must be a NamedTuple class.")
    for name, method in vars(cls).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        siblings = _methods.setdefault(name, {})
        for other in siblings.values():
            if _arguments(other) != _arguments(method):
                raise DiscreetError(
                    f"compiled: {cls.__name__}.{name} takes ({', '.join(_arguments(method))}), but a method of "
                    f"that name takes ({', '.join(_arguments(other))}) in every class."
                )
            break
        siblings[cls] = _bare(method)
    return cls


def helper(function: Function) -> Function:
    """Let a plain function be called from compiled methods."""
    _helpers.append(function)
    return function


def as_list(array: np.ndarray[Any, Any]) -> Any:
    """Return numbers to read in a loop: a list in plain Python, which is much faster; when compiled, the array itself."""
    return array.tolist()


def compile_for(function: Function, *components: object) -> Function:
    """Return ``function`` compiled for arguments that are, or contain, the given components.

    Compiled code is kept on disk in a folder named by a digest of all code that it can depend on, as it is in memory:
    every method and helper of this package, those of the components' classes, and the constants that they name. An edit
    anywhere gives another folder, so that old code is never loaded. What is defined in ``__main__`` (a script, a prompt)
    or names something that has no digest is compiled in memory only.
    """
    key = (function, *_classes(components))
    if key not in _dispatchers:
        with _lock:
            _tell_numba()
            _dispatchers[key] = _dispatchers.get(key) or _dispatcher(function, _fingerprint(function, components))
    return cast(Function, _dispatchers[key])


def arrays(component: object, path: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the name and array of every piece of state inside a component, depth first."""
    if isinstance(component, np.ndarray):
        yield path, component
    elif isinstance(component, tuple):
        names = getattr(component, "_fields", range(len(component)))
        for name, value in zip(names, component, strict=True):
            yield from arrays(value, f"{path}.{name}" if path else str(name))


Component = TypeVar("Component")


def copy(component: Component) -> Component:
    """Return the component with state of its own: every array copied, everything else shared."""
    if isinstance(component, np.ndarray):
        return cast(Component, component.copy())
    if isinstance(component, tuple):
        parts = [copy(part) if isinstance(part, tuple | np.ndarray) else part for part in component]
        return cast(Component, type(component)(*parts) if hasattr(component, "_fields") else tuple(parts))
    return component


def compilable(component: object) -> bool:
    """Return whether a component is made of numbers, arrays and compiled classes only."""
    if isinstance(component, tuple):
        known = any(type(component) in table for table in _methods.values()) or not _has_methods(type(component))
        return known and all(compilable(part) for part in component)
    return isinstance(component, bool | int | float | np.number | np.ndarray)


def _has_methods(cls: type) -> bool:
    """Return whether a class has public methods of its own; a plain tuple of numbers needs none to be compiled."""
    return any(inspect.isfunction(member) for name, member in vars(cls).items() if not name.startswith("_"))


def source_digest() -> str:
    """Return a digest of this package's source files, to say which version made a result."""
    parts = hashlib.sha256()
    package = Path(__file__).parent
    for path in sorted(package.rglob("*.py")):
        parts.update(str(path.relative_to(package)).encode())
        parts.update(path.read_bytes())
    return parts.hexdigest()[:20]


def _arguments(method: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(method).parameters)


def _tell_numba() -> None:
    """Register with Numba what was declared since the last call; Numba is imported only here, when it is needed."""
    from numba import types
    from numba.extending import overload, overload_method, register_jitable

    if as_list not in _known_to_numba:
        _known_to_numba.add(as_list)
        overload(as_list)(lambda array: lambda array: array)
    for name, table in list(_methods.items()):
        if name not in _known_to_numba:
            _known_to_numba.add(name)
            how = IN_VIEWS if name in VIEWS else ELSEWHERE
            for family in (types.NamedTuple, types.NamedUniTuple):
                overload_method(family, name, **how)(_resolver(table))
    for function in tuple(_helpers):
        if function not in _known_to_numba:
            _known_to_numba.add(function)
            register_jitable(function)


def _resolver(table: dict[type, Callable[..., Any]]) -> Callable[..., Any]:
    """Return what picks the method of a class: Numba calls it with types, by the argument names of the method."""

    def resolve(*arguments: Any) -> Callable[..., Any] | None:
        return table.get(getattr(arguments[0], "instance_class", object))

    resolve.__signature__ = inspect.signature(next(iter(table.values())))  # type: ignore[attr-defined]
    return resolve


def _bare(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method without annotations, which Numba would take for a difference between signatures."""
    m = cast(FunctionType, method)
    bare = FunctionType(m.__code__, m.__globals__, m.__name__, m.__defaults__, m.__closure__)
    bare.__qualname__, bare.__module__ = m.__qualname__, m.__module__
    return bare


def _fingerprint(function: Callable[..., Any], components: tuple[object, ...]) -> str | None:
    """Return a digest of all code that the compiled function can depend on, or None if there is no telling."""
    involved = set(_classes(components))
    functions = [function, *(each for each in _helpers)]
    for table in _methods.values():
        functions += [method for cls, method in table.items() if cls in involved or _is_ours(cls)]
    parts = hashlib.sha256(f"{sys.version} {np.__version__} {version('numba')} {IN_VIEWS} {ELSEWHERE}".encode())
    has_file = Path(function.__code__.co_filename).is_file()
    if not has_file or any(definition.__module__ == "__main__" for definition in (function, *involved)):
        return None
    for each in sorted(functions, key=lambda f: (f.__module__, f.__qualname__)):
        facts = _facts_of(cast(FunctionType, each))
        if facts is None:
            return None
        parts.update(facts)
    return parts.hexdigest()[:20]


def _is_ours(definition: Any) -> bool:
    return str(definition.__module__).partition(".")[0] == __name__.partition(".")[0]


def _facts_of(function: FunctionType) -> bytes | None:
    """Return the code of a function with the values of all constants that it names, or None if one is unknown."""
    facts = [
        f"{function.__module__}.{function.__qualname__} {function.__defaults__}".encode(),
        _text_of(function.__code__),
    ]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    named = {name: function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__}
    for name, value in [*named.items(), *enumerate(cells)]:
        if isinstance(value, ModuleType | FunctionType):  # helpers are told of by themselves, others cannot be compiled
            continue
        if isinstance(value, type):
            facts.append(f"{name} {value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}".encode())
        elif isinstance(value, bool | int | float | str | bytes | None) or _is_plain(value):
            facts.append(f"{name} {value!r}".encode())
        else:
            return None
    return b"\n".join(facts)


def _text_of(code: CodeType) -> bytes:
    """Return what a piece of code does, in a form that is the same in every process."""
    inner = [_text_of(part) if isinstance(part, CodeType) else repr(part).encode() for part in code.co_consts]
    return b" ".join([code.co_code, repr((code.co_names, code.co_varnames, code.co_freevars)).encode(), *inner])


def _is_plain(value: object) -> bool:
    """Return whether a value is a tuple or set of constants, whose text tells all."""
    return isinstance(value, tuple | frozenset) and all(
        isinstance(part, bool | int | float | str | bytes | None) or _is_plain(part) for part in value
    )


def _classes(value: object) -> Iterator[type]:
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            yield type(value)
        for part in value:
            yield from _classes(part)


def _dispatcher(function: Callable[..., Any], fingerprint: str | None) -> Callable[..., Any]:
    import numba

    njit: Any = numba.njit  # takes one option that its published signature does not name

    def build(**options: Any) -> Callable[..., Any]:
        options |= {"nogil": True, "error_model": "numpy"}
        if fingerprint is None:
            return cast(Callable[..., Any], njit(**options)(function))
        kind = "ordinary" if options.get("_nrt", True) else "lean"  # Numba's own key does not tell them apart
        with _cache_folder(f"{fingerprint}-{kind}"):
            return cast(Callable[..., Any], njit(cache=True, **options)(function))

    return _LeanFirst(build(_nrt=False), build())


class _LeanFirst:
    """Calls the version without reference counting, and the ordinary one for components that must allocate."""

    def __init__(self, lean: Callable[..., Any], ordinary: Callable[..., Any]) -> None:
        self.lean, self.ordinary = lean, ordinary
        self.must_allocate = False

    def __call__(self, *arguments: Any) -> Any:
        from numba.core.errors import NumbaError

        if not self.must_allocate:
            try:
                return self.lean(*arguments)
            except NumbaError:  # raised while compiling, before anything ran
                self.must_allocate = True
        return self.ordinary(*arguments)


@contextlib.contextmanager
def _cache_folder(name: str) -> Iterator[None]:
    """Point Numba's disk cache to our folder while a function is declared, and back again."""
    import numba

    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_writable_root(before) / name)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def _writable_root(configured: str) -> Path:
    """Return where compiled code is kept: NUMBA_CACHE_DIR if set, else the user's cache folder, else a temporary one."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    root = Path(configured or home) / "discreet"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError:
        warnings.warn(f"{root} is not writable: compiled code will not be kept for the next run.", stacklevel=2)
        return Path(tempfile.mkdtemp(prefix="discreet-"))
