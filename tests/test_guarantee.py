"""A guarantee is a value that never promises more than it should."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet import DiscreetError, Guarantee, Ledger
from discreet.curves import Concentrated, GaussianNoise, LaplaceNoise, Pure
from discreet.errors import check_share
from discreet.guarantee import compose, round_up
from discreet.mechanisms import Laplace


def test_group_privacy_multiplies_epsilon_and_grows_delta():
    one = Guarantee(epsilon=0.5, delta=1e-6, model="central", status="proved", source="test")
    three = one.for_user(rounds=3)
    assert three.epsilon == 1.5
    assert three.delta == pytest.approx(1e-6 * (1 + math.exp(0.5) + math.exp(1.0)))
    assert three.unit == "3 rounds replaced"
    assert one.for_user(rounds=1) is one
    with pytest.raises(
        DiscreetError, match="rounds is 0, but must be a whole number of at least 1"
    ):
        one.for_user(rounds=0)


def test_no_guarantee_is_not_private_and_survives_json():
    none = Guarantee.none("feedback passes")
    assert not none.is_private
    assert str(none) == "no privacy (feedback passes)"
    assert json.loads(json.dumps(none.as_dict(), allow_nan=False))["epsilon"] is None
    assert none.for_user(rounds=9) is none


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(-1.0, 0.0), (math.nan, 0.0), (1.0, -0.1), (1.0, 1.1), (1.0, math.nan)]
)
def test_impossible_numbers_are_refused(epsilon, delta):
    with pytest.raises(DiscreetError, match="but must be"):
        Guarantee(epsilon=epsilon, delta=delta, model="central", status="proved", source="test")


@given(some.floats(1e-9, 1e9))
def test_what_is_stated_is_never_smaller_and_hardly_larger(epsilon):
    assert epsilon <= round_up(epsilon) <= epsilon * (1 + 2e-11)


@given(some.floats(1e-6, 1e6), some.floats(1e-6, 1e6))
def test_calibration_rounds_towards_more_privacy(sensitivity, epsilon):
    mechanism = Laplace.calibrate(sensitivity=sensitivity, epsilon=epsilon)
    assert sensitivity / mechanism.scale <= epsilon
    promise = mechanism.guarantee(sensitivity, model="central", source="test")
    assert sensitivity / mechanism.scale <= promise.epsilon <= epsilon * (1 + 2e-11)
    assert mechanism.scale <= sensitivity / epsilon * (1 + 1e-15)


def test_no_noise_promises_nothing():
    assert not Laplace(0.0).guarantee(1.0, model="central", source="test").is_private


def promise(epsilon=0.5, delta=0.0, **changes):
    return Guarantee(
        **{
            "epsilon": epsilon,
            "delta": delta,
            "model": "central",
            "status": "proved",
            "source": "T",
        }
        | changes
    )


def test_it_reads_as_a_sentence_that_says_all():
    text = str(promise())
    for part in (
        "0.5-differential privacy",
        "replacing the outcome of any one round by any other",
        "every action and the learner's whole state",
        "e^0.5 times as likely",
        "regardless of what else they know",
        "central model",
        "a person with m rounds has m times this epsilon",
        "proved: T",
    ):
        assert part in text
    assert "every single report" in str(promise(model="local"))
    assert "plus 1e-06" in str(promise(delta=1e-6))
    assert "replacing the outcomes of any 3 rounds" in str(promise().for_user(rounds=3))
    assert str(promise(caveat="not now")).endswith("; but not now")


def test_it_survives_json_with_its_curve():
    for curve in (LaplaceNoise(0.5), GaussianNoise(0.1, 1e-15), Concentrated(1e-3), None):
        delta = 0.0 if curve is None or isinstance(curve, LaplaceNoise) else 1e-6
        one = promise(delta=delta, curve=curve, seen="actions", caveat="no", rounds=3)
        assert Guarantee.from_dict(json.loads(json.dumps(one.as_dict()))) == one
    none = Guarantee.none("feedback passes")
    assert Guarantee.from_dict(none.as_dict()) == none
    with pytest.raises(DiscreetError, match="not a guarantee"):
        Guarantee.from_dict({"epsilon": 1})
    with pytest.raises(DiscreetError, match="not a guarantee"):
        Guarantee.from_dict(
            promise(curve=LaplaceNoise(0.5)).as_dict() | {"curve": {"kind": "other"}}
        )


def test_it_cannot_state_less_than_its_curve():
    with pytest.raises(DiscreetError, match="must be at least the curve's epsilon"):
        promise(0.4, curve=LaplaceNoise(0.5))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rounds": 0}, "rounds is 0"),
        ({"model": "banana"}, "model is 'banana', but must be one of central, local, joint, none"),
        ({"status": "sure"}, "status is 'sure'"),
        ({"epsilon": 0.0, "curve": Pure(1e-12)}, "at least the curve's epsilon"),
    ],
)
def test_forged_guarantees_are_refused(changes, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        promise(**changes)


@pytest.mark.parametrize("make", [Pure, LaplaceNoise, GaussianNoise, Concentrated])
@pytest.mark.parametrize("number", [-5.0, -5e-324, math.nan, -math.inf, None, "1"])
def test_no_curve_is_negative(make, number):
    with pytest.raises(DiscreetError, match="of the curve is"):
        make(number)
    name = next(iter(vars(make(1.0))))
    facts = Guarantee.of(make(0.1), delta=1e-6, model="central", source="T").as_dict()
    facts["curve"][name] = number
    with pytest.raises(DiscreetError, match=r"of the curve is|not a guarantee"):
        Guarantee.from_dict(facts)


def test_no_guarantee_is_negative():
    """However it is made: by hand, from a file, changed, composed or for a group."""
    for wrong in ({"epsilon": -1e-300}, {"delta": -1e-300}, {"epsilon": math.nan}):
        with pytest.raises(DiscreetError, match="must be between 0"):
            promise(**wrong)
        with pytest.raises(DiscreetError, match="must be between 0"):
            dataclasses.replace(promise(), **wrong)
        with pytest.raises(DiscreetError, match="not a guarantee"):
            Guarantee.from_dict(promise().as_dict() | wrong)
    with pytest.raises(DiscreetError, match="delta is -1, but must be between 0"):
        promise().at(delta=-1)
    with pytest.raises(DiscreetError, match="delta is -1, but must be between 0"):
        compose(promise(), delta=-1)


@pytest.mark.parametrize("epsilon", [1e155, 1e300, 1e308, 1.7976931348623157e308])
@pytest.mark.parametrize("delta", [0.0, 5e-324, 1e-6, 1.0])
def test_numbers_too_large_to_compute_with_are_no_privacy(epsilon, delta):
    """Nothing overflows, and what is too large is never stated as less."""
    large = promise(epsilon, delta=delta)
    assert large.is_private
    for made in (large.for_user(rounds=10**15), compose(large, large), large.repeated(10**15)):
        assert not made.is_private or made.epsilon >= epsilon
    for curve in (Pure(epsilon), GaussianNoise(epsilon), Concentrated(epsilon)):
        made = Guarantee.of(curve, delta=delta, model="central", source="T")
        assert not made.is_private or made.epsilon >= 0.0
        if made.is_private:
            more = made.for_user(rounds=3)
            assert not more.is_private or more.epsilon >= made.epsilon
            with contextlib.suppress(DiscreetError):  # the deltas may add up to more
                again = compose(made, times=2, delta=max(delta, 1e-9))
                assert not again.is_private or again.epsilon >= 0.0
    ledger = Ledger(1e200)
    with contextlib.suppress(DiscreetError):
        ledger.charge(large)
    assert ledger.spent.epsilon <= 1e200


def test_numbers_of_other_types_are_rounded_up():
    third = promise(Fraction(1, 3)).epsilon
    assert type(third) is float
    assert Fraction(third) >= Fraction(1, 3)
    assert promise(2**60 + 1).epsilon > 2**60


def test_comparison_is_a_partial_order():
    weak, strong = promise(1.0), promise(0.5)
    assert strong <= weak
    assert weak >= strong
    assert not weak <= strong
    assert weak <= weak
    assert promise(model="local") <= promise()
    assert not promise() <= promise(model="local")
    assert promise(delta=1e-9) <= promise(delta=1e-6)
    assert not promise(delta=1e-6) <= promise(delta=1e-9)
    assert promise(0.5).for_user(rounds=4) <= promise(2.0, rounds=4)
    assert promise(0.5) <= promise(2.0, rounds=4), "one round at 0.5 is four at 2"
    assert not promise(0.51) <= promise(2.0, rounds=4)
    assert promise() <= Guarantee.none("anything")
    assert not Guarantee.none("anything") <= promise()
    assert not promise(status="claimed by the paper only") <= promise()
    assert not promise(seen="actions") <= promise()
    assert not promise(caveat="simulation") <= promise()
    gaussian = Guarantee.of(GaussianNoise(0.2), delta=1e-6, model="central", source="T")
    assert not promise(gaussian.epsilon, 1e-6) <= gaussian, (
        "a pair alone says nothing about groups or other deltas"
    )
    assert gaussian <= promise(gaussian.epsilon, 1e-6)
    assert promise(curve=LaplaceNoise(0.5)) <= promise(curve=Pure(0.5))
    assert not promise() <= promise(curve=LaplaceNoise(0.5)), (
        "randomised response is worse than Laplace noise"
    )
    assert gaussian <= gaussian.at(delta=1e-3), "the curve knows it"
    assert gaussian.at(delta=1e-3) <= gaussian


def test_multiples_mean_the_decimals_that_are_printed():
    assert promise(0.1).for_user(rounds=3).epsilon == 0.3
    assert promise(0.2).repeated(3).epsilon == 0.6
    assert compose(promise(0.1), promise(0.2)).epsilon == 0.3


def test_another_delta_is_read_off_the_curve():
    gaussian = Guarantee.of(GaussianNoise(0.2), delta=1e-6, model="central", source="T")
    assert gaussian.at(delta=1e-3).epsilon < gaussian.epsilon
    assert gaussian.at(delta=1e-3).at(delta=1e-6).epsilon == gaussian.epsilon
    assert gaussian.rho == pytest.approx(0.02)
    assert promise().at(delta=1e-3).epsilon < 0.5
    assert promise().rho == pytest.approx(0.5 * math.tanh(0.25))
    with pytest.raises(DiscreetError, match="this guarantee needs at least 1e-06"):
        promise(delta=1e-6).at(delta=1e-9)


def test_composition_adds_up_or_is_tight():
    both = compose(promise(0.5, 1e-6), promise(0.25))
    assert (both.epsilon, both.delta) == (0.75, 1e-6)
    assert both.source == "basic composition of 2 releases (T)"
    tight = promise().repeated(50, delta=1e-6)
    assert tight.epsilon < 25.0
    assert tight.delta == 1e-6
    assert "50 releases" in tight.source
    assert compose(promise(), Guarantee.none("open")).status == "none"
    assert (
        compose(promise(), promise(status="claimed by the paper only")).status
        == "claimed by the paper only"
    )
    assert compose(promise(model="local"), promise(model="local")).model == "local"
    assert compose(promise(caveat="a"), promise(caveat="b")).caveat == "a; b"
    with pytest.raises(DiscreetError, match="same number of rounds"):
        compose(promise(), promise(rounds=2))
    with pytest.raises(DiscreetError, match="at least one guarantee"):
        compose()
    with pytest.raises(DiscreetError, match="these releases need a larger delta"):
        promise(delta=1e-6).repeated(3, delta=1e-9)


def test_comparisons_and_groups_are_rounded_towards_more_loss():
    def pair(epsilon, delta):
        return Guarantee(
            epsilon=epsilon, delta=delta, model="central", status="proved", source="a theorem"
        )

    assert pair(1.0, 0.0) <= pair(1.0, 0.0)
    assert not pair(1.0, 0.0) <= pair(math.nextafter(1.0, 0.0), 0.0)
    assert not pair(1.0, 1e-6) <= pair(1.0, math.nextafter(1e-6, 0.0))
    wide = pair(800.0, 1e-6).for_user(rounds=3)
    assert (wide.epsilon, wide.delta, wide.rounds) == (2400.0, 1.0, 3)
    with pytest.raises(DiscreetError, match="but these releases need a larger delta"):
        compose(pair(0.1, 1e-6), delta=math.nextafter(1e-6, 0.0))
    with pytest.raises(DiscreetError, match="must be at least the curve's epsilon"):
        Guarantee(
            epsilon=1.0 - 1e-10,
            delta=0.0,
            model="central",
            status="proved",
            source="a theorem",
            curve=LaplaceNoise(1.0),
        )


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        ("1", "'1', but must be a number between 0 and inf"),
        (True, "True, but must be a number between 0 and inf"),
        (Decimal("0.5"), r"Decimal\('0.5'\), but must be a float between 0 and inf"),
        (math.nan, "nan, but must be between 0 and inf"),
        (np.float32("nan"), r"np.float32\(nan\), but must be between 0 and inf"),
        (-(10**99), "-1.*, but must be between 0 and inf"),
    ],
)
def test_what_is_no_number_is_told_that_a_number_is_needed(epsilon, words):
    with pytest.raises(DiscreetError, match=f"^epsilon is {words}[.]$"):
        dataclasses.replace(promise(), epsilon=epsilon)
    share = words.replace("between 0 and inf", "above 0 and below 1")
    with pytest.raises(DiscreetError, match=f"^epsilon is {share}[.]$"):
        check_share("epsilon", epsilon)
