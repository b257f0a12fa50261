"""The state of components: the arrays inside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from componentjit.component import Component

Part = TypeVar("Part")
Inner = TypeVar("Inner")
Array = np.ndarray[Any, Any]


def arrays(component: object, path: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the name and array of every piece of state inside a component, depth first."""
    if isinstance(component, np.ndarray):
        yield path, component
    elif isinstance(component, tuple):
        names = getattr(component, "_fields", range(len(component)))
        for name, value in zip(names, component, strict=True):
            yield from arrays(value, f"{path}.{name}" if path else str(name))


def as_plain(value: Any) -> Any:
    """Return a named tuple, and those inside it, as plain tuples; everything else unchanged.

    Compiled code returns plain tuples: to make a named one, Python code would run inside compiled
    code, and a KeyboardInterrupt there would crash the process.
    """
    return tuple(as_plain(part) for part in value) if isinstance(value, tuple) else value


def with_names(example: Part, value: Any) -> Part:
    """Undo ``as_plain``: return the value as a named tuple of the example's class."""
    if not isinstance(example, tuple):
        return cast(Part, value)
    parts = [with_names(inner, part) for inner, part in zip(example, value, strict=True)]
    return cast(Part, type(example)(*parts) if hasattr(example, "_fields") else tuple(parts))


def type_signature(value: object) -> object:
    """Return what compiled code depends on: types, and the memory layout of arrays.

    >>> type_signature((1, np.zeros(2))) == type_signature((3, np.ones(5)))
    True
    >>> type_signature(np.zeros((2, 2))) == type_signature(np.zeros((2, 2)).T)
    False
    """
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.ndim, value.flags.num
    if isinstance(value, tuple):
        return (type(value), *[type_signature(part) for part in value])
    return type(value)


def map_arrays(component: Part, change: Callable[[Array], Array]) -> Part:
    """Return the component with ``change`` applied to every array, depth first."""
    if isinstance(component, np.ndarray):
        return cast(Part, change(component))
    if isinstance(component, tuple):
        if isinstance(component, Component):
            component._check_copy()
        parts = [
            map_arrays(part, change) if isinstance(part, tuple | np.ndarray) else part
            for part in component
        ]
        return cast(
            Part, type(component)(*parts) if hasattr(component, "_fields") else tuple(parts)
        )
    return component


def copy(component: Part) -> Part:
    """Return a copy of the component: every array is copied, everything else is shared."""
    return map_arrays(component, np.ndarray.copy)


def copier(example: Part) -> Callable[[Part], Part] | None:
    """Return a function that copies values like the example faster than ``copy`` does.

    The result is None if the example has no arrays.

    >>> again = copier((1, np.zeros(2)))
    >>> again((3, np.ones(2)))
    (3, array([1., 1.]))
    """
    makers: list[Callable[..., Any]] = []

    def expression(part: object, text: str) -> str:
        if isinstance(part, np.ndarray):
            return f"{text}.copy()"
        if not isinstance(part, tuple) or not any(True for _ in arrays(part)):
            return text
        inner = "".join(expression(each, f"{text}[{i}]") + ", " for i, each in enumerate(part))
        makers.append(partial(tuple.__new__, type(part)))
        return f"makers[{len(makers) - 1}](({inner}))"

    if not any(True for _ in arrays(example)):
        return None
    return cast(
        Callable[[Part], Part],
        eval(f"lambda value: {expression(example, 'value')}", {"makers": makers}),
    )


def map_parts(component: Part, kind: type[Inner], change: Callable[[Inner], object]) -> Part:
    """Return the component with ``change`` applied to every part of one class."""
    if isinstance(component, kind):
        return cast(Part, change(component))
    if isinstance(component, Component):
        component._check_copy()
        return component._make(map_parts(part, kind, change) for part in component)
    return component
