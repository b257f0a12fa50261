"""Records (named tuples) in loops: their fields, and where they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from componentjit.errors import NotVectorizable

Shape = dict[str, Any]  # of a record: the shape of each field, or None for a number or an array


def shape_of(value: object) -> Shape | None:
    """Return the shape of a record, or None for anything else."""
    if isinstance(value, tuple):
        if type(value) is tuple:
            raise NotVectorizable("a plain tuple instead of a named tuple")
        record: Any = value
        return {name: shape_of(part) for name, part in zip(record._fields, record, strict=True)}
    return None


def leaves(name: str, shape: Shape | None) -> Iterator[str]:
    """Yield the names of all numbers and arrays in a record."""
    if shape is None:
        yield name
    else:
        for field, inner in shape.items():
            yield from leaves(f"{name}.{field}", inner)


def target_pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each single target of an assignment with its value."""
    if isinstance(target, ast.Tuple):
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            raise NotVectorizable("unpacking of a tuple that is not written out")
        for one, each in zip(target.elts, value.elts, strict=True):
            yield from target_pairs(one, each)
    else:
        yield target, value


def path_of(node: ast.expr) -> str:
    """Return a variable, or a field of one, as a text such as ``trace.arm``; else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        whole = path_of(node.value)
        return f"{whole}.{node.attr}" if whole else ""
    return ""


def value_at(records: Mapping[str, Any], path: str) -> Any:
    """Return what is at a path such as ``private.learner.weights``."""
    name, *fields = path.split(".")
    value = records[name]
    for field in fields:
        value = value[value._fields.index(field)]
    return value
