"""Live slates: losses by item or in order, labels, files, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import DiscreetError, SlateBandit, audit

ITEMS = ["a", "b", "c", "d"]
BUDGET = {"items": ITEMS, "shown": 2, "horizon": 400, "epsilon": 1.0}


def test_items_are_told_by_name_or_in_order():
    bandit = SlateBandit(**BUDGET, low=-1.0, high=3.0)
    for told in ("losses", "rewards"):
        decision = bandit.ask()
        assert len(set(decision.items)) == 2
        assert set(decision.items) <= set(ITEMS)
        bandit.tell(decision, **{told: dict.fromkeys(decision.items, 3.0)})
        bandit.tell(bandit.ask(), **{told: [3.0, -1.0]})
        bandit.tell(bandit.ask().id, **{told: np.zeros(2)})
    assert bandit.state().round == 6


def test_a_large_epsilon_learns_the_best_slate():
    """The seed is fixed, and its noise is that of a simulation."""
    bandit = SlateBandit(**BUDGET | {"epsilon": 50.0}, simulation=True, seed=4)
    for _ in range(400):
        decision = bandit.ask()
        bandit.tell(decision, losses={item: float(item in "ab") for item in decision.items})
    chances = bandit._run._engine.private.learner.chances
    assert chances[2:].min() > 0.8


def test_a_run_in_a_file_goes_on(tmp_path):
    path, key = tmp_path / "run", tmp_path / "key"
    with SlateBandit(**BUDGET, path=path, key=key) as bandit:
        decision = bandit.ask()
        assert bandit.open_decisions[0].choice == decision.items
    with SlateBandit.open(path, key=key) as again:
        again.tell(decision, losses=[0.0, 1.0])
        assert again.state().open == 0


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({"losses": [0.5]}, "must be a vector of length 2"),
        ({"losses": [0.5, 2.0]}, "leave the declared range 0 to 1"),
        (
            {"losses": {"x": 0.5, "y": 0.5}},
            "the losses have other labels: give one value for each of '",
        ),
        ({}, "tell needs one outcome"),
    ],
)
def test_bad_outcomes_are_refused(told, complaint):
    bandit = SlateBandit(**BUDGET)
    with pytest.raises(DiscreetError, match=complaint):
        bandit.tell(bandit.ask(), **told)


def test_what_else_is_refused():
    bandit = SlateBandit(**BUDGET)
    decision = bandit.ask()
    with pytest.raises(DiscreetError, match="the decision only by its id"):
        bandit.tell(decision.id, losses=dict.fromkeys(decision.items, 0.0))
    with pytest.raises(DiscreetError, match="other items than ask"):
        bandit.tell(decision._replace(items=("a",)), losses=[0.0, 0.0])
    with pytest.raises(DiscreetError, match="shown is 4, but must be less than"):
        SlateBandit(**BUDGET | {"shown": 4})


@pytest.mark.full  # exact noise is slow
def test_what_is_deployed_is_what_is_audited():
    """A lower bound at 99 % confidence from 4,000 trials of exact coins."""
    found = audit(SlateBandit(**BUDGET | {"epsilon": 2.0}), trials=4000, seed=1)
    assert not found.violated
    assert found.lower_bound > 1.2
