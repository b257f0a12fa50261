"""Running sums for live use, by name: what tests of exact sums share."""

from __future__ import annotations

from functools import partial

import numpy as np

from discreet.channels import RunningSum
from discreet.factorisations import Buffered, Honaker, SquareRoot, Tree, Unbounded
from discreet.mechanisms import ExactCube, ExactGaussian, ExactLaplace
from discreet.sets import Box, L1Ball, L2Ball, Simplex

SIZE = 3
CUBE = Box.cube(SIZE, -1.0, 1.0)
SETS = [
    CUBE,
    Box([0.0, -1e-3, 5.0], [1.0, 1e3, 5.1]),
    L1Ball(SIZE, 1 / 3),
    L2Ball(SIZE, 0.1),
    Simplex(SIZE),
]
EXACT = {"laplace": ExactLaplace, "cube": ExactCube, "gaussian": ExactGaussian}


def factorised(kind, losses=CUBE, prefixes=21, noise="gaussian", **options):
    return RunningSum.calibrated(
        losses, kind, prefixes=prefixes, noise=noise, epsilon=0.5, delta=1e-6, **options
    )


def tree(noise, losses=CUBE, prefixes=21, **options):
    return factorised(Tree, losses, prefixes, noise, **options)


CHANNELS = {
    "laplace": partial(tree, "laplace"),
    "cube": partial(tree, "cube"),
    "gaussian": partial(tree, "gaussian"),
    "honaker": partial(factorised, Honaker),
    "padded": partial(tree, "laplace", padding=True),
    "blt": partial(factorised, Buffered),
    "sqrt-toeplitz": partial(factorised, SquareRoot),
    "unbounded": partial(factorised, Unbounded),
}
TREES = [name for name in CHANNELS if name not in ("blt", "sqrt-toeplitz", "unbounded")]


class Silent:
    """In place of noise: nothing."""

    def take(self):
        return 0


def silent(live):
    return live._replace(noise=live.noise._replace(block=Silent()))


def released(channel, vectors):
    return np.array([channel.offer(vector, 1.0, None)[1].copy() for vector in vectors])
