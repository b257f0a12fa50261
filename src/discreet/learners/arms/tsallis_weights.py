"""The weights of a leader that is regularised by the 1/2-Tsallis entropy, by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Sequence

from componentjit import as_list, helper
from discreet.contracts import Floats

MANY = 8  # arms from which on sums are added up in four parts


@helper
def solve(losses: Floats, rate: float, start: float, weights: Floats) -> float:
    """Fill in the weights w(i) = 4 / (rate (d(i) + s))², d = losses - min, and return the s at which they sum to 1.

    With h(s) = (Σ (d(i) + s)⁻²)^(-1/2) the condition reads h(s) = 2 / rate. h is increasing and
    concave, so that a Newton step from anywhere lands at or below the solution and from there on
    climbs to it; the solution is at least 2 / rate. A later step that does not climb has nothing
    left to correct but the rounding errors of the sum.
    """
    target = 2.0 / rate
    values = as_list(losses)
    least = least_of(values)
    s = max(float(start), target)
    squares = 1.0
    for step in range(100):
        if losses.size < MANY:
            squares, cubes = inverse_powers(values, least, s)
        else:
            squares, cubes = many_inverse_powers(values, least, s, weights)
        h = 1.0 / math.sqrt(squares)
        if abs(h - target) <= 1e-12 * target:
            break
        higher = max(s + (target - h) / (h * h * h * cubes), target)
        if step > 0 and higher <= s:
            break
        s = higher
    share = 1.0 / squares
    for i in range(losses.size):
        inverse = 1.0 / (values[i] - least + s)
        weights[i] = inverse * inverse * share
    return s


@helper
def inverse_powers(values: Sequence[float] | Floats, least: float, s: float) -> tuple[float, float]:
    """Return Σ x⁻² and Σ x⁻³ of x = value - least + s."""
    squares = 0.0
    cubes = 0.0
    for i in range(len(values)):
        inverse = 1.0 / (values[i] - least + s)
        square = inverse * inverse
        squares += square
        cubes += inverse * square
    return squares, cubes


@helper
def many_inverse_powers(
    values: Sequence[float] | Floats, least: float, s: float, room: Floats
) -> tuple[float, float]:
    """Return the same of many numbers: first all quotients, then four sums, of which a processor does several at once."""
    count = len(values)
    for i in range(count):
        room[i] = 1.0 / (values[i] - least + s)
    squares, squares_2, squares_3, squares_4 = 0.0, 0.0, 0.0, 0.0
    cubes, cubes_2, cubes_3, cubes_4 = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 4 <= count:
        squares += room[i] * room[i]
        squares_2 += room[i + 1] * room[i + 1]
        squares_3 += room[i + 2] * room[i + 2]
        squares_4 += room[i + 3] * room[i + 3]
        cubes += room[i] * (room[i] * room[i])
        cubes_2 += room[i + 1] * (room[i + 1] * room[i + 1])
        cubes_3 += room[i + 2] * (room[i + 2] * room[i + 2])
        cubes_4 += room[i + 3] * (room[i + 3] * room[i + 3])
        i += 4
    while i < count:
        squares += room[i] * room[i]
        cubes += room[i] * (room[i] * room[i])
        i += 1
    return (squares + squares_2) + (squares_3 + squares_4), (cubes + cubes_2) + (cubes_3 + cubes_4)


@helper
def least_of(values: Sequence[float] | Floats) -> float:
    """Return the least number, found in four parts at once."""
    one, two, three, four = math.inf, math.inf, math.inf, math.inf
    i = 0
    while i + 4 <= len(values):
        one = values[i] if values[i] < one else one
        two = values[i + 1] if values[i + 1] < two else two
        three = values[i + 2] if values[i + 2] < three else three
        four = values[i + 3] if values[i + 3] < four else four
        i += 4
    while i < len(values):
        one = values[i] if values[i] < one else one
        i += 1
    return min(one, two, three, four)
