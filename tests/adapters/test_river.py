"""A private policy for river: it follows river's protocol, and keeps no raw reward.

Where river is installed, its own example is run; elsewhere a stand-in calls as its
``bandit.evaluate`` and ``evaluate_offline`` document it.
"""

from __future__ import annotations

import copy
import importlib.util
import pickle
import random

import gymnasium
import numpy as np
import pytest

from discreet import DiscreetError
from discreet.adapters import PrivatePolicy, as_gymnasium

SIMULATED = {"simulation": True, "seed": 1}


def evaluate(policies, env, n_episodes, seed):
    """Play as river's ``bandit.evaluate`` documents it."""
    rng = random.Random(seed)
    for _ in range(n_episodes):
        playing = [policy.clone() for policy in policies]
        env.reset(seed=rng.randint(0, 2**31))
        envs = [copy.deepcopy(env) for _ in playing]
        done = [False] * len(playing)
        while not all(done):
            for place, (policy, own) in enumerate(zip(playing, envs, strict=True)):
                arm = policy.pull(range(own.action_space.n))
                _, reward, terminated, truncated, _ = own.step(arm)
                policy.update(arm, reward)
                done[place] = terminated or truncated
                yield {"policy_idx": place, "arm": arm, "reward": reward}


def test_it_is_evaluated_as_river_does():
    env = as_gymnasium("deterministic", rounds=300, arms=3)
    policy = PrivatePolicy(3, horizon=300, epsilon=5.0, **SIMULATED)
    steps = list(evaluate([policy], env, 2, seed=1))
    assert len(steps) == 600
    assert {step["arm"] for step in steps} == {0, 1, 2}
    assert policy._n == 0, "clones play, and the policy itself does not"


def test_it_learns_and_ranks_arms():
    policy = PrivatePolicy(["a", "b"], horizon=4000, epsilon=5.0, **SIMULATED)
    for _ in range(2000):
        arm = policy.pull(["a", "b"])
        policy.update(arm, reward=float(arm == "b"))
    assert policy.ranking == ["b", "a"]
    assert policy._n == 2000
    assert policy.guarantee.epsilon == 5.0


def test_no_raw_reward_is_kept_where_it_can_be_read():
    """Two policies that saw other rewards, of which nothing was released yet, show the same."""

    def after(reward):
        policy = PrivatePolicy(
            2, horizon=5000, epsilon=0.1, algorithm="batched-exp3", simulation=True, seed=2
        )
        policy.update(policy.pull(range(2)), reward)
        return policy

    one, other = after(0.123456789), after(0.987654321)
    assert repr(one) == repr(other)
    assert one.ranking == other.ranking
    names = {name: value for name, value in vars(one).items() if name != "_bandit"}
    assert "0.123456789" not in repr(names)
    with pytest.raises(Exception, match=r"copied|pickle"):
        pickle.dumps(one)


def test_a_pull_without_an_update_is_pulled_again_as_in_a_replay():
    policy = PrivatePolicy(4, horizon=100, epsilon=1.0, **SIMULATED)
    first = policy.pull(range(4))
    assert {policy.pull(range(4)) for _ in range(20)} == {first}
    policy.update(first, 0.5)
    assert policy._n == 1


def test_other_arms_are_refused():
    policy = PrivatePolicy(2, horizon=100, epsilon=1.0, **SIMULATED)
    with pytest.raises(DiscreetError, match=r"arm_ids is \[0, 1, 2\], but the policy was made for"):
        policy.pull(range(3))
    with pytest.raises(
        DiscreetError,
        match="arm_id is 0, but no arm has been pulled since the last update: call pull",
    ):
        policy.update(0, 1.0)
    arm = policy.pull(range(2))
    with pytest.raises(DiscreetError, match="but the arm pulled last is"):
        policy.update(1 - arm, 1.0)


class ManyArms(gymnasium.Env):
    """Like river's KArmedTestbed: normal rewards around normal means, as many steps as asked."""

    def __init__(self, steps):
        self.action_space = gymnasium.spaces.Discrete(10)
        self.observation_space = gymnasium.spaces.Discrete(1)
        self._steps = steps

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._means, self._left = self.np_random.normal(size=10), self._steps
        return 0, {}

    def step(self, action):
        self._left -= 1
        reward = self._means[action] + self.np_random.normal()
        return 0, float(reward), False, self._left == 0, {}


class RandomPolicy:
    """Pulls any arm."""

    def __init__(self):
        self._rng = random.Random(1)

    def pull(self, arm_ids):
        return self._rng.choice(list(arm_ids))

    def update(self, arm_id, reward):
        pass

    def clone(self):
        return RandomPolicy()


def test_it_plays_river_s_own_example():
    """With river itself where it is installed, and else with what takes its place here."""
    mine = PrivatePolicy(10, horizon=500, epsilon=5.0, low=-5.0, high=5.0, clip=True, **SIMULATED)
    if importlib.util.find_spec("river") is None:
        trace = list(evaluate([mine, RandomPolicy()], ManyArms(500), 2, seed=1))
    else:
        from river import bandit

        env = gymnasium.make("river_bandits/KArmedTestbed-v0", max_episode_steps=500)
        policies = [mine, bandit.RandomPolicy(seed=1)]
        trace = list(bandit.evaluate(policies=policies, env=env, n_episodes=2, seed=1))
    totals = np.zeros(2)
    for step in trace:
        totals[step["policy_idx"]] += step["reward"]
    assert len(trace) == 2000
    assert totals[0] > totals[1]
