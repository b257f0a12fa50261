"""Running sums in a square and a learner on them: what their tests share."""

from __future__ import annotations

from discreet.channels import RunningSum
from discreet.factorisations import Tree
from discreet.learners import EntropyFtrl
from discreet.sets import Box

SQUARE = Box.cube(2, 0.0, 1.0)


def factorised(kind, noise="gaussian", losses=SQUARE, prefixes=7, **options):
    return RunningSum.calibrated(
        losses, kind, prefixes=prefixes, noise=noise, epsilon=1.0, delta=1e-6, **options
    )


def tree(noise="laplace", **options):
    return factorised(Tree, noise, **options)


def learner(actions=2):
    return EntropyFtrl.start(dimension=actions, learning_rate=0.1)
