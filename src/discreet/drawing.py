"""The hook through which results draw themselves.

Results are a layer below plots, so they cannot import them. The package registers ``discreet.plot``
here, which is imported when the first plot is requested.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers treat it as true; importing typing would take time
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Protocol, TypedDict, Unpack

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Labels = Mapping[str, str] | Sequence[str]
    Colors = Mapping[str, str] | Sequence[str]

    class PlotOptions(TypedDict, total=False):
        """How results are drawn; ``Results.plot`` explains each."""

        labels: Labels | None
        only: str | Sequence[str] | None
        colors: Colors | None
        log: str
        size: tuple[float, float] | None
        bands: float | bool | None
        title: str | None

    class Plotter(Protocol):
        """Draws results of any kind, as ``discreet.plot`` does."""

        def draw(
            self, result: object, ax: Axes | None = None, **options: Unpack[PlotOptions]
        ) -> Axes:
            """Draw into given axes, or into new ones; return them."""

        def save(self, figure: Figure, path: Path | str) -> Path:
            """Write a figure into a file; return its path."""

        def write(self, result: object, path: Path | str, **options: Unpack[PlotOptions]) -> Path:
            """Draw into a file; return its path."""


__all__ = ["Plotter", "plotter", "register_plotter"]


class _Registered:
    load: Callable[[], Plotter] | None = None


def register_plotter(load: Callable[[], Plotter]) -> None:
    """Set the function that returns the plotter, such as the module ``discreet.plot``."""
    _Registered.load = load


def plotter() -> Plotter:
    """Return the plotter, which draws results."""
    assert _Registered.load is not None, "importing discreet registers a plotter"
    return _Registered.load()
