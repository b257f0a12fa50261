"""Rows of a run as text and bytes, without rounding."""

from __future__ import annotations

import json
import struct
from typing import Any, TypeVar

import numpy as np

from componentjit import with_names
from discreet.errors import DiscreetError
from discreet.live.release_log import ReleaseFacts, ReleaseRow
from discreet.live.rows import Drawn, Draws, Recipe

Part = TypeVar("Part")
_encode = json.JSONEncoder().encode
NUMBER = struct.Struct("=d")  # the bytes of one number, as in an array
SIZES = struct.Struct(">QQIIi")  # of a release: decision, group, and lengths in bytes


def as_text(value: object) -> str:
    """Return an action or a trace as text, without rounding."""
    if type(value) is int:  # the same result in a tenth of the time
        return str(value)
    return _encode(_as_lists(value))


def from_text(example: Part, text: str) -> Part:
    """Return the value of a text, of the same kind as the example."""
    return with_names(example, _with_arrays(example, json.loads(text)))


def recipe_text(recipe: Recipe) -> str:
    """Return the arguments of a run as text, or refuse those that text cannot represent."""
    given: dict[str, object] = {**recipe, **recipe["options"]}
    for name, value in given.items():
        if name == "options":
            continue
        labels = value if isinstance(value, list) else [value]
        if not all(label is None or isinstance(label, str | int | float) for label in labels):
            raise DiscreetError(
                f"{name} has a value that is neither text nor a number, so a file cannot store it."
            )
    return json.dumps(recipe)


def number_bytes(value: object) -> tuple[str, bytes]:
    """Return the shape and the bytes of a release: always of one size, for any value drawn."""
    if isinstance(value, float):
        return "null", NUMBER.pack(value)
    array = np.asarray(value, np.float64)
    return json.dumps(array.shape), array.tobytes()


def numbers_from(shape: str, content: bytes) -> object:
    """Return the release that ``number_bytes`` wrote."""
    size, numbers = json.loads(shape), np.frombuffer(content, np.float64)
    return float(numbers[0]) if size is None else numbers.reshape(size).copy()


def drawn_bytes(drawn: Drawn, group: int) -> bytes:
    """Return a release of a group as bytes, without generators: of one size for any value drawn."""
    shape, content = number_bytes(drawn.value)
    held = -1 if drawn.held is None else len(drawn.held)
    head = SIZES.pack(drawn.decision, group, len(shape), len(content), held)
    return head + shape.encode() + content + (drawn.held or b"")


def drawn_from(content: bytes) -> tuple[Drawn, int]:
    """Return the release that ``drawn_bytes`` wrote, and its group."""
    decision, group, shape, size, held = SIZES.unpack_from(content)
    text, numbers = SIZES.size + shape, SIZES.size + shape + size
    value = numbers_from(content[SIZES.size : text].decode(), content[text:numbers])
    return Drawn(decision, value, None if held < 0 else content[numbers:]), group


def as_json(draws: Draws | None) -> str | None:
    """Return the state of the generators as text, if any."""
    return None if draws is None else json.dumps(draws)


def draws_from(text: str | None) -> Draws | None:
    """Return the state of the generators, if any."""
    return None if text is None else Draws(*json.loads(text))


def facts_columns(facts: ReleaseFacts | None) -> tuple[float | None, ...]:
    """Return the public facts about a release as they are read again, not as NumPy's numbers."""
    choice, size, probability, at = facts or (None, None, None, None)
    chance = None if probability is None else float(probability)
    return choice, size, chance, None if at is None else float(at)


def release_row(row: tuple[Any, ...]) -> ReleaseRow:
    """Return a row of the table of releases; a release of one number is a float."""
    batch, choice, size, probability, at, content = row
    numbers = None if content is None else np.frombuffer(content, np.float64)
    value = float(numbers[0]) if numbers is not None and numbers.size == 1 else numbers
    return ReleaseRow(batch, choice, size, probability, at, value)


def _as_lists(value: object) -> object:
    if isinstance(value, tuple):
        return [_as_lists(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _with_arrays(example: object, parts: object) -> object:
    if isinstance(example, tuple):
        if not isinstance(parts, list):
            raise TypeError("the text represents another type")
        return tuple(_with_arrays(one, other) for one, other in zip(example, parts, strict=True))
    return np.array(parts, dtype=example.dtype) if isinstance(example, np.ndarray) else parts
