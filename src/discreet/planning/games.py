"""The games of a plan: distributions of expected outcomes, and counts of the arms played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from discreet.contracts import Action, Feedback, Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.errors import DiscreetError
from discreet.problems import Environment, Points, Problem, ReactingGame
from discreet.problems.points import product

# A beta distribution is replaced by this many quantiles: drawing from a list is ten times faster.
QUANTILES = 4096


class Distribution(Protocol):
    """Independent losses of one arm."""

    @property
    def mean(self) -> float:
        """The mean loss."""

    @property
    def deviation(self) -> float:
        """The standard deviation of a loss."""

    def draw(self, uniforms: Floats) -> Floats:
        """Return a loss for each uniform number."""


@dataclass(frozen=True)
class Ends:
    """Losses at the two ends of the range: 0/1 outcomes, or the widest possible spread.

    >>> Ends(0.25).draw(np.array([0.1, 0.7, 0.8])).tolist(), Ends(0.5).deviation
    ([0.0, 0.0, 1.0], 0.5)
    """

    mean: float

    @property
    def deviation(self) -> float:
        """The standard deviation of a coin."""
        return float(np.sqrt(self.mean * (1.0 - self.mean)))

    def draw(self, uniforms: Floats) -> Floats:
        """Return 0 or 1."""
        drawn: Floats = (uniforms >= 1.0 - self.mean).astype(np.float64)
        return drawn


@dataclass(frozen=True, eq=False)
class Listed:
    """Losses drawn from a list with replacement: past outcomes, or quantiles of a distribution.

    >>> Listed(np.array([0.0, 1.0, 0.5, 0.5])).draw(np.array([0.0, 0.3, 0.99])).tolist()
    [0.0, 1.0, 0.5]
    """

    losses: Floats

    @property
    def mean(self) -> float:
        """The mean of the list."""
        return float(self.losses.mean())

    @property
    def deviation(self) -> float:
        """The standard deviation of the list."""
        return float(self.losses.std())

    def draw(self, uniforms: Floats) -> Floats:
        """Return an entry of the list for each uniform number."""
        drawn: Floats = self.losses[(uniforms * self.losses.size).astype(np.int64)]
        return drawn


def beta(mean: float, deviation: float) -> Listed:
    """Return the beta distribution with this mean and standard deviation, as quantiles.

    >>> found = beta(0.5, 0.2)
    >>> round(found.mean, 4), round(found.deviation, 3)
    (0.5, 0.2)
    """
    from scipy.special import betaincinv

    strength = mean * (1.0 - mean) / deviation**2 - 1.0
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    return Listed(betaincinv(mean * strength, (1.0 - mean) * strength, levels))


def widest_spread(mean: float) -> float:
    """Return the largest standard deviation that losses in [0, 1] with this mean can have.

    >>> widest_spread(0.5)
    0.5
    """
    return Ends(mean).deviation


def expected(mean: float, deviation: float | None) -> Distribution:
    """Return losses with this mean and standard deviation (None: as large as possible)."""
    most = widest_spread(mean)
    if deviation is None or deviation >= 0.999 * most:  # a beta distribution degenerates here
        return Ends(mean)
    return beta(mean, max(deviation, 1e-3 * most))  # below, quantiles lose all precision


PHASES = 3  # of a game in which outcomes drift: arms exchange their means twice


class CountedGame(ReactingGame[Action, Feedback]):
    """Losses in a table, and counts of how often each role was played in each phase.

    The role of an arm in a phase is its rank: best, next, ...; see ``roles[phase, arm]``.
    """

    by_round = ("losses", "phase")

    losses: Floats
    phase: Integers  # of every round
    roles: Integers

    @property
    def choices(self) -> int:
        """The number of arms."""
        return int(self.losses.shape[1])

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of the rows of each stretch."""
        return np.add.reduceat(self.losses, starts, axis=0)

    def rescaled(self, shift: float, factor: float) -> CountedGame:
        """Return the game with all losses on another scale."""
        return self._replace(losses=shift + factor * self.losses)


class CountedArms(CountedGame[int, float]):
    """A counted game in which one arm is played and only its loss is seen."""

    action_shape = ()

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm."""
        loss: float = self.losses[t, action]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the loss of the arm, and count it."""
        if not 0 <= action < self.losses.shape[1]:  # compiled code would write to other memory
            raise DiscreetError(
                "the learner played an arm that the game does not have: both must have the same "
                "number of arms."
            )
        self.memory[self.phase[t], self.roles[self.phase[t], action]] += 1.0
        loss: float = self.losses[t, action]
        return loss


class CountedExperts(CountedGame[Floats, Floats]):
    """A counted game in which all losses are seen; an action is a distribution over experts."""

    @property
    def action_shape(self) -> tuple[int, ...]:
        """A probability for each expert."""
        return (self.choices,)

    def feedback(self, t: int, action: Floats) -> Floats:
        """Return all losses; the action does not matter."""
        vector: Floats = self.losses[t]
        return vector

    def loss(self, t: int, action: Floats) -> float:
        """Return the expected loss, and add up the probability of each expert."""
        loss = product(self.losses[t], action)
        for i in range(action.size):
            self.memory[self.phase[t], self.roles[self.phase[t], i]] += action[i]
        return loss


class Planned(Environment):
    """Independent losses with one distribution per role; each game assigns roles to arms at random.

    So no algorithm benefits from trying arms in a particular order. If outcomes drift, every arm
    takes over the role of the next one after a third of the game, and again after two thirds.
    """

    on_unit_scale = True

    plays: Any  # the problem
    distributions: Any  # one for each role
    rounds: int
    drifting: bool

    @property
    def problem(self) -> Problem:
        """The problem."""
        found: Problem = self.plays
        return found

    def deal(self, start: int, stop: int, rng: Generator) -> CountedGame:
        """Return rounds start to stop, as fractions of the range."""
        size, phases = len(self.distributions), PHASES if self.drifting else 1
        first = uniforms(rng, 0, 1, size, purpose=1)[0].argsort()
        roles = (first + np.arange(phases)[:, None]) % size
        phase = np.arange(start, stop) * phases // self.rounds
        drawn = rng.random((stop - start, size))
        for role, distribution in enumerate(self.distributions):
            drawn[:, role] = distribution.draw(drawn[:, role])
        losses = (
            np.take_along_axis(drawn, roles[phase], axis=1) if phases > 1 else drawn[:, roles[0]]
        )
        make = CountedExperts if isinstance(self.plays, Points) else CountedArms
        memory = np.zeros((phases, size))
        return make(memory=memory, losses=np.ascontiguousarray(losses), phase=phase, roles=roles)

    def __repr__(self) -> str:
        return f"Planned({self.problem.sizes}, {'drifting' if self.drifting else 'unchanging'})"
