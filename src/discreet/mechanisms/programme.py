"""The linear programme behind optimal noise: chances of a few values for every sum of a batch."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError

PLACES = 25  # values on a grid around the middle, before those that are hardly used are left out
REACHES = (0.75, 1.0, 1.5, 2.5)  # how far the grid reaches from the middle, in batches
RARE = 1e-4  # largest chance of a value that is left out


def least_square(epsilon: float, size: int) -> tuple[Floats, Floats]:
    """Return values as fractions of the range, and for every sum 0 .. size a row of chances with that mean.

    Chances of neighbouring rows differ by at most e^ε, and the largest mean square around 1/2 is
    the least possible on the grid. The programme is solved again on the values that matter, where
    its answer is more precise.
    """
    found = [_solve(np.linspace(-reach, reach, PLACES), epsilon, size) for reach in REACHES]
    solved = [
        (square, chances, reach)
        for (square, chances), reach in zip(found, REACHES, strict=True)
        if square
    ]
    if not solved:
        raise DiscreetError(
            f"epsilon is {epsilon!r}, but no optimal noise was found for batches of {size}."
        )
    _, chances, reach = min(solved, key=lambda each: each[0])
    values = np.linspace(-reach, reach, PLACES)[chances.max(axis=0) > RARE]
    square, chances = _solve(values, epsilon, size)
    if not square:
        raise DiscreetError(
            f"epsilon is {epsilon!r}, but no optimal noise was found for batches of {size}."
        )
    used = chances.max(axis=0) > RARE
    kept = chances[:, used]
    return values[used] + 0.5, kept / kept.sum(axis=1, keepdims=True)


def _solve(values: Floats, epsilon: float, size: int) -> tuple[float, Floats]:
    """Return the least largest mean square and the chances, or 0 if no chances have these means."""
    from scipy import optimize, sparse

    rows, places = size + 1, values.size
    last = rows * places  # the bound on all mean squares is the last variable
    each = sparse.eye(places)
    steps = sparse.eye(size, rows), sparse.eye(size, rows, k=1)
    grow = math.exp(epsilon)
    ratios = sparse.vstack([sparse.kron(a - grow * b, each) for a, b in (steps, steps[::-1])])
    squares = sparse.kron(sparse.eye(rows), values**2)
    upper = sparse.vstack(
        [
            sparse.hstack([ratios, np.zeros((ratios.shape[0], 1))]),
            sparse.hstack([squares, -np.ones((rows, 1))]),
        ]
    )
    fixed = sparse.vstack(
        [sparse.kron(sparse.eye(rows), np.ones(places)), sparse.kron(sparse.eye(rows), values)]
    )
    means = np.arange(rows) / size - 0.5
    answer = optimize.linprog(
        np.append(np.zeros(last), 1.0),
        A_ub=upper.tocsr(),
        b_ub=np.zeros(upper.shape[0]),
        A_eq=sparse.hstack([fixed, np.zeros((2 * rows, 1))]).tocsr(),
        b_eq=np.concatenate([np.ones(rows), means]),
        bounds=(0.0, None),
        method="highs",
    )
    if not answer.success:
        return 0.0, np.zeros((rows, places))
    return float(answer.x[-1]), np.maximum(answer.x[:-1].reshape(rows, places), 0.0)
