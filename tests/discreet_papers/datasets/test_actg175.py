"""ACTG 175: what was measured, what is fitted, what is replayed, and what counts."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from discreet import DiscreetError, Setting, algorithm, search, simulate
from discreet.channels import GlmMoments, Moments, Residuals
from discreet.checks import check_environment
from discreet.contracts import Record
from discreet.environments import environment
from discreet.problems import Arms, Contexts
from discreet.randomness import streams
from discreet.simulation.loop import Player
from discreet_papers.datasets import Actg175Arms, Actg175Replay, Actg175Simulator
from discreet_papers.datasets.actg175 import BASELINE, features_of, fit_risks, load_trial


def test_the_trial_is_the_one_that_is_described():
    data = load_trial()
    assert data.covariates.shape == (2139, 15)
    assert np.bincount(data.treatments).tolist() == [532, 522, 524, 561]
    rates = [100.0 * data.worse[data.treatments == arm].mean() for arm in range(4)]
    assert np.round(rates, 1).tolist() == [34.0, 19.7, 20.8, 22.8]
    for name in ("z30", "symptom"):
        assert np.unique(data.covariates[:, BASELINE.index(name)]).size == 2, "yes or no"


def test_the_model_is_the_penalised_regression_that_is_described():
    """Against scikit-learn's solver."""
    data, risks = load_trial(), fit_risks()
    for arm in range(4):
        given = data.treatments == arm
        peer = LogisticRegression(C=0.1, tol=1e-9, max_iter=1000).fit(
            data.covariates[given], data.worse[given]
        )
        np.testing.assert_allclose(
            risks[:, arm], peer.predict_proba(data.covariates)[:, 1], atol=1e-5
        )
    assert np.round(100.0 * risks.mean(axis=0), 1).tolist() == [33.9, 19.4, 21.2, 22.9]
    assert round(100.0 * risks.min(axis=1).mean(), 1) == 15.9


@pytest.mark.parametrize(("covariates", "features"), [("all", 64), ("three", 16), ("none", 4)])
def test_they_keep_their_contract(covariates, features):
    for world in (
        Actg175Replay(covariates, 2.0),
        Actg175Simulator(covariates),
        Actg175Simulator(covariates, 1.0, "arm"),
    ):
        check_environment(world)
        assert (world.problem.arms, world.problem.dimension) == (4, features)
        assert (
            np.linalg.norm(world.deal(0, 9, np.random.default_rng(1)).table, axis=2).max()
            <= world.norm + 1e-9
        )
    assert Actg175Replay(covariates).problem.rivals == "the best fixed arm of 4"
    lengths = np.linalg.norm(features_of(covariates)[:, 0], axis=1)
    assert covariates == "none" or (lengths > 0.999).mean() == pytest.approx(0.1, abs=0.02)


def test_arms_have_the_outcomes_that_contexts_have():
    check_environment(Actg175Arms())
    arms = environment("actg175-simulator", Arms(4)).deal(3, 500, np.random.default_rng(5))
    shown = environment("actg175-simulator").deal(3, 500, np.random.default_rng(5))
    assert np.array_equal(arms.losses, shown.outcomes)
    assert np.array_equal(shown.losses, fit_risks()[shown.which])
    np.testing.assert_array_equal(Actg175Arms().fixed_means(), fit_risks().mean(axis=0))


def test_a_replayed_round_has_the_outcome_of_its_patient_or_none():
    """40,000 rounds; rates are within 4.5 deviations (once in 10^5 runs, four of them)."""
    data, rounds = load_trial(), 40_000
    game = Actg175Replay().deal(0, rounds, np.random.default_rng(3))
    assert np.array_equal(data.treatments[game.which], game.given)
    for t in range(200):
        for arm in range(4):
            features, outcome = game.feedback(t, arm)
            counts = arm == data.treatments[game.which[t]]
            assert np.array_equal(features, game.observe(t)[arm] if counts else np.zeros(16))
            assert outcome == game.loss(t, arm) == (data.worse[game.which[t]] if counts else 0.0)
    shares = 4.0 * game.losses.mean(axis=0)
    for arm in range(4):
        rate = data.worse[data.treatments == arm].mean()
        assert shares[arm] == pytest.approx(rate, abs=4.5 * 4.0 * np.sqrt(rate / 4.0 / rounds))


def test_a_round_that_does_not_count_teaches_nothing():
    blank, report = Record(np.zeros(3), 1.0), np.ones(3)
    for channel in (Moments.example(), GlmMoments.example(), Residuals.example()):
        vector = np.ones(channel.release_size())
        channel.statistic(
            Record(np.zeros(channel.dimension), 1.0) if vector.size > 3 else blank, report, vector
        )
        assert not vector.any(), type(channel).__name__


def test_regret_is_against_one_treatment_or_what_is_best_for_each():
    game = Actg175Simulator().deal(0, 300, np.random.default_rng(1))
    total = game.totals([0, 100]).sum(axis=0)
    risks = fit_risks()[game.which]
    assert Actg175Simulator().best(total) == pytest.approx(risks.min(axis=1).sum())
    assert Actg175Simulator(against="arm").best(total) == pytest.approx(risks.sum(axis=0).min())
    replay = Actg175Replay().deal(0, 300, np.random.default_rng(1))
    assert Actg175Replay().best(replay.totals([0])[0]) == replay.losses.sum(axis=0).min()


def test_linucb_learns_from_the_rounds_that_count():
    """3,000 rounds in plain Python: a quarter counts, within 4.5 deviations (once in 10^5 runs)."""
    world, rounds = Actg175Replay("none"), 3000
    private = algorithm("linucb").build(Setting(world.problem, rounds=rounds)).private
    player = Player(private, streams(1, trial=0), compiled=False)
    player.play(world.deal(0, rounds, np.random.default_rng(2)), np.array([rounds]))
    counted = np.diag(player.private.learner.matrix)  # features are the constant alone, of length 1
    assert counted.sum() == pytest.approx(rounds / 4, abs=4.5 * np.sqrt(rounds * 3 / 16))
    assert (counted == counted.round()).all()
    assert counted.argmin() == 0, "zidovudine alone is the worst"


def test_what_cannot_be_played_is_refused(monkeypatch):
    with pytest.raises(DiscreetError, match=r"^arms is 3, but ACTG 175 has 4 treatments.$"):
        simulate("exp3", environment="actg175-simulator", arms=3, trials=1)
    with pytest.raises(DiscreetError, match=r"^arms is 3, but ACTG 175 has 4 treatments.$"):
        search("lucb", environment="actg175-simulator", arms=3, trials=1)
    with pytest.raises(DiscreetError, match=r"^dimension is 7, but ACTG 175 has 16.$"):
        environment("actg175-replay", dimension=7)
    with pytest.raises(DiscreetError, match=r"^against is context, but ACTG 175 has arm.$"):
        environment("actg175-replay", against="context")
    with pytest.raises(
        DiscreetError, match=r"^unknown against 'patient': choose from arm, context.$"
    ):
        Contexts(4, 4, against="patient")
    with pytest.raises(
        DiscreetError, match="covariates is 'some', but must be one of all, three, none"
    ):
        environment("actg175-replay", covariates="some")
    monkeypatch.setitem(sys.modules, "lifelines", None)
    load_trial.cache_clear()
    wanted = (
        r"^environments on ACTG 175 need lifelines, which ships it: pip install "
        r"'discreet\[data\]'.$"
    )
    with pytest.raises(DiscreetError, match=wanted):
        load_trial()
    load_trial.cache_clear()
