"""Environments with contexts: their definitions, their data, and what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from discreet import DiscreetError, Range, simulate
from discreet.checks import check_environment
from discreet.environments import environment, environment_names
from discreet.problems import ContextGame, Contexts
from discreet.simulation.dealing import deal
from discreet_papers.datasets.classification import Classification, load_labelled

UNIT = Range(0.0, 1.0)


@pytest.mark.parametrize(
    "name", [name for name in environment_names(Contexts) if name.startswith("contexts-")]
)
@pytest.mark.parametrize("problem", [Contexts(3, 4), Contexts(4, 4, 2.5)], ids=str)
def test_every_environment_keeps_its_contract(name, problem):
    world = environment(name, problem)
    check_environment(world)
    game, clipped = deal(world, 0, 200, np.random.default_rng(1), UNIT, clip=False)
    assert clipped == 0
    assert np.linalg.norm(game.table, axis=2).max() <= problem.norm * (1.0 + 1e-12)


@pytest.mark.parametrize("data", ["digits", "wine", "breast_cancer"])
def test_labels_are_arms(data):
    world = Classification(data=data)
    check_environment(world, rounds=30)
    arms = {"digits": 10, "wine": 3, "breast_cancer": 2}[data]
    assert world.problem == Contexts(arms, 13 * arms)
    game = world.deal(0, 50, np.random.default_rng(1))
    assert (game.losses.sum(axis=1) == arms - 1).all(), "one label is right"
    assert np.count_nonzero(game.observe(3)[1]) <= 13
    rows = load_labelled(data).features
    assert np.linalg.norm(rows, axis=1).max() <= 1.0 + 1e-12
    assert (np.linalg.norm(rows, axis=1) > 0.999).mean() == pytest.approx(0.1, abs=0.02)


def test_without_scikit_learn_one_sentence_says_what_is_missing(monkeypatch):
    load_labelled.cache_clear()
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(
        DiscreetError, match="needs scikit-learn, which the extra 'examples' installs"
    ):
        environment("classification", data="wine")
    load_labelled.cache_clear()


def test_rewards_follow_the_features():
    """40,000 rounds: mean outcomes are mean losses, within 4.5 deviations (once in 10^5 runs)."""
    for name, mean in (
        ("contexts-gaussian", lambda z: 0.5 + 0.5 * z),
        ("contexts-logistic", lambda z: 1 / (1 + np.exp(-z))),
    ):
        game = environment(name, Contexts(2, 3)).deal(0, 40_000, np.random.default_rng(4))
        assert game.outcomes.mean() == pytest.approx(
            game.losses.mean(), abs=4.5 * 0.5 / np.sqrt(40_000)
        )
        theta = np.linalg.lstsq(
            game.table[:, 0], _inverse(name, 1.0 - game.losses[:, 0]), rcond=None
        )[0]
        assert np.linalg.norm(theta) == pytest.approx(1.0, rel=1e-9)
        np.testing.assert_allclose(1.0 - game.losses, mean(game.table @ theta), rtol=1e-9)


def _inverse(name, share):
    return 2.0 * share - 1.0 if name == "contexts-gaussian" else np.log(share / (1.0 - share))


def test_skewed_features_halve_and_fixed_ones_stay():
    game = environment("contexts-skewed", Contexts(2, 4)).deal(0, 50_000, np.random.default_rng(1))
    spread = game.table[:, 0].std(axis=0)
    assert (np.diff(spread) < 0.0).all()
    fixed = environment("contexts-fixed", Contexts(3, 5), others=0.0).deal(
        0, 10, np.random.default_rng(1)
    )
    assert np.array_equal(fixed.observe(7), np.eye(3, 5))
    assert sorted(np.unique(fixed.losses).tolist()) == [0.25, 0.5]
    best = {
        int(environment("contexts-fixed").deal(0, 2, np.random.default_rng(s)).losses[0].argmin())
        for s in range(40)
    }
    assert len(best) > 5, "another arm is best in other trials"


def game_of(table, rounds=4):
    losses = np.full((rounds, table.shape[1]), 0.5)
    return ContextGame(losses, losses, table, np.zeros(rounds, np.int64))


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (
            np.full((1, 2, 3), 0.9),
            "round 11, arm 1: the context has length 1.55885, but at most 1 is declared",
        ),
        (
            np.full((1, 2, 3), np.nan),
            "round 11, arm 1: the context has entries that are not finite",
        ),
        (
            np.zeros((1, 2, 4)),
            r"contexts of a round have the shape \(2, 4\), but 2 arms with 3 features are declared",
        ),
    ],
)
def test_bad_contexts_are_refused(table, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        Contexts(2, 3).check(game_of(table), UNIT, clip=False, before=10)


def test_contexts_and_outcomes_are_clipped_as_asked():
    game, number = Contexts(2, 3).check(game_of(np.full((1, 2, 3), 0.9)), UNIT, clip=True)
    assert number == 2
    np.testing.assert_allclose(np.linalg.norm(game.table, axis=2), 1.0)
    wild = game._replace(outcomes=game.outcomes + 1.0)
    with pytest.raises(
        DiscreetError, match=r"round 1, arm 1: the loss is 1.5, but the declared range is 0 to 1"
    ):
        Contexts(2, 3).check(wild, UNIT, clip=False)
    tame, number = Contexts(2, 3).check(wild, UNIT, clip=True)
    assert number == 8
    assert tame.outcomes.max() == 1.0


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Contexts(1, 3), "arms is 1, but must be a whole number of at least 2"),
        (lambda: Contexts(2, 0), "dimension is 0, but must be a whole number of at least 1"),
        (lambda: Contexts(2, 3, 0.0), "norm is 0.0, but must be a finite number above 0"),
        (
            lambda: environment("contexts-fixed", Contexts(4, 3)),
            "dimension is 3, but contexts-fixed needs one feature for each",
        ),
        (
            lambda: environment("classification", data="iris"),
            "data is 'iris', but must be one of digits, wine, breast_",
        ),
        (
            lambda: simulate("exp3", environment="contexts-gaussian", trials=1),
            "is for arms with contexts, but arms are",
        ),
    ],
)
def test_bad_parameters_are_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()
