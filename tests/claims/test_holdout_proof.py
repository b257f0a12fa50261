"""Hold-out (docs/proofs.md), by exact enumeration: privacy of the view, probabilities, no bias."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

SCALE = 2.0
VALUES = (-3, 0, 1, 2, 5)
COIN = Fraction(1, 4)


def weight(value, centre):
    return math.exp(-abs(value - centre) / SCALE)


@pytest.mark.parametrize("where", range(4))
def test_a_round_is_in_one_release_whatever_the_coins(where):
    """Four rounds, held out or released one by one.

    Losses are 0 to 2 in steps of the noise, in adaptive random tables; the round ``where`` has a
    pair of them. Of every transcript the log-ratio is at most 2 / SCALE, and it is reached.
    """
    rng = np.random.default_rng(where)
    react = rng.integers(0, 3, (4, len(VALUES)))  # a loss, as a function of the last release
    worst = 0.0
    for coins in itertools.product((False, True), repeat=4):
        order = iter([0, 1, 1, 0])  # two blocks of two arms
        arms = [next(order) if coin else None for coin in coins]
        heard = [index for index, coin in enumerate(coins) if not coin]
        for released in itertools.product(VALUES, repeat=len(heard)):
            given = dict(zip(heard, released, strict=True))
            ratio, last, sums = 0.0, 0, np.zeros((2, 2), int)
            for index in range(4):
                usual = int(react[index, last])
                pair = (0, 2) if index == where else (usual, usual)
                if arms[index] is None:
                    one, other = (weight(given[index], loss) for loss in pair)
                    ratio += math.log(one / other)
                    last = VALUES.index(given[index])
                else:
                    sums[:, arms[index]] += pair
            for ends in itertools.product((-4, 1, 5), repeat=2):
                end = sum(
                    math.log(weight(y, one) / weight(y, other))
                    for y, one, other in zip(ends, *sums, strict=True)
                )
                worst = max(worst, abs(ratio + end))
    assert worst == pytest.approx(2.0 / SCALE)


def test_the_probability_of_an_arm_is_a_mixture():
    """All coins and orders of two blocks of three arms, and a learner's draw for a batch."""
    orders, chances = list(itertools.permutations(range(3))), (Fraction(1, 2), Fraction(1, 3), 0)
    found = [Fraction(0)] * 3
    for coins in itertools.product((False, True), repeat=5):
        likely = math.prod(COIN if coin else 1 - COIN for coin in coins)
        place = sum(coins[:4])
        if not coins[4]:
            for arm, chance in enumerate(chances):
                found[arm] += likely * chance
            continue
        for first, second in itertools.product(orders, repeat=2):
            found[(first + second)[place]] += likely / len(orders) ** 2
    rest = 1 - sum(chances)
    assert rest == Fraction(1, 6)  # which the learner gives to the last arm
    found[2] += (1 - COIN) * rest
    assert found == [COIN / 3 + (1 - COIN) * p for p in (*chances[:2], rest)]


def test_sums_have_no_bias():
    """Losses that change from round to round: given which are held out, over all orders."""
    losses = np.arange(12).reshape(4, 3)  # of four rounds that are held out
    sums, orders = np.zeros(3), list(itertools.permutations(range(3)))
    for first, second in itertools.product(orders, repeat=2):
        for number, arm in enumerate((first + second)[:4]):
            sums[arm] += losses[number, arm] / len(orders) ** 2
    assert sums == pytest.approx(losses.sum(axis=0) / 3)
