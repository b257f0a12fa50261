"""Optimal noise for a batch: privacy in whole numbers, mean, mean square, exact version."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from common import in_full

from discreet import Bandit, DiscreetError, Setting, algorithm, audit
from discreet.mechanisms import OptimalNoise
from discreet.mechanisms.bits import GRID_BITS
from discreet.mechanisms.optimal import TOTAL, TOTAL_BITS, rows_are_close
from discreet.problems import Arms

CASES = [(3.0, 1), (1.0, 2), (0.5, 4), (0.3, 7)]


class Given:
    """An operating system whose next numbers are given."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def randbits(self, bits):
        number = self.numbers.pop(0)
        assert 0 <= number < 2**bits
        return number


def row_at(noise, total):
    """Return the probabilities of a sum as fractions."""
    counts = [[int(entry) for entry in row] for row in noise.counts]
    k = min(int(total), len(counts) - 2)
    share = Fraction(total) - k
    return [
        ((1 - share) * a + share * b) / int(TOTAL)
        for a, b in zip(counts[k], counts[k + 1], strict=True)
    ]


@pytest.mark.parametrize(("epsilon", "size"), CASES)
def test_sums_that_are_at_most_one_apart_differ_by_no_more_than_epsilon(epsilon, size):
    noise, worst = OptimalNoise.calibrate(epsilon=epsilon, size=size), 0.0
    totals = [k / 8 for k in range(8 * size + 1)]
    for total in totals:
        one = row_at(noise, total)
        assert sum(one) == 1
        for other in totals:
            if abs(total - other) <= 1.0:
                worst = max(
                    worst, *(float(a / b) for a, b in zip(one, row_at(noise, other), strict=True))
                )
    assert 0.999 * epsilon <= math.log(worst) <= epsilon


@pytest.mark.parametrize(("epsilon", "size"), CASES)
def test_its_mean_is_right_and_its_mean_square_far_below_that_of_laplace_noise(epsilon, size):
    noise = OptimalNoise.calibrate(epsilon=epsilon, size=size)
    np.testing.assert_allclose(
        noise.counts @ noise.values / TOTAL, np.arange(size + 1), atol=2.0**-20 * size
    )
    laplace = min(t / 4 + 2.0 / (t * epsilon**2) for t in range(1, 40))
    assert noise.square_around_middle(size) / size <= 0.85 * laplace


def test_exact_draws_have_the_probabilities_of_the_table(monkeypatch):
    """A row is drawn with its share, then a value with its count: checked at every boundary."""
    noise = OptimalNoise.calibrate(epsilon=1.0, size=2)
    exact = noise.exact(noise.guarantee(1.0, model="central", source=""), 1.0)

    def drawn(total, share, point):
        monkeypatch.setattr("discreet.mechanisms.optimal.secrets", Given(share, point))
        return exact.add_noise(total, None)

    for total, row, share in ((-1.0, 0, 0.0), (0.25, 0, 0.25), (1.5, 1, 0.5), (7.0, 1, 1.0)):
        upper = int(share * 2**GRID_BITS)
        rows = [(row, upper)] * (share < 1.0) + [(row + 1, upper - 1)] * (share > 0.0)
        for chosen, number in rows:
            ends = [int(end) for end in np.cumsum(noise.counts[chosen])]
            assert ends[-1] == TOTAL
            for place, end in enumerate(ends):
                assert drawn(total, number, end - 1) == noise.values[place]
                if place < len(ends) - 1:
                    assert drawn(total, number, end) == noise.values[place + 1]


def test_simulated_draws_follow_the_same_table():
    """20,000 draws; the chi-square statistic exceeds 40 with probability below 1e-4."""
    noise, rng = OptimalNoise.calibrate(epsilon=1.0, size=2), np.random.default_rng(1)
    for total in (0.0, 0.25, 1.5):
        draws = np.array([noise.add_noise(total, rng) for _ in range(20_000)])
        expected = 20_000 * np.array([float(each) for each in row_at(noise, total)])
        counted = np.array([(draws == value).sum() for value in noise.values])
        assert noise.values.size <= 10
        assert ((counted - expected) ** 2 / expected).sum() < 40.0


def test_tables_are_checked_to_the_last_count():
    noise = OptimalNoise.calibrate(epsilon=1.0, size=2)
    assert rows_are_close(noise.counts, 1.0)
    assert not rows_are_close(noise.counts, 0.999)
    for change in (1.0, -noise.counts[0, 0]):
        spoiled = noise.counts.copy()
        spoiled[0, 0] += change
        assert not rows_are_close(spoiled, 1.0), "a row does not add up, or a value is impossible"


def test_what_it_is_not_for_is_refused():
    with pytest.raises(
        DiscreetError, match="batch_size with optimal noise is 41, which is too large: at most 40"
    ):
        OptimalNoise.calibrate(epsilon=0.01, size=41)
    with pytest.raises(DiscreetError, match="for one number, not for vectors"):
        OptimalNoise.calibrate(epsilon=1.0, size=2).perturb(np.zeros(2), np.random.default_rng(0))


def test_a_bandit_draws_it_live():
    bandit = Bandit(
        arms=2, horizon=100, epsilon=1.0, algorithm="batched-tsallis-inf", noise="optimal"
    )
    for _ in range(20):
        bandit.tell(bandit.ask(), reward=0.5)
    assert bandit.state().released == 10
    assert "exact noise (docs/proofs.md: Tables)" in bandit.guarantee.source
    with pytest.raises(DiscreetError, match="holds raw feedback"):
        bandit.plan.private.channel.noise.add_noise(0.5, None)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [in_full(0.3), 1.0])
@pytest.mark.long
def test_nine_tenths_of_epsilon_are_found_and_no_more(epsilon):
    setting = Setting(Arms(4), rounds=10_000, epsilon=epsilon)
    found = audit("batched-tsallis-inf", setting=setting, noise="optimal")
    assert 0.9 * epsilon <= found.lower_bound <= epsilon
    assert (
        algorithm("batched-tsallis-inf").build(setting, noise="optimal").guarantee.epsilon
        == epsilon
    )


@pytest.mark.parametrize("epsilon", [3.0, 5.0])
def test_geometric_noise_does_not_win_at_large_epsilons(epsilon):
    """Geometric noise on a randomly rounded loss has 1/4 plus its variance around the middle."""
    geometric = 0.25 + 2.0 * math.exp(-epsilon) / (1.0 - math.exp(-epsilon)) ** 2
    response = 0.25 / math.tanh(epsilon / 2.0) ** 2
    found = OptimalNoise.calibrate(epsilon=epsilon, size=1).square_around_middle(1.0)
    assert response <= found < 1.01 * response < geometric


@pytest.mark.parametrize(("epsilon", "size"), CASES)
def test_exact_draws_are_those_of_the_table(epsilon, size, monkeypatch):
    """With the same bits, as comparisons and whole numbers give them; for all kinds of sums."""
    table = OptimalNoise.calibrate(epsilon=epsilon, size=size).exact(None, 1.0)
    last, chance = table.counts.shape[0] - 1, random.Random(size)
    for _ in range(3_000):
        step = chance.choice([0.0, 2.0**-41, -(2.0**-41), 2.0**-40, 0.5, chance.random()])
        total = chance.randrange(-1, last + 2) + step
        share = chance.choice([0, 1, 2**40 - 1, chance.getrandbits(40)])
        point = chance.getrandbits(TOTAL_BITS)
        inside = min(max(total, 0.0), float(last))
        row = min(int(inside), last - 1)
        row += share < round((inside - row) * 2.0**40)
        place = np.count_nonzero(np.cumsum(table.counts[row])[:-1] <= point)
        monkeypatch.setattr("discreet.mechanisms.optimal.secrets", Given(share, point))
        assert table.add_noise(total, None) == table.values[place]
