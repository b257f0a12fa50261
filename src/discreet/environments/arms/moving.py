"""Losses that move: drifting means, random walks, and changes of the best arm."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import check_int, check_range
from discreet.problems import ArmGame, Arms, ArmsEnvironment

CYCLES = 2.0  # of the drift, over the whole game
STRIDE = 64  # rounds between two steps of a walk
STEP = 0.02  # the largest step of a walk


@register_environment(
    "drifting", title="Bernoulli losses whose means rise and fall in turn", problem=Arms
)
class Drifting(ArmsEnvironment):
    """Bernoulli losses whose means rise and fall, each arm a little later than the one before.

    The mean of arm i in round t is 1/2 - 0.4 cos(2 π (2 t / T - i / K)). Every arm is best for a
    while, twice.
    """

    on_unit_scale = True

    rounds: int

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        phase = (
            CYCLES * np.arange(start, stop)[:, None] / self.rounds
            - np.arange(self.arms) / self.arms
        )
        means = 0.5 - 0.4 * np.cos(2.0 * np.pi * phase)
        return ArmGame((uniforms(rng, start, stop, self.arms) < means).astype(np.float64))


@register_environment("random-walk", title="losses that are reflected random walks", problem=Arms)
class RandomWalk(ArmsEnvironment):
    """Every arm's loss is a random walk from 1/2, reflected at 0 and 1.

    Every 64 rounds there is a step, uniform in [-0.02, 0.02].

    >>> losses = RandomWalk(2).deal(0, 6400, np.random.default_rng(1)).losses
    >>> float(losses.min()) >= 0.0, float(losses.max()) <= 1.0
    (True, True)
    >>> losses[:64].tolist() == [[0.5, 0.5]] * 64
    True
    """

    on_unit_scale = True

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        period = np.arange(start, stop) // STRIDE
        steps = STEP * (2.0 * uniforms(rng, 0, int(period[-1]) + 1, self.arms) - 1.0)
        steps[0] = 0.5
        position = np.cumsum(steps, axis=0)[int(period[0]) :]
        folded = np.abs((position + 1.0) % 2.0 - 1.0)
        return ArmGame(folded[period - int(period[0])])


@register_environment(
    "switching",
    title="Bernoulli losses, the best arm changes after a third of the game",
    problem=Arms,
)
class Switching(ArmsEnvironment):
    """Bernoulli losses of mean 1/2, with one change of the best arm.

    For the first third of the game the first arm is better by 0.05, then the second one by 0.2.
    ``at`` is the share of the game before the change.
    """

    on_unit_scale = True

    rounds: int
    at: float = 1.0 / 3.0

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        late = np.arange(start, stop) >= check_range("at", self.at, 0.0, 1.0) * self.rounds
        means = np.full((stop - start, self.arms), 0.5)
        means[:, 0] = np.where(late, 0.5, 0.45)
        means[:, 1] = np.where(late, 0.3, 0.5)
        return ArmGame((uniforms(rng, start, stop, self.arms) < means).astype(np.float64))


@register_environment(
    "late-change", title="Bernoulli losses, another arm is best in the last fifth", problem=Arms
)
class LateChange(ArmsEnvironment):
    """Bernoulli losses of mean 1/2, with a better arm towards the end.

    The first arm is better by 0.02, and in the last fifth the second one by 0.2.
    """

    on_unit_scale = True

    rounds: int

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        means = np.full((stop - start, self.arms), 0.5)
        means[:, 0] = 0.48
        means[:, 1] = np.where(np.arange(start, stop) >= 0.8 * self.rounds, 0.3, 0.5)
        return ArmGame((uniforms(rng, start, stop, self.arms) < means).astype(np.float64))


@register_environment(
    "flipping", title="Bernoulli losses, two arms alternate as the best", problem=Arms
)
class Flipping(ArmsEnvironment):
    """Bernoulli losses of mean 1/2; the first two arms alternate as the best.

    Each is better by 0.2 for ``period`` rounds at a time.
    """

    on_unit_scale = True

    period: int = 3000

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        turn = np.arange(start, stop) // check_int("period", self.period, minimum=1) % 2
        means = np.full((stop - start, self.arms), 0.5)
        means[np.arange(stop - start), turn] = 0.3
        return ArmGame((uniforms(rng, start, stop, self.arms) < means).astype(np.float64))


@register_environment(
    "repeating", title="stochastic losses, each repeated for some rounds", problem=Arms
)
class Repeating(ArmsEnvironment):
    """Bernoulli losses of mean 1/2, the first arm better by 0.05, that repeat for some rounds.

    All losses are redrawn every ``repeats`` rounds.
    """

    on_unit_scale = True

    repeats: int = 5

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        period = np.arange(start, stop) // check_int("repeats", self.repeats, minimum=1)
        first, last = int(period[0]), int(period[-1])
        means = np.full(self.arms, 0.5)
        means[0] -= 0.05
        return ArmGame(
            (uniforms(rng, first, last + 1, self.arms) < means).astype(np.float64)[period - first]
        )
