"""Running sums for an unknown number of rounds, and the expected content of their nodes."""

from __future__ import annotations

import numpy as np
import pytest

from componentjit import compile_for
from discreet.channels import Restarting
from discreet.channels.restarting import SPLITS
from discreet.mechanisms import NOISES
from discreet.sets import Box

SIZE = 3
CUBE = Box.cube(SIZE, -1.0, 1.0)
LINE = Box([-1.0], [1.0])

every_split = pytest.mark.parametrize("split", SPLITS)
every_noise = pytest.mark.parametrize("noise", NOISES)


def channel_for(split, noise, *, losses=CUBE, epsilon=1.0, first=1):
    return Restarting.calibrated(
        losses, noise=noise, epsilon=epsilon, delta=1e-6, split=split, first=first
    )


def feed(channel, vectors, found, rng):
    for t in range(vectors.shape[0]):
        released = channel.offer(vectors[t], 1.0, rng)[1]
        for i in range(found.shape[1]):
            found[t, i] = released[i]


def released(channel, vectors, *, compiled=True, seed=1):
    found = np.empty(vectors.shape)
    (compile_for(feed, channel) if compiled else feed)(
        channel, vectors, found, np.random.default_rng(seed)
    )
    return found


def some_vectors(rounds, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (rounds, SIZE))


def place(time, first):
    """Return a round's epoch (rounds from 1), its length, and how many of its rounds are over."""
    epoch, length = 0, first
    while time > length:
        time -= length
        epoch, length = epoch + 1, 2 * length
    return epoch, length, time


def node_scale(split, time, first, *, gaussian):
    """Return the expected noise on the node that ends with a round, in units of one release."""
    _, length, since = place(time, first)
    levels = length.bit_length() - 1
    share = {
        "restarts": 1 / (levels + 1),
        "hybrid": 1 / 2,
        "tapered": (levels + 1) ** (-1 / 2 if gaussian else -2 / 3),
    }
    total = share[split] if levels else 1.0
    mine = total if since == length else (1.0 - total) / levels
    return mine**-0.5 if gaussian else 1.0 / mine


def node_noises(sums, vectors, first):
    """Return the noise of the node that ends with each round, from released sums and inputs."""
    released_sums = np.concatenate([np.zeros((1, sums.shape[1])), sums])
    true_sums = np.concatenate([np.zeros((1, sums.shape[1])), np.cumsum(vectors, axis=0)])
    wrong = released_sums - true_sums
    times = range(1, len(vectors) + 1)
    sizes = [place(t, first)[2] & -place(t, first)[2] for t in times]
    return np.array([wrong[t] - wrong[t - size] for t, size in zip(times, sizes, strict=True)])
