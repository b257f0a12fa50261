"""Actions and traces as text, and back."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import numpy as np

from componentjit import with_names
from discreet.errors import DiscreetError
from discreet.live.rows import Recipe

Part = TypeVar("Part")


def as_text(value: object) -> str:
    """Return an action or a trace as text, in which no digit is lost."""
    return json.dumps(_plain(value))


def from_text(example: Part, text: str) -> Part:
    """Return what a text stands for, as a value of the same kind as the example."""
    return with_names(example, _with_arrays(example, json.loads(text)))


def recipe_text(recipe: Recipe) -> str:
    """Return the arguments of a run as text, or refuse those that text cannot hold."""
    given: dict[str, object] = {**recipe, **recipe["options"]}
    for name, value in given.items():
        if name == "options":
            continue
        labels = value if isinstance(value, list) else [value]
        if not all(label is None or isinstance(label, str | int | float) for label in labels):
            raise DiscreetError(
                f"{name} has a value that is neither text nor a number, which a file cannot hold."
            )
    return json.dumps(recipe)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _with_arrays(example: object, parts: Any) -> object:
    if isinstance(example, tuple):
        return tuple(_with_arrays(one, other) for one, other in zip(example, parts, strict=True))
    return np.array(parts, dtype=example.dtype) if isinstance(example, np.ndarray) else parts
