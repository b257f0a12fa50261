"""Barriers of sets of matrices; not compiled.

**Spectrahedron:** R(X) = -ln det X. With W = X^-½ U X^-½, <∇R, U> = -tr W and <U, H U> = |W|². So
everything is as for the simplex, with matrices instead of vectors: ϑ = n - 1.

**Nuclear norm at most r:** these are the X for which some Y = [[A, X], [Xᵀ, B]] is positive
semidefinite with tr Y ≤ 2 r. So R(X) = min -ln det Y - ln(2 r - tr Y) over A and B is
self-concordant with ϑ = m + n + 1 (Nesterov & Nemirovski 1994, Proposition 5.1.5). Its Hessian is
the Schur complement of that of Y, so H⁻¹ is the block of X in the inverse for Y.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats
from discreet.sets.simplex import Simplex
from discreet.sets.vectors import BISECTIONS, STEEPEST

LEAST = 1e-14  # minimum eigenvalue: below it, rounding errors would leave the set


def least_trace_leader(matrix: Floats, rate: float) -> Floats:
    """Return the X of trace 1 that minimises rate <S, X> - ln det X, for symmetric S."""
    values, vectors = np.linalg.eigh(matrix)
    found = np.empty(values.size)
    Simplex(values.size).leader(values, rate, found)
    return np.asarray(vectors * found @ vectors.T)


def trace_dikin(matrix: Floats, direction: Floats) -> tuple[Floats, Floats]:
    """Return C U and C⁻ᵀ U for C = X^½ Q X^½, where the reflection Q maps I/√n to -X/|X|."""
    values, vectors = np.linalg.eigh(matrix)
    values = np.maximum(values, LEAST)
    root, inverse = (vectors * values**power @ vectors.T for power in (0.5, -0.5))
    side = values.size
    along = np.eye(side) / math.sqrt(side) + matrix / float(np.linalg.norm(values))
    share = 2.0 * float(np.sum(along * direction)) / float(np.sum(along * along))
    reflected = direction - share * along
    slope = inverse @ reflected @ inverse
    slope -= np.eye(side) * np.trace(slope) / side
    return np.asarray(root @ reflected @ root), np.asarray(slope)


def nuclear_leader(matrix: Floats, rate: float, radius: float) -> Floats:
    """Return the X of nuclear norm at most r that minimises rate <S, X> + R(X).

    In the basis of S everything is diagonal. With slack z = 2 r - tr Y and c = rate · a singular
    value of S, A = B = t with t = z / (1 - c² z² / 4) and x = -c z t / 2; entries of Y without a
    partner are z. Then z solves Σ 2 t + |m - n| z + z = 2 r, whose left side grows with z.
    """
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    pulls = np.minimum(rate * values, STEEPEST / radius)
    extra = abs(matrix.shape[0] - matrix.shape[1]) + 1
    low, high = 0.0, min(2.0 * radius, 2.0 / max(float(pulls.max()), 1e-300))
    for _ in range(BISECTIONS):
        slack = 0.5 * (low + high)
        bends = np.maximum(1.0 - (0.5 * pulls * slack) ** 2, 1e-300)
        if 2.0 * float(np.sum(slack / bends)) + extra * slack > 2.0 * radius:
            high = slack
        else:
            low = slack
        if not low < 0.5 * (low + high) < high:
            break
    slack = low
    tops = slack / np.maximum(1.0 - (0.5 * pulls * slack) ** 2, 1e-300)
    entries = -0.5 * pulls * slack * tops
    entries *= min(1.0, radius * (1.0 - LEAST) / max(float(np.abs(entries).sum()), 1e-300))
    return np.asarray(left * entries @ right)


def nuclear_inverse_hessian(matrix: Floats, radius: float) -> Floats:
    """Return H⁻¹ of R at an interior matrix, for matrices stored row by row.

    With z the slack, t² - x² = z t for each singular value x, Σ 2 t + (|m - n| + 1) z = 2 r, and
    for a matrix W

        H⁻¹ W = (A W B + X Wᵀ X) / 2 - V <V, W> / (z² + |Y|²),   V = A X + X B.
    """
    rows, columns = matrix.shape
    left, values, right = np.linalg.svd(matrix)
    extra = abs(rows - columns) + 1
    low, high = 0.0, 2.0 * radius
    for _ in range(BISECTIONS):
        slack = 0.5 * (low + high)
        if float(np.sum(slack + np.sqrt(slack**2 + 4.0 * values**2))) + extra * slack > (
            2.0 * radius
        ):
            high = slack
        else:
            low = slack
        if not low < 0.5 * (low + high) < high:
            break
    slack = max(low, LEAST * radius)
    tops = 0.5 * (slack + np.sqrt(slack**2 + 4.0 * values**2))
    above, beside = np.full(rows, slack), np.full(columns, slack)
    above[: values.size] = beside[: values.size] = tops
    one, other = left * above @ left.T, right.T * beside @ right
    mixed = (one @ matrix + matrix @ other).ravel()
    whole = float(np.sum(above**2) + np.sum(beside**2) + 2.0 * np.sum(values**2))
    size = rows * columns
    axes = np.eye(size).reshape(size, rows, columns)
    turned = matrix @ np.swapaxes(axes, 1, 2) @ matrix
    plain = 0.5 * (one @ axes @ other + turned).reshape(size, size)
    return np.asarray(plain - np.outer(mixed, mixed) / (slack**2 + whole))
