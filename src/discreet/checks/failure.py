"""How a check fails."""

from __future__ import annotations

import numpy as np

from discreet import kernel


class CheckFailed(AssertionError):
    """A component breaks its contract."""


def require(condition: bool, message: str) -> None:
    """Raise CheckFailed unless the condition holds; unlike ``assert``, also under ``python -O``."""
    if not condition:
        raise CheckFailed(message)


def require_component(component: object) -> None:
    """Check that it is a component, whose state lies in arrays."""
    require(isinstance(component, kernel.Component), f"{type(component).__name__} must be a kernel.Component")


def same_state(one: object, other: object) -> str | None:
    """Return the name of the first piece of state that differs between two components, bit for bit."""
    for (name, left), (_, right) in zip(kernel.arrays(one), kernel.arrays(other), strict=True):
        if left.tobytes() != right.tobytes():
            return name
    return None


def all_finite(component: object) -> str | None:
    """Return the name of the first piece of state that holds NaN or infinity."""
    for name, array in kernel.arrays(component):
        if not np.isfinite(array).all():
            return name
    return None
