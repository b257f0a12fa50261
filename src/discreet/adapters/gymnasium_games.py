"""Discreet environments as Gymnasium environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.environments import environment as named
from discreet.errors import DiscreetError, check_int
from discreet.problems import Arms, ContextGame, Contexts, Environment
from discreet.ranges import Range, make_range
from discreet.simulation.dealing import Dealer

if TYPE_CHECKING:
    import gymnasium

BLOCK = 4096  # rounds dealt at once


def require_gymnasium() -> Any:  # noqa: ANN401
    """Return the module, or raise an error that says how to install it."""
    try:
        import gymnasium
    except ImportError:
        raise DiscreetError("this adapter needs Gymnasium: pip install gymnasium.") from None
    return gymnasium


def as_gymnasium(
    environment: str | Environment,
    *,
    rounds: int,
    low: float = 0.0,
    high: float = 1.0,
    **options: object,
) -> gymnasium.Env[Any, Any]:
    """Return an environment for arms or contexts as a Gymnasium environment.

    An episode has ``rounds`` rounds. An action is an arm. The reward is low + high - loss. With
    contexts, an observation has one row of features for every arm; without, it is always 0.
    ``options`` are those of a named environment, and the parameters of its problem.

    >>> env = as_gymnasium("stochastic", rounds=3, arms=4)
    >>> observation, info = env.reset(seed=1)
    >>> env.action_space, observation, env.step(2)[3]
    (Discrete(4), np.int64(0), False)
    """
    require_gymnasium()
    length, bounds = check_int("rounds", rounds, minimum=2), make_range(low, high)
    found = environment
    if isinstance(found, str):
        found = named(found, None, rounds=length, bounds=bounds, **options)
    if not isinstance(found.problem, Arms | Contexts):
        raise DiscreetError(
            f"{found.source} is for {found.problem}, but this adapter supports only arms and "
            "contexts."
        )
    if found.answers or found.reacts:
        raise DiscreetError(
            f"losses of {found.source} depend on earlier actions, which this adapter does not "
            "support."
        )
    made: gymnasium.Env[Any, Any] = _make_class()(found, length, bounds)
    return made


def _make_class() -> Any:  # noqa: ANN401
    """Return the class; it is made only when needed, because its base is in Gymnasium."""
    import gymnasium as gym

    class DealtGames(gym.Env[Any, Any]):
        """Deals the losses of an environment, some rounds at a time."""

        metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (as in Gymnasium)

        def __init__(self, environment: Environment, rounds: int, bounds: Range) -> None:
            problem = environment.problem
            self._rounds, self._bounds = rounds, bounds
            self._dealer = Dealer(environment, bounds, clip=False)
            self._arms = int(problem.parameters()["arms"])
            self.action_space = gym.spaces.Discrete(self._arms)
            self.observation_space = gym.spaces.Discrete(1)
            if isinstance(problem, Contexts):
                shape = problem.arms, problem.dimension
                self.observation_space = gym.spaces.Box(
                    -problem.norm, problem.norm, shape=shape, dtype=np.float64
                )
            self._round = rounds

        def reset(
            self, *, seed: int | None = None, options: object = None
        ) -> tuple[Any, dict[str, Any]]:
            """Begin an episode."""
            super().reset(seed=seed)
            self._rng = np.random.default_rng(int(self.np_random.integers(2**63)))
            self._round = 0
            return self._observe(), {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # noqa: ANN401
            """Play an arm."""
            if self._round >= self._rounds:
                raise DiscreetError("the episode is over, or has not started: call reset().")
            if not self.action_space.contains(action):
                raise DiscreetError(
                    f"action is {action!r}, but must be from 0 to {self._arms - 1}."
                )
            loss = float(self._game.loss(self._round % BLOCK, int(action)))
            if isinstance(self._game, ContextGame):  # the loss is a mean, the outcome 0 or 1
                loss = float(self._game.outcomes[self._round % BLOCK, int(action)])
            self._round += 1
            done = self._round >= self._rounds
            seen = self._last if done else self._observe()
            return seen, self._bounds.low + self._bounds.high - loss, False, done, {}

        def _observe(self) -> Any:  # noqa: ANN401
            place = self._round % BLOCK
            if place == 0:
                stop = min(self._round + BLOCK, self._rounds)
                self._game, _ = self._dealer.deal(self._round, stop, self._rng)
            contexts = isinstance(self._dealer.problem, Contexts)
            self._last = self._game.observe(place).copy() if contexts else np.int64(0)
            return self._last

    return DealtGames
