"""Guarantees for renewing periods: what they imply, compose to and say."""

from __future__ import annotations

from datetime import timedelta

import pytest

from discreet import DiscreetError, Guarantee, compose
from discreet.curves import GaussianNoise

MONTH, DAY = timedelta(days=30), timedelta(days=1)
FACTS = {"model": "central", "status": "proved", "source": "a theorem"}
ROUND = Guarantee(epsilon=0.1, delta=0.0, **FACTS)
MONTHLY = ROUND.for_user(rounds=30).in_period(MONTH)


def test_a_period_is_part_of_the_value_and_of_the_words():
    assert (MONTHLY.epsilon, MONTHLY.rounds, MONTHLY.period) == (3.0, 30, MONTH)
    assert MONTHLY.unit == "30 rounds in one period of 30 days replaced"
    said = str(MONTHLY)
    assert "this covers all rounds of a person in one period of 30 days, up to 30" in said
    assert "against everything ever released" in said
    assert "any 30 days may overlap two periods" in said
    assert Guarantee.from_dict(MONTHLY.as_dict()) == MONTHLY
    assert "period_seconds" not in ROUND.as_dict()
    two = MONTHLY.for_periods(2)
    assert two.unit == "30 rounds in each of 2 periods of 30 days replaced"
    assert Guarantee.from_dict(two.as_dict()) == two


def test_n_periods_cost_n_times_as_much_and_gaussian_noise_less():
    assert MONTHLY.for_periods(2).epsilon == pytest.approx(6.0)
    assert MONTHLY.for_periods(12).epsilon == pytest.approx(36.0)
    assert MONTHLY.for_periods(1) == MONTHLY
    assert (MONTHLY.for_periods(3).rounds, MONTHLY.for_periods(3).periods) == (30, 3)
    assert MONTHLY.for_periods(2).for_periods(3).periods == 6
    gaussian = Guarantee.of(GaussianNoise(0.1), delta=1e-6, model="central", source="a theorem")
    year = gaussian.in_period(MONTH).for_periods(12)
    assert year.epsilon == pytest.approx(GaussianNoise(1.2).epsilon_at(1e-6), rel=1e-6)
    with pytest.raises(DiscreetError, match="the guarantee has no period: use for_user"):
        ROUND.for_periods(2)


def test_a_lifetime_implies_a_period_and_not_the_other_way_round():
    ever = ROUND.for_user(rounds=30)
    assert ever <= MONTHLY
    assert not ever >= MONTHLY
    assert ROUND <= MONTHLY
    assert not MONTHLY.for_periods(100) <= ROUND


def test_only_windows_that_lie_in_its_own_are_implied():
    daily = ROUND.for_user(rounds=30).in_period(DAY)
    assert daily >= MONTHLY, "every day lies in one window of 30 days"
    assert not daily <= MONTHLY
    assert not ROUND.for_user(rounds=30).in_period(timedelta(days=7)) >= MONTHLY


def test_more_rounds_and_more_periods_are_split_into_sets_that_are_covered():
    assert MONTHLY.for_periods(4) <= MONTHLY.for_periods(4)
    assert MONTHLY.for_periods(4) >= MONTHLY
    assert MONTHLY.for_periods(2) <= MONTHLY.for_periods(4)
    assert not MONTHLY.for_periods(4) <= MONTHLY
    assert MONTHLY.for_user(rounds=2) >= MONTHLY
    looser = Guarantee(epsilon=17.9, delta=0.0, rounds=60, period=MONTH, periods=3, **FACTS)
    assert not looser >= MONTHLY, "2 x 3 sets cost 18"
    assert (
        Guarantee(epsilon=18.0, delta=0.0, rounds=60, period=MONTH, periods=3, **FACTS) >= MONTHLY
    )


def test_composition_keeps_the_period():
    assert compose(MONTHLY, MONTHLY).period == MONTH
    assert compose(MONTHLY, MONTHLY).epsilon == 6.0
    ever = ROUND.for_user(rounds=30)
    assert compose(MONTHLY, ever).period == MONTH
    assert compose(ever, ever).period is None
    with pytest.raises(DiscreetError, match="compose needs guarantees for the same period"):
        compose(MONTHLY, ever.in_period(DAY))
    with pytest.raises(DiscreetError, match="the same number of rounds"):
        compose(MONTHLY, MONTHLY.for_periods(2))


@pytest.mark.parametrize("wrong", [30, "30 days", timedelta(seconds=1), timedelta(days=-1), None])
def test_what_is_no_period_is_refused(wrong):
    with pytest.raises(DiscreetError, match=r"period is .*, but must be a timedelta from a minute"):
        ROUND.in_period(wrong)


def test_a_second_period_is_refused():
    with pytest.raises(DiscreetError, match="already has a period"):
        MONTHLY.in_period(DAY)
    assert MONTHLY.in_period(MONTH) is MONTHLY
    with pytest.raises(DiscreetError, match="periods is 2, but period is None"):
        Guarantee(epsilon=1.0, delta=0.0, periods=2, **FACTS)
    assert Guarantee.none("nothing").in_period(MONTH).period is None
