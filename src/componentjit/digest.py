"""Digests of what compiled code depends on: if a digest changes, code is compiled again."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from componentjit.component import Component, helpers, stand_ins


def source_digest(*packages: str) -> str:
    """Return a digest of the source files of packages, to identify the version behind a result."""
    parts = hashlib.sha256()
    for package in packages:
        folder = Path(str(importlib.import_module(package).__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            parts.update(f"{package}/{path.relative_to(folder)}".encode())
            parts.update(path.read_bytes())
    return parts.hexdigest()[:20]


def value_digest(value: object) -> str:
    """Return a digest of a value: of the numbers and arrays in it, and of the code of functions.

    >>> zeros, same, ones = (value_digest((1.0, a)) for a in (np.zeros(2), np.zeros(2), np.ones(2)))
    >>> zeros == same != ones
    True
    """
    return hashlib.sha256(b"\n".join(_text_in(value))).hexdigest()[:20]


def _text_in(value: object) -> Iterator[bytes]:
    yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
    if isinstance(value, tuple | list):
        for part in value:
            yield from _text_in(part)
    elif isinstance(value, dict):
        yield from _text_in(list(value.items()))
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode() + value.tobytes()
    elif isinstance(value, FunctionType):
        yield _name(value).encode() + text_of(value.__code__)
    elif type(value).__repr__ is not object.__repr__:  # that would contain a memory address
        yield repr(value).encode()


def fingerprint(
    function: Callable[..., Any], components: tuple[object, ...], how: str
) -> str | None:
    """Return a digest of all code that a compiled function can depend on, or None if it is unknown.

    It covers every helper and stand-in, and every class among the given components, or named by
    their methods: its fields, in their order, and its methods, inherited ones included. ``how``
    says how they are compiled.
    """
    classes = list(dict.fromkeys(classes_in(components)))
    has_file = Path(function.__code__.co_filename).is_file()
    if not has_file or any(each.__module__ == "__main__" for each in (function, *classes)):
        return None
    waiting = [cast(FunctionType, each) for each in (function, *helpers, *stand_ins.values())]
    facts: dict[int, tuple[str, bytes]] = {}
    shapes: set[str] = set()
    while waiting or classes:
        if not waiting:
            cls = classes.pop()
            shape = f"{_name(cls)} {cls._fields} {sorted(getattr(cls, 'views', ()))}"
            if shape not in shapes:
                shapes.add(shape)
                for name, method in getattr(cls, "_methods", {}).items():
                    shapes.add(f"{shape} {name} {_name(method)}")
                    waiting.append(method)
            continue
        each = waiting.pop()
        if id(each.__code__) not in facts:
            found = _facts_of(each)
            if found is None:
                return None
            facts[id(each.__code__)] = _name(each), found
            classes += [
                value
                for name in each.__code__.co_names
                if isinstance(value := each.__globals__.get(name), type)
                and issubclass(value, Component)
            ]
    parts = hashlib.sha256(
        f"{sys.version} {np.__version__} {version('numba')} {how} {sorted(shapes)}".encode()
    )
    for _, found in sorted(facts.values()):
        parts.update(found)
    return parts.hexdigest()[:20]


def _name(definition: Any) -> str:
    return f"{definition.__module__}.{definition.__qualname__}"


def _facts_of(function: FunctionType) -> bytes | None:
    """Return the code of a function and the constants that it names; None if one is unknown."""
    facts = [
        f"{function.__module__}.{function.__qualname__} {function.__defaults__}".encode(),
        text_of(function.__code__),
    ]
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    named = {
        name: function.__globals__[name]
        for name in function.__code__.co_names
        if name in function.__globals__
    }
    for name, value in [*named.items(), *enumerate(cells)]:
        # Helpers are covered separately; other functions cannot be compiled.
        if isinstance(value, ModuleType | FunctionType):
            continue
        if isinstance(value, type):
            facts.append(
                f"{name} {value.__module__}.{value.__qualname__} "
                f"{getattr(value, '_fields', '')}".encode()
            )
        elif isinstance(value, bool | int | float | str | bytes | None) or _is_plain(value):
            facts.append(f"{name} {value!r}".encode())
        else:
            return None
    return b"\n".join(facts)


def text_of(code: CodeType) -> bytes:
    """Return the content of a code object, in a form that is the same in every process."""
    inner = [
        text_of(part) if isinstance(part, CodeType) else repr(part).encode()
        for part in code.co_consts
    ]
    return b" ".join(
        [code.co_code, repr((code.co_names, code.co_varnames, code.co_freevars)).encode(), *inner]
    )


def _is_plain(value: object) -> bool:
    """Return whether a value is a tuple or set of constants, whose text is complete."""
    return isinstance(value, tuple | frozenset) and all(
        isinstance(part, bool | int | float | str | bytes | None) or _is_plain(part)
        for part in value
    )


def classes_in(value: object) -> Iterator[Any]:
    """Yield the class of every component and record inside a value."""
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            yield type(value)
        for part in value:
            yield from classes_in(part)
