"""The probability of a decision: against how often arms are played, and what exploring costs."""

from __future__ import annotations

import numpy as np
import pytest
from makers import make

from discreet import Bandit

ALGORITHMS = ["tracking-ucb", "batched-exp3", "one-bit-tsallis-inf", "htinf"]
REWARDS = (0.6, 0.5, 0.5)


def play(seed, rounds, **options):
    """Play a simulated run with three arms; return its decisions."""
    face = Bandit(3, simulation=True, seed=seed, **{"horizon": rounds, "epsilon": 1.0} | options)
    rng, decisions = np.random.default_rng([seed, 1]), []
    for _ in range(rounds):
        decision = face.ask()
        decisions.append(decision)
        face.tell(decision, reward=float(rng.random() < REWARDS[decision.arm]))
    return decisions


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.filterwarnings("ignore:htinf is not private")
def test_weighted_by_its_probability_every_arm_counts_once(algorithm):
    """E 1[A = a] / p = 1 for each arm, in rounds early and late.

    Weights are at most 12 (a quarter of the rounds is explored), so their mean over 100 runs is
    close to normal; a false alarm has a probability below 1e-5 for each of 9 comparisons.
    """
    runs = [play(seed, 40, algorithm=algorithm, explore=0.25) for seed in range(100)]
    for number in (0, 7, 39):
        drawn = [run[number] for run in runs]
        assert all(1 / 12 - 1e-9 <= each.probability <= 1.0 for each in drawn)
        for arm in range(3):
            weights = np.array([(each.arm == arm) / each.probability for each in drawn])
            assert abs(weights.mean() - 1.0) < 4.5 * weights.std() / np.sqrt(len(runs))


def test_without_exploring_it_is_that_of_the_learner():
    for decision in play(1, 60, algorithm="batched-exp3", batch_size=4):
        assert 0.0 < decision.probability < 1.0
        assert decision.batch == decision.id - decision.id % 4


def base_chances(decisions, share=0.0):
    """Return the probabilities with which an index learner drew its arms, in sixths."""
    return [6.0 * (each.probability - share / 3.0) / (1.0 - share) for each in decisions]


def test_an_index_is_certain_and_ties_are_drawn():
    """The first three batches are drawn evenly; later ties come from means that are clipped."""
    decisions = play(2, 600, algorithm="tracking-ucb")
    first = sorted({each.batch for each in decisions})[:3]
    chances = [next(each.probability for each in decisions if each.batch == b) for b in first]
    assert chances == pytest.approx([1 / 3, 1 / 2, 1.0])
    later = base_chances(each for each in decisions if each.batch > first[-1])
    assert set(np.round(later, 9)) <= {2.0, 4.0, 6.0}
    assert np.mean(np.array(later) == 6.0) > 0.5


def test_the_coin_is_mixed_in():
    decisions = play(3, 400, algorithm="tracking-ucb", explore=0.3)
    batches = sorted({each.batch for each in decisions if each.batch >= 0})[3:]
    own = [each for each in decisions if each.batch in batches]
    assert set(np.round(base_chances(own, 0.3), 9)) <= {2.0, 4.0, 6.0}
    aside = [each for each in decisions if each.batch < 0 and each.id > batches[0]]
    found = set(np.round(base_chances(aside, 0.3), 9))
    assert {0.0, 6.0} <= found <= {0.0, 2.0, 4.0, 6.0}


def test_it_is_not_shown_where_the_guarantee_covers_actions_only():
    face = Bandit(3, 300, 1.0, delta=1e-6, algorithm="exp3-tau", simulation=True)
    decision = face.ask()
    assert decision.probability is None
    assert face.open_decisions[0].probability is None
    assert decision.batch == 0


def test_other_classes_leave_it_out():
    search = make("search")
    decision = search.ask()
    assert decision.probability is None
    assert decision.batch == 0
    assert search.open_decisions[0].batch == 0


@pytest.mark.parametrize(
    ("share", "regret"),
    [
        (None, 30.4),
        pytest.param(0.05, 31.1, marks=pytest.mark.full),
        pytest.param(0.1, 32.0, marks=pytest.mark.full),
        (0.2, 33.8),
    ],
)
def test_what_exploring_costs_in_a_trial_of_600(share, regret):
    """As measured before, in 1,000 runs: here 36, within 4.5 standard errors of both."""
    runs = [play(seed, 600, algorithm="tracking-ucb", explore=share) for seed in range(36)]
    found = np.array([0.1 * sum(each.arm != 0 for each in run) for run in runs])
    error = np.hypot(found.std() / np.sqrt(len(runs)), 0.25)
    assert abs(found.mean() - regret) < 4.5 * error
