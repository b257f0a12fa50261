"""Sound mechanisms that keep state between releases, or release few different values.

Their state is only what was released, or a count, and both are public. So each has the guarantee of
the channel that it inherits from, although its releases are not independent.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet import Range, Setting, algorithm
from discreet.channels import Batch, OneBit, PerRound, RunningSum
from discreet.contracts import Factor, Floats, Generator, Protected
from discreet.factorisations import Tree
from discreet.mechanisms import Coin, Laplace
from discreet.problems import Contexts
from discreet.sets import Box

UNIT, SQUARE = Range(0.0, 1.0), Box.cube(2, 0.0, 1.0)


class LouderAfterLarge(PerRound):
    """More noise after a large release."""

    last: Floats

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the loss with noise that grows with the previous release."""
        loss = self.bounds.clamp(feedback)
        factor = min(max(abs(self.last[0]), 1.0), 5.0)
        self.last[0] = loss + factor * self.noise.add_noise(0.0, rng)
        return True, query * self.last[0]


class Walks(PerRound):
    """Every release contains a share of the previous one."""

    last: Floats
    share: float

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the noisy loss plus a share of the previous release."""
        noisy = self.noise.add_noise(self.bounds.clamp(feedback), rng)
        self.last[0] = noisy + self.share * self.last[0]
        return True, query * self.last[0]


class LouderBatches(Batch):
    """Twice the noise after a release in the upper half."""

    last: Floats

    def release(self, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the mean with noise that depends on the previous release."""
        length = self.batch_length()
        noise = self.noise.add_noise(0.0, rng) * (2.0 if self.last[0] > 0.5 else 1.0)
        self.last[0] = (self.empty() + noise) / length
        return True, query * self.last[0]


class SometimesSilent(Batch):
    """Nothing is released after a release below 0, whatever the losses are."""

    last: Floats

    def release(self, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the mean, or nothing."""
        length = self.batch_length()
        noisy = self.noise.add_noise(self.empty(), rng) / length
        speaks = self.last[0] >= 0.0
        self.last[0] = noisy if speaks else 0.0
        return bool(speaks), query * self.last[0]


class Clamped(PerRound):
    """Releases are clamped to the range, so two values are frequent."""

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the noisy loss, clamped."""
        noisy = self.noise.add_noise(self.bounds.clamp(feedback), rng)
        return True, query * self.bounds.clamp(noisy)


class Twentieths(Laplace):
    """Values are rounded to a grid of twentieths, and noise stays on it, so all values repeat."""

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return the rounded value with the difference of two geometric numbers."""
        rate = -1.0 / (20.0 * self.scale)
        one = math.floor(math.log(1.0 - rng.random()) / rate)
        other = math.floor(math.log(1.0 - rng.random()) / rate)
        return (math.floor(20.0 * value + 0.5) + one - other) / 20.0


class Alternating(Laplace):
    """Three times the noise in every second draw."""

    count: Floats

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return the value with noise."""
        self.count[0] += 1.0
        return value + rng.laplace(0.0, self.scale * (3.0 if self.count[0] % 2.0 == 0.0 else 1.0))

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise in place."""
        self.count[0] += 1.0
        factor = 3.0 if self.count[0] % 2.0 == 0.0 else 1.0
        for i in range(vector.size):
            vector[i] += rng.laplace(0.0, self.scale * factor)


class Tires(Coin):
    """A coin that is less biased in every second toss."""

    count: Floats

    def toss(self, total: float, length: int, rng: Generator) -> float:
        """Toss the coin."""
        self.count[0] += 1.0
        sure = self.epsilon if self.count[0] % 2.0 == 1.0 else 0.5 * self.epsilon
        odds = math.exp(sure) - 1.0
        return 1.0 if rng.random() * (2.0 + odds * length) < 1.0 + odds * total else 0.0


def stateful() -> dict[str, Any]:
    """Return channels with memory or few values, by name; all claim epsilon 1."""
    batch = Batch.laplace(size=3, epsilon=1.0, bounds=UNIT)._asdict()
    tree = RunningSum.calibrated(SQUARE, Tree, prefixes=7, noise="laplace", epsilon=1.0)
    bit = OneBit.over(size=4, epsilon=1.0, bounds=UNIT)
    coin = Tires._make((*bit.noise, np.zeros(1)))
    noise = Laplace(1.0)
    return {
        "louder after large releases": LouderAfterLarge(UNIT, noise, np.zeros(1)),
        "releases that walk": Walks(UNIT, noise, np.zeros(1), 1.0),
        "releases with half of the one before": Walks(UNIT, noise, np.zeros(1), 0.5),
        "louder batches": LouderBatches(**batch, last=np.zeros(1)),
        "sometimes silent": SometimesSilent(**batch, last=np.zeros(1)),
        "clamped": Clamped(UNIT, noise),
        "twentieths": PerRound(UNIT, Twentieths(1.05)),
        "alternating noise": PerRound(UNIT, Alternating._make((1.0, np.zeros(1)))),
        "tree with alternating noise": tree._replace(
            noise=Alternating._make((tree.noise.scale, np.zeros(1)))
        ),
        "a coin that tires": bit._replace(noise=coin),
        "one bit": bit,
    }


def device() -> Protected:
    """Return a device that reports directions."""
    setting = Setting(Contexts(2, 2), rounds=8, epsilon=1.0)
    return algorithm("local-linucb").build(setting, noise="hemisphere").private
