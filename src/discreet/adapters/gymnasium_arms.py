"""Gymnasium bandits as discreet environments."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.adapters.gymnasium_games import require_gymnasium
from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.errors import DiscreetError, shorten
from discreet.problems import ArmGame, ArmsEnvironment

SEED = 2_100  # the stream of the random number that seeds a trial


class GymnasiumArms(ArmsEnvironment):
    """A Gymnasium bandit, reset with a different seed in every trial.

    Every arm is played in its own copy of the bandit, to get the loss low + high - reward of all
    arms in every round. So **the rewards of the bandit must not depend on earlier actions**. When
    an episode ends, another begins.
    """

    arms: int
    make: Callable[[], Any]
    low: float
    high: float

    @property
    def source(self) -> str:
        """A name for messages."""
        return "the environment of Gymnasium"

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop; earlier rounds are replayed to reach the same state.

        That costs little, because games are dealt in few pieces.
        """
        seed = int(uniforms(rng, 0, 1, 1, purpose=SEED)[0, 0] * 2**31)
        first = self.make()
        first.reset(seed=seed)
        losses = np.empty((stop - start, self.arms))
        for arm in range(self.arms):
            env = copy.deepcopy(first)
            for t in range(stop):
                _, reward, terminated, truncated, _ = env.step(arm)
                if t >= start:
                    losses[t - start, arm] = self.low + self.high - float(reward)
                if terminated or truncated:
                    env.reset()
        return ArmGame(losses)


def from_gymnasium(
    env: str | Callable[[], Any], *, low: float = 0.0, high: float = 1.0, **options: object
) -> GymnasiumArms:
    """Return a Gymnasium bandit as an environment for ``simulate``.

    ``env`` is the name of a registered environment, or a function that makes one; ``options`` go to
    ``gymnasium.make``. Rewards lie between ``low`` and ``high``; pass both to ``simulate`` as well.
    It refuses other rewards, or clips them with ``clip=True``.
    """
    gym = require_gymnasium()
    if isinstance(env, str):
        name = env

        def make() -> Any:  # noqa: ANN401
            return gym.make(name, **options)
    elif callable(env):
        make = env
    else:
        raise DiscreetError(
            f"env is {shorten(env)}, but must be the name of an environment, or a function that "
            "makes one."
        )
    try:
        space = make().action_space
    except gym.error.Error as reason:
        raise DiscreetError(
            f"env is {shorten(env)}, which Gymnasium cannot make: {reason}"
        ) from None
    if not isinstance(space, gym.spaces.Discrete) or space.n < 2 or space.start != 0:
        raise DiscreetError(
            f"the action space is {space}, but must be Discrete(n) with at least 2 arms."
        )
    return GymnasiumArms(arms=int(space.n), make=make, low=float(low), high=float(high))
