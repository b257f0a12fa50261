"""How a check fails."""

from __future__ import annotations

import numpy as np

import componentjit
from discreet.errors import DiscreetError, shorten


class CheckFailed(AssertionError):
    """A component breaks its contract."""


def require(condition: bool, message: str) -> None:
    """Raise CheckFailed unless the condition holds; unlike ``assert``, also under ``python -O``."""
    if not condition:
        raise CheckFailed(message)


def require_kind(name: str, value: object, kind: type) -> None:
    """Refuse an argument that is nothing of the kind that is checked."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise DiscreetError(f"{name} is {shorten(value)}, but must be {article} {kind.__name__}.")


def same_state(one: object, other: object) -> str | None:
    """Return the name of the first piece of state that differs between two components, bit for bit."""
    for (name, left), (_, right) in zip(
        componentjit.arrays(one), componentjit.arrays(other), strict=True
    ):
        if left.tobytes() != right.tobytes():
            return name
    return None


def all_finite(component: object) -> str | None:
    """Return the name of the first piece of state that holds NaN or infinity."""
    for name, array in componentjit.arrays(component):
        if not np.isfinite(array).all():
            return name
    return None
