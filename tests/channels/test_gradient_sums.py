"""Sums of gradients and differences: how far replacing a round moves them, and their noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import componentjit
from discreet import DiscreetError, Range
from discreet.channels import DifferenceSums, GradientSums, PerDifference, RoundedSums, RunningSum
from discreet.channels.gradient_sums import moves
from discreet.contracts import Toss, unsealed
from discreet.curves import gaussian_sigma
from discreet.factorisations import Buffered, Tree
from discreet.mechanisms import Gaussian, Laplace, RandomisedResponse, report_noise

UNIT = Range(0.0, 1.0)


def sums(kind=GradientSums, *, size=4, dimension=3, batches=3, bounds=UNIT, noise=None):
    """Return sums of gradients without noise, or with given noise on every node of a tree."""
    running = RunningSum.over(moves(dimension, size), noise or Laplace(0.0), Tree, prefixes=batches)
    return kind.over(running, size=size, bounds=bounds)


def play(channel, outcomes, queries):
    rng, released = np.random.default_rng(0), []
    channel = componentjit.copy(channel)
    for outcome, query in zip(outcomes, queries, strict=True):
        ready, value = channel.offer(outcome, query, rng)
        if ready:
            released.append(value.copy())
    return np.array(released)


@pytest.mark.parametrize("norm", [1, 2, math.inf])
@pytest.mark.parametrize("bounds", [UNIT, Range(-3.0, 5.0), Range(1e6, 1e6 + 1e-3)])
def test_a_replaced_outcome_moves_a_batch_by_at_most_what_is_stated_and_reaches_it(norm, bounds):
    """Random outcomes, directions and places, and the worst: 99 to 100 % of what is stated."""
    rng, size, dimension = np.random.default_rng(5), 6, 4
    stated, found = moves(dimension, size).diameter(norm), 0.0
    worst = np.full(dimension, dimension**-0.5) if norm == 1 else np.eye(dimension)[1]
    for trial in range(300):
        queries = rng.normal(0.0, 1.0, (size, dimension))
        queries /= np.linalg.norm(queries, axis=1, keepdims=True) * rng.choice(
            [0.5, 1.0, 3.0], (size, 1)
        )
        outcomes = rng.uniform(bounds.low - 1.0, bounds.high + 1.0, size)
        where = int(rng.integers(size))
        if trial % 3 == 0:
            queries[where] = worst * rng.choice([1.0, 1.0 + 1e-13, 7.0])
        other = outcomes.copy()
        outcomes[where], other[where] = rng.permutation([bounds.low, bounds.high])
        channel = sums(size=size, dimension=dimension, bounds=bounds)
        moved = play(channel, outcomes, queries)[0] - play(channel, other, queries)[0]
        found = max(found, float(np.linalg.norm(moved, norm)))
    assert 0.99 * stated <= found <= stated


@pytest.mark.parametrize("norm", [1, 2, math.inf])
def test_a_replaced_outcome_moves_a_rounded_sum_no_farther(norm):
    """Random outcomes, coins and directions: 99 to 100 % of what is stated without rounding."""
    rng, size, dimension = np.random.default_rng(6), 5, 4
    stated, found = moves(dimension, size).diameter(norm), 0.0
    worst = np.full(dimension, dimension**-0.5) if norm == 1 else np.eye(dimension)[2]
    for trial in range(300):
        directions = rng.normal(0.0, 1.0, (size, dimension))
        outcomes, where = rng.uniform(-0.5, 1.5, size), int(rng.integers(size))
        directions[where] = worst * (1.0 if trial % 2 else 3.0)
        tosses = [Toss(direction, rng.random()) for direction in directions]
        other = outcomes.copy()
        other[where] = rng.uniform(-0.5, 1.5)
        channel = sums(RoundedSums, size=size, dimension=dimension)
        moved = play(channel, outcomes, tosses)[0] - play(channel, other, tosses)[0]
        found = max(found, float(np.linalg.norm(moved, norm)))
    assert 0.99 * stated <= found <= stated


def test_rounded_outcomes_are_ends_of_the_range_with_the_right_mean():
    """20,000 coins, within 4 standard errors; the seed is fixed."""
    rng, direction = np.random.default_rng(3), np.array([0.0, 1.0, 0.0])
    channel = sums(RoundedSums, size=1, batches=20_000, bounds=Range(-2.0, 2.0))
    released = [channel.offer(1.0, Toss(direction, rng.random()), rng)[1][1] for _ in range(20_000)]
    steps = np.diff(released, prepend=0.0)
    assert set(np.round(steps, 9)) == {-0.5, 0.5}
    assert steps.mean() == pytest.approx(0.25, abs=4.0 * 0.5 / math.sqrt(20_000))


def test_a_wrong_length_of_queries_would_be_found():
    """Without the channel's own shortening, a query of length 7 moves a sum seven times as far."""

    class Trusting(GradientSums):
        def take(self, feedback, query):
            share = self.bounds.fraction(self.bounds.clamp(feedback)) - 0.5
            self.held[:] += np.floor(share * query * 2.0**40 + 0.5)
            self.seen[0] += 1
            return bool(self.seen[0] >= self.size)

    queries = [np.array([0.0, 7.0, 0.0])] * 4
    moved = [
        play(sums(kind), [1.0, 0.5, 0.5, 0.5], queries)[0] for kind in (GradientSums, Trusting)
    ]
    assert np.linalg.norm(moved[0]) == pytest.approx(0.5)
    assert np.linalg.norm(moved[1]) == pytest.approx(3.5)


def test_releases_are_prefix_sums_of_centred_outcomes_times_directions():
    rng = np.random.default_rng(2)
    outcomes, queries = rng.random(14), rng.normal(0.0, 1.0, (14, 3))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    terms = (outcomes - 0.5)[:, None] * queries
    expected = np.cumsum(terms[:12].reshape(3, 4, 3).sum(axis=1), axis=0)
    np.testing.assert_allclose(play(sums(), outcomes, queries), expected, atol=1e-11)


def test_differences_are_clamped_and_multiplied():
    queries = [np.array([1.0, 0.0, 0.0])] * 4
    pairs = [
        np.array(pair) for pair in ([0.3, 0.1], [5.0, 0.0], [math.nan, 1.0], [math.inf, math.inf])
    ]
    found = play(sums(DifferenceSums, bounds=Range(-0.4, 0.4)), pairs, queries)[0]
    assert found[0] == pytest.approx(0.2 / 0.8 + 0.5 + 0.0 + 0.0, abs=1e-11)


def test_sums_of_a_batch_do_not_depend_on_the_order():
    rng = np.random.default_rng(4)
    outcomes = rng.random(1000)
    queries = rng.normal(0.0, 0.5, (1000, 3))
    order = rng.permutation(1000)
    one, other = (play(sums(size=1000), outcomes[o], queries[o]) for o in (np.arange(1000), order))
    assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    "bad", [np.array([math.nan, 0.0, 0.0]), np.array([math.inf, 0.0, 0.0]), np.zeros(2)]
)
def test_a_bad_query_is_refused_before_anything_is_added(bad):
    channel = sums()
    with pytest.raises(
        DiscreetError,
        match=r"query has (an entry that is not|2 entries, but the channel expects 3)",
    ):
        channel.offer(0.3, bad, np.random.default_rng(0))
    assert not channel.held.any()
    assert channel.seen[0] == 0


# dimension, rounds, width, radius; Laplace, spherical, Gaussian, deviation of a sum with buffers
GOLDEN = [
    (10, 10**5, 1.0, 0.2, 1423.024947, 450.0, 633.701833, 612.200623),
    (10, 10**6, 1.0, 0.1, 3162.277660, 1000.0, 1335.960767, 1381.298386),
    (4, 10**4, 2.4, 0.2, 672.0, 336.0, 536.517586, 512.695378),
]


@pytest.mark.parametrize(
    ("dimension", "rounds", "width", "radius", *("laplace", "spherical", "gaussian", "blt")), GOLDEN
)
def test_golden_noise(dimension, rounds, width, radius, laplace, spherical, gaussian, blt):
    """In units of the gradients: a sum is multiplied by dimension / radius."""

    def noise(kind, name):
        channel = GradientSums.calibrated(
            kind,
            size=math.isqrt(rounds),
            dimension=dimension,
            rounds=rounds,
            bounds=Range(0.0, width),
            noise=name,
            epsilon=1.0,
            delta=1e-6,
        )
        assert channel.guarantee.epsilon == pytest.approx(1.0, rel=1e-9)
        assert "Sums of gradients" in channel.guarantee.source
        return channel.noise_scales[
            0
        ].scale * dimension / radius, channel.running.factorisation.noise_spread().most

    assert noise(Tree, "laplace")[0] == pytest.approx(laplace, rel=1e-9)
    assert noise(Tree, "spherical")[0] == pytest.approx(spherical, rel=1e-9)
    assert noise(Tree, "gaussian")[0] == pytest.approx(gaussian, rel=1e-8)
    scale, most = noise(Buffered, "gaussian")
    assert scale * most == pytest.approx(blt, rel=1e-6)


def test_golden_noise_on_reports():
    """Two points 0.02 apart, slope 1: differences from -0.02 to 0.02."""
    reach = Range(-0.02, 0.02)
    scales = {
        name: report_noise(name, bounds=reach, epsilon=1.0, delta=1e-6).scale
        for name in ("laplace", "gaussian", "response")
    }
    assert scales == pytest.approx(
        {"laplace": 0.04, "gaussian": 0.16898716, "response": 0.04327907}, rel=1e-6
    )
    response = report_noise("response", bounds=UNIT, epsilon=1.0, delta=0.0)
    assert isinstance(response, RandomisedResponse)
    assert response.scale == pytest.approx(1.0819767, rel=1e-7)
    with pytest.raises(DiscreetError, match="noise is gaussian, but delta is 0"):
        report_noise("gaussian", bounds=UNIT, epsilon=1.0, delta=0.0)
    with pytest.raises(DiscreetError, match="unknown noise 'lapace'"):
        report_noise("lapace", bounds=UNIT, epsilon=1.0, delta=0.0)


@pytest.mark.parametrize("name", ["laplace", "gaussian", "response"])
def test_the_mean_square_around_the_middle_is_the_real_one(name):
    """200,000 noisy ends of a range, within 2 %: at least four standard errors; fixed seed."""
    bounds, rng = Range(-1.0, 3.0), np.random.default_rng(8)
    noise = report_noise(name, bounds=bounds, epsilon=0.8, delta=1e-6)
    squares = [(noise.add_noise(3.0, rng) - 1.0) ** 2 for _ in range(200_000)]
    assert np.mean(squares) == pytest.approx(noise.square_around_middle(4.0), rel=0.02)
    assert noise.is_bounded == (name == "response")


def test_a_difference_moves_by_the_width_of_its_range_and_keeps_its_guarantee():
    bounds = Range(-0.5, 0.5)
    silent = PerDifference(bounds, Laplace(0.0))
    ends = [
        silent.offer(np.array(pair), 1.0, np.random.default_rng(0))[1]
        for pair in ([9.0, 0.0], [0.0, 9.0])
    ]
    assert ends == [1.0, 0.0]
    for noise in (
        Laplace(0.5),
        Gaussian(gaussian_sigma(2.0, 1e-6), 1e-6),
        RandomisedResponse(bounds, 2.0),
    ):
        found = PerDifference(bounds, noise).guarantee
        assert found.model == "local"
        assert found.epsilon == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_live_sums_have_exact_noise_and_the_same_guarantee(name):
    """Noise of 60 live runs is in whole steps, its deviation within 40 %: 4 standard errors."""
    channel = GradientSums.calibrated(
        Tree, size=2, dimension=3, rounds=8, bounds=UNIT, noise=name, epsilon=1.0, delta=1e-6
    )
    live = channel.live()
    assert live.guarantee.epsilon <= 1.0
    assert live.noise_scales[0].exact
    assert live.noise_scales[0].scale == pytest.approx(channel.noise_scales[0].scale, rel=1e-6)
    with pytest.raises(DiscreetError, match="this live channel holds raw feedback"):
        [live.offer(0.5, np.eye(3)[0], None) for _ in range(2)]
    released = []
    for _ in range(60):
        run = unsealed(channel.live())
        run.offer(0.5, np.eye(3)[0], None)
        released.append(run.offer(0.5, np.eye(3)[1], None)[1].copy())
    with pytest.raises(
        DiscreetError, match="this live running sum has seen 1 round, but can be copied"
    ):
        run._replace(size=3)
    with pytest.raises(
        DiscreetError, match="this live running sum has seen 1 round, but can be copied"
    ):
        componentjit.copy(run)
    steps = np.array(released) / live.running.noise.step
    assert np.array_equal(steps, np.rint(steps))
    assert np.std(released) == pytest.approx(channel.running.noise.deviation(3), rel=0.4)


def test_spherical_noise_is_refused_live():
    channel = GradientSums.calibrated(
        Tree, size=2, dimension=3, rounds=8, bounds=UNIT, noise="spherical", epsilon=1.0
    )
    with pytest.raises(DiscreetError, match="spherical noise cannot be drawn exactly"):
        channel.live()
