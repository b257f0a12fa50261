"""Semi-bandits: chances of items, bits of a slate, their privacy, and regret below the bounds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from common import in_full

from discreet import DiscreetError, Private, algorithm, audit, simulate
from discreet.algorithms import Setting
from discreet.channels import OpenSlate, SlateBits
from discreet.checks import check_environment, check_private
from discreet.environments import environment
from discreet.learners import SlateFtrl
from discreet.problems import SemiBandit
from discreet.ranges import make_range

UNIT = make_range()


def chances_of(sums, shown, rate):
    learner = SlateFtrl.start(items=len(sums), shown=shown, learning_rate=rate)
    learner.sums[:] = sums
    learner.find_chances()
    return learner.chances.copy()


@pytest.mark.parametrize("shown", [1, 2, 4])
def test_chances_are_the_leader_over_all_slates(shown):
    """They are feasible, and satisfy the conditions of optimality: one level for all below 1."""
    rng = np.random.default_rng(4)
    for scale in (0.1, 1.0, 30.0, 1e6):
        sums = scale * rng.random(5)
        found = chances_of(sums, shown, 0.7)
        assert found.sum() == pytest.approx(shown)
        assert np.all((found >= 0.0) & (found <= 1.0 + 1e-12))
        slope = 0.7 * sums + np.log(np.maximum(found, 1e-300))
        inside = (found < 1.0 - 1e-9) & (found > 1e-250)
        if inside.any():
            level = slope[inside]
            assert np.ptp(level) < 1e-6 * (1.0 + 0.7 * scale)
            assert np.all(slope[found >= 1.0 - 1e-9] <= level.max() + 1e-6 * (1.0 + scale))


def test_items_are_shown_with_their_chances():
    """Over a fine grid of the one uniform number, shares differ from chances by the grid only."""
    learner = SlateFtrl.start(items=6, shown=3, learning_rate=1.0)
    learner.sums[:] = [0.0, 3.0, 0.5, 0.4, 0.1, 2.0]
    learner.find_chances()
    counts, steps = np.zeros(6), 20_000
    for step in range(steps):
        learner.draw_items((step + 0.5) / steps)
        assert len(set(learner.items.tolist())) == 3
        counts[learner.items] += 1
    assert np.abs(counts / steps - learner.chances).max() < 2.0 / steps


@pytest.mark.parametrize("reports", [1, 2, 3])
def test_estimates_are_unbiased_and_their_second_moment_is_that_of_the_proof(reports):
    """E p ℓ̂² summed over items is N k / m times the squared loss; 20,000 draws, 4.5 errors."""
    learner = SlateFtrl.start(items=5, shown=3, learning_rate=0.5, reports=reports)
    losses, draws = np.array([1.0, 1.0, 0.5, 1.0, 0.2]), 20_000
    learner.sums[:] = [0.0, 1.0, 0.3, 0.2, 2.0]
    before, rng = learner.sums.copy(), np.random.default_rng(8)
    found = np.zeros((draws, 5))
    for row in found:
        items, trace = learner.act(None, rng)
        assert trace.asked.sum() == reports
        learner.learn(trace, losses[items])
        row[:] = learner.sums - before
        learner.sums[:] = before
    error = found.std(axis=0) / math.sqrt(draws)
    assert np.all(np.abs(found.mean(axis=0) - losses) <= 4.5 * error)
    moments = learner.chances * found**2
    deviation = moments.sum(axis=1).std() / math.sqrt(draws)
    wanted = 3.0 / reports * float((losses**2).sum())
    assert abs(moments.sum(axis=1).mean() - wanted) <= 4.5 * deviation


@pytest.mark.parametrize(("size", "reports"), [(1, 1), (2, 2), (3, 3)])
def test_all_bits_of_a_batch_change_by_at_most_epsilon(size, reports):
    """Enumerated: every pattern of bits, all sums of the others, all replaced losses in {0, 1}."""
    epsilon, shown = 0.8, 3
    bits = SlateBits.over(size=size, shown=shown, reports=reports, epsilon=epsilon, bounds=UNIT)
    lift, worst = bits.noise.lift, 0.0

    def likelihood(sums, pattern):
        ones = [(1.0 + lift * s) / (2.0 + lift * size) for s in sums]
        return math.prod(p if bit else 1.0 - p for p, bit in zip(ones, pattern, strict=True))

    cases = itertools.product(
        itertools.product(range(size), repeat=reports),
        itertools.product((0, 1), repeat=reports),
        itertools.product((0, 1), repeat=reports),
        itertools.product((0, 1), repeat=reports),
    )
    for others, one, other, pattern in cases:
        pair = [
            likelihood([a + b for a, b in zip(others, mine, strict=True)], pattern)
            for mine in (one, other)
        ]
        worst = max(worst, abs(math.log(pair[0] / pair[1])))
    assert worst <= bits.guarantee.epsilon * (1.0 + 1e-9)
    assert worst >= 0.999 * epsilon


def test_no_more_bits_are_released_than_are_paid_for():
    """A query may ask about all places: the first m count."""
    bits = SlateBits.over(size=1, shown=3, reports=2, epsilon=80.0, bounds=UNIT)
    ready, released = bits.offer(np.ones(3), np.ones(3), np.random.default_rng(0))
    assert ready
    assert released.tolist() == [1.0, 1.0, 0.0]


def test_bits_are_about_the_right_items():
    bits = SlateBits.over(size=3, shown=3, reports=3, epsilon=120.0, bounds=make_range(-1.0, 1.0))
    rng, query = np.random.default_rng(0), np.ones(3)
    for _ in range(2):
        assert not bits.offer(np.array([-1.0, 1.0, -5.0]), query, rng)[0]
    assert bits.rounds_seen() == 2
    ready, released = bits.offer(np.array([-1.0, 1.0, -5.0]), query, rng)
    assert (ready, released.tolist()) == (True, [0.0, 1.0, 0.0])
    assert bits.rounds_seen() == 0


@pytest.mark.parametrize(("epsilon", "reports"), [in_full(1.0, 1), (2.0, 2)])
@pytest.mark.long
def test_audits_find_most_of_epsilon(epsilon, reports):
    setting = Setting(SemiBandit(4, 2), rounds=1000, epsilon=epsilon)
    options = {"reports": reports, "batch_size": 2}
    found = audit("private-slate-ftrl", setting=setting, trials=60_000, seed=3, **options)
    assert not found.violated
    assert found.lower_bound > 0.9 * epsilon


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 12.0])
def test_regret_is_below_the_bound_and_few_bits_are_best_for_small_epsilons(epsilon):
    """The seed is fixed; the mean of 4 trials is less than a third of the bound."""
    names = ["private-slate-ftrl", "slate-ftrl"]
    found = simulate(
        names, items=6, shown=2, rounds=4096, trials=4, epsilon=epsilon, seed=1,
        options={"gap": 0.2},
    )  # fmt: skip
    for row in found.summary():
        assert 0.0 < row["regret_mean"] < row["regret_bound"] / 3.0
    setting = Setting(SemiBandit(10, 3), rounds=2**16, epsilon=epsilon)
    assert algorithm(names[0]).build(setting).parameters["reports"] == (3 if epsilon > 8.0 else 1)


def test_with_a_large_epsilon_it_is_the_algorithm_without_privacy():
    setting = Setting(SemiBandit(10, 3), rounds=2**16, epsilon=120.0)
    private, ordinary = (
        algorithm(name).build(setting) for name in ("private-slate-ftrl", "slate-ftrl")
    )
    assert private.regret_bound == pytest.approx(ordinary.regret_bound, rel=1e-6)
    assert ordinary.regret_bound == pytest.approx(
        math.sqrt(2.0 * 3 * 10 * 2**16 * math.log(10 / 3))
    )


@pytest.mark.long
def test_what_is_played_keeps_its_contracts():
    for name in ("slate-ftrl", "private-slate-ftrl"):
        private = algorithm(name).build(Setting(SemiBandit(5, 2), rounds=200)).private
        check_private(private, environment("stochastic", SemiBandit(5, 2), rounds=200))
    check_environment(environment("drifting", SemiBandit(5, 2), rounds=60))
    open_slate = Private(
        OpenSlate.over(shown=2, bounds=UNIT), SlateFtrl.start(items=5, shown=2, learning_rate=0.1)
    )
    assert not open_slate.guarantee.is_private


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: SemiBandit(3, 3), "shown is 3, but must be less than the number of items, 3"),
        (
            lambda: SlateFtrl.start(items=3, shown=3, learning_rate=0.1),
            "must be less than the number of items",
        ),
        (
            lambda: SlateBits.over(size=1, shown=2, reports=3, epsilon=1.0, bounds=UNIT),
            "reports is 3, which is too large: at most 2",
        ),
        (
            lambda: simulate("slate-ftrl", losses=np.zeros((9, 3))),
            "has 3 losses per round, but slates of 3 need more items",
        ),
    ],
)
def test_what_is_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()
