"""Learners that choose their batch lengths agree with slow, independent implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from discreet.checks import check_learner
from discreet.learners import (
    AdapKlUcb,
    AdaptiveTsallisInf,
    BatchedUcb,
    DpImed,
    DpKlUcb,
    DpSuccessiveElimination,
    TrackingUcb,
)
from discreet.learners.arms.holding import Hold
from discreet.learners.arms.private_indices import private_divergence, private_upper
from discreet.learners.arms.radius import Windows, batch_weight, radius
from discreet.learners.arms.tracking_ucb import SPREAD, CheckedHold
from discreet.learners.arms.ucb import divergence

MEANS = np.array([0.5, 0.62, 0.4, 0.55])


def releases(seed, epsilon):
    """Return a function that draws noisy mean losses of batches; gains are Bernoulli, ``MEANS``."""
    rng = np.random.default_rng(seed)
    return lambda arm, rounds: (
        1.0 - (rng.binomial(rounds, MEANS[arm]) + rng.laplace() / epsilon) / rounds
    )


def replay(learner, batches, epsilon):
    """Return the arms and lengths that a learner plays."""
    hear, rng, played = releases(3, epsilon), np.random.default_rng(0), []
    for _ in range(batches):
        arm, trace = learner.act(0, rng)
        learner.learn(trace, hear(arm, trace.rounds))
        played.append((arm, learner.patience(trace)))
    return played


def slow_index(name, heard, arm, epsilon, first):
    """Return an arm's index from the list of all its releases (rounds, gain), as in the papers."""
    t = sum(b for each in heard for b, _ in each)
    own = heard[arm]
    n = sum(b for b, _ in own)
    mean = min(max(sum(b * y for b, y in own) / n, 0.0), 1.0)

    def d(x, y):
        if x >= y:
            return 0.0
        z = optimize.minimize_scalar(
            lambda z: epsilon * abs(z - x) + divergence(z, y), bounds=(0, 1), method="bounded"
        )
        return min(float(z.fun), divergence(x, y))

    def largest(inside, low):
        high = 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if middle < 1.0 and inside(middle) else (low, middle)
        return low

    if name == "batched-ucb":
        weights = np.array([b * b / (b / 4 + 2 / epsilon**2) for b, _ in own])
        weights /= weights.sum()
        lengths = np.array([b for b, _ in own])
        scales = weights / (epsilon * lengths)
        beta, widest = 0.7 * math.log(max(3.0, t / first)), scales.max()

        def tail(x):
            a = x / widest
            gauss = a * a * (weights**2 / (4 * lengths)).sum() / 2
            return (beta + gauss - (scales**2).sum() / widest**2 * math.log1p(-x * x)) / a

        least = optimize.minimize_scalar(
            tail, bounds=(1e-6, 1 - 1e-9), method="bounded", options={"xatol": 1e-10}
        )
        return sum(w * y for w, (_, y) in zip(weights, own, strict=True)) + float(least.fun)
    if name == "dp-klucb":
        return largest(lambda q: n * d(mean, q) <= math.log(t + 1), mean)
    if name == "dp-imed":
        best = max(
            min(max(sum(b * y for b, y in each) / sum(b for b, _ in each), 0.0), 1.0)
            for each in heard
        )
        return -n * d(mean, min(best, 1 - 1e-9)) - math.log(n)
    last, gain = own[-1]
    x = min(max(gain + math.log(t + 1) / (epsilon * last), 0.0), 1.0)
    return largest(lambda q: last * divergence(x, q) <= math.log(t + 1), x)


@pytest.mark.parametrize("epsilon", [1.0, 0.2])
@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("batched-ucb", BatchedUcb),
        ("dp-klucb", DpKlUcb),
        ("dp-imed", DpImed),
        ("adap-klucb", AdapKlUcb),
    ],
)
def test_indices_are_those_of_the_papers(name, start, epsilon):
    """The same arms and lengths as from the definitions, computed from lists of releases."""
    first = 1 if name == "adap-klucb" else math.ceil(1 / epsilon)
    options = {"epsilon": epsilon} if name != "batched-ucb" else {"noise": 1 / epsilon}
    learner = start.start(arms=4, **options, **({} if name == "adap-klucb" else {"first": first}))
    hear, heard, expected = releases(3, epsilon), [[] for _ in MEANS], []
    growth, ties = 1.0 if name == "adap-klucb" else 0.5, np.random.default_rng(0)
    for _ in range(26):
        drawn = ties.random()
        fresh = [i for i in range(4) if not heard[i]]
        if fresh:  # in an order that is drawn at random
            arm = fresh[int(drawn * len(fresh))]
        else:
            order = (
                int(drawn * 4) + np.arange(4)
            ) % 4  # of equal indices the first from a random arm on
            indices = np.array(
                [slow_index(name, heard, i, epsilon, first) for i in range(4)]
            ).round(9)
            arm = int(order[np.argmax(indices[order])])
        rounds = max(first, math.ceil(growth * sum(b for b, _ in heard[arm])))
        heard[arm].append((rounds, 1.0 - hear(arm, rounds)))
        expected.append((arm, rounds))
    assert replay(learner, 26, epsilon) == expected


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0])
def test_the_private_divergence_is_the_least_over_all_ways(epsilon):
    """No z on a fine grid is below it, and one reaches it; the upper bound is its inverse."""
    grid = np.linspace(1e-9, 1 - 1e-9, 501)
    for x, y in np.random.default_rng(1).uniform(0.01, 0.99, (40, 2)):
        values = epsilon * np.abs(grid - x) + np.array([divergence(z, y) for z in grid])
        found = private_divergence(x, y, epsilon)
        if x < y:
            assert found <= min(values.min(), divergence(x, y)) + 1e-12
            assert found == pytest.approx(min(values.min(), divergence(x, y)), abs=2e-3)
        else:
            assert found == 0.0
        upper = private_upper(x, 0.02, epsilon)
        assert upper == 1.0 or private_divergence(x, upper, epsilon) == pytest.approx(
            0.02, rel=1e-6
        )


def test_the_radius_covers_what_it_says():
    """Tails of weighted noisy means are below exp(-β); 200,000 draws, false alarm below 1e-6."""
    rng, noise, draws = np.random.default_rng(2), 2.0, 200_000
    for lengths in ([2, 2, 3], [1, 1, 1, 40], [3, 9, 27, 81]):
        weights = np.array([batch_weight(float(b), noise) for b in lengths])
        scales = weights * noise / lengths
        mean = sum(
            w * ((rng.binomial(b, 0.5, draws) + noise * rng.laplace(size=draws)) / b - 0.5)
            for w, b in zip(weights, lengths, strict=True)
        )
        for beta in (0.5, 2.0, 4.0):
            allowed = radius(weights.sum(), (scales**2).sum(), scales.max(), beta)
            share = float((mean / weights.sum() > allowed).mean())
            assert share <= math.exp(-beta) + 5 * math.sqrt(math.exp(-beta) / draws)
            assert share >= math.exp(-beta) / 60, "it is not far too wide"


def test_no_arm_is_favoured_where_indices_are_equal():
    """Each of 4 arms is expected 100 times of 400, deviation 8.7: a false alarm below 1e-5."""
    learner = AdapKlUcb.start(arms=4, epsilon=1e-3)
    for arm in range(4):
        learner.learn(Hold(arm, 1, 1.0), 0.5)
    rng = np.random.default_rng(1)
    counts = np.bincount([learner.act(0, rng)[0] for _ in range(400)], minlength=4)
    assert (abs(counts - 100) < 45).all()


def test_elimination_begins_with_any_arm():
    """Each of 4 arms is expected 50 times of 200, deviation 6.1: a false alarm below 1e-5."""
    rng = np.random.default_rng(1)
    firsts = [
        DpSuccessiveElimination.start(arms=4, epsilon=1e-3, failure=0.01).act(0, rng)[0]
        for _ in range(200)
    ]
    assert (abs(np.bincount(firsts, minlength=4) - 50) < 30).all()


class TestWindows:
    def test_sums_are_those_of_all_releases(self):
        windows, rng, kept = Windows.empty(2, 3.0), np.random.default_rng(1), []
        for step in range(500):
            rounds, gain = int(rng.integers(1, 50)), float(rng.random())
            windows.enter(1, rounds, gain)
            kept.append((rounds, gain))
            assert windows.sizes[1] <= 2 * math.log2(step + 2) + 1
            assert windows.last_gain(1) == pytest.approx(gain)
        weights = np.array([batch_weight(float(b), 3.0) for b, _ in kept])
        gains = np.array([y for _, y in kept])
        assert windows.length(1) == sum(b for b, _ in kept)
        assert windows.mean_gain(1) == pytest.approx(
            (weights * gains).sum() / weights.sum(), rel=1e-12
        )
        assert windows.sizes[0] == 0.0

    def test_a_change_is_found_and_what_is_older_is_forgotten(self):
        windows, rng = Windows.empty(1, 1.0), np.random.default_rng(1)
        for _ in range(60):
            windows.enter(0, 50, float(rng.binomial(50, 0.5) + rng.laplace()) / 50)
            assert windows.cut(0, 9.0, 14.0) == 0
        cuts = []
        for _ in range(12):
            windows.enter(0, 50, float(rng.binomial(50, 0.9) + rng.laplace()) / 50)
            cuts.append(windows.cut(0, 9.0, 14.0))
        assert sum(cuts) > 0
        assert windows.length(0) <= 50 * 12
        assert windows.mean_gain(0) == pytest.approx(0.9, abs=0.06)

    def test_false_alarms_are_rare(self):
        """At confidence 9, about 2,400 tests fail with 2 exp(-9) each: 3 alarms are too many."""
        windows, rng, alarms = Windows.empty(1, 2.0), np.random.default_rng(5), 0
        for _ in range(400):
            windows.enter(0, 20, float(rng.binomial(20, 0.5) + 2.0 * rng.laplace()) / 20)
            alarms += windows.cut(0, 9.0, 20.0) > 0
        assert alarms <= 2


class TestTracking:
    def test_arms_without_a_release_take_turns_when_outcomes_are_late(self):
        learner, rng = (
            TrackingUcb.start(arms=3, noise=1.0, first=2, rounds=1000, interval=0.1),
            np.random.default_rng(1),
        )
        played = [learner.act(0, rng)[0] for _ in range(9)]
        turns = [tuple(played[first : first + 3]) for first in (0, 3, 6)]
        assert all(sorted(turn) == [0, 1, 2] for turn in turns)
        assert len(set(turns)) > 1, "in an order that is drawn again for every turn"

    def test_it_finds_a_better_arm_and_notices_when_it_gets_worse(self):
        learner, rng = (
            TrackingUcb.start(arms=3, noise=1.0, first=1, rounds=20_000, interval=0.1),
            np.random.default_rng(1),
        )
        played, t = np.zeros((20_000, 3)), 0
        while t < 20_000:
            arm, trace = learner.act(0, rng)
            gains = (0.2, 0.8, 0.5) if t < 10_000 else (0.2, 0.3, 0.5)
            learner.learn(
                trace, 1.0 - (rng.binomial(trace.rounds, gains[arm]) + rng.laplace()) / trace.rounds
            )
            played[t : t + trace.rounds, arm] = 1.0
            t += trace.rounds
        assert played[2_000:10_000, 1].mean() > 0.9
        assert played[12_000:, 2].mean() > 0.85

    def test_every_other_arm_is_checked_within_the_interval(self):
        learner, rng = (
            TrackingUcb.start(arms=4, noise=1.0, first=1, rounds=30_000, interval=0.1),
            np.random.default_rng(1),
        )
        last, longest, t = np.zeros(4), 0.0, 0
        while t < 30_000:
            arm, trace = learner.act(0, rng)
            learner.learn(
                trace, 1.0 - (rng.binomial(trace.rounds, MEANS[arm]) + rng.laplace()) / trace.rounds
            )
            longest = max(longest, t - last[arm])
            t += trace.rounds
            last[arm] = t
        assert longest <= 1.3 * 3_000 + 2_000, "the interval, and a batch of the leader"
        assert longest > 1_000

    @pytest.mark.parametrize(("arms", "first"), [(3, 1), (8, 4)])
    def test_an_arm_is_played_by_its_confidence(self, arms, first):
        """The same arms as from the definitions, computed from lists of releases."""
        noise, rng, t = float(first), np.random.default_rng(1), 0
        learner = TrackingUcb.start(arms=arms, noise=noise, first=first, rounds=10**6, interval=1.0)
        heard, checks = [[] for _ in range(arms)], 0
        for _ in range(120):
            arm, trace = learner.act(0, rng)
            checks += trace.checks
            if all(heard) and not trace.checks:
                means, radii = np.zeros(arms), np.zeros(arms)
                for i, each in enumerate(heard):
                    lengths, gains = np.array(each).T
                    weights = lengths**2 / (lengths / 4 + 2 * noise**2)
                    scales = weights * noise / lengths
                    means[i] = (weights * np.clip(gains, -0.2, 1.2)).sum() / weights.sum()
                    beta = 0.5 * math.log(3 * max(1.0, t / lengths.sum()) * max(1.0, arms / 4))
                    beta *= learner.clock[SPREAD]
                    radii[i] = radius(weights.sum(), (scales**2).sum(), scales.max(), beta)
                # β is computed anew when it has changed by 0.05
                assert means[arm] + radii[arm] >= (means + radii).max() - 0.03 * radii.max()
                lead = (means - radii)[trace.rival]
                assert lead >= (means - radii).max() - 0.03 * radii.max()
            gain = (rng.binomial(trace.rounds, 0.5) + noise * rng.laplace()) / trace.rounds
            learner.learn(trace, 1.0 - gain)
            heard[arm].append((trace.rounds, gain))
            t += trace.rounds
        assert checks < 30
        lengths = [sum(n for n, _ in each) for each in heard]
        assert lengths == [learner.windows.length(i) for i in range(arms)], "nothing was forgotten"

    def test_losses_that_repeat_themselves_raise_the_spread(self):
        calm = TrackingUcb.start(arms=2, noise=1.0, first=1, rounds=10**6, interval=0.1)
        wild, rng = (
            TrackingUcb.start(arms=2, noise=1.0, first=1, rounds=10**6, interval=0.1),
            np.random.default_rng(1),
        )
        for step in range(400):
            trace = CheckedHold(step % 2, 16, 0, False, 1.0)
            calm.learn(trace, (rng.binomial(16, 0.5) + rng.laplace()) / 16)
            wild.learn(trace, (8 * rng.binomial(2, 0.5) + rng.laplace()) / 16)
        assert calm.clock[SPREAD] < 1.5
        assert wild.clock[SPREAD] > 2.5


def test_elimination_drops_arms_only_when_they_are_clearly_worse():
    learner, rng = (
        DpSuccessiveElimination.start(arms=4, epsilon=1.0, failure=1e-4),
        np.random.default_rng(1),
    )
    lengths = set()
    for _ in range(40):
        arm, trace = learner.act(0, rng)
        assert learner.left[arm] == 1.0
        lengths.add((trace.epoch, trace.rounds))
        learner.learn(
            trace, 1.0 - (rng.binomial(trace.rounds, MEANS[arm]) + rng.laplace()) / trace.rounds
        )
    assert learner.left.tolist() == [0.0, 1.0, 0.0, 0.0]
    log = math.log(4 * 4 / 1e-4)
    assert (1, math.floor(32 * (log + math.log(2)) * 4 + 1)) in lengths


def excess(shift, distances, eta):
    return (4 / (eta * (distances + shift)) ** 2).sum() - 1


def test_adaptive_tsallis_inf_is_its_pseudo_code():
    """Batches, baseline and lengths from the definitions, weights by bisection, same draws."""
    epsilon, arms, c, down, up, kappa, rounds = 0.5, 3, 5.0, 0.7, 0.4, 0.02, 50_000
    learner = AdaptiveTsallisInf.start(
        arms=arms, noise=1 / epsilon, rounds=rounds, rate=c, down=down, up=up, mix=kappa
    )
    noise, tau0 = 2 / epsilon**2, 2.83 / epsilon
    most = max(tau0, min(8 / epsilon**2, max(0.5 * math.sqrt(rounds / arms), 4 * tau0)))
    total, power, baseline, log_tau, t = np.zeros(arms), 0.0, 0.5, math.log(tau0), 0
    rng, same, hear = np.random.default_rng(1), np.random.default_rng(1), np.random.default_rng(2)
    for j in range(1, 300):
        tau = round(math.exp(log_tau))
        eta = c / math.sqrt(power + noise + tau * tau / 4)
        low, high = 2 / eta, 2 / eta * math.sqrt(arms)
        d = total - total.min()
        shift = optimize.brentq(excess, low * 0.999, high * 1.001, args=(d, eta), xtol=1e-13)
        mixed = min(0.5, kappa * math.sqrt(arms / j))
        q = (1 - mixed) * 4 / (eta * (d + shift)) ** 2 + mixed / arms
        arm = int(np.searchsorted(np.cumsum(q), same.random(), side="right"))
        played, trace = learner.act(0, rng)
        assert (played, trace.rounds) == (arm, tau)
        released = float((hear.binomial(tau, MEANS[arm]) + hear.laplace() / epsilon) / tau)
        learner.learn(trace, released)
        t += tau
        x = tau * (released - baseline)
        power += min(x * x, 16 * noise + tau * tau)
        total[arm] += (
            float(np.clip(x, -down * math.sqrt(q[arm]) / eta, up * math.sqrt(q[arm]) / eta))
            / q[arm]
        )
        step = max(1 / (j + 12 * (1 / (4 * tau) + noise / tau**2)), 0.05)
        baseline = min(max(baseline + step * (released - baseline), 0.0), 1.0)
        log_tau += 0.05 * max(2 - x * x / noise, -20)
        log_tau = min(max(log_tau, math.log(tau0)), math.log(max(tau0, min(most, 0.1 * t / arms))))
    np.testing.assert_allclose(learner.losses, total, rtol=1e-6)


@pytest.mark.parametrize(
    "learner",
    [
        AdaptiveTsallisInf,
        BatchedUcb,
        DpKlUcb,
        DpImed,
        AdapKlUcb,
        DpSuccessiveElimination,
        TrackingUcb,
    ],
)
def test_lengths_stay_whole_numbers_that_fit(learner):
    check_learner(learner.example())
    one, rng = learner.example(), np.random.default_rng(1)
    for _ in range(3_000):
        _, trace = one.act(0, rng)
        assert 1 <= one.patience(trace) <= 2**40
        one.learn(trace, 0.3)
