"""Checks of what users may set of algorithms on functions."""

from __future__ import annotations

from discreet.algorithms.registry import Setting
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.problems import Functions


def check_given(**numbers: float | None) -> None:
    """Refuse numbers that are given, by their names, and are not above 0."""
    for name, value in numbers.items():
        if value is not None:
            check_positive(name, value)


def batch_of(setting: Setting[Functions], batch_size: int) -> int:
    """Return the length of a batch, or refuse one if there are not two of them in a game."""
    size = check_int("batch_size", batch_size, least=1)
    if setting.rounds < 2 * size:
        raise DiscreetError(
            f"rounds is {setting.rounds}, but two batches of {size} rounds need at least "
            f"{2 * size}."
        )
    return size
