"""A guarantee is a value that never promises more than it should."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet import DiscreetError, Guarantee
from discreet.guarantee import stated
from discreet.mechanisms import Laplace


def test_group_privacy_multiplies_epsilon_and_grows_delta():
    one = Guarantee(epsilon=0.5, delta=1e-6, model="central", status="proved", source="test")
    three = one.for_user(rounds=3)
    assert three.epsilon == 1.5
    assert three.delta == pytest.approx(1e-6 * (1 + math.exp(0.5) + math.exp(1.0)))
    assert three.unit == "3 rounds replaced"
    assert one.for_user(rounds=1) is one
    with pytest.raises(DiscreetError, match="rounds is 0, but must be a whole number of at least 1"):
        one.for_user(rounds=0)


def test_no_guarantee_is_not_private_and_survives_json():
    none = Guarantee.none("feedback passes")
    assert not none.is_private
    assert str(none) == "no privacy (feedback passes)"
    assert json.loads(json.dumps(none.as_dict(), allow_nan=False))["epsilon"] is None
    assert none.for_user(rounds=9) is none


@pytest.mark.parametrize(("epsilon", "delta"), [(-1.0, 0.0), (math.nan, 0.0), (1.0, -0.1), (1.0, 1.1), (1.0, math.nan)])
def test_impossible_numbers_are_refused(epsilon, delta):
    with pytest.raises(DiscreetError, match="but must be"):
        Guarantee(epsilon=epsilon, delta=delta, model="central", status="proved", source="test")


@given(some.floats(1e-9, 1e9))
def test_what_is_stated_is_never_smaller_and_hardly_larger(epsilon):
    assert epsilon <= stated(epsilon) <= epsilon * (1 + 2e-11)


@given(some.floats(1e-6, 1e6), some.floats(1e-6, 1e6))
def test_calibration_rounds_towards_more_privacy(sensitivity, epsilon):
    mechanism = Laplace.calibrate(sensitivity=sensitivity, epsilon=epsilon)
    assert sensitivity / mechanism.scale <= epsilon
    promise = mechanism.guarantee(sensitivity, model="central", source="test")
    assert sensitivity / mechanism.scale <= promise.epsilon <= epsilon * (1 + 2e-11)
    assert mechanism.scale <= sensitivity / epsilon * (1 + 1e-15)


def test_no_noise_promises_nothing():
    assert not Laplace(0.0).guarantee(1.0, model="central", source="test").is_private
