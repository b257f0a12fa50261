"""Rows of data as features: of length at most 1, with separate coefficients for every arm."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats

INSIDE = 0.9  # the share of rows that are not shortened


def bound_rows(columns: Floats) -> Floats:
    """Add a constant to each row, and scale the rows so that none is longer than 1.

    Nine of ten rows are scaled alike; longer ones are shortened to length 1.
    """
    constant = float(np.sqrt((columns**2).mean())) if columns.size else 1.0
    rows = np.column_stack([columns, np.full(len(columns), constant)])
    rows /= np.quantile(np.linalg.norm(rows, axis=1), INSIDE)
    rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
    return rows


def spread_over_arms(rows: Floats, arms: int) -> Floats:
    """Return the features of every row and arm: the row in the arm's block, and 0 elsewhere."""
    size = rows.shape[1]
    table = np.zeros((len(rows), arms, arms * size))
    for arm in range(arms):
        table[:, arm, arm * size : (arm + 1) * size] = rows
    return table
