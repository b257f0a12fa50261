"""Live runs on sets of one's own, with named items; and runs that would not learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from discreet import DiscreetError, Optimizer, VectorOptimizer
from discreet.sets import BasePolytope, Box, Custom, Paths, Polytope

BUDGET = {"horizon": 500, "epsilon": 1.0, "delta": 1e-6}
EDGES = [("home", "bridge"), ("home", "ferry"), ("bridge", "work"), ("ferry", "work")]
ROADS = Paths.of(EDGES, "home", "work")
NAMES = [f"{tail} to {head}" for tail, head in EDGES]
PRICES = Box([1.0, 1.0], [20.0, 30.0])


def square(direction):
    return -np.sign(direction) + (direction == 0.0)


SETS = {
    "box": PRICES,
    "paths": ROADS,
    "custom": Custom.of(2, square, centre=[0.0, 0.0], inner=1.0, outer=2**0.5, name="square (2)"),
    "polytope": Polytope([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], [1.0, 0.0, 0.0]),
    "submodular": BasePolytope.of(3, lambda items: min(len(items), 2) + 0.0),
}


@pytest.mark.parametrize("name", SETS)
def test_both_optimizers_take_any_set(name):
    around = SETS[name]
    optimizer = Optimizer(around, **BUDGET)
    vectors = VectorOptimizer(domain=around, **BUDGET)
    for _ in range(3):
        decision = optimizer.ask()
        assert around.contains(decision.point, 1e-6)
        optimizer.tell(decision, loss=0.5)
        decision = vectors.ask()
        assert around.contains(decision.point, 1e-6)
        vectors.tell(decision, loss=np.full(around.dimension, 0.5))
    assert optimizer.guarantee.epsilon <= 1.0
    assert vectors.guarantee.epsilon <= 1.0


def test_a_price_is_in_its_own_units_and_named():
    prices = Optimizer(PRICES, **BUDGET, lipschitz=0.02, items=["tea", "coffee"])
    decision = prices.ask()
    assert np.all((decision.point >= 1.0) & (decision.point <= [20.0, 30.0]))
    assert decision.label == f"tea {decision.point[0]:.6g}, coffee {decision.point[1]:.6g}"
    assert repr(prices).startswith("Optimizer(Box-2d-")


def test_items_by_name():
    menu = VectorOptimizer(
        domain="k-sets(3,2)", items=["tea", "coffee", "milk"], algorithm="private-ftpl", **BUDGET
    )
    decision = menu.ask()
    shown = [item for item, x in zip(("tea", "coffee", "milk"), decision.point, strict=True) if x]
    assert decision.label == ", ".join(shown)
    menu.tell(decision, loss={"milk": 1.0, "tea": 0.0, "coffee": 0.5})
    with pytest.raises(DiscreetError, match="given for 1 item, but must be for all 3"):
        menu.tell(menu.ask(), loss={"milk": 1.0})
    order = Optimizer("permutations(3)", items=["a", "b", "c"], **BUDGET).ask()
    assert sorted(order.label.split(", ")) == ["a", "b", "c"]
    assert order.label.split(", ")[0] == "abc"[int(np.argmin(order.point))]
    way = Optimizer(ROADS, items=NAMES, **BUDGET).ask()
    assert way.label in ("home to bridge, bridge to work", "home to ferry, ferry to work")


def test_a_stored_run_needs_its_set_again(tmp_path):
    path, key = tmp_path / "run", tmp_path / "key"
    with Optimizer(ROADS, **BUDGET, items=NAMES, path=path, key=key) as run:
        run.tell(run.ask(), loss=0.5)
    with pytest.raises(DiscreetError, match="open it with domain= and that set"):
        Optimizer.open(path, key=key)
    with pytest.raises(DiscreetError, match=r"domain is Box-2d-.*, but the run in .* plays Paths"):
        Optimizer.open(path, key=key, domain=PRICES)
    with pytest.raises(DiscreetError, match="must be the set of the run"):
        Optimizer.open(path, key=key, domain="paths(1,2)")
    same = Paths.of(EDGES, "home", "work")
    with Optimizer.open(path, key=key, domain=same) as again:
        assert again.ask().label.startswith("home to ")
    with Optimizer("ball(2)", **BUDGET, path=tmp_path / "other", key=tmp_path / "k2"):
        pass
    with pytest.raises(DiscreetError, match="plays a named set: leave domain out"):
        Optimizer.open(tmp_path / "other", key=tmp_path / "k2", domain=PRICES)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"items": "abc"}, "items is 'abc', but must be a list of names"),
        ({"items": ["a", "b"]}, "items has 2 names, but points have 3 coordinates"),
        ({"items": ["a", "b", "b"]}, "items has a name twice"),
        ({"items": ["a", "b", 3]}, "items has an entry that is not text"),
        ({"geometry": "ball", "dimension": 3}, "domain is given together with geometry"),
        ({"loss_set": "sphere"}, "unknown loss_set 'sphere'"),
        ({"loss_set": "ball", "low": -2.0}, "low is -2.0, but only high is used here"),
        ({"epsilon": None}, "epsilon is missing"),
    ],
)
def test_what_is_refused(given, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        VectorOptimizer(**{"domain": "k-sets(3,2)"} | BUDGET | given)


def test_a_loss_by_item_needs_names():
    run = VectorOptimizer(domain="k-sets(3,2)", **BUDGET)
    with pytest.raises(DiscreetError, match="items have no names"):
        run.tell(run.ask(), loss={"a": 0.0, "b": 0.0, "c": 0.0})


def test_losses_in_their_own_range():
    run = VectorOptimizer(domain="k-sets(3,2)", low=-5.0, high=5.0, **BUDGET)
    run.tell(run.ask(), loss=[-5.0, 5.0, 0.0])
    with pytest.raises(DiscreetError, match="outside the declared set"):
        run.tell(run.ask(), loss=[-5.1, 5.0, 0.0])


def test_few_rounds_are_learned_from_by_default_and_a_run_that_does_not_learn_warns():
    """With 300 rounds the bound on nuclear(3,2) is vacuous: it learns all the same."""
    numbers = {"domain": "nuclear(3,2)", "horizon": 300, "epsilon": 1.0, "delta": 1e-6}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = Optimizer(**numbers)
    played = []
    for _ in range(60):
        decision = run.ask()
        played.append(tuple(decision.point))
        run.tell(decision, loss=float(decision.point[0] > 0.0))
    assert len(set(played)) > 10
    with pytest.warns(UserWarning, match="does not learn in this run"):
        still = Optimizer(**numbers, when_vacuous="centre")
    assert still.guarantee == run.guarantee
    assert {tuple(still.ask().point) for _ in range(5)} == {(0.0,) * 6}
