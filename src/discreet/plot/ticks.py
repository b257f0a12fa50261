"""Ticks that can be read: few enough that no label touches the next, written as people write numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.plot.canvas import settle, size_in_points, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Multiples of powers of ten, from coarse to fine.
STEPS: tuple[tuple[float, ...], ...] = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0),
    tuple(tenths / 10.0 for tenths in range(10, 100)),
)


def tick_text(value: float) -> str:
    """Return a number as a tick shows it.

    >>> tick_text(65536.0), tick_text(0.01), tick_text(1e6), tick_text(2.5)
    ('65,536', '0.01', '1,000,000', '2.5')
    """
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:g}"


def log_ticks(low: float, high: float, *, least: int = 3) -> list[float]:
    """Return round numbers for a logarithmic axis, at least that many if there are any.

    >>> log_ticks(20.0, 30_000.0), log_ticks(150.0, 1100.0)
    ([100.0, 1000.0, 10000.0], [200.0, 500.0, 1000.0])
    """
    found: list[float] = []
    for steps in STEPS:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [
            step * 10.0**power
            for power in powers
            for step in steps
            if low <= step * 10.0**power <= high
        ]
        if len(found) >= least:
            break
    return found


def logarithmic(axes: Axes, *, rounds: Sequence[float] | None = None) -> None:
    """Make both axes of a finished drawing logarithmic, with ticks at ``rounds`` if they are given."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
    log_axis(axes, "y")
    settle(axes)  # the labels of one axis take room from the other
    log_axis(axes, "x", rounds)


def log_axis(axes: Axes, which: Literal["x", "y"], values: Sequence[float] | None = None) -> None:
    """Set the ticks of one logarithmic axis: as many of the values as there is room for."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axes.get_xlim() if which == "x" else axes.get_ylim())
    ticks = sorted(values) if values is not None else log_ticks(low, high)
    width, height = size_in_points(axes)
    fontsize = 10.0  # no tick is larger here, and smaller ones have more room
    sizes = [
        text_width(tick_text(tick), fontsize) + 8.0 if which == "x" else 1.6 * fontsize
        for tick in ticks
    ]
    places = (
        np.log(np.array(ticks) / low) / math.log(high / low) * (width if which == "x" else height)
    )
    axis.set_major_locator(FixedLocator(_spaced(ticks, places.tolist(), sizes)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def _spaced(ticks: Sequence[float], places: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Return every tick, or every second, third, ... counted from the last, so that all have the room they need."""
    for step in range(1, len(ticks)):
        kept = range(len(ticks) - 1, -1, -step)
        if all(
            places[a] - places[b] >= (sizes[a] + sizes[b]) / 2.0
            for a, b in itertools.pairwise(kept)
        ):
            return [ticks[i] for i in reversed(kept)]
    return list(ticks[-1:])
