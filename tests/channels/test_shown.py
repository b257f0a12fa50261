"""What running sums show of themselves depends neither on what came in nor on the noise."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.channels import Restarting, RunningSum
from discreet.channels.restarting import SPLITS
from discreet.factorisations import FACTORISATIONS
from discreet.mechanisms import Gaussian, Laplace
from discreet.sets import Box

CUBE = Box.cube(2, 0.0, 1.0)
ROUNDS = 200  # long enough for the convolutions of blocks


def sums(noise):
    for kind in FACTORISATIONS.values():
        yield RunningSum.over(CUBE, noise, kind, prefixes=ROUNDS)
    for split in SPLITS:
        yield Restarting.over(CUBE, noise, split=split)


@pytest.mark.parametrize("noise", [Laplace(3.0), Gaussian(3.0, 1e-6)], ids=repr)
def test_two_streams_with_other_losses_and_other_noise_look_the_same(noise):
    for one, other in zip(sums(noise), sums(noise), strict=True):
        for channel, loss, seed in ((one, 0.125, 1), (other, 0.875, 2)):
            rng = np.random.default_rng(seed)
            for _ in range(ROUNDS):
                channel.offer(np.array([loss, 1.0 - loss]), 1.0, rng)
        assert repr(one) == repr(other)
        assert f"scale={noise.scale}" in repr(one), "what is public is shown"
