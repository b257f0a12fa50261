"""UCB1 and KL-UCB agree with slow, independent implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from test_learners_arms import replay

from discreet.learners import KlUcb, Ucb
from discreet.learners.arms.ucb import divergence, upper


def first_arm(counts, rng):
    """Return one of the arms that were not played yet, drawn at random."""
    fresh = np.flatnonzero(counts == 0)
    return int(fresh[int(rng.random() * fresh.size)])


def test_ucb():
    gains = (np.random.default_rng(1).random((800, 3)) < [0.5, 0.6, 0.4]).astype(float)
    sums, counts, expected, rng = np.zeros(3), np.zeros(3), [], np.random.default_rng(9)
    for t, row in enumerate(gains, start=1):
        arm = (
            first_arm(counts, rng)
            if t <= 3
            else int(np.argmax(sums / counts + np.sqrt(2 * math.log(t) / counts)))
        )
        sums[arm] += row[arm]
        counts[arm] += 1
        expected.append(arm)
    assert replay(Ucb.start(arms=3), 1 - gains) == expected


def test_kl_ucb():
    gains = (np.random.default_rng(1).random((600, 3)) < [0.5, 0.6, 0.4]).astype(float)
    sums, counts, expected, rng = np.zeros(3), np.zeros(3), [], np.random.default_rng(9)
    for t, row in enumerate(gains, start=1):
        if t <= 3:
            arm = first_arm(counts, rng)
        else:
            index = []
            for mean, count in zip(sums / counts, counts, strict=True):
                low, high = mean, 1.0
                for _ in range(80):
                    q = (low + high) / 2
                    inside = q < 1 and count * divergence(mean, q) <= math.log(t)
                    low, high = (q, high) if inside else (low, q)
                index.append(low)
            arm = int(np.argmax(np.round(index, 10)))
        sums[arm] += row[arm]
        counts[arm] += 1
        expected.append(arm)
    assert replay(KlUcb.start(arms=3), 1 - gains) == expected


@given(some.floats(0.0, 1.0), some.floats(1e-9, 50.0))
def test_the_index_of_kl_ucb_solves_its_equation(p, budget):
    q = upper(p, budget)
    assert p <= q <= 1.0
    if q < 1.0 - 1e-8 and q > p:  # closer to 1, the rounding of q itself costs more than that
        assert divergence(p, q) == pytest.approx(budget, rel=1e-6, abs=1e-9)
