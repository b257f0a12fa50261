"""What cannot be held out is refused in one sentence."""

from __future__ import annotations

import pytest
from test_holdout import bandit

from discreet import Bandit, DiscreetError
from discreet.live.run_plan import RunPlan


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"explore": 0.0}, "explore is 0.0, but must be above 0 and below 1"),
        ({"explore": 1.5}, "explore is 1.5, but must be above 0 and below 1"),
        ({"holdout": 0}, "holdout is 0, but must be a whole number of at least 1"),
        ({"holdout": 101}, "3 arms with so many rounds each are more than the horizon of 300"),
        ({"holdout": 5, "horizon": None}, "nobody knows how often to hold a round out"),
        ({"explore": 0.1, "algorithm": "local-tsallis-inf"}, "local model"),
    ],
)
def test_what_cannot_be_held_out_is_refused(options, words):
    with pytest.raises(DiscreetError, match=words):
        Bandit(**{"arms": 3, "horizon": 300, "epsilon": 1.0} | options)


def test_private_sampling_is_refused():
    options = {"algorithm": "exp3-tau", "simulation": True, "delta": 1e-6}
    with pytest.raises(DiscreetError, match="covers its actions only"):
        Bandit(3, 300, 1.0, explore=0.1, **options)


def test_a_run_without_one_says_so():
    face = bandit()
    assert face.held_out is None
    with pytest.raises(DiscreetError, match="neither explore nor holdout"):
        face.finish_holdout()


def test_arms_that_come_and_go_are_not_held_out():
    with pytest.raises(DiscreetError, match="capacity is 4, but rounds are held out"):
        bandit(capacity=4, explore=0.1)
    with pytest.raises(DiscreetError, match="then arms do not come and go"):
        bandit(explore=0.1).ask(available=["a"])
    face = bandit(algorithm="batched-ucb", batch_size=None)
    assert face.ask(available=["a", "b"]).probability is None


def test_the_plan_of_a_run_without_a_recipe_holds_nothing_out():
    assert RunPlan._field_defaults["holdout"] is None
