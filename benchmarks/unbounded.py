"""Find the decays and zeros of ``unbounded`` sums that minimise the largest error ratio.

The ratio compares with the error for a known horizon.

    python benchmarks/unbounded.py [--buffers N] [--first 10] [--last 31]

It is the mean squared error after t rounds divided by that of the square root made for t rounds,
for all powers of two from 2^first to 2^last. The search minimises a smoothed maximum, which is less
smooth in each step. 8 buffers take 15 seconds and reach 1.44; 12 reach 1.43.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy.optimize import minimize

from discreet.factorisations import square_root
from discreet.factorisations.blt import Buffers, all_time_norm

# rounds up to which the square root is summed; beyond, the asymptotic formula agrees to 8 digits
EXACT = 2**20


def known(rounds: int) -> float:
    """Return the error of the square root for a number of rounds."""
    if rounds <= EXACT:
        return float((square_root(rounds) ** 2).sum()) ** 2
    return ((math.log(rounds) + np.euler_gamma + 4.0 * math.log(2.0)) / math.pi) ** 2


def matrix_of(parameters: np.ndarray) -> Buffers | None:
    """Return the matrix with these distances from 1, which grow by factors; None if impossible."""
    distances = np.exp(np.cumsum(np.concatenate([parameters[:1], np.exp(parameters[1:])])))
    return Buffers.of(1.0 - distances[0::2], 1.0 - distances[1::2]) if distances[-1] < 1.0 else None


def ratios(matrix: Buffers, lengths: list[int], errors: np.ndarray) -> np.ndarray:
    """Return the ratio for every number of rounds."""
    norm = all_time_norm(matrix.decay, matrix.output)
    return np.array([(norm * matrix.row_norm(length)) ** 2 for length in lengths]) / errors


def search(buffers: int, first: int, last: int) -> Buffers:
    """Return the best matrix that the search finds."""
    lengths = [2**power for power in range(first, last + 1)]
    errors = np.array([known(length) for length in lengths])
    top, bottom = -last * math.log(2.0), math.log(0.9)
    found = np.concatenate(
        [[top], np.log(np.full(2 * buffers - 1, (bottom - top) / (2 * buffers)))]
    )
    for sharpness in (5.0, 20.0, 80.0, 300.0):

        def objective(parameters: np.ndarray, sharpness: float = sharpness) -> float:
            matrix = matrix_of(parameters)
            if matrix is None:
                return 1e3
            logs = np.log(ratios(matrix, lengths, errors))
            return float(
                logs.max() + np.log(np.mean(np.exp(sharpness * (logs - logs.max())))) / sharpness
            )

        found = minimize(objective, found, method="BFGS", options={"maxiter": 400, "gtol": 1e-6}).x
    matrix = matrix_of(found)
    assert matrix is not None
    print(f"largest ratio {ratios(matrix, lengths, errors).max():.4f}")
    return matrix


def main() -> None:
    """Print the matrix that the search finds."""
    parser = argparse.ArgumentParser(description="Find the matrix of unbounded sums.")
    parser.add_argument("--buffers", type=int, default=8)
    parser.add_argument("--first", type=int, default=10)
    parser.add_argument("--last", type=int, default=31)
    asked = parser.parse_args()
    matrix = search(asked.buffers, asked.first, asked.last)
    for name, points in (("decays", matrix.decay), ("zeros", matrix.zero)):
        print(name, ", ".join(f"{1.0 - point:.3g}" for point in points))


if __name__ == "__main__":
    main()
