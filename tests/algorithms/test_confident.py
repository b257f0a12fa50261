"""Bounds that hold with a stated probability, and bounds on responses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import Setting, algorithm
from discreet.problems import Arms
from discreet.simulation import Contender, simulate

GOLDEN = Setting(Arms(10), rounds=2**16, epsilon=1.0)


def printed_bound(arms, rounds, failure):
    """Neu's bound, from the paper."""
    log = math.log(arms)
    return 2.0 * math.sqrt(2.0 * arms * rounds * log) + (
        math.sqrt(2.0 * arms * rounds / log) + 1.0
    ) * math.log(2.0 / failure)


def test_golden_bound_of_exp3_ix_on_responses():
    """K = 10, T = 2^16, ε = 1, α = 0.05: 16,038 by the printed bound; ours is smaller."""
    a, alpha = math.tanh(0.5), 0.05
    hindsight = math.sqrt(2**16 * math.log(2 * 10 / alpha))
    assert (printed_bound(10, 2**16, alpha / 2) + hindsight) / a == pytest.approx(16_038, abs=1.0)
    found = algorithm("exp3-ix").build(GOLDEN, noise="response").confident_bound
    assert found.failure == alpha
    assert found.regret == pytest.approx(10_290, abs=5.0)


def test_without_privacy_it_is_the_expected_bound_and_a_term_of_the_failure():
    built = algorithm("exp3-ix").build(GOLDEN, failure=0.01)
    rate = math.sqrt(2.0 * math.log(10) / (10 * 2**16))
    more = math.log(2.0 / 0.01) * (1.0 / rate + 1.0)
    assert built.confident_bound.regret == pytest.approx(built.regret_bound + more)
    assert built.confident_bound.regret < printed_bound(10, 2**16, 0.01)
    wide = Setting(Arms(10), rounds=2**16, bounds=GOLDEN.bounds._replace(high=3.0))
    three = algorithm("exp3-ix").build(wide, failure=0.01).confident_bound.regret
    assert three == pytest.approx(3.0 * built.confident_bound.regret)


def test_the_bound_is_far_above_what_is_measured():
    """64 trials of 4,096 rounds; a correct bound fails in one trial of 20."""
    setting = Setting(Arms(4), rounds=4096, epsilon=1.0)
    player = Contender.named("exp3-ix", setting, noise="response")
    bound = algorithm("exp3-ix").build(setting, noise="response").confident_bound.regret
    found = simulate([player], problem=Arms(4), rounds=4096, trials=64, workers=1, seed=5)
    regret = np.asarray(found.measure.record.final[0])
    assert regret.shape == (64,)
    assert np.quantile(regret, 0.95) < bound


def test_bounds_on_responses_say_which_factor_they_have():
    for name in ("ucb", "kl-ucb"):
        assert "coth²(ε / 2)" in algorithm(name).build(noise="response").bound_source
    assert "coth(ε / 2)" in algorithm("exp3").build(noise="response").bound_source


@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-2])
def test_local_tsallis_inf_has_the_bound_of_tsallis_inf_on_responses(delta):
    setting = Setting(Arms(4), rounds=100_000, epsilon=1.0, delta=delta)
    same = algorithm("tsallis-inf").build(setting, noise="response")
    for options in ({}, {"noise": "response"}):
        found = algorithm("local-tsallis-inf").build(setting, **options)
        assert found.regret_bound == same.regret_bound
        assert found.guarantee == same.guarantee
