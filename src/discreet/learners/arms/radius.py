"""Weighted means of noisy batches: their confidence radius, and windows of them."""

from __future__ import annotations

import math

import numpy as np

from componentjit import helper, helper_apart
from discreet.components import Component
from discreet.contracts import Floats

STEPS = 24  # of a bisection: 2^-24 of the first interval
# Columns of a bucket: releases, rounds, Σ o, Σ o gain, Σ (o Λ / τ)², max o Λ / τ; and the latter
# over this bucket and all older ones.
RELEASES, ROUNDS, WEIGHT, GAIN, LAPLACE, LARGEST, LARGEST_SO_FAR = range(7)
BUCKETS = 80  # two of each size: room for 2^39 releases


@helper
def batch_weight(rounds: float, noise: float) -> float:
    """Return the inverse of the largest variance of the mean of a batch.

    ``noise`` is Λ, the scale of the Laplace noise on its sum.
    """
    return rounds * rounds / (rounds / 4.0 + 2.0 * noise * noise)


@helper_apart
def radius(weight: float, laplace: float, largest: float, confidence: float) -> float:
    """Return the one-sided confidence radius of a weighted mean of batches.

    The mean is beyond it with probability at most exp(-β), where β is ``confidence``. A mean of
    batches with weights o(k), their inverse variances, deviates in two ways: by losses in [0, 1],
    at most as a Gaussian of variance V = Σ o(k)² / (4 τ(k)) / P², and by Laplace noise of scales
    s(k) = o(k) Λ / τ(k) / P, where P = Σ o(k) is ``weight``. Over all batches ``laplace`` is
    P² Σ s(k)², ``largest`` is P max s(k), and P² V = P - 2 P² Σ s(k)². By Chernoff's bound, as
    -ln(1 - z) / z increases, the radius is the least over θ < 1 / s of

        (β + θ² V / 2 - (Σ s(k)² / s²) ln(1 - θ² s²)) / θ,   s = max s(k).

    Its derivative changes sign once, at a θ found by bisection; every θ gives a valid radius. As
    z ≤ 2 z / (1 - z) + ln(1 - z), which is at most 3 z up to 1/2, that θ lies between
    sqrt(β P / 1.5) and sqrt(2 β P) unless θ s > 0.7, so it is found as precisely where s is tiny.
    """
    scale = largest / weight
    count = laplace / (largest * largest)
    gauss = (weight - 2.0 * laplace) / (largest * largest)
    # θ s stays below 1, where the moment of the noise is infinite
    low, high = 0.0, min(1.0 - 1e-9, largest * math.sqrt(2.0 * confidence / weight))
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        square = middle * middle
        excess = 0.5 * square * gauss + count * (
            2.0 * square / (1.0 - square) + math.log1p(-square)
        )
        if excess < confidence:
            low = middle
        else:
            high = middle
    tilt = max(low, 1e-12)  # never a division by 0
    square = tilt * tilt
    return scale * (confidence + 0.5 * square * gauss - count * math.log1p(-square)) / tilt


class Windows(Component):
    """For every arm a window of releases, merged into buckets that double in size.

    Buckets go from the oldest to the newest. A weighted mean needs sums only, so 2 log2(n) buckets
    of 1, 2, 4, ... releases replace n releases, at the borders between buckets. A release of a
    batch of τ rounds has the weight o = τ² / (τ / 4 + 2 Λ²), Λ the scale of the Laplace noise on
    its sum.
    """

    noise: float  # Λ
    buckets: Floats  # arm, bucket, column
    sizes: Floats  # number of buckets of an arm
    sums: Floats  # arm, column: of the whole window

    @classmethod
    def empty(cls, arms: int, noise: float) -> Windows:
        """Return windows without releases."""
        return cls(noise, np.zeros((arms, BUCKETS, 7)), np.zeros(arms), np.zeros((arms, 7)))

    def enter(self, arm: int, rounds: int, gain: float) -> None:
        """Add a release: the noisy mean gain of a batch."""
        size = int(self.sizes[arm])
        if size == BUCKETS:
            merge(self.buckets, arm, 0, size)
            size -= 1
        weight = batch_weight(float(rounds), self.noise)
        scale = weight * self.noise / rounds
        self.buckets[arm, size, RELEASES] = 1.0
        self.buckets[arm, size, ROUNDS] = rounds
        self.buckets[arm, size, WEIGHT] = weight
        self.buckets[arm, size, GAIN] = weight * gain
        self.buckets[arm, size, LAPLACE] = scale * scale
        self.buckets[arm, size, LARGEST] = scale
        size += 1
        newest = size - 1
        while (
            newest >= 2
            and self.buckets[arm, newest - 2, RELEASES] == self.buckets[arm, newest, RELEASES]
        ):
            merge(self.buckets, arm, newest - 2, size)
            size -= 1
            newest -= 2
        self.sizes[arm] = size
        self.add_up(arm)

    def cut(self, arm: int, ordinary: float, strong: float) -> int:
        """Forget the older part of a window if the newer one differs from it.

        Returns 0 for no cut, 1 for a cut, and 2 for one that is significant at confidence
        ``strong`` too. The last 1, 2, 4, ... releases are compared with all before them: means that
        differ by more than the radius of their difference, at confidence ``ordinary``, count as a
        change.
        """
        newer = int(self.sizes[arm])
        releases, next_test = 0.0, 1.0
        weight, gain, laplace, largest = 0.0, 0.0, 0.0, 0.0
        while newer > 1:
            newer -= 1
            releases += self.buckets[arm, newer, RELEASES]
            weight += self.buckets[arm, newer, WEIGHT]
            gain += self.buckets[arm, newer, GAIN]
            laplace += self.buckets[arm, newer, LAPLACE]
            largest = max(largest, float(self.buckets[arm, newer, LARGEST]))
            if releases < next_test:
                continue
            next_test = 2.0 * releases
            rest = float(self.sums[arm, WEIGHT]) - weight
            apart = abs(gain / weight - (float(self.sums[arm, GAIN]) - gain) / rest)
            # The difference of two means is one weighted mean of all their releases, so weights
            # and scales add up.
            both = 1.0 / (1.0 / weight + 1.0 / rest)
            if apart * apart * both <= 2.0 * ordinary:
                continue  # within the radius for Gaussian noise, which is the smallest
            older = float(self.sums[arm, LAPLACE]) - laplace
            scales = both * both * (laplace / (weight * weight) + older / (rest * rest))
            most = both * max(
                largest / weight, float(self.buckets[arm, newer - 1, LARGEST_SO_FAR]) / rest
            )
            if apart > radius(both, scales, most, ordinary):
                self.drop_before(arm, newer)
                return 2 if apart > radius(both, scales, most, strong) else 1
        return 0

    def drop_before(self, arm: int, oldest: int) -> None:
        """Forget all buckets before one."""
        size = int(self.sizes[arm]) - oldest
        for bucket in range(size):
            for column in range(7):
                self.buckets[arm, bucket, column] = self.buckets[arm, bucket + oldest, column]
        self.sizes[arm] = size
        self.add_up(arm)

    def add_up(self, arm: int) -> None:
        """Compute the sums over a window from its buckets, so rounding errors cannot accumulate."""
        for column in range(7):
            self.sums[arm, column] = 0.0
        for bucket in range(int(self.sizes[arm])):
            for column in range(LARGEST):
                self.sums[arm, column] += self.buckets[arm, bucket, column]
            largest = max(float(self.sums[arm, LARGEST]), float(self.buckets[arm, bucket, LARGEST]))
            self.sums[arm, LARGEST] = largest
            self.buckets[arm, bucket, LARGEST_SO_FAR] = largest

    def length(self, arm: int) -> float:
        """Return the number of rounds in a window."""
        return float(self.sums[arm, ROUNDS])

    def mean_gain(self, arm: int) -> float:
        """Return the weighted mean gain of a window."""
        return float(self.sums[arm, GAIN]) / float(self.sums[arm, WEIGHT])

    def last_gain(self, arm: int) -> float:
        """Return the newest release of an arm: the newest bucket always has one release."""
        newest = int(self.sizes[arm]) - 1
        return float(self.buckets[arm, newest, GAIN]) / float(self.buckets[arm, newest, WEIGHT])

    def last_variance(self, arm: int) -> float:
        """Return the largest variance that the newest release of an arm can have."""
        return 1.0 / float(self.buckets[arm, int(self.sizes[arm]) - 1, WEIGHT])

    def window_radius(self, arm: int, confidence: float) -> float:
        """Return the confidence radius of that mean."""
        return radius(
            float(self.sums[arm, WEIGHT]),
            float(self.sums[arm, LAPLACE]),
            float(self.sums[arm, LARGEST]),
            confidence,
        )


@helper
def merge(buckets: Floats, arm: int, bucket: int, size: int) -> None:
    """Merge a bucket with the next newer one, and close the gap."""
    for column in range(LARGEST):
        buckets[arm, bucket, column] += buckets[arm, bucket + 1, column]
    buckets[arm, bucket, LARGEST] = max(
        float(buckets[arm, bucket, LARGEST]), float(buckets[arm, bucket + 1, LARGEST])
    )
    for later in range(bucket + 1, size - 1):
        for column in range(LARGEST + 1):
            buckets[arm, later, column] = buckets[arm, later + 1, column]
