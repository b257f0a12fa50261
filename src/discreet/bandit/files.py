"""The state of a component as lists and numbers, and files that only their owner can read."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet import kernel
from discreet.errors import DiscreetError

USED = ".loaded"


def write(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state to a new file that only its owner can read, in place of an old one; all of it or nothing."""
    staging = None
    try:
        handle, staging = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # owner only, and nobody's link
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        Path(staging).replace(path)
        staging = None
    except OSError as reason:
        raise DiscreetError(f"{path} cannot be written: {reason.strerror}.") from None
    except TypeError:
        raise DiscreetError(
            "an argument of this bandit is of a type that a file cannot hold: use plain numbers."
        ) from None
    finally:
        if staging is not None:
            with contextlib.suppress(OSError):
                Path(staging).unlink()


def read(path: Path, *, form: str) -> dict[str, Any]:
    """Return the state that a file holds, or refuse what has another form."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except OSError as reason:
        if path.with_name(path.name + USED).exists():
            raise DiscreetError(f"{path} has been loaded already, which a handed-over file can be once.") from None
        raise DiscreetError(f"{path} cannot be read: {reason.strerror}.") from None
    except ValueError:
        state = None
    if not isinstance(state, dict) or state.get("format") != form:
        raise DiscreetError(f"{path} is not a bandit saved by this version.")
    return state


def use_up(path: Path) -> None:
    """Rename a file so that it is not loaded again."""
    try:
        path.rename(path.with_name(path.name + USED))
    except OSError as reason:
        raise DiscreetError(f"{path} cannot be renamed, so it could be loaded again: {reason.strerror}.") from None


def state_of(component: object) -> dict[str, list[Any]]:
    """Return every array of a component."""
    return {name: array.tolist() for name, array in kernel.arrays(component)}


def restore(component: object, state: Mapping[str, list[Any]]) -> None:
    """Fill the arrays of a component."""
    for name, array in kernel.arrays(component):
        array[...] = state[name]


def to_json(trace: Any) -> Any:
    """Return a trace as lists and numbers."""
    if isinstance(trace, tuple):
        return [to_json(part) for part in trace]
    return trace.tolist() if isinstance(trace, np.ndarray | np.generic) else trace


def like(example: Any, parts: Any) -> Any:
    """Return lists and numbers as a trace of the same kind as the example."""
    if isinstance(example, tuple):
        inner = [like(one, other) for one, other in zip(example, parts, strict=True)]
        return type(example)(*inner) if hasattr(example, "_fields") else tuple(inner)
    return np.array(parts, dtype=example.dtype) if isinstance(example, np.ndarray) else parts
