"""Missing outcomes hold up whole batches; with a wait time and a default they do not."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import Bandit

ROUNDS, RUNS, REWARDS = 6000, 12, (0.7, 0.5, 0.5)


def share_of_the_best(missing, **options):
    """Return how often the best of three arms is played, over some runs in which some outcomes
    never come.
    """
    played = 0
    for seed in range(RUNS):
        rng, now = np.random.default_rng(seed), [0.0]
        game = {"arms": 3, "horizon": ROUNDS, "epsilon": 0.1, "algorithm": "proved"}
        bandit = Bandit(**game, simulation=True, seed=seed, **options)
        bandit._run._clock = lambda now=now: now[0]
        for _ in range(ROUNDS):
            now[0] += 1.0
            decision = bandit.ask()
            played += decision.arm == 0
            reward = float(rng.random() < REWARDS[decision.arm])
            if rng.random() >= missing:
                bandit.tell(decision, reward=reward)
    return played / (RUNS * ROUNDS)


@pytest.mark.slow
@pytest.mark.long
def test_a_default_makes_up_for_missing_outcomes():
    """Seeds are fixed, so there are no false alarms; the differences are more than five standard
    errors.
    """
    waits = {"wait": 50.0, "default_reward": 0.0}
    complete = share_of_the_best(0.0)
    assert share_of_the_best(0.1) < complete - 0.06, "one in ten: four of five batches never come"
    assert share_of_the_best(0.1, **waits) > complete - 0.06
    assert share_of_the_best(0.0, **waits) > complete - 0.03, "to wait for 50 rounds costs little"
