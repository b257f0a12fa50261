"""Replay: accepted rows are as if played, with contexts and without, and refusals are sentences."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest
from log_files import CHANCES, MEANS, context_log, plain_log, write_csv

from discreet import Contender, DiscreetError, Private, Setting, algorithm, simulate
from discreet.channels import Batch
from discreet.checks import check_environment
from discreet.cli import run
from discreet.environments import environment
from discreet.environments.access import uniforms
from discreet.environments.logged.rows import ACCEPTED, COINS, READ
from discreet.learners import Exp3
from discreet.problems import Contexts
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation.loop import Player


def played(results):
    """Return the mean loss per round of every algorithm, over trials, and its standard error."""
    losses = results.loss[:, :, -1] / results.rounds
    return losses.mean(axis=1), losses.std(axis=1, ddof=1) / np.sqrt(losses.shape[1])


def test_a_log_keeps_the_contract_of_environments():
    world = environment("logged", log=plain_log(3000))
    check_environment(world, rounds=40)
    assert repr(world).startswith("Logged(the log: ")


def test_uniform_play_and_a_fixed_choice_earn_what_they_would_have_earned():
    """The replay of uniform play loses the mean of all arms; 6 standard errors."""
    log = plain_log(30_000)
    results = simulate(["uniform", "exp3"], log=log, rounds=2000, trials=6, seed=3)
    mean, _ = played(results)
    truth = 1.0 - MEANS.mean()
    # rows of the log are shared by all trials, so its own error counts: 2,000 rounds at least
    assert abs(mean[0] - truth) < 6.0 * 0.5 / np.sqrt(2000)
    assert mean[1] < truth - 0.05, "exp3 learns which arm is best"
    best = 1.0 - 0.6
    assert results.regret[0, :, -1].mean() / 2000 == pytest.approx(truth - best, abs=0.06)
    accepted, read = results.memory[..., ACCEPTED], results.memory[..., READ]
    assert (accepted == 2000).all()
    # each row is accepted with probability p_min = 0.1, whatever is played
    assert np.abs(read.mean(axis=1) / (2000 / CHANCES.min()) - 1.0).max() < 0.08
    row = results.summary()[0]
    assert row["regret_bound"] is None, "bounds do not cover an estimated comparator"


def slow_replay(log, arms, coins):
    """Return the rewards of rows that match an arm after the other, in the order of the log."""
    found, place = [], 0
    least = min(log["propensity_score"])
    for arm in arms:
        while (
            log["item_id"][place] != arm or coins[place] >= least / log["propensity_score"][place]
        ):
            place += 1
        found.append(1.0 - log["click"][place])
        place += 1
    return found


def test_rows_are_those_of_a_slow_replay():
    log = plain_log(3000)
    rng = np.random.default_rng(4)
    game = environment("logged", log=log).deal(0, 100, rng)
    arms = np.random.default_rng(5).integers(0, 4, 100).tolist()
    coins = uniforms(rng, 0, 3000, 1, purpose=COINS)[:, 0]
    assert [game.feedback(t, arm) for t, arm in enumerate(arms)] == slow_replay(log, arms, coins)


@pytest.mark.long
def test_contexts_are_replayed_and_help():
    columns, means, chances = context_log(20_000)
    results = simulate(["linucb", "uniform-contexts"], log=columns, rounds=800, trials=4, seed=1)
    mean, _ = played(results)
    truth = 1.0 - means.mean()
    assert abs(mean[1] - truth) < 6.0 * 0.5 / np.sqrt(800)
    assert mean[0] < min(1.0 - means.mean(axis=0)) - 0.05, "better than every single arm"
    assert results.problem.against == "arm"
    assert results.problem.dimension == 4 * (3 + 1)
    read = results.memory[..., READ].mean(axis=1)
    assert (
        np.abs(read / (800 / chances[np.arange(20_000), columns["item_id"]].min()) - 1).max() < 0.15
    )


@pytest.mark.long
def test_compiled_and_python_loops_replay_the_same_rows():
    columns, _, _ = context_log(4000)
    world = environment("logged", Contexts(4, 16), log=columns)
    private = algorithm("linucb").build(Setting(world.problem, rounds=100)).private
    scores = []
    for compiled in (True, False):
        some = streams(7)
        player = Player(private, some, compiled=compiled)
        game = world.deal(0, 100, streams(7).environment)
        scores.append(player.play(game, np.array([10, 100])).tolist())
        assert player.memory[ACCEPTED] == 100
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("names", "log"), [("exp3", plain_log(4000)), ("linucb", context_log(4000)[0])]
)
def test_late_outcomes_are_late_by_accepted_rows(names, log):
    results = simulate(names, log=log, rounds=60, trials=1, delay=5)
    assert (results.memory[..., ACCEPTED] == 60).all()
    at_once = simulate(names, log=log, rounds=60, trials=1)
    assert (results.loss[..., 0] == at_once.loss[..., 0]).all()


def test_affinities_are_one_more_feature():
    columns = plain_log(2000)
    affinity = np.random.default_rng(1).random((2000, 4))
    columns |= {f"user-item_affinity_{arm}": affinity[:, arm] for arm in range(4)}
    world = environment("logged", Contexts(), log=columns)
    assert world.problem.dimension == 4 * 1 + 1
    game = world.deal(0, 10, np.random.default_rng(0))
    shown = game.observe(0)
    row = game.rows[0]
    other = affinity - affinity.mean()
    assert np.corrcoef(shown[:, -1], other[row])[0, 1] == pytest.approx(1.0)
    assert np.linalg.norm(shown, axis=1).max() <= 1.0 + 1e-12


def test_the_command_replays_a_file_and_says_how_many_rows_were_accepted(tmp_path, capsys):
    path = str(write_csv(tmp_path / "log.csv", plain_log(4000)))
    asked = ["simulate", "exp3", "--log", path, "--trials", "2", "--quiet"]
    assert run(asked) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "of 4,000 rows accepted, 4 arms)" in text
    assert "not private, even if the algorithm is" in text
    assert run([*asked, "--json"]) == 0
    assert "not private" in json.loads(capsys.readouterr().out)["remark"]
    names = "--set", "columns=reward:bought"
    assert run([*asked, *names]) == 2
    assert "has no column bought for the reward" in capsys.readouterr().err
    assert run([*asked, "--rounds", "3000"]) == 2
    assert "rounds is 3000, but" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"log": plain_log(40)}, "would accept about .* which is too few for a game"),
        ({"log": None}, "environment 'logged' needs a log, and none was given"),
        ({"least": 2.0}, "least is 2.0"),
        ({"log": plain_log(4000) | {"click": [3] * 4000}}, "row 1: the loss is -2, but"),
        ({"against": "context"}, "unknown|against"),
        ({"environment": "stochastic"}, "environment 'stochastic' makes its own: use 'logged'"),
        ({"arms": 7}, "arms is 7, but the log has 4"),
        ({"rounds": 3000}, "has rows for .* rounds of replay"),
    ],
)
def test_what_cannot_be_replayed_is_refused(changes, complaint):
    options = {name: changes.pop(name) for name in ("least",) if name in changes}
    arguments = {"log": plain_log(4000), "environment": "logged", "trials": 2} | changes
    with pytest.raises(DiscreetError, match=complaint):
        simulate("exp3", **arguments, options=options)


def test_wrong_probabilities_that_exhaust_a_log_are_reported():
    """A log with wrong probabilities, or more rounds than it lasts for."""
    world = environment("logged", log=plain_log(3000))
    longer = world._replace(rounds=2000)
    with pytest.raises(DiscreetError, match=r"has no rows left after .* ask for fewer rounds"):
        simulate("exp3", environment=longer, rounds=2000, trials=1)


def test_a_declared_least_probability_replaces_a_tiny_one():
    log = plain_log(4000)
    log["propensity_score"] = log["propensity_score"].copy()
    log["propensity_score"][0] = 1e-6
    with pytest.raises(DiscreetError, match="too few for a game"):
        environment("logged", log=log)
    assert environment("logged", log=log, least=0.1).length > 200


def test_contenders_of_your_own_can_be_replayed():
    learner = Exp3.start(arms=4, learning_rate=0.1)
    channel = Batch.laplace(size=1, epsilon=1.0, bounds=make_range())
    own = Contender(label="mine", private=Private(channel, learner))
    results = simulate(own, environment="logged", log=plain_log(4000), rounds=100, trials=2)
    assert results.rounds == 100


@pytest.mark.parametrize("insist", [False, True])
def test_a_table_that_looks_like_a_log_asks_back(tmp_path, insist):
    numbers = {"item_id": [0, 1] * 5, "click": [1.0, 0.0] * 5, "propensity_score": [0.5] * 10}
    path = tmp_path / "log.csv"
    pandas.DataFrame(numbers).to_csv(path, index=False)
    for given in (path, pandas.DataFrame(numbers)):
        if insist:
            assert environment("table", losses=given, is_table=True).problem.arms == 3
            continue
        complaint = "as a log of decisions has, .* environment 'logged' .* is_table=True"
        with pytest.raises(DiscreetError, match=complaint):
            environment("table", losses=given)
        with pytest.raises(DiscreetError, match=complaint):
            simulate("exp3", losses=given)
    if not insist:
        with pytest.raises(DiscreetError, match=complaint):
            simulate("exp3", environment=pandas.DataFrame(numbers))
