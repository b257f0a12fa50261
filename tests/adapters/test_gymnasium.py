"""Gymnasium: our environments are its environments, and its bandits are ours."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from discreet import DiscreetError, simulate
from discreet.adapters import as_gymnasium, from_gymnasium
from discreet.checks import check_environment


class Coins(gymnasium.Env):
    """A bandit whose arm i pays 1 with probability i / 4."""

    def __init__(self, episode=10**9):
        self.action_space = gymnasium.spaces.Discrete(4)
        self.observation_space = gymnasium.spaces.Discrete(1)
        self._episode = episode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._left = self._episode
        return 0, {}

    def step(self, action):
        self._left -= 1
        paid = float(self.np_random.random() < action / 4.0)
        return 0, paid, False, self._left == 0, {}


@pytest.mark.parametrize("name", ["stochastic", "deterministic", "contexts-gaussian"])
def test_our_environments_pass_its_checker(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on rendering, and on spaces of one value
        check_env(as_gymnasium(name, rounds=50, arms=3), skip_render_check=True)


def test_rewards_are_losses_turned_round_and_a_seed_gives_the_same():
    def rewards(seed):
        env = as_gymnasium("stochastic", rounds=6000, arms=2, low=-1.0, high=3.0)
        env.reset(seed=seed)
        found, ended = [], False
        while not ended:
            _, reward, _, ended, _ = env.step(len(found) % 2)
            found.append(reward)
        with pytest.raises(DiscreetError, match="the episode is over"):
            env.step(0)
        return found

    one = rewards(1)
    assert len(one) == 6000, "more than one block"
    assert one == rewards(1)
    assert one != rewards(2)
    assert set(one) == {-1.0, 3.0}


def test_its_bandits_are_environments():
    found = from_gymnasium(Coins)
    assert found.problem.arms == 4
    check_environment(found)
    results = simulate(["tsallis-inf", "uniform"], environment=found, rounds=2000, trials=2, seed=1)
    good, uniform = (row["regret_mean"] for row in results.summary())
    assert good < 0.5 * uniform
    assert uniform == pytest.approx(2000 * (0.75 - 0.375), rel=0.15)  # 12 standard deviations


def test_games_are_the_same_however_they_are_cut():
    found = from_gymnasium(lambda: Coins(episode=7))
    whole = found.deal(0, 40, np.random.default_rng(3)).losses
    rng = np.random.default_rng(3)
    parts = [found.deal(start, start + 10, rng).losses for start in (0, 10, 20, 30)]
    assert np.array_equal(whole, np.concatenate(parts))


def test_what_cannot_be_played_is_refused():
    with pytest.raises(DiscreetError, match="but this adapter supports only arms and contexts"):
        as_gymnasium("linear-stochastic", rounds=10)
    with pytest.raises(DiscreetError, match="depend on earlier actions"):
        as_gymnasium("switching-costs", rounds=10)
    env = as_gymnasium("stochastic", rounds=10, arms=4)
    env.reset(seed=1)
    with pytest.raises(DiscreetError, match="action is 9, but must be from 0 to 3"):
        env.step(9)
    with pytest.raises(DiscreetError, match="env is 3, but must be the name of an environment"):
        from_gymnasium(3)
    with pytest.raises(DiscreetError, match="which Gymnasium cannot make"):
        from_gymnasium("Nowhere-v0")
    with pytest.raises(DiscreetError, match=r"must be Discrete\(n\)"):
        from_gymnasium("Pendulum-v1")
