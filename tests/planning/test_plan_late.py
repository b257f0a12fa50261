"""Plans for late outcomes, for naming the best arm, and for decisions that nobody can predict."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import discreet
from discreet.algorithms import algorithm
from discreet.cli import run as command
from discreet.errors import DiscreetError
from discreet.planning.making import repeat
from discreet.planning.naming import named_by_equal_allocation
from discreet.planning.question import Question
from discreet.planning.remarks import (
    OPEN_TIMES,
    PROTECTED_TIMES,
    late_cause,
    late_guarantee,
)
from discreet.planning.sweeps import candidates, is_predictable, learns_something
from discreet.simulation.statistics import Interval

TRIAL = {"arms": 3, "rounds": 600, "difference": 0.1}


@pytest.fixture(scope="module")
def late():
    """Shared: a trial with outcomes that take 100 patients."""
    return discreet.plan(
        **TRIAL, epsilon=[0.5, 1.0], may_drift=False, delay=100, trials=32, seed=3, workers=1
    )


def words(plan):
    return " ".join(str(plan).split())


@pytest.mark.slow
@pytest.mark.long
def test_a_plan_is_measured_with_the_stated_delay(late):
    said = words(late)
    assert "In all simulations outcomes arrive 100 rounds late." in said
    assert "no proved bound on the regret" in said
    assert "So use equal allocation if finding the best arm is the only goal." in said
    assert "the guarantee holds if an outcome's arrival time does not depend on the outcome" in (
        said
    )
    assert not late.has_bound
    assert late.proved is None
    assert max(map(len, str(late).splitlines())) <= 122
    facts = json.loads(json.dumps(late.to_json(), allow_nan=False))
    assert facts["question"]["delay"] == 100
    assert repeat(facts) == late.question
    assert [row["epsilon"] for row in facts["figures"]["named_by_equal_allocation"]] == [0.5, 1.0]


@pytest.mark.parametrize(
    ("late", "sentence"),
    [
        ({}, None),
        ({"delay": 50}, OPEN_TIMES),
        ({"delay": 50, "missing": 0.1, "default_outcome": 0.0}, PROTECTED_TIMES),
        ({"wait": 50, "default_outcome": 0.0}, PROTECTED_TIMES),
    ],
)
def test_what_arrival_times_reveal_follows_from_the_program(late, sentence):
    plan = SimpleNamespace(question=Question(**TRIAL, **late))
    assert late_guarantee(plan) == ([] if sentence is None else [sentence])


@pytest.mark.slow
@pytest.mark.long
def test_one_quantity_has_one_number(late):
    """What is shown for the planned number of rounds is the same in the table and the panel."""
    shown = {row.variant.epsilon: row.share_of_gain for row in late.unchanging.private}
    assert late.least_rounds.shares[600] == shown[0.5]
    for epsilon, share in shown.items():
        assert late.least_epsilon.shares[epsilon] == share


@pytest.mark.slow
def test_a_wanted_epsilon_that_is_not_listed_has_one_number_too():
    found = discreet.plan(
        **TRIAL, epsilon=2.0, wanted_epsilon=1.0, may_drift=False, trials=8, workers=1
    )
    assert found.least_rounds.shares[600] == found.least_epsilon.shares[1.0]


@pytest.mark.slow
@pytest.mark.long
def test_decisions_are_drawn_if_they_must_be(late):
    found = discreet.plan(
        **TRIAL, epsilon=1.0, may_drift=False, randomised=True, trials=8, workers=1
    )
    assert not is_predictable(found.recommended)
    assert "draws its decisions at random" in words(found)
    assert is_predictable(late.recommended)
    assert (
        "To plan with an algorithm that draws its decisions at random, use --randomised."
        in words(late)
    )
    assert found.to_json()["recommendation"]["is_predictable"] is False


def test_equal_allocation_names_the_best_of_three():
    """95.5 % at 600 rounds and epsilon 1: 2,000 studies, four standard errors; false alarm 1e-4."""
    found = named_by_equal_allocation(Question(**TRIAL, epsilons=(0.5, 1.0)))
    assert found[1.0].value == pytest.approx(0.955, abs=0.019)
    assert found[0.5].value < found[1.0].value
    small = named_by_equal_allocation(Question(**TRIAL, epsilons=(1e-4,)))
    assert small[1e-4].value == pytest.approx(1 / 3, abs=0.043)


def test_equal_allocation_with_missing_outcomes_and_other_shapes():
    """Defaults make arms alike; drawn one by one and by the normal law it is about the same."""
    missing = {"missing": 0.5, "default_outcome": 0.0}
    less = named_by_equal_allocation(Question(**TRIAL, epsilons=(1.0,), **missing))
    assert less[1.0].value < 0.85
    shapes = [
        named_by_equal_allocation(
            Question(arms=3, rounds=rounds, difference=gap, spread=0.3, epsilons=(1.0,))
        )[1.0]
        for rounds, gap in ((6_000, 0.02), (60_000, 0.02 / 10**0.5))
    ]
    assert shapes[0].value == pytest.approx(shapes[1].value, abs=0.05)
    assert named_by_equal_allocation(Question(**TRIAL, sees_all=True)) == {}


def test_nothing_is_recommended_that_releases_nothing():
    short = Question(**TRIAL, may_drift=False)
    long = Question(arms=3, rounds=100_000, difference=0.1, may_drift=False)
    assert "dp-successive-elimination" not in candidates(short)
    assert "dp-successive-elimination" in candidates(long)
    assert "dp-successive-elimination" not in candidates(
        Question(arms=3, rounds=100_000, difference=0.1, may_drift=False, delay=99_000)
    )
    tiny = Question(arms=3, rounds=20, difference=0.1, epsilons=(1e-3,))
    assert candidates(tiny), "if all of them release nothing, they stay"


@pytest.mark.parametrize(
    ("late", "cause"),
    [
        ({"delay": 700}, "delay is 700, but there are only 600 rounds: no outcome would be known"),
        ({"delay": 599}, "delay is 599"),
        ({"delay": "uniform(650,700)"}, r"delay is 'uniform\(650,700\)'"),
        ({"wait": 601, "default_outcome": 0.0}, "wait is 601"),
        ({"group": 600}, "group is 600"),
    ],
)
@pytest.mark.long
def test_a_delay_beyond_the_last_round_is_named_as_the_cause(late, cause):
    with pytest.raises(DiscreetError, match=cause):
        discreet.plan(**TRIAL, **late)


def test_where_nothing_is_released_before_the_end_the_cause_is_a_delay():
    question = Question(**TRIAL, delay=595, epsilons=(0.01,))
    assert "dp-successive-elimination" not in candidates(question)
    assert not any(learns_something(question, name) for name in candidates(question))
    assert late_cause(question) == ", because the first outcome is known after 596 of 600 rounds"
    assert not late_cause(Question(**TRIAL, delay=100))
    assert learns_something(Question(**TRIAL, group=299, epsilons=(10.0,)), "batched-ucb")


@pytest.mark.long
def test_a_plan_says_that_nothing_is_released():
    found = discreet.plan(**TRIAL, delay=595, epsilon=0.01, trials=8, workers=1)
    said = words(found)
    assert "No private algorithm releases anything before the last decision, because the" in said
    assert "nothing can be learned, because the first outcome is known after 596 of 600" in said


def test_randomised_candidates():
    names = candidates(Question(**TRIAL, may_drift=False, randomised=True))
    assert len(names) >= 3
    assert not any(
        algorithm(name).build(Question(**TRIAL).setting(1.0)).private.learner.predictable
        for name in names
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"missing": 0.1}, "give default_outcome"),
        ({"missing": 0.1, "default_outcome": 2.0}, "default_outcome is 2.0"),
        ({"delay": "soon"}, "delay is 'soon'"),
        ({"group": 0}, "group is 0"),
        ({"randomised": 3}, "randomised is 3"),
    ],
)
def test_what_is_unclear_is_refused_in_plans(given, said):
    with pytest.raises(DiscreetError, match=said):
        Question(**TRIAL, **given)


def test_defaults_are_outcomes_whichever_are_better():
    higher = Question(**TRIAL, missing=0.1, default_outcome=0.25)
    lower = Question(**TRIAL, missing=0.1, default_outcome=0.25, better="lower")
    assert (higher.arrivals.default_loss, lower.arrivals.default_loss) == (0.75, 0.25)


def test_percentages_of_headline_and_table_are_the_same():
    from discreet.planning.numbers import in_percent, spread_words

    share = Interval(0.004, -0.01, 0.02)
    assert spread_words(share, percent=True) == "0.4 % (-1 to 2)"
    assert spread_words(share, percent=True).startswith(in_percent(share.value))


@pytest.mark.parametrize("given", ["experts", "domain", "items", "shown", "features"])
def test_other_problems_are_refused_with_what_to_do_instead(given, capsys):
    value = "k-sets(10,3)" if given == "domain" else 3
    with pytest.raises(DiscreetError, match=f"^{given} is .*simulate") as refusal:
        discreet.plan(**TRIAL, **{given: value})
    assert command(["plan", "--arms", "3", "--rounds", "600", f"--{given}", str(value)]) == 2
    assert str(refusal.value) in capsys.readouterr().err
