"""Rows of data as features: of length at most 1, and with coefficients of their own for every arm."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats

INSIDE = 0.9  # the share of rows that need not be shortened


def bounded(columns: Floats) -> Floats:
    """Return rows with a constant added, scaled so that most are no longer than 1; the others are shortened."""
    constant = float(np.sqrt((columns**2).mean())) if columns.size else 1.0
    rows = np.column_stack([columns, np.full(len(columns), constant)])
    rows /= np.quantile(np.linalg.norm(rows, axis=1), INSIDE)
    rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
    return rows


def in_blocks(rows: Floats, arms: int) -> Floats:
    """Return the features of every row and arm: those of the row in the arm's block, and 0 elsewhere."""
    size = rows.shape[1]
    table = np.zeros((len(rows), arms, arms * size))
    for arm in range(arms):
        table[:, arm, arm * size : (arm + 1) * size] = rows
    return table
