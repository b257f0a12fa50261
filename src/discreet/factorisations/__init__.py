"""Factorisations of prefix sums: the correlated noise of a running sum, its cost and its error.

All prefix sums of a stream are A x, where A is the lower triangle of ones. For any A = B C,
releasing C x + z with independent noise z gives A x + B z. The sensitivity is the largest column
norm of C, and the error in round t is the norm of row t of B.
"""

from discreet.factorisations.blt import Buffered, buffered, column_norm
from discreet.factorisations.contract import Errors, Factorisation, Shares, Spread, lower_bound
from discreet.factorisations.square_roots import SquareRoot, square_root
from discreet.factorisations.tree import Honaker, Tree, reduction
from discreet.factorisations.unbounded_sums import Unbounded, unbounded

FACTORISATIONS: dict[str, type[Factorisation]] = {
    kind.name: kind for kind in (Tree, Honaker, SquareRoot, Buffered, Unbounded)
}

__all__ = [
    "FACTORISATIONS",
    "Buffered",
    "Errors",
    "Factorisation",
    "Honaker",
    "Shares",
    "Spread",
    "SquareRoot",
    "Tree",
    "Unbounded",
    "buffered",
    "column_norm",
    "lower_bound",
    "reduction",
    "square_root",
    "unbounded",
]
