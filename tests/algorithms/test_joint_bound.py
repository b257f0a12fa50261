"""The proved bound of LinUCB at a trusted server: golden numbers, and what its proof rests on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import Setting, algorithm
from discreet.algorithms.contexts.joint_bound import fit_gap, rare, sums_regret, sums_schedule
from discreet.algorithms.contexts.widths import FAILURE, Deviations
from discreet.contracts import Record
from discreet.problems import Contexts


def built(features, rounds, **options):
    setting = Setting(Contexts(10, features), rounds=rounds, epsilon=1.0, delta=1e-6)
    return algorithm("joint-linucb").build(setting, constants="theory", **options)


def test_the_bound_says_something_at_two_to_the_eighteen():
    """Uniform play can have 0.9 T."""
    found = built(10, 2**18)
    assert found.confident_bound.regret / 2**18 == pytest.approx(0.70, abs=0.01)
    assert found.confident_bound.failure == 0.05
    assert found.regret_bound is None
    assert "Linear rewards at a trusted server" in found.bound_source


def test_the_bound_is_what_the_document_says():
    """Computed once more, round by round, with noise that grows and gaps that differ."""
    times = np.array([3, 10, 30, 70, 100])
    noise = Deviations(np.linspace(2.0, 3.0, 5), np.linspace(1.0, 2.0, 5))
    schedule, d, rounds = sums_schedule(4, times, noise), 4, 120
    s = math.sqrt(2.0 * math.log(4.0 * 5 / FAILURE))
    assert rare(5) == pytest.approx(s)
    first, total = 2.0 * (math.sqrt(8.0) + s), 0.0
    for t in range(times[0] + 1, rounds + 1):
        k = int(np.searchsorted(times, t)) - 1
        upsilon = noise.matrix[k] * (math.sqrt(2.0 * d) + s)
        width = (
            math.sqrt(2.0 * math.log(4.0 / FAILURE) + d * math.log(1.0 + times[k] / (d * first)))
            + math.sqrt(2.0 * upsilon + noise.matrix[k] * s)
            + noise.vector[k] * (math.sqrt(d) + s) / math.sqrt(upsilon)
        )
        last = rounds if k == 4 else times[k + 1]
        total += width**2 * (1.0 + (last - times[k] - 1) / upsilon)
        assert schedule.widths[k] == pytest.approx(width)
        assert schedule.shifts[k] == pytest.approx(2.0 * upsilon)
    a = 1.0 / (first * math.log1p(1.0 / first))
    expected = times[0] + math.sqrt(total * a * d * math.log1p(rounds / (d * first)))
    found = sums_regret(d, rounds, schedule, 2.0, "any")
    assert found.regret == pytest.approx(2.0 * expected)


def test_fits_are_fresh_and_never_too_many():
    assert fit_gap(10, 2**18, 8.96) == 33
    assert 2**40 / fit_gap(10, 2**40, 8.96) <= 50_000
    times = built(10, 2**14).private.channel.times
    assert (np.diff(times) == times[0]).all()
    rarely = built(10, 2**14, growth=1.5, first=50).confident_bound.regret
    assert rarely > built(10, 2**14).confident_bound.regret


@pytest.mark.parametrize("options", [{"shift": 1.0}, {"block": 1}, {"reach": 0.1}])
def test_nothing_is_stated_for_other_constants(options):
    assert built(10, 1000, **options).confident_bound is None


@pytest.mark.parametrize("rounds", [2, 5, 40])
def test_short_games_have_a_bound_too(rounds):
    assert built(3, rounds).confident_bound.regret >= rounds


def test_the_model_is_within_its_width():
    """2 runs, 4 features: with the probability 0.95 each, and in fact at most 0.6 of the width."""
    rounds, size, worst = 800, 4, 0.0
    for seed in range(2):
        private = built(size, rounds).private
        rng = np.random.default_rng(seed)
        theta = rng.standard_normal(size)
        theta /= np.linalg.norm(theta)
        for _ in range(rounds - 1):
            x = rng.standard_normal((3, size)) / 2.0
            x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
            arm, trace = private.act(x, rng)
            gain = float(rng.random() < 0.5 + 0.5 * float(x[arm] @ theta))
            private.tell(trace, Record(x[arm], 1.0 - gain), rng)
        server = private.learner
        fit = int(server.counts[1]) - 1
        lower = np.tril(server.matrix)
        shifted = lower + np.tril(lower, -1).T + server.schedule.shifts[fit] * np.eye(size)
        error = server.model.estimate - theta
        worst = max(worst, float(np.sqrt(error @ shifted @ error) / server.schedule.widths[fit]))
    assert 0.1 < worst < 1.0
