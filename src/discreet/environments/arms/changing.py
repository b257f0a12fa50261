"""Bernoulli losses whose best arm changes at given times, and losses that repeat themselves."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import check_int, check_range
from discreet.problems import ArmGame, Arms, ArmsEnvironment


@register_environment(
    "switching", title="Bernoulli losses, another arm is best after a third", problem=Arms
)
class Switching(ArmsEnvironment):
    """Bernoulli losses of mean 1/2; first the first arm is better by 0.05, after a third the second one by 0.2.

    With ``at`` the change comes after another share of the game.
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
    "late-change", title="Bernoulli losses, a bad arm is best in the last fifth", problem=Arms
)
class LateChange(ArmsEnvironment):
    """Bernoulli losses of mean 1/2; the first arm is better by 0.02, and in the last fifth the second one by 0.2."""

    on_unit_scale = True

    rounds: int

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        means = np.full((stop - start, self.arms), 0.5)
        means[:, 0] = 0.48
        means[:, 1] = np.where(np.arange(start, stop) >= 0.8 * self.rounds, 0.3, 0.5)
        return ArmGame((uniforms(rng, start, stop, self.arms) < means).astype(np.float64))


@register_environment(
    "flipping", title="Bernoulli losses, two arms take turns as the best", problem=Arms
)
class Flipping(ArmsEnvironment):
    """Bernoulli losses of mean 1/2; the first two arms take turns in being better by 0.2, for ``period`` rounds each."""

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
    """Bernoulli losses of mean 1/2, the first arm better by 0.05; all are drawn again every ``repeats`` rounds."""

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
