"""Bounds that are added up (docs/regret.md: Rounds added up): every step, and the sums."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate

from discreet.algorithms import algorithm
from discreet.algorithms.arms import bounds, summed_bounds
from discreet.algorithms.arms.ordinary import MOST_CLIPPED
from discreet.learners.arms.tsallis_inf import solve
from discreet.stressing.reacting import worst_reacting


def excess(w, t, q, a):
    """Return e_t(w) of Theorem R23, written a second time, for one weight."""
    rate = 4.0 / math.sqrt(t)
    root = math.sqrt(w)

    def slope(z):
        return q / (1.0 - z) if q < 0.25 else (a + z) / (4.0 * (1.0 - z * z))

    if w >= rate**2 / 4.0:
        own, other = rate * (1.0 - w) / (4.0 * root), rate * root / 4.0
        return rate**2 / 8.0 * ((1.0 - w) ** 3 * slope(own) + w**2 * (1.0 - w) * slope(other))
    k = rate / (2.0 * root)
    tangent = 0.25 / (1.0 + k / 2.0) + (1.0 + k / 4.0) * a / 2.0 / (1.0 + k / 2.0) ** 2
    h = min((1.0 + a) / 2.0 / (1.0 + k), tangent + q)
    rest = 0.0
    if t > 4:
        rest = 0.25 / (1.0 - rate * root / 4.0)
        if w <= 1.0 - rate**2 / 4.0:
            more = min(1.0, q + 0.25 + a / 2.0) / (1.0 - rate * root / 2.0)
            rest += (1.0 - w) * max(more - rest, 0.0)
    return rate / 2.0 * (root * (h - q * (1.0 - w)) + w**1.5 * rest)


def potential(losses, rate):
    weights = np.empty_like(losses)
    solve(losses, rate, 0.0, weights)
    return -losses @ weights + 4.0 / rate * np.sqrt(weights).sum()


def stability(w, t, laws):
    """Return the exact mean of R_t; ``laws`` has values of y and their probabilities by arm."""
    rate = 4.0 / math.sqrt(t)
    losses = 2.0 / (rate * np.sqrt(w))
    start = potential(losses, rate)
    base = np.where(w >= rate**2 / 4.0, 0.5, 0.0)
    found = 0.0
    for arm, (values, chances) in enumerate(laws):
        for value, chance in zip(values, chances, strict=True):
            estimate = base.copy()
            estimate[arm] += (value - base[arm]) / w[arm]
            step = potential(losses + estimate, rate) - start + w @ estimate
            found += w[arm] * chance * step
    return found


def some_law(rng, q, a):
    """Return numbers in [0, 1] with a mean and a mean square that Theorem R23 allows."""
    if q == 0.25:
        mean = 0.5 + a / 2.0 * rng.choice([-1.0, 0.0, 1.0])
        return (0.0, 1.0), (1.0 - mean, mean)
    far = 4.0 * q  # the chance of 0 or 1, otherwise 1/2
    lean = rng.choice([-1.0, 0.0, 1.0]) * min(a, far)
    return (0.0, 0.5, 1.0), ((far - lean) / 2.0, 1.0 - far, (far + lean) / 2.0)


def some_weights(rng, t):
    arms = int(rng.integers(2, 6))
    w = rng.dirichlet(np.full(arms, rng.choice([0.3, 1.0, 30.0])))
    if rng.random() < 0.5:
        w[0] = min(0.9, 4.0 / t * rng.choice([0.5, 0.999, 1.001]))
        w[1:] *= (1.0 - w[0]) / w[1:].sum()
    w = np.maximum(w, 1e-9)
    return w / w.sum()


@pytest.mark.parametrize(("q", "a"), [(0.25, 1.0), (0.25, 0.5), (0.15, 0.5), (0.03, 0.1)])
def test_a_round_of_tsallis_inf_costs_no_more_than_theorem_r23_says(q, a):
    rng = np.random.default_rng(1)
    worst = 0.0
    for t in (1, 3, 4, 5, 6, 9, 16, 40, 400):
        for _ in range(25):
            w = some_weights(rng, t)
            main = 2.0 / math.sqrt(t) * q * (np.sqrt(w) * (1.0 - w)).sum()
            allowed = main + sum(excess(float(each), t, q, a) for each in w)
            found = stability(w, t, [some_law(rng, q, a) for _ in w])
            worst = max(worst, found / allowed)
    assert 0.8 < worst <= 1.0 + 1e-9


def envelope(function, arms, weights):
    """Return the least over slopes of the largest of a function minus a tangent, by brute force."""
    values = np.array([function(float(w)) for w in weights])
    left, right = weights < 1.0 / arms, weights > 1.0 / arms
    best = function(1.0 / arms)
    for x, y in zip(weights[left], values[left], strict=True):
        share = (weights[right] - 1.0 / arms) / (weights[right] - x)
        best = max(best, float(np.max(share * y + (1.0 - share) * values[right], initial=best)))
    return best


def pays(arms, w):
    return math.sqrt(arms) / 2.0 * (math.sqrt(w) - 1.0 / math.sqrt(arms)) ** 2


WEIGHTS = np.geomspace(1e-7, 1.0, 250)


@pytest.mark.parametrize(("q", "a"), [(0.25, 1.0), (0.25, 0.5), (0.15, 0.5)])
@pytest.mark.parametrize("arms", [2, 4, 25, 50])
def test_what_is_added_up_for_tsallis_inf_is_the_supremum_and_hardly_more(arms, q, a):
    rests = summed_bounds._tsallis_rests(arms, 128, q, a)
    first, last = summed_bounds.blocks(128)
    for number in (0, 3, 4, 10, 40, *range(64, 80, 2), 100, 127):
        for t in {first[number], last[number]}:

            def left(w, t=t):
                return excess(w, t, q, a) - 2.0 / math.sqrt(t) * (q + 0.25) * pays(arms, w)

            found = t * envelope(left, arms, WEIGHTS)
            assert found <= rests[number] + 1e-12
        # cells and blocks cost a tenth, and a little of the 1/8 that a large term is
        assert rests[number] <= 1.3 * found + 0.15


def test_what_is_added_up_for_htinf_is_the_supremum_and_hardly_more():
    arms, square, fourth, moment, theta = 4, 2.0, 13.0, 2.3, MOST_CLIPPED
    rests = summed_bounds._htinf_rests(arms, 128, square, fourth, moment, theta)
    first, last = summed_bounds.blocks(128)
    steep = max(1.0 / (1.0 - theta), (1.0 + theta) / (4.0 * theta))
    bend = max(1.0 / (1.0 - theta), 1.0 + 27.0 / (256.0 * theta**3))
    for number in (0, 5, 40, 70, 127):
        for t in {first[number], last[number]}:
            rate = 1.0 / (moment * math.sqrt(t))

            def left(x, rate=rate):
                own = min(
                    bend * fourth * rate**3 / math.sqrt(x),
                    rate * square * math.sqrt(x) * (steep - (1.0 - x) ** 2),
                )
                third = rate**2 * x**2 * math.sqrt(square * fourth)
                others = third + rate**3 * x**2.5 * fourth / (1.0 - theta / 2.0)
                gained = rate * (square + moment**2) * pays(arms, x)
                return own + (1.0 - x) * others - gained

            found = t * envelope(left, arms, WEIGHTS)
            assert found <= rests[number] + 1e-12
        assert rests[number] <= 1.3 * found + 0.3


@pytest.mark.parametrize("theta", [0.1, MOST_CLIPPED, 0.6])
@pytest.mark.parametrize("m", [0.0, 0.5, 0.9, 1.0])
def test_a_loss_costs_htinf_no_more_than_its_powers(theta, m):
    """G(z) ≤ m² z² - m³ z³ + κ' z⁴, and ≤ κ z², at every loss."""
    z = np.concatenate([-np.geomspace(1e-3, 100.0, 3000), np.geomspace(1e-3, 100.0, 3000)])
    kept = np.clip(z, -theta, theta)
    cost = (m * kept) ** 2 / (1.0 + m * kept) + z - kept
    bend = max(1.0 / (1.0 - theta), 1.0 + 27.0 / (256.0 * theta**3))
    steep = max(1.0 / (1.0 - theta), (1.0 + theta) / (4.0 * theta))
    assert np.all(cost <= m**2 * z**2 - m**3 * z**3 + bend * z**4 + 1e-12)
    assert np.all(cost <= steep * z**2 + 1e-12)


def test_sums_over_blocks_are_no_less_where_rests_are_negative():
    rests = -np.ones(128)
    for plays in (1, 5, 64, 65, 70, 1000):
        exact = -sum(1.0 / t for t in range(1, plays + 1))
        assert exact <= summed_bounds.added(rests, plays) <= exact + 0.6


@pytest.mark.parametrize("epsilon", [1e-3, 1e-6, 1e-9, 1e-12])
def test_bounds_with_much_noise_do_not_lose_their_digits(epsilon):
    for options in ({"beyond": "clip", "margin": 1.0}, {}):
        known = algorithm("dp-lambda-lap")
        built = known.build(known.setting(arms=4, rounds=1000, epsilon=epsilon), **options)
        assert built.regret_bound >= 1000.0


def test_sums_over_blocks_are_sums_over_plays():
    rests = np.ones(128)
    for plays in (1, 5, 64, 65, 1000):
        exact = sum(1.0 / t for t in range(1, plays + 1))
        assert exact <= summed_bounds.added(rests, plays) <= exact + 0.1
    found = [summed_bounds.tsallis_inf(4, plays) for plays in range(1, 400)]
    assert all(np.diff(found) >= 0.0), "it never falls"


@pytest.mark.parametrize("noise", [0.05, 0.5, 3.0])
def test_mean_squares_of_noise_that_is_moved_or_clipped(noise):
    def mean(function, centre):
        def density(z):
            return function(centre + z) * math.exp(-abs(z) / noise) / (2.0 * noise)

        ends = sorted({-60.0 * noise, -centre, 0.0, 1.0 - centre, 60.0 * noise})
        return sum(integrate.quad(density, *pair)[0] for pair in itertools.pairwise(ends))

    a = 1.0 / (1.0 + 2.0 * noise)

    def moved(z):
        return 0.0 if z < 0.0 else 1.0 if z > 1.0 else 0.5 + a * (z - 0.5)

    squares = [mean(lambda z: (moved(z) - 0.5) ** 2, mu) for mu in (0.0, 0.2, 0.5, 1.0)]
    assert max(squares) == pytest.approx(summed_bounds.confined_square(noise), rel=1e-5)
    for mu in (0.0, 0.3, 1.0):
        assert mean(moved, mu) == pytest.approx(0.5 + a * (mu - 0.5), abs=1e-6)
    for margin in (0.0, 0.4, 4.0):

        def clipped(z, margin=margin):
            return (min(max(z, -margin), 1.0 + margin) - 0.5) / (1.0 + 2.0 * margin)

        squares = [mean(lambda z, c=clipped: c(z) ** 2, mu) for mu in (0.0, 0.4, 1.0)]
        assert max(squares) == pytest.approx(summed_bounds.clipped_square(margin, noise), rel=1e-3)


def test_bounds_are_smaller_than_the_simple_formulas():
    for arms, plays in itertools.product((2, 4, 50), (100, 3449, 2**16, 2**22)):
        large = (2.0 * math.sqrt(arms) - 1.0 - 1.0 / math.sqrt(arms)) * math.sqrt(plays)
        found = summed_bounds.tsallis_inf(arms, plays)
        assert min(large, plays) <= found <= bounds.sharp_tsallis_inf(arms, plays)
    assert summed_bounds.tsallis_inf(4, 2**16) == pytest.approx(665, abs=1.0)


@pytest.mark.parametrize(
    ("name", "epsilon", "bound"),
    [
        ("htinf", 1.0, 1_319),
        ("batched-htinf", 0.1, 7_502),
        ("one-bit-tsallis-inf", 0.1, 6_086),
        ("dp-lambda-lap", 1.0, 1_617),
        ("dp-lambda-lap", 0.1, 13_324),
        ("guarded-ucb", 0.1, 18_434),
        ("moved-tsallis-inf", 0.1, 5_101),
    ],
)
def test_bounds_for_four_arms_and_65536_rounds(name, epsilon, bound):
    known = algorithm(name)
    built = known.build(known.setting(arms=4, rounds=2**16, epsilon=epsilon))
    assert built.regret_bound == pytest.approx(bound, abs=1.0)


def test_with_two_arms_an_adversary_who_sees_all_draws_comes_close():
    """1,024 plays: most of the difference is of lower order; 4,096 plays leave a quarter."""
    found = worst_reacting(1024)
    assert 1.3 < summed_bounds.tsallis_inf(2, 1024) / found < 1.45


@pytest.mark.full
def test_in_longer_games_it_comes_closer():
    assert 1.0 < summed_bounds.tsallis_inf(2, 4096) / worst_reacting(4096) < 1.26
