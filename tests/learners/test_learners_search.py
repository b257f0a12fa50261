"""Best-arm searches: bounds hold, inner problems are solved, slow versions agree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy.integrate import quad
from scipy.optimize import minimize, minimize_scalar

from discreet import DiscreetError
from discreet.learners import LilUcb, Lucb, SuccessiveElimination, TrackAndStop
from discreet.learners.search.evidence import (
    Chernoff,
    Mixture,
    least_product,
    log_average,
    log_average_slope,
)
from discreet.learners.search.lil_ucb import LilConstants, coverage_factor
from discreet.learners.search.searching import Batches
from discreet.learners.search.track_and_stop import optimal_weights

QUARTER = Mixture.for_gap(0.15, variance=0.25)


@pytest.mark.parametrize("z", [-30.0, -19.9, -3.0, 0.0, 2.0, 7.0])
def test_the_average_over_a_half_normal_tilt(z):
    """ln E exp(λ z) by numerical integration; in the far tail at most 3 / z² less."""
    density = math.sqrt(2.0 / math.pi)
    found = math.log(
        quad(lambda tilt: density * math.exp(tilt * z - tilt * tilt / 2.0), 0.0, 40.0, epsabs=0.0)[
            0
        ]
    )
    assert log_average(z) <= found + 1e-9
    assert log_average(z) == pytest.approx(found, abs=1e-9 if z > -20.0 else 3.0 / z**2)
    slope = (log_average(z + 1e-4) - log_average(z - 1e-4)) / 2e-4
    assert log_average_slope(z) == pytest.approx(slope, rel=1e-2 if z < -20.0 else 1e-5)


@settings(max_examples=100, deadline=None)
@given(some.floats(0.0, 5.0), some.floats(0.01, 1.0), some.floats(0.01, 1.0))
def test_the_least_product_is_the_least(gap, one, other):
    def product(x):
        return log_average((gap - x) / one) + log_average(x / other)

    found = least_product(gap, one, other)
    best = minimize_scalar(
        product, bounds=(-40.0, gap + 40.0), method="bounded", options={"xatol": 1e-10}
    )
    assert found <= float(best.fun) + 1e-7
    assert found <= min(product(x) for x in np.linspace(-1.0, gap + 1.0, 50)) + 1e-9


@given(some.floats(0.0, 1.0), some.floats(1.0, 1e6), some.floats(1.0, 1e6))
def test_evidence_is_at_most_what_is_cheap_to_tell(gap, pulls, rivals):
    assert (
        QUARTER.log_evidence(gap, pulls, 1.0, rivals, 1.0)
        <= QUARTER.most_evidence(gap, pulls, 1.0, rivals, 1.0) + 1e-9
    )


@pytest.mark.parametrize("failure", [0.01, 0.3])
@pytest.mark.parametrize("pulls", [1.0, 30.0, 1e6])
def test_a_radius_is_where_the_average_reaches_its_level(pulls, failure):
    """Ville's inequality: the average exceeds 1 / failure there, and not far below."""
    radius = QUARTER.mean_radius(pulls, pulls, failure)
    spread = math.sqrt(QUARTER.spread_square(pulls))
    level = math.log(1.0 / failure) + 0.5 * math.log1p(QUARTER.prior * pulls)
    assert log_average(radius / spread) >= level - 1e-9
    assert log_average(0.95 * radius / spread) < level


def crossings(rule, failure, *, runs, rounds, seed):
    """Return in which share of the runs of fair coins a mean is ever above its radius."""
    rng = np.random.default_rng(seed)
    counts = np.arange(1, rounds + 1)
    radii = np.array([rule.mean_radius(float(n), float(n), failure) for n in counts])
    sums = np.cumsum(rng.random((runs, rounds)) < 0.5, axis=1)
    return float((sums / counts - 0.5 > radii).any(axis=1).mean())


def test_a_mean_is_rarely_beyond_its_radius_at_any_time():
    """At most 0.1 in theory; 4,000 runs: four standard errors, 3e-5. A one-time radius fails."""
    found = crossings(QUARTER, 0.1, runs=4000, rounds=1500, seed=1)
    assert 0.02 < found <= 0.1 + 4.0 * math.sqrt(0.09 / 4000)

    class Once(Mixture):
        def mean_radius(self, pulls, releases, failure):
            return math.sqrt(math.log(1.0 / failure) / (2.0 * pulls))

    assert crossings(Once(0.25, 1.0), 0.1, runs=1000, rounds=1500, seed=1) > 0.2


CHERNOFF = Chernoff(2.0)


@pytest.mark.parametrize(("pulls", "releases"), [(50.0, 1.0), (200.0, 5.0), (5000.0, 12.0)])
def test_chernoff_s_bounds_are_the_best_of_all_tilts(pulls, releases):
    def exponent(gap, s):
        return s * gap - 2.0 * CHERNOFF.mean_moment(s, pulls, releases)

    price = math.log(releases * (releases + 1.0))
    for gap in (0.05, 0.3):
        best = max(exponent(gap, s) for s in np.linspace(1e-9, 0.4999 * pulls, 20_000))
        assert CHERNOFF.log_evidence(gap, pulls, releases, pulls, releases) == pytest.approx(
            best - 2 * price, rel=1e-3
        )
        assert CHERNOFF.even_evidence(gap, pulls, releases) == pytest.approx(best - price, rel=1e-3)
    wanted = math.log(1.0 / 0.01) + price
    radii = [
        (wanted + CHERNOFF.mean_moment(s, pulls, releases)) / s
        for s in np.linspace(1e-3, 0.4999 * pulls, 20_000)
    ]
    assert CHERNOFF.mean_radius(pulls, releases, 0.01) == pytest.approx(min(radii), rel=1e-3)


@pytest.mark.parametrize("releases", [1, 8])
def test_sums_of_batches_with_noise_are_rarely_beyond_their_radius(releases):
    """40,000 sums of n coins with r Laplace noises: a share of at most failure / (r (r + 1))."""
    rng, pulls, failure = np.random.default_rng(2), 100, 0.2
    sums = rng.binomial(pulls, 0.5, 40_000) + rng.laplace(0.0, 2.0, (40_000, releases)).sum(axis=1)
    share = float(
        (sums / pulls - 0.5 > CHERNOFF.mean_radius(float(pulls), float(releases), failure)).mean()
    )
    allowed = failure / (releases * (releases + 1))
    assert share <= allowed + 4.0 * math.sqrt(allowed / 40_000)
    quiet = Chernoff(1e-9).mean_radius(float(pulls), float(releases), failure)
    assert float((sums / pulls - 0.5 > quiet).mean()) > share, "the noise counts"


@settings(max_examples=50, deadline=None)
@given(some.lists(some.floats(0.0, 0.9), min_size=1, max_size=8))
def test_optimal_weights_make_all_rivals_equally_hard(others):
    """Garivier & Kaufmann 2016, Gaussian rewards: equal costs, and Σ (w(i) / w(best))² = 1."""
    means = np.array([1.0, *others])
    weights = np.empty(means.size)
    inverse = optimal_weights(means, 0, weights)
    costs = 0.5 * (1.0 - means[1:]) ** 2 * weights[0] * weights[1:] / (weights[0] + weights[1:])
    assert weights.sum() == pytest.approx(1.0)
    assert costs == pytest.approx(inverse, rel=1e-6)
    assert ((weights[1:] / weights[0]) ** 2).sum() == pytest.approx(1.0, rel=1e-6)


def test_optimal_weights_are_those_of_a_general_optimiser():
    means = np.array([0.3, 0.21, 0.2, 0.19, 0.18])
    weights = np.empty(5)
    inverse = optimal_weights(means, 0, weights)

    def cost(logits):
        w = np.exp(logits) / np.exp(logits).sum()
        return -1e4 * min(0.5 * (means[0] - means[1:]) ** 2 * w[0] * w[1:] / (w[0] + w[1:]))

    found = minimize(
        cost,
        np.log(weights + 0.02),
        method="Nelder-Mead",
        options={"maxiter": 20_000, "fatol": 1e-12},
    )
    assert inverse == pytest.approx(-found.fun / 1e4, rel=1e-4)
    assert optimal_weights(np.array([0.5, 0.5, 0.1]), 0, np.empty(3)) == 0.0, "two are the best"


def test_the_constants_of_lil_ucb():
    constants = LilConstants.theory(0.1, 10)
    c, delta = coverage_factor(0.01), constants.failure
    assert c == pytest.approx(21153.399, abs=5e-4)
    assert delta == pytest.approx(2.815509e-8, rel=1e-6)
    assert 4.0 * math.sqrt(c * delta) + 4.0 * c * delta == pytest.approx(0.1)
    assert constants.ratio == pytest.approx(12.9122, abs=5e-5)
    assert LilConstants.theory(0.1, 166).ratio == constants.ratio
    assert LilConstants.theory(0.1, 168).ratio == pytest.approx(2.0 * constants.ratio)
    assert LilConstants.practice(0.1, 10)[:4] == (0.0, 0.5, 2.0, 0.02)


@pytest.mark.parametrize("error", [0.9, 0.1, 1e-3])
def test_no_worse_arm_is_pulled_so_often_that_lil_ucb_stops(error):
    """Best-arm search, Lemma 42.7: for all small numbers, and many large ones."""
    constants = LilConstants.theory(error, 2)
    low = math.log(1.0 / constants.failure)

    def g(n, m):
        return (np.log(np.log((1.0 + constants.slack) * n)) + m * low) / n

    pulls = np.unique(np.geomspace(1, 1e7, 4000).astype(np.int64))
    for others in (*range(1, 40), 100, 1000, 10**5):
        for m in (1, 2, 3, 10, 1000):
            possible = pulls[9.0 * g(pulls, m) >= g(others, 1)]
            assert possible.max() < m * constants.ratio * others
    if error == 0.1:
        assert 9.0 * g(12, 1) >= g(1, 1) > 9.0 * g(13, 1), "13 pulls, where 10 would have stopped"


def replay(learner, gains):
    """Let a learner play until it is done; return the arms that it pulled and its answers."""
    rng, played = np.random.default_rng(0), []
    for row in gains:
        if learner.is_done():
            break
        arm, trace = learner.act(0, rng)
        learner.learn(trace, 1.0 - row[arm])
        played.append(arm)
    return played, learner.found.tolist()


GAINS = (np.random.default_rng(1).random((6000, 4)) < [0.3, 0.7, 0.45, 0.5]).astype(float)


def test_lucb_agrees_with_a_slow_implementation():
    sums, counts, expected, answer = np.zeros(4), np.zeros(4), [], -1
    waiting = list(range(4))
    for row in GAINS:
        if not waiting:
            means = sums / counts
            radii = np.array([QUARTER.mean_radius(n, n, 0.1 / 4) for n in counts])
            best = int(np.argmax(means))
            waiting = [best, int(np.argmax(np.where(np.arange(4) == best, -np.inf, means + radii)))]
        arm = waiting.pop(0)
        sums[arm] += row[arm]
        counts[arm] += 1
        expected.append(arm)
        if counts.min() > 0:
            means = sums / counts
            radii = np.array([QUARTER.mean_radius(n, n, 0.1 / 4) for n in counts])
            best = int(np.argmax(means))
            if means[best] - radii[best] > np.delete(means + radii, best).max():
                answer = best
                break
    assert answer == 1
    assert replay(Lucb.start(arms=4, error=0.1, rule=QUARTER), GAINS) == (expected, [answer])


def test_elimination_agrees_with_a_slow_implementation():
    left, expected, sums, t = [0, 1, 2, 3], [], np.zeros(4), 0
    rows = iter(GAINS)
    while len(left) > 1:
        t += 1
        for arm in left:
            sums[arm] += next(rows)[arm]
            expected.append(arm)
        best = max(left, key=lambda arm: sums[arm])
        surely = [
            QUARTER.even_evidence((sums[best] - sums[arm]) / t, t, t) >= math.log(3 / 0.1)
            for arm in left
        ]
        left = [arm for arm, worse in zip(left, surely, strict=True) if arm == best or not worse]
    assert left == [1]
    assert replay(SuccessiveElimination.start(arms=4, error=0.1, rule=QUARTER), GAINS) == (
        expected,
        left,
    )


def test_lil_ucb_agrees_with_a_slow_implementation():
    sums, counts, expected = np.zeros(4), np.zeros(4), []
    for row in GAINS:
        arm = len(expected)
        if arm >= 4:
            radius = np.sqrt(2 * 0.25 * np.log(np.log(counts + 2) / (0.1 / 5)) / counts)
            arm = int(np.argmax(sums / counts + 1.5 * radius))
        sums[arm] += row[arm]
        counts[arm] += 1
        expected.append(arm)
        if counts.min() > 0 and counts[arm] >= 1 + (1 + 10 / 4) * (counts.sum() - counts[arm]):
            break
    assert replay(LilUcb.start(arms=4, error=0.1), GAINS) == (expected, [1])


def test_track_and_stop_agrees_with_a_slow_implementation():
    sums, counts, expected, due, weights = np.zeros(4), np.zeros(4), [], 0.0, np.full(4, 0.25)
    for row in GAINS:
        t, least = counts.sum(), int(np.argmin(counts))
        forced = counts[least] == 0 or counts[least] < 2 * math.sqrt(t) - 2
        arm = least if forced else int(np.argmax(t * weights - counts))
        sums[arm] += row[arm]
        counts[arm] += 1
        expected.append(arm)
        if counts.min() == 0:
            continue
        means, best = sums / counts, int(np.argmax(sums / counts))
        others = [a for a in range(4) if a != best]
        if all(
            QUARTER.log_evidence(means[best] - means[a], counts[best], 0.0, counts[a], 0.0)
            >= math.log(3 / 0.1)
            for a in others
        ):
            break
        if counts.sum() >= due:
            optimal_weights(means, best, weights)
            due = counts.sum() * 1.02
    assert replay(TrackAndStop.start(arms=4, errors=(0.1,), rule=QUARTER), GAINS) == (expected, [1])


@pytest.mark.parametrize("kind", [Lucb, SuccessiveElimination, LilUcb])
def test_batches_have_the_lengths_that_were_fixed(kind):
    """The r-th batch of an arm is as long for every arm, whatever was released."""
    learner, rng, lengths = (
        kind.start(arms=3, batches=Batches(10, 0.5)),
        np.random.default_rng(3),
        {0: [], 1: [], 2: []},
    )
    for _ in range(30):
        arm, trace = learner.act(0, rng)
        assert learner.patience(trace) == trace.rounds
        lengths[arm].append(trace.rounds)
        learner.learn(trace, float(rng.normal()))
    longest = max(lengths.values(), key=len)
    assert longest[:5] == [10, 10, 10, 15, 23]
    assert all(mine == longest[: len(mine)] for mine in lengths.values())
    assert learner.pulls.sum() == sum(map(sum, lengths.values()))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Lucb.start(arms=1), "arms is 1, but must be a whole number of at least 2"),
        (lambda: Lucb.start(arms=2, error=0.0), "error is 0.0, but must be above 0 and below 1"),
        (
            lambda: TrackAndStop.start(arms=2, errors=(0.01, 0.1)),
            "in strictly decreasing order",
        ),
        (lambda: TrackAndStop.start(arms=2, errors=()), "must be at least one number"),
        (lambda: Lucb.start(arms=2, batches=Batches(0, 0.5)), "batch_size is 0"),
        (
            lambda: Lucb.start(arms=2, batches=Batches(5, 0.0)),
            "growth is 0.0, but must be between 0.01 and 100",
        ),
        (lambda: Mixture.for_gap(0.0, variance=0.25), "typical_gap is 0.0, but must be between"),
    ],
)
def test_bad_numbers_are_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()


@pytest.mark.parametrize("constants", ["practice", "theory"])
@pytest.mark.parametrize("late", [0, 13, 40])
def test_lil_ucb_is_right_however_late_outcomes_come(constants, late):
    """Before anything is heard, one arm gets all open pulls: they must not count as a lead.

    A sound rule errs in at most a tenth of all runs; 10 of 10 were wrong without the backlog. More
    than 4 errors in 10 have a probability below 0.2 %.
    """
    wrong = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        learner = LilUcb.start(arms=2, error=0.1, constants=constants)
        waiting = []
        while not learner.is_done():
            arm, pull = learner.act(0, rng)
            waiting.append((pull, float(rng.random() < (0.9, 0.2)[arm])))
            if len(waiting) > late:
                learner.learn(*waiting.pop(0))
        wrong += learner.found[-1] != 1
    assert wrong <= 4
