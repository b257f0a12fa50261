"""The state of a component as lists and numbers, and files that only their owner can read."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet import kernel
from discreet.errors import DiscreetError


def write(path: Path, state: Mapping[str, Any]) -> None:
    """Write a state to a file that only its owner can read; all of it or nothing."""
    staging = path.with_name(path.name + ".part")
    try:
        with open(staging, "w", encoding="utf-8", opener=_owner_only) as file:
            json.dump(state, file)
        staging.replace(path)
    except OSError as reason:
        with contextlib.suppress(OSError):
            staging.unlink()
        raise DiscreetError(f"{path} cannot be written: {reason.strerror}.") from None


def read(path: Path, *, form: str) -> dict[str, Any]:
    """Return the state that a file holds, or refuse what has another form."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except OSError as reason:
        raise DiscreetError(f"{path} cannot be read: {reason.strerror}.") from None
    except ValueError:
        state = None
    if not isinstance(state, dict) or state.get("format") != form:
        raise DiscreetError(f"{path} is not a bandit saved by this version.")
    return state


def state_of(component: object) -> dict[str, list[Any]]:
    """Return every array of a component."""
    return {name: array.tolist() for name, array in kernel.arrays(component)}


def restore(component: object, state: Mapping[str, list[Any]]) -> None:
    """Fill the arrays of a component."""
    for name, array in kernel.arrays(component):
        array[...] = state[name]


def plain(trace: Any) -> Any:
    """Return a trace as lists and numbers."""
    if isinstance(trace, tuple):
        return [plain(part) for part in trace]
    return trace.tolist() if isinstance(trace, np.ndarray | np.generic) else trace


def like(example: Any, parts: Any) -> Any:
    """Return lists and numbers as a trace of the same kind as the example."""
    if isinstance(example, tuple):
        inner = [like(one, other) for one, other in zip(example, parts, strict=True)]
        return type(example)(*inner) if hasattr(example, "_fields") else tuple(inner)
    return np.array(parts, dtype=example.dtype) if isinstance(example, np.ndarray) else parts


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
