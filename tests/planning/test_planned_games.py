"""The games of a plan deal what was expected, and count what was played."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet import Contender, Private, Range, simulate
from discreet.channels import Constant, Open
from discreet.learners import Uniform
from discreet.planning.games import PHASES, Ends, Listed, Planned, beta
from discreet.planning.measures import costs, measure, ratio_interval
from discreet.planning.question import Question
from discreet.planning.sweeps import PlayCounts, Sweep, Variant, play
from discreet.problems import Arms, Points

THREE = (Listed(np.array([0.0, 0.2])), Ends(0.5), Ends(0.75))


def dealt(drifting=False, rounds=30_000, cuts=(0, 30_000), problem=None, seed=3):
    planned = Planned(problem or Arms(3), THREE, rounds, drifting)
    rng = np.random.default_rng(seed)
    return [planned.deal(a, b, rng) for a, b in itertools.pairwise(cuts)]


def test_each_role_has_its_distribution():
    (game,) = dealt()
    for arm in range(3):
        mean = THREE[game.roles[0, arm]].mean
        # 1e-6 a check
        assert game.losses[:, arm].mean() == pytest.approx(mean, abs=5 * 0.5 / np.sqrt(30_000))
    assert set(np.unique(game.losses)) == {0.0, 0.2, 1.0}


def test_every_arm_is_the_best_equally_often():
    """A share of 1/3 in 600 games; off by more than 5 deviations with probability 1e-6."""
    first = [dealt(rounds=10, cuts=(0, 2), seed=seed)[0].roles[0, 0] for seed in range(600)]
    shares = np.bincount(first, minlength=3) / 600
    assert np.abs(shares - 1 / 3).max() < 5 * np.sqrt(2 / 9 / 600)


def test_a_game_is_the_same_however_it_is_cut():
    for drifting in (False, True):
        whole = dealt(drifting)[0].losses
        pieces = np.concatenate(
            [game.losses for game in dealt(drifting, cuts=(0, 7, 9_999, 20_001, 30_000))]
        )
        assert (whole == pieces).all()


def test_roles_move_on_when_outcomes_drift():
    (game,) = dealt(drifting=True)
    assert [(game.phase == phase).sum() for phase in range(PHASES)] == [10_000] * 3
    assert (game.roles[1] == (game.roles[0] + 1) % 3).all()
    for phase in range(PHASES):
        mean = game.losses[game.phase == phase].mean(axis=0)
        wanted = [THREE[role].mean for role in game.roles[phase]]
        assert mean == pytest.approx(wanted, abs=5 * 0.5 / 100)


@pytest.mark.parametrize("problem", [Arms(3), Points("experts", 3)])
def test_what_is_played_is_counted(problem):
    """Played by hand, round by round, as plain Python."""
    (game,) = dealt(drifting=True, rounds=60, cuts=(0, 60), problem=problem)
    counted = np.zeros((PHASES, 3))
    rng = np.random.default_rng(1)
    for t in range(60):
        arm = int(rng.integers(3))
        action = arm if isinstance(problem, Arms) else np.eye(3)[arm]
        assert game.loss(t, action) == game.losses[t, arm]
        assert (
            game.feedback(t, action)
            == (game.losses[t, arm] if isinstance(problem, Arms) else game.losses[t])
        ).all()
        counted[t // 20, (game.roles[0, arm] + t // 20) % 3] += 1
    assert (game.memory == counted).all()


def test_the_memory_of_a_game_comes_with_the_results():
    private = Private(Constant.like(Open(Range(0.0, 1.0)), 0.5), Uniform(3))
    contenders = [Contender(label=label, private=private) for label in "ab"]
    environment = Planned(Arms(3), THREE, 300, True)
    results = simulate(contenders, environment=environment, rounds=300, trials=5, seed=2)
    assert results.memory.shape == (2, 5, PHASES, 3)
    assert (results.memory.sum(axis=3) == 100.0).all()
    assert (results.memory[0] == results.memory[1]).all()  # the same draws
    assert (
        simulate(contenders, environment="stochastic", arms=3, rounds=10, trials=2).memory is None
    )


QUESTION = Question(arms=4, rounds=400, difference=0.3, high=2.0, trials=60)


def test_uniform_play_costs_what_guessing_costs():
    """Within 5 deviations of the mean over trials: a false alarm with probability 1e-6."""
    uniform = Variant("uniform")
    for drifting in (False, True):
        sweep = Sweep(
            part="x", variants=(uniform,), rounds=400, trials=60, seed=4, drifting=drifting
        )
        played = play(sweep, QUESTION)
        found = costs(QUESTION, played, uniform)
        assert abs(found.mean() - QUESTION.guessing_cost) < 5 * found.std() / np.sqrt(60)
        facts = measure(QUESTION, played, uniform, uniform)
        assert facts.best_arm.low < 0.25 < facts.best_arm.high
        assert facts.share_of_gain is None
        assert not facts.beats_guessing


@pytest.mark.long
def test_the_first_arm_is_no_better_than_another():
    """Staying on the first arm gains nothing: the cost is 0 or the difference."""
    stubborn = Variant("tracking-ucb", 0.02)  # does not finish its first batch of the first arm
    sweep = Sweep(part="x", variants=(stubborn,), rounds=40, trials=400, seed=1)
    played = play(sweep, QUESTION)
    assert (played.counts[stubborn].max(axis=(1, 2)) == 40).all()
    found = costs(QUESTION, played, stubborn).mean()
    assert abs(found - QUESTION.guessing_cost) < 5 * 0.3 * np.sqrt(3 / 16 / 400)


def test_costs_are_computed_from_counts():
    variant = Variant("exp3", 0.5)
    counts = np.array([[[30.0, 5.0, 3.0, 2.0]], [[5.0, 20.0, 10.0, 5.0]]])
    question = Question(arms=4, rounds=40, difference=0.3, better="lower", typical=0.6)
    played = PlayCounts(
        sweep=Sweep(part="x", variants=(variant,), rounds=40, trials=2, seed=0),
        counts={variant: counts},
    )
    assert costs(question, played, variant) == pytest.approx([0.3 * 10 / 40, 0.3 * 35 / 40])
    facts = measure(question, played, variant, variant)
    assert facts.outcome.value == pytest.approx(0.3 + 0.3 * 45 / 80)
    assert facts.best_arm.value == pytest.approx(35 / 80)
    assert facts.most_played.value == 0.5
    assert facts.gain.value == pytest.approx(0.225 - 0.3 * 45 / 80)


@pytest.mark.parametrize(
    ("mean", "deviation"), [(0.5, 0.2), (0.1, 0.05), (0.9, 0.25), (0.5, 0.45), (0.05, 0.01)]
)
def test_beta_outcomes_have_the_mean_and_spread_that_were_asked_for(mean, deviation):
    found = beta(mean, deviation)
    assert found.mean == pytest.approx(mean, abs=1e-3)
    assert found.deviation == pytest.approx(deviation, rel=5e-3)
    assert 0.0 <= found.losses.min() <= found.losses.max() <= 1.0


def test_intervals_of_shares_cover_what_they_should():
    """Of 1,000 intervals, 92 % to 98 % hold the true ratio (false alarm: 1e-4)."""
    rng = np.random.default_rng(5)
    below = 2.0 + rng.normal(size=(1000, 32))
    above = 0.5 * below + rng.normal(scale=0.7, size=(1000, 32))
    found = [ratio_interval(*pair) for pair in zip(above, below, strict=True)]
    assert 0.92 < np.mean([each.low <= 0.5 <= each.high for each in found]) < 0.98
