"""What a user may give a bandit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from discreet.errors import DiscreetError, check_int, count


def check_flags(**flags: object) -> None:
    """Refuse what is neither True nor False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise DiscreetError(f"{name} is {flag!r}, but must be True or False.")


def number(given: Any) -> float | None:
    """Return the outcome as a float, or None; what it was must not stay in the chain of an exception."""
    if isinstance(given, str | bytes):
        return None
    try:
        return float(given)
    except Exception:
        return None


def labels_of(arms: int | Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return the labels of the arms, 0, 1, ... if only their number is given."""
    if isinstance(arms, np.ndarray) and arms.ndim == 1:
        arms = arms.tolist()
    if isinstance(arms, str | bytes) or not isinstance(arms, int | np.integer | Sequence):
        raise DiscreetError(f"arms is {arms!r}, but must be a list of labels or a whole number of at least 2.")
    if isinstance(arms, Sequence):
        if len(arms) < 2:
            raise DiscreetError(f"arms has {count(len(arms), 'label')}, but at least 2 are needed.")
        if not all(isinstance(label, Hashable) and label == label for label in arms):
            raise DiscreetError("arms has a label that cannot be one: use text or numbers.")
        if len(set(arms)) < len(arms):
            raise DiscreetError("arms has a label twice, but labels must differ.")
        return tuple(label.item() if isinstance(label, np.generic) else label for label in arms)
    return tuple(range(check_int("arms", arms, least=2, most=10_000_000)))
