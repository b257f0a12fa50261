"""Sensitivities: how far a released statistic moves when one round is replaced.

Noise is calibrated to them. Replacing a round moves a value to any other possible value, so
sensitivities are widths and diameters, never norms: twice the norm for symmetric ranges. Earlier
releases, and therefore all actions, are the same for both neighbouring inputs. So public vectors
(directions, advice, probabilities) do not move.

``tests/claims/test_sensitivities.py`` checks every function: it searches for a larger movement, and
for one that attains the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from discreet.errors import DiscreetError, check_finite, check_int, check_positive, check_range

__all__ = [
    "MomentScales",
    "Sensitivity",
    "advice_estimates",
    "ball",
    "batched_prefixes",
    "box",
    "clipped_weight",
    "clipped_weight_pair",
    "ftrl_prefixes",
    "glm_gradient",
    "lipschitz_loss",
    "loss",
    "mean",
    "mean_gain",
    "moment_scales",
    "moments",
    "one_point_gradient",
    "outer_product",
    "predicted_moments",
    "scaled_context",
    "total",
    "tree",
    "tree_levels",
    "two_point_difference",
    "weighted_losses",
]


class Sensitivity(NamedTuple):
    """The largest movement in three norms; for one number they agree.

    Laplace noise of scale λ on every coordinate has ε = l1 / λ. Gaussian noise on every coordinate
    is calibrated to l2, noise from balls in the maximum norm to linf.
    """

    l1: float
    l2: float
    linf: float

    def times(self, factor: float) -> Sensitivity:
        """Return the sensitivity of the statistic times a public number."""
        return Sensitivity(self.l1 * factor, self.l2 * factor, self.linf * factor)


# One number


def loss(*, width: float) -> Sensitivity:
    """Return how far a loss in a range of width R moves: R."""
    return Sensitivity(1.0, 1.0, 1.0).times(check_positive("width", width))


def mean(*, width: float, size: int) -> Sensitivity:
    """Return how far the mean of a batch of τ losses moves: R / τ.

    >>> mean(width=1.0, size=10).l1
    0.1
    """
    return loss(width=check_positive("width", width) / check_int("size", size, minimum=1))


def total(*, width: float) -> Sensitivity:
    """Return how far the sum of a batch, or of each arm, moves: R, as a round is in one sum."""
    return loss(width=width)


def mean_gain(*, size: int) -> Sensitivity:
    """Return how far the mean of a batch of τ gains in [0, 1] moves, as in EXP3_τ: 1 / τ."""
    return mean(width=1.0, size=size)


def lipschitz_loss(*, lipschitz: float, diameter: float, margin: float) -> Sensitivity:
    """Return how far a G-Lipschitz loss that is 0 somewhere in its domain moves: 2 G (D + ζ).

    The domain has diameter D. Losses are queried up to ζ outside it, and may have either sign.
    """
    reach = check_positive("diameter", diameter) + check_range("margin", margin, 0.0, 1e200)
    return loss(width=2.0 * check_positive("lipschitz", lipschitz) * reach)


def two_point_difference(*, lipschitz: float, radius: float) -> Sensitivity:
    """Return how far f(x + ζ u) - f(x - ζ u) moves for a G-Lipschitz f and |u| = 1: 4 ζ G.

    It lies in [-2 ζ G, 2 ζ G].
    """
    return loss(
        width=4.0 * check_positive("radius", radius) * check_positive("lipschitz", lipschitz)
    )


def clipped_weight(*, largest: float, rows: int = 1) -> Sensitivity:
    """Return how far Σ w r moves if m rows are replaced, w in [0, W], r in [0, 1]: m W."""
    return loss(width=check_positive("largest", largest) * check_int("rows", rows, minimum=1))


# Vectors


def clipped_weight_pair(*, largest: float, rows: int = 1) -> Sensitivity:
    """Return how far (Σ w r, Σ w (1 - r)) moves if m rows are replaced: 2 m W in the 1-norm.

    A row adds a point of the triangle with the corners 0, (W, 0) and (0, W).
    """
    change = clipped_weight(largest=largest, rows=rows).l1
    return Sensitivity(2.0, math.sqrt(2.0), 1.0).times(change)


def box(*, dimension: int, width: float) -> Sensitivity:
    """Return how far a vector of N numbers in ranges of width R moves: N R, sqrt(N) R, R."""
    size, side = check_int("dimension", dimension, minimum=1), check_positive("width", width)
    return Sensitivity(size * side, math.sqrt(size) * side, side)


def ball(*, dimension: int, radius: float, norm: float) -> Sensitivity:
    """Return how far a vector of N numbers moves if its 1-, 2- or ∞-norm is at most r.

    In the 1-ball, it is 2 r in all norms; in the 2-ball, 2 sqrt(N) r, 2 r and 2 r. The ∞-ball is a
    box of width 2 r.

    >>> ball(dimension=4, radius=1.0, norm=2)
    Sensitivity(l1=4.0, l2=2.0, linf=2.0)
    """
    size, width = (
        check_int("dimension", dimension, minimum=1),
        2.0 * check_positive("radius", radius),
    )
    if norm not in (1, 2, math.inf):
        raise DiscreetError(f"norm is {norm!r}, but must be 1, 2 or infinity.")
    if norm == math.inf:
        return box(dimension=size, width=width)
    return Sensitivity(width if norm == 1 else math.sqrt(size) * width, width, width)


def one_point_gradient(*, dimension: int, radius: float, width: float) -> Sensitivity:
    """Return how far the sum of (N / ζ) f(x + ζ u) u over a batch moves: (N / ζ) R.

    The unit vectors u are public. One term changes, by (N / ζ) c u with |c| ≤ R. In the 1-norm the
    movement is sqrt(N) times as large, as |u|₁ ≤ sqrt(N).
    """
    size = check_int("dimension", dimension, minimum=1)
    step = size / check_positive("radius", radius) * check_positive("width", width)
    return Sensitivity(math.sqrt(size) * step, step, step)


def weighted_losses(factors: Iterable[Iterable[float]], *, width: float) -> Sensitivity:
    """Return how far the sum of losses times public vectors ξ_s moves: R max_s |ξ_s|.

    ``factors`` has a row ξ_s for every round; in EXP4 on batches, ξ_s(j) = μ_s^j(I_s) / (τ
    Q_s(I_s)) for expert j.

    >>> weighted_losses([[3.0, -4.0], [0.0, 6.0]], width=1.0)
    Sensitivity(l1=7.0, l2=6.0, linf=6.0)
    """
    rows = [
        [check_finite(f"factors[{s}][{j}]", m) for j, m in enumerate(row)]
        for s, row in enumerate(factors)
    ]
    if not all(rows) or not rows:
        raise DiscreetError(
            f"factors is {rows!r}, but must have a row of at least one number for every round."
        )
    l1 = max(math.fsum(map(abs, row)) for row in rows)
    l2 = max(math.hypot(*row) for row in rows)
    return Sensitivity(l1, l2, max(abs(m) for row in rows for m in row)).times(
        check_positive("width", width)
    )


def advice_estimates(
    *, experts: int, arms: int, mixing: float, size: int, width: float
) -> Sensitivity:
    """Return how far the estimates of N experts in EXP4 on batches move, whatever they advise.

    It is the worst case of ``weighted_losses``. Q = (1 - γ) Σ P(j) μ^j + γ / K is smallest if all
    weight is on the expert who gives the played arm the smallest probability, c. If all others give
    it 1, |ξ| = |(1, .., 1, c)| / ((1 - γ) c + γ / K) / τ. That is largest at c = 0 or 1: the 1-norm
    is (R / τ) max((N - 1) K / γ, N / (1 - γ + γ / K)), and the 2-norm has the square roots of N - 1
    and N instead.
    """
    number, choices = check_int("experts", experts, minimum=1), check_int("arms", arms, minimum=2)
    share = check_range("mixing", mixing, 1e-12, 1.0)
    without, with_all = choices / share, 1.0 / (1.0 - share + share / choices)
    return Sensitivity(
        max((number - 1) * without, number * with_all),
        max(math.sqrt(number - 1) * without, math.sqrt(number) * with_all),
        without if number > 1 else with_all,
    ).times(check_positive("width", width) / check_int("size", size, minimum=1))


# Contexts x with |x| ≤ 1


def scaled_context(*, dimension: int, largest: float) -> Sensitivity:
    """Return how far a context times a number of size at most L moves: as in a ball of radius L.

    An example is reward times context. A gradient (g(<x, θ>) - y) x has L = max |g - y|. For
    logistic regression with |θ| ≤ 1 and y in {0, 1}, that is 1 / (1 + exp(-1)).
    """
    return ball(dimension=dimension, radius=check_positive("largest", largest), norm=2)


def glm_gradient(*, dimension: int, bound: float) -> Sensitivity:
    """Return how far a gradient (g(<x, θ>) - y) x moves, |g| ≤ C, |y| ≤ C + 1: L = 2 C + 1."""
    return scaled_context(dimension=dimension, largest=2.0 * check_positive("bound", bound) + 1.0)


def outer_product(*, dimension: int) -> float:
    """Return the 2-norm sensitivity of x x': sqrt(2), or 1 in one dimension.

    It is in the coordinates (diagonal, sqrt(2) × upper triangle), which preserve distances: |xx' -
    yy'|² = |x|⁴ + |y|⁴ - 2 <x, y>² ≤ 2.
    """
    return math.sqrt(2.0) if check_int("dimension", dimension, minimum=1) > 1 else 1.0


def moments(*, dimension: int, largest: float, matrix_scale: float, vector_scale: float) -> float:
    """Return the joint 2-norm sensitivity of x x' / σ and y x / ς, |y| ≤ L, released as one vector.

    x x' is taken in the coordinates of ``outer_product``. With A = 1 / σ² and B = L² / ς², unit
    contexts at cosine c and the worst signs of y move it by the square root of 2 A (1 - c²) +
    2 B (1 + c). That is largest at c = min(1, B / 2A): the square root of 2 A + 2 B + B² / 2A if
    B ≤ 2 A, and otherwise of 4 B. Shorter contexts move it less.

    In one dimension c is 1, and contexts of length 1 and r move it by the square root of
    A (1 - r²)² + B (1 + r)². That is largest at r = 1 or, if 2 B < A, at the smaller solution of
    r (1 - r) = B / 2A.
    """
    scale = check_positive("matrix_scale", matrix_scale)
    ratio = (
        check_positive("largest", largest) / check_positive("vector_scale", vector_scale) * scale
    )
    return _joint_movement(check_int("dimension", dimension, minimum=1), ratio) / scale


def predicted_moments(
    *,
    dimension: int,
    largest: float,
    matrix_scale: float,
    prediction_scale: float,
    vector_scale: float,
) -> float:
    """Return the joint 2-norm sensitivity of x x' / σ, z x / υ and r x / ς, with |r| ≤ L.

    These are three parts of one report; z = <x, θ> for a public θ with |θ| ≤ 1. z x = x x' θ moves
    by at most the square root of 1 - c², where x x' moves by that of 2 (1 - c²). So the result is
    that of ``moments`` with A = 1 / σ² + 1 / (2 υ²), or 1 / σ² + 1 / υ² in one dimension
    (docs/proofs.md: Moments).

    >>> ones = {"largest": 1.0, "matrix_scale": 1.0, "prediction_scale": 1.0, "vector_scale": 1.0}
    >>> round(predicted_moments(dimension=2, **ones) ** 2, 9)
    5.333333333
    """
    inverse = 1.0 / check_positive("prediction_scale", prediction_scale) ** 2
    share = inverse if check_int("dimension", dimension, minimum=1) == 1 else inverse / 2.0
    scale = 1.0 / math.sqrt(1.0 / check_positive("matrix_scale", matrix_scale) ** 2 + share)
    return moments(
        dimension=dimension, largest=largest, matrix_scale=scale, vector_scale=vector_scale
    )


class MomentScales(NamedTuple):
    """Standard deviations of the Gaussian noise on x x', on and above its diagonal, and on y x."""

    diagonal: float
    off_diagonal: float
    vector: float


def moment_scales(
    *, dimension: int, largest: float, unit_scale: float, balance: float
) -> MomentScales:
    """Return the noise for x x' and y x that has the privacy cost of one number moving by 1.

    ``unit_scale`` a is the standard deviation that such a number needs; ``balance`` q is B / A in
    ``moments``. In two or more dimensions, σ = a (2 + q) / sqrt(2) and ς = L a (2 + q) / sqrt(2 q).
    At q = 2, ς = 2 L a is what y x alone needs; a larger q only adds noise to the matrix (in one
    dimension, from q = 0.36). Above the diagonal, σ / sqrt(2) is enough, as the coordinates are
    sqrt(2) times the entries.

    >>> scales = moment_scales(dimension=3, largest=2.0, unit_scale=1.0, balance=2.0)
    >>> [round(scale, 9) for scale in scales]
    [2.828427125, 2.0, 4.0]
    """
    ratio = math.sqrt(check_range("balance", balance, 1e-12, 2.0))
    scale = check_positive("unit_scale", unit_scale) * _joint_movement(
        check_int("dimension", dimension, minimum=1), ratio
    )
    return MomentScales(
        scale, scale / math.sqrt(2.0), check_positive("largest", largest) * scale / ratio
    )


def _joint_movement(dimension: int, ratio: float) -> float:
    """Return the sensitivity of (x x', ratio · y x) with |y| ≤ 1; ratio² is B / A."""
    if dimension > 1:
        return (2.0 + ratio**2) / math.sqrt(2.0) if ratio <= math.sqrt(2.0) else 2.0 * ratio
    if ratio >= math.sqrt(0.5):
        return 2.0 * ratio
    shorter = (1.0 - math.sqrt(1.0 - 2.0 * ratio**2)) / 2.0
    return max(2.0 * ratio, math.hypot(1.0 - shorter**2, ratio * (1.0 + shorter)))


# Sums of all rounds so far, from a binary tree


def tree_levels(prefixes: int) -> int:
    """Return how many tree nodes contain a round if m prefix sums are released: floor(log2 m) + 1.

    The first item is in one node on each level, and no item is in more (docs/proofs.md: Tree
    levels).

    >>> [tree_levels(m) for m in (0, 1, 2, 3, 4, 999)]
    [0, 1, 2, 2, 3, 10]
    """
    return check_int("prefixes", prefixes, minimum=0).bit_length()


def tree(item: Sensitivity, *, prefixes: int) -> Sensitivity:
    """Return how far all nodes move together: k times the item's 1-norm, sqrt(k) times its 2-norm.

    The argument is in docs/proofs.md: Tree levels.

    >>> tree(box(dimension=3, width=1.0), prefixes=ftrl_prefixes(1000)).l1
    30.0
    """
    levels = tree_levels(prefixes)
    return Sensitivity(levels * item.l1, math.sqrt(levels) * item.l2, min(levels, 1) * item.linf)


def ftrl_prefixes(rounds: int) -> int:
    """Return how many sums a leader uses that learns from all earlier rounds: T - 1.

    So k = ceil(log2 T). A learner that also shows the sum of all T rounds releases T sums.
    """
    return check_int("rounds", rounds, minimum=1) - 1


def batched_prefixes(batches: int) -> int:
    """Return how many sums the batched convex bandit uses: T' - 2, so k = ceil(log2(T' - 1)).

    Batch i plays the point computed during batch i - 1 from the sum of the first i - 2 batches.
    """
    return max(check_int("batches", batches, minimum=1) - 2, 0)
