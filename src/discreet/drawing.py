"""The hook through which results draw themselves.

Results are a layer below plots, so they cannot import them. The package registers ``discreet.plot``
here, and it is imported when the first plot is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; the module typing takes time to import
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Protocol

    from matplotlib.axes import Axes

    class Plotter(Protocol):
        """Draws results of any kind, as ``discreet.plot`` does."""

        def draw(
            self, result: object, ax: Axes | None = None, *, colors: Sequence[str] | None = None
        ) -> Axes:
            """Draw into given axes, or into new ones; return them."""

        def write(
            self, result: object, path: Path | str, *, colors: Sequence[str] | None = None
        ) -> Path:
            """Draw into a file; return its path."""


__all__ = ["Plotter", "plotter", "register_plotter"]


class _Registered:
    load: Callable[[], Plotter] | None = None


def register_plotter(load: Callable[[], Plotter]) -> None:
    """Set the function that returns what draws results, such as the module ``discreet.plot``."""
    _Registered.load = load


def plotter() -> Plotter:
    """Return what draws results."""
    assert _Registered.load is not None, "importing discreet registers a plotter"
    return _Registered.load()
