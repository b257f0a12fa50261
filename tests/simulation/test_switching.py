"""Regret against the best sequence of actions with a limited number of switches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet import DiscreetError, search, simulate


def best_by_trying(losses, switches):
    """Return the loss of the best of all sequences."""
    rounds, arms = losses.shape
    return min(
        losses[np.arange(rounds), sequence].sum()
        for sequence in itertools.product(range(arms), repeat=rounds)
        if sum(a != b for a, b in itertools.pairwise(sequence)) <= switches
    )


@pytest.mark.parametrize("switches", [0, 1, 2, 3, 7])
def test_it_is_the_best_of_all_sequences(switches):
    losses = np.random.default_rng(3).random((7, 3))
    results = simulate("uniform", losses=losses, trials=2)
    found = results.against(switches=switches)
    for place, mark in enumerate(results.checkpoints):
        best = best_by_trying(losses[:mark], switches)
        assert found.loss[0, :, place] - found.regret[0, :, place] == pytest.approx(best)


@pytest.mark.parametrize("environment", ["stochastic", "switching", "oblivious"])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-2.0, 6.0)])
def test_without_switches_it_is_the_usual_regret_and_with_more_it_is_larger(environment, bounds):
    low, high = bounds
    results = simulate(
        ["exp3", "tsallis-inf"], environment=environment, low=low, high=high, rounds=300, trials=3
    )
    assert results.against(switches=0).regret == pytest.approx(results.regret, abs=1e-9)
    one, two = (results.against(switches=count) for count in (1, 2))
    assert (one.regret >= results.regret - 1e-9).all()
    assert (two.regret >= one.regret - 1e-9).all()
    assert np.array_equal(one.loss, results.loss)


def test_games_that_are_dealt_in_pieces_are_followed_across_them(monkeypatch):
    whole = simulate("exp3", environment="switching", rounds=200, trials=2).against(switches=2)
    monkeypatch.setattr("discreet.simulation.dealing.NUMBERS_AT_ONCE", 64)
    monkeypatch.setattr("discreet.simulation.dealing.ROUNDS_AT_ONCE", 16)
    cut = simulate("exp3", environment="switching", rounds=200, trials=2).against(switches=2)
    assert np.array_equal(whole.regret, cut.regret)


def test_tables_words_and_bounds_follow():
    results = simulate(["exp3", "uniform"], environment="switching", rounds=500, trials=3)
    assert results.summary()[0]["regret_bound"] is not None
    found = results.against(switches=1)
    assert found.summary()[0]["regret_bound"] is None
    assert found.rivals == "the best sequence of 4 arms with at most 1 switch"
    assert "against the best sequence of 4 arms with at most 1 switch" in str(found)
    assert "Proved bounds are against a fixed action: none is shown." in str(found)
    assert found.manifest()["switches"] == 1
    assert "switches" not in results.manifest()
    assert results.against(switches=0).rivals == "the best fixed arm of 4"
    experts = simulate("hedge", dimension=3, rounds=100, trials=2).against(switches=2)
    assert experts.rivals == "the best sequence of 3 experts with at most 2 switches"


def test_results_in_files_can_be_compared_too(tmp_path):
    game = {"environment": "switching", "rounds": 300, "trials": 3}
    kept, written = simulate("exp3", **game), simulate("exp3", output=tmp_path / "run", **game)
    assert np.array_equal(kept.against(switches=1).regret, written.against(switches=1).regret)


def test_what_has_no_sequences_is_refused():
    with pytest.raises(DiscreetError, match="switches is -1, but must be a whole number"):
        simulate("exp3", rounds=50, trials=1).against(switches=-1)
    with pytest.raises(DiscreetError, match="switches is for arms and for experts"):
        simulate("ftrl-ball", rounds=50, trials=1).against(switches=1)
    with pytest.raises(DiscreetError, match="do not depend on actions"):
        simulate("exp3", environment="switching-costs", rounds=50, trials=1).against(switches=1)
    with pytest.raises(DiscreetError, match="at most 128 arms"):
        simulate("exp3", arms=200, rounds=50, trials=1).against(switches=1)
    with pytest.raises(DiscreetError, match=r"no games to compare with|no regret|for arms"):
        search("track-and-stop", trials=1, rounds=2000).against(switches=1)
