"""How curves look: colours that colour-blind readers can tell apart, and line styles and markers that repeat it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

# Okabe & Ito's colours without yellow, and an olive.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
MARKERS = "os^DvPX*"
FEW = 6  # curves that a legend beside them explains; more are named at their ends

Line = str | tuple[float, tuple[float, ...]]
LINES: tuple[Line, ...] = (
    "solid",
    (0.0, (5.0, 1.6)),
    (0.0, (1.2, 1.4)),
    (0.0, (6.0, 1.6, 1.2, 1.6)),
    (0.0, (2.6, 1.2)),
    (0.0, (6.0, 1.4, 1.2, 1.4, 1.2, 1.4)),
    (0.0, (9.0, 2.5)),
    (0.0, (1.2, 3.5)),
)


class Look(NamedTuple):
    """How one curve is drawn; the names are those that matplotlib gives to its options."""

    color: str
    linestyle: Line
    marker: str

    def options(self) -> dict[str, Any]:
        """Return it as options of a plot."""
        return self._asdict()


def looks(curves: Sequence[tuple[str, float]], colors: Sequence[str] | None = None) -> list[Look]:
    """Return the look of every curve, given the algorithm and the epsilon of each; no two look the same.

    Few curves have a colour each. Of more than six, the colour says which algorithm it is and the
    line which epsilon: the largest is solid. If there are too many of either for that, colours and
    lines are only told apart. ``colors`` are used in place of ours.

    >>> looks([("exp3", 1.0), ("exp3", 0.1)])[1] == Look(COLOURS[1], "solid", MARKERS[1])
    True
    """
    palette = tuple(colors or COLOURS)
    if len(curves) <= min(FEW if colors is None else len(palette), len(palette)):
        return [Look(palette[i], LINES[0], MARKERS[i % len(MARKERS)]) for i in range(len(curves))]
    names = list(dict.fromkeys(name for name, _ in curves))
    epsilons = sorted({epsilon for _, epsilon in curves}, reverse=True)
    found = []
    for name, epsilon in curves:
        lap, place = divmod(names.index(name), len(palette))
        line = lap * len(epsilons) + epsilons.index(epsilon)
        found.append(
            Look(
                palette[place], LINES[line % len(LINES)], MARKERS[names.index(name) % len(MARKERS)]
            )
        )
    if len({look[:2] for look in found}) == len(curves):
        return found
    pairs = itertools.product(LINES, enumerate(palette))
    return [
        Look(colour, line, MARKERS[i % len(MARKERS)])
        for (line, (i, colour)), _ in zip(pairs, curves, strict=False)
    ]


def distinct_looks(count: int, colors: Sequence[str] | None = None) -> list[Look]:
    """Return looks that differ in everything, so that a curve is seen even where another one covers it."""
    palette = tuple(colors or COLOURS)
    found = []
    for i in range(count):
        lap, place = divmod(i, len(palette))
        found.append(
            Look(palette[place], LINES[(place + lap) % len(LINES)], MARKERS[i % len(MARKERS)])
        )
    return found
