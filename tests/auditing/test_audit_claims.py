"""What an audit takes: claims without a curve, releases that are not numbers, and attacks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import DiscreetError, Guarantee, Private, Range, audit
from discreet.auditing import attacked
from discreet.channels import PerRound
from discreet.learners import Exp3
from discreet.mechanisms import Gaussian

UNIT = Range(0.0, 1.0)


@pytest.mark.parametrize("other", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("chance", [0.001, 0.2])
def test_what_is_no_number_hides_nothing(other, chance):
    """Neither the values that are one, nor that it occurs for one input only."""
    rng = np.random.default_rng(0)

    def sampled(world, trials, series, shift=1.0):
        values = rng.laplace(0.0, 0.1, trials) + shift * world
        values[rng.random(trials) < chance] = other
        return values

    def only_in_one(world, trials, series):
        return sampled(world, trials, series, shift=0.0) if world else rng.random(trials)

    for sample, least in ((sampled, 4.0), (only_in_one, 4.0 if chance > 0.1 else 2.0)):
        assert attacked(sample, 20_000, delta=0.0, gaussian=False) > least


class NotGaussian(Gaussian):
    """Laplace noise of scale 1, in a class whose curve is another one."""

    def add_noise(self, value, rng):
        return value + rng.laplace(0.0, 1.0)


def test_a_true_claim_without_a_curve_is_judged_without_one():
    """(1, 0) implies (1, 1e-5), but no Gaussian curve; errs in 1 % of seeds."""
    noise = NotGaussian._make(Gaussian.calibrate(sensitivity=1.0, epsilon=1.0, delta=1e-5))
    private = Private(PerRound(UNIT, noise), Exp3.start(arms=2, learning_rate=0.1))
    claim = Guarantee(epsilon=1.0, delta=1e-5, model="local", status="proved", source="Laplace")
    assert not audit(private, claimed=claim, trials=20_000).violated
    assert audit(private, trials=20_000).violated


@pytest.mark.parametrize("attack", [5, 0, "", [], "raw"])
def test_what_is_no_attack_is_refused(attack):
    with pytest.raises(DiscreetError, match="but must be an Attack"):
        audit("batched-exp3", attack=attack)
