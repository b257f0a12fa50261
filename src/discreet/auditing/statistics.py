"""Numbers to tell two worlds apart by, each computed from some columns of what is seen of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from discreet.contracts import Floats

Statistic = Callable[[Floats], Floats]  # from rows of columns to one number a row

STEPS = (
    2.0**-10,
    2.0**-16,
    2.0**-20,
    2.0**-26,
    2.0**-30,
    1e-3,
    1e-6,
    1e-9,
)  # where raw numbers may hide below noise
BINS = 24
ALONE = 4  # columns that are looked at one by one


def candidates(
    weights: Floats, middle: Floats, fitted: tuple[Floats, Floats]
) -> Iterator[tuple[str, Statistic]]:
    """Yield statistics with their names; some are fitted to samples of both worlds, which are spent on that.

    Low-order bits finer than 2^-30 are left alone: those of floating-point noise depend on what it
    is added to, which is why live noise is on a grid.
    """
    columns = middle.size
    yield "a linear combination", lambda rows: rows @ weights
    if columns > 1:
        yield "a sum of likelihood ratios", likelihood(fitted)
    for place in range(min(ALONE, columns)):
        yield "", _one(place)
        yield "the distance from its median", _distance(place, float(middle[place]))
    for place in range(min(ALONE // 2, columns)):
        for step in STEPS:
            yield f"the remainder modulo {step:.3g}", _remainder(place, step)


def likelihood(fitted: tuple[Floats, Floats]) -> Statistic:
    """Return the sum over columns of the logarithm of the likelihood ratio, as histograms estimate it."""
    tables = []
    for one, other in zip(fitted[0].T, fitted[1].T, strict=True):
        edges = np.unique(
            np.quantile(np.concatenate([one, other]), np.linspace(0.0, 1.0, BINS + 1)[1:-1])
        )
        counts = [
            np.bincount(np.searchsorted(edges, sample), minlength=edges.size + 1)
            for sample in (one, other)
        ]
        tables.append((edges, np.log((counts[1] + 1.0) / (counts[0] + 1.0))))

    def total(rows: Floats) -> Floats:
        found = np.zeros(rows.shape[0])
        for column, (edges, ratios) in zip(rows.T, tables, strict=True):
            found += ratios[np.searchsorted(edges, column)]
        return found

    return total


def _one(place: int) -> Statistic:
    return lambda rows: rows[:, place]


def _distance(place: int, middle: float) -> Statistic:
    return lambda rows: np.abs(rows[:, place] - middle)


def _remainder(place: int, step: float) -> Statistic:
    return lambda rows: np.mod(rows[:, place], step) / step
