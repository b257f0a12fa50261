"""The search for the worst losses finds hard games, measures them fairly, and stays in bounds."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from discreet import DiscreetError, simulate, stress
from discreet.cli.commands import cli
from discreet.stressing.games import StressGame, known_games, random_game

SMALL = {"arms": 3, "rounds": 2048, "tries": 40, "trials": 24}


def test_losses_of_games_are_what_their_words_say():
    rng = np.random.default_rng(1)
    game = StressGame("constant", (0.25,), ((0.1, 0.2, 0.3), (0.9, 0.8, 0.7)))
    losses = game.losses(100, 4, rng)
    assert losses[24].tolist() == [0.1, 0.2, 0.3, 0.3]
    assert losses[25].tolist() == [0.9, 0.8, 0.7, 0.7]
    assert "changing at 0.25 T" in game.words()
    periodic = StressGame("periodic", (), ((0.25, 0.5, 1.0),), 2).losses(1600, 3, rng)
    assert periodic.mean(axis=0).tolist() == [0.25, 0.5, 1.0]
    assert set(np.unique(periodic)) == {0.0, 1.0}


def test_all_games_have_losses_from_0_to_1():
    rng = np.random.default_rng(1)
    games = [*known_games(1000, 3), *(random_game(rng, 1000, 3) for _ in range(50))]
    games += [game.nearby(rng, 0.2) for game in games]
    for game in games:
        losses = game.losses(64, 3, rng)
        assert losses.shape == (64, 3)
        assert losses.min() >= 0.0
        assert losses.max() <= 1.0


@pytest.mark.parametrize("name", ["exp3", "one-bit-tsallis-inf", "batched-exp3"])
def test_the_worst_game_is_worse_than_usual_ones_and_within_the_bound(name):
    """Regret of independent losses with the usual gap is far below that of the game found."""
    found = stress(name, **SMALL)
    usual = simulate(name, arms=3, rounds=2048, trials=24, seed=1).regret[0, :, -1].mean()
    assert usual < found.regret <= found.bound
    assert found.low <= found.regret <= found.high
    assert found.ratio == found.bound / found.regret
    again = simulate(name, losses=found.losses, trials=24, seed=9).regret[0, :, -1].mean()
    # fresh seeds: the difference of two means of 24 is beyond 5 standard errors once in a million
    assert abs(again - found.regret) < 5.0 * (found.high - found.low)


def test_a_search_is_repeated_by_its_seed():
    assert stress("exp3", **SMALL).as_dict() == stress("exp3", **SMALL).as_dict()
    assert stress("exp3", **SMALL, seed=2).game != stress("exp3", **SMALL).game


def test_the_command_prints_the_same_and_writes_the_losses(tmp_path):
    line = ["stress", "exp3", "--arms", "3", "--rounds", "2048", "--tries", "40", "--trials", "24"]
    file = tmp_path / "worst.npy"
    shown = CliRunner().invoke(cli, [*line, "--json", "--losses", str(file)])
    assert json.loads(shown.output) == stress("exp3", **SMALL).as_dict()
    assert np.load(file).shape == (2048, 3)
    text = CliRunner().invoke(cli, [*line, "--quiet"]).output
    assert "bound / regret" in text


def test_what_cannot_be_searched_is_refused():
    with pytest.raises(DiscreetError, match="stress supports only algorithms for arms"):
        stress("private-ftrl-ball")
    with pytest.raises(DiscreetError, match="tries is 0"):
        stress("exp3", tries=0)
    with pytest.raises(DiscreetError, match="trials is 1"):
        stress("exp3", trials=1)
