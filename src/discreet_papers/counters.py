"""Running sums compared: the error of every counter at equal privacy, computed and simulated.

Equal privacy means Gaussian noise with μ = 1, for numbers of sensitivity 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from componentjit import compile_for
from discreet.channels import SPLITS, Restarting, RunningSum
from discreet.contracts import Channel, Floats, Generator
from discreet.errors import check_int, unknown_name
from discreet.factorisations import FACTORISATIONS, Errors, Unbounded, lower_bound
from discreet.mechanisms import Gaussian
from discreet.plot import (
    LINES,
    CurveEnd,
    CurveStyle,
    distinct_styles,
    label_ends,
    new_figure,
    save,
    set_log_axes,
    set_title,
)
from discreet.randomness import streams
from discreet.sets import Box, ConvexSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "COUNTERS",
    "UNKNOWN_HORIZON",
    "Comparison",
    "compare",
    "draw_counters",
    "make_counter",
    "plot_counters",
]

UNKNOWN_HORIZON = (Unbounded.name, *SPLITS)  # these need not know the number of rounds
COUNTERS = (*FACTORISATIONS, *SPLITS)
STREAMS = 512  # simulated side by side, at most
NUMBERS_AT_ONCE = 2**21  # in one compiled loop, which an interrupt must wait for
GREY = "#666666"  # of the lower bound
BOUND = "lower bound, any factorisation"


class Comparison(NamedTuple):
    """The errors of one counter at one horizon."""

    counter: str
    rounds: int
    computed: Errors
    simulated: Errors | None  # its largest is measured where the computed one is largest
    lower_bound: float  # on the largest error of any factorisation


def compare(name: str, rounds: int, *, copies: int = 0, seed: int = 1) -> Comparison:
    """Return the errors of a counter; with ``copies``, also those measured on independent streams.

    The streams are zeros, so every release is pure error.

    >>> compare("tree", 1024).computed.largest, round(compare("blt", 1024).computed.largest, 1)
    (110.0, 10.7)
    """
    length = check_int("rounds", rounds, minimum=2, maximum=2**24)
    curve = _compute(name, length)
    computed = Errors(float(curve.max()), float(curve.mean()))
    wanted = check_int("copies", copies, minimum=0)
    simulated = _simulate(name, length, int(curve.argmax()), wanted, seed) if wanted else None
    return Comparison(name, length, computed, simulated, lower_bound(length))


def make_counter(
    name: str, losses: ConvexSet, rounds: int, noise: Gaussian
) -> RunningSum | Restarting:
    """Return the named counter for a number of released prefixes, with given noise."""
    if name in SPLITS:
        return Restarting.over(losses, noise, split=name)
    if name not in FACTORISATIONS:
        raise unknown_name("counter", name, COUNTERS)
    return RunningSum.over(losses, noise, FACTORISATIONS[name], prefixes=rounds)


def _compute(name: str, rounds: int) -> Floats:
    """Return the error of every prefix sum."""
    if name in FACTORISATIONS:
        return FACTORISATIONS[name].curve(rounds)
    restarting: Any = make_counter(name, Box.cube(1, -0.5, 0.5), rounds, Gaussian(1.0, 1e-6))
    curve: Floats = restarting.variances(rounds)
    return curve


def _simulate(name: str, rounds: int, worst: int, copies: int, seed: int) -> Errors:
    """Return the errors of the real channel on streams of zeros, as coordinates of one vector."""
    streamed = min(copies, STREAMS)
    losses = Box.cube(streamed, -0.5, 0.5)
    one = make_counter(name, Box.cube(1, -0.5, 0.5), rounds, Gaussian(1.0, 1e-6))
    unit = 1.0 if name in SPLITS else one.sensitivity  # that of one vector, or of all rows together
    squares = np.zeros(rounds)
    times = -(-copies // streamed)
    for trial in range(times):
        channel = make_counter(name, losses, rounds, Gaussian(unit, 1e-6))
        run, rng = compile_for(add_squared_errors, channel), streams(seed, trial=trial).privacy
        for piece in np.array_split(squares, -(-rounds * streamed // NUMBERS_AT_ONCE)):
            run(channel, np.zeros(streamed), piece, rng)
    return Errors(
        float(squares[worst]) / (times * streamed), float(squares.mean()) / (times * streamed)
    )


def add_squared_errors(channel: Channel, zeros: Floats, squares: Floats, rng: Generator) -> None:
    """Add the squared error of every prefix sum of a stream of zeros to ``squares``."""
    for t in range(squares.size):
        released = channel.offer(zeros, 1.0, rng)[1]
        for i in range(zeros.size):
            squares[t] += released[i] * released[i]


# Drawing


def plot_counters(
    rows: Sequence[Comparison], path: Path | str, *, colors: Sequence[str] | None = None
) -> Path:
    """Draw largest and mean errors against the number of rounds, and write them to a file."""
    figure = new_figure(10.0, 4.4)
    left, right = figure.subplots(1, 2)
    draw_counters(rows, (left, right), colors=colors)
    figure.supxlabel(
        "rounds (hollow markers: their number need not be known in advance)", fontsize=10
    )
    return save(figure, path)


def draw_counters(
    rows: Sequence[Comparison], axes: tuple[Axes, Axes], *, colors: Sequence[str] | None = None
) -> tuple[Axes, Axes]:
    """Draw the largest error over time into the first axes, and the mean error into the second."""
    rounds = sorted({row.rounds for row in rows})
    styles = distinct_styles(len(COUNTERS), colors)
    ends: tuple[list[CurveEnd], list[CurveEnd]] = ([], [])
    # each line is thinner than the one before, so that none hides another
    widths = [3.2 - 0.3 * position for position in range(len(COUNTERS))]
    for name, style, width in zip(COUNTERS, styles, widths, strict=True):
        mine = sorted((row for row in rows if row.counter == name), key=lambda row: row.rounds)
        values = ([row.computed.largest for row in mine], [row.computed.mean for row in mine])
        inside = "white" if name in UNKNOWN_HORIZON else style.color
        for panel, errors, found in zip(axes, values, ends, strict=True):
            panel.plot(
                rounds,
                errors,
                label=name,
                linewidth=width,
                markersize=2.5 + 1.8 * width,
                markerfacecolor=inside,
                **style.options(),
            )
            found.append(CurveEnd(name, rounds[-1], errors[-1], style))
    bounds = [next(row.lower_bound for row in rows if row.rounds == each) for each in rounds]
    bound = CurveStyle(GREY, LINES[2], "")
    axes[0].plot(rounds, bounds, label=BOUND, **bound.options())
    ends[0].append(CurveEnd(BOUND, rounds[-1], bounds[-1], bound))
    axes[0].set_ylabel("mean squared error\n(Gaussian noise, μ = 1, sensitivity 1)")
    titles = ("Largest error over time", "Mean error over time")
    for panel, found, title in zip(axes, ends, titles, strict=True):
        set_log_axes(panel, rounds=rounds)
        label_ends(panel, found)
        set_title(panel, title)
    return axes
