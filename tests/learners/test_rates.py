"""Rates that fall: their proved bounds, and noisy leaders that stay below them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import DiscreetError
from discreet.learners import EntropyFtrl, QuadraticFtrl
from discreet.learners.points.rates import Rates
from discreet.sets import L2Ball

SIZE, CURVATURE = math.log(7), 1.0 / 8.0
# by digits
NOISE = 4.0 * np.array([0.0, 9.0, 12.0, 14.0, 15.0, 15.5, 16.0, 16.5, 17.0, 17.5, 18.0])


def added_up(rates, rounds):
    """Return D / η(T) + κ Σ η(t) (τ(t) - τ(t - 1)), with the noise as it is stated."""
    paid = np.array([0.0] + [rates.paid(t) for t in range(1, rounds + 1)])
    each = np.array([rates.at(t) for t in range(1, rounds + 1)])
    assert (np.diff(each) <= 0.0).all(), "rates never rise"
    return SIZE / each[-1] + CURVATURE * float(each @ np.diff(paid))


def best(rates, rounds):
    return 2.0 * math.sqrt(SIZE * CURVATURE * rates.paid(rounds))


@pytest.mark.parametrize("noise", [None, NOISE, 100.0 * NOISE])
@pytest.mark.parametrize("rounds", [1, 2, 30, 1000])
class TestTheBounds:
    def test_for_an_unknown_number_of_rounds(self, noise, rounds):
        rates = Rates.anytime(size=SIZE, curvature=CURVATURE, step=0.5, noise=noise)
        found = added_up(rates, rounds)
        assert found <= math.sqrt(2.0) * best(rates, rounds) * (1.0 + 1e-12)
        assert rounds < 30 or found > 1.1 * best(rates, rounds), "and it is not far above"

    @pytest.mark.parametrize("start", [0.1, 0.5, 2.0])
    def test_with_a_head_start(self, noise, rounds, start):
        rates = Rates.early(
            size=SIZE, curvature=CURVATURE, step=0.5, rounds=rounds, head_start=start, noise=noise
        )
        q = math.hypot(1.0, start)
        assert added_up(rates, rounds) <= q * best(rates, rounds) * (1.0 + 1e-12)
        assert rates.at(rounds) == pytest.approx(
            q * math.sqrt(SIZE / (CURVATURE * rates.paid(rounds))), rel=1e-12
        )

    def test_of_a_fixed_rate(self, noise, rounds):
        falling = Rates.anytime(size=SIZE, curvature=CURVATURE, step=0.5, noise=noise)
        rate = math.sqrt(SIZE / (CURVATURE * falling.paid(rounds)))
        same = Rates.fixed(rate)
        assert {same.at(t) for t in (1, 5, 10**9)} == {rate}
        assert not same.falls
        assert added_up(falling._replace(least=rate, scale=0.0), rounds) == pytest.approx(
            best(falling, rounds)
        )


def test_noise_is_looked_up_by_the_digits_of_how_many_vectors_there_are():
    rates = Rates.anytime(size=1.0, curvature=0.5, step=1.0, noise=np.array([0.0, 10.0, 20.0]))
    assert [rates.paid(t) for t in (1, 2, 3, 4, 5, 1000)] == [1.0, 12.0, 23.0, 24.0, 25.0, 1020.0]


def regret_with_noise(learner, losses, deviations, rng):
    """Return the regret against the best point; each round's noise has its own deviation."""
    sums, lost = np.zeros(losses.shape[1]), 0.0
    for loss, deviation in zip(losses, deviations, strict=True):
        point, trace = learner.act(None, rng)
        lost += float(point @ loss)
        sums += loss
        learner.learn(trace, sums + deviation * rng.standard_normal(sums.size))
    return lost, sums


@pytest.mark.parametrize("kind", ["unknown", "early"])
@pytest.mark.parametrize("losses", ["random", "alternating"])
def test_regret_is_below_the_bound(kind, losses):
    """Twelve games each: the mean is well below the bound, but not by a factor of ten."""
    rounds, size, rng = 400, 7, np.random.default_rng(8)
    deviations = np.sqrt(np.array([NOISE[t.bit_length()] for t in range(1, rounds + 1)]) / 4.0)
    numbers = {"size": SIZE, "curvature": CURVATURE, "step": 1.0, "noise": NOISE}
    rates = (
        Rates.anytime(**numbers)
        if kind == "unknown"
        else Rates.early(**numbers, rounds=rounds, head_start=0.5)
    )
    bound = (math.sqrt(2.0) if kind == "unknown" else math.hypot(1.0, 0.5)) * best(rates, rounds)
    found = []
    for _ in range(12):
        vectors = rng.integers(0, 2, (rounds, size)).astype(float)
        if losses == "alternating":
            vectors = np.tile(
                [[1.0] + [0.0] * (size - 1), [0.0] + [1.0] * (size - 1)], (rounds // 2, 1)
            )
        lost, sums = regret_with_noise(
            EntropyFtrl.start(dimension=size, learning_rate=rates), vectors, deviations, rng
        )
        found.append(lost - sums.min())
    assert bound / 10.0 < np.mean(found) < bound


def test_regret_on_a_ball_is_below_the_bound():
    rounds, size, rng = 300, 3, np.random.default_rng(9)
    table = size * NOISE / 4.0
    rates = Rates.anytime(size=1.0, curvature=0.25, step=1.0, noise=table)
    deviations = np.sqrt(np.array([NOISE[t.bit_length()] for t in range(1, rounds + 1)]) / 4.0)
    bound = math.sqrt(2.0) * math.sqrt(rates.paid(rounds))
    found = []
    for _ in range(12):
        vectors = rng.standard_normal((rounds, size))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        learner = QuadraticFtrl.start(set=L2Ball(size, 1.0), learning_rate=rates)
        lost, sums = regret_with_noise(learner, vectors, deviations, rng)
        found.append(lost + np.linalg.norm(sums))
    assert bound / 10.0 < np.mean(found) < bound


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Rates.fixed(0.0), "learning_rate is 0"),
        (lambda: Rates.anytime(size=-1.0, curvature=1.0, step=1.0), "size is -1"),
        (
            lambda: Rates.early(size=1.0, curvature=1.0, step=1.0, rounds=0, head_start=0.5),
            "rounds is 0",
        ),
    ],
)
def test_impossible_rates_are_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()
