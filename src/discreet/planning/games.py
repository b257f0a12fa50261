"""The games of a plan: outcomes as they are expected, and a memory of who was played how often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.contracts import Action, Feedback, Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.errors import DiscreetError
from discreet.problems import Environment, Points, Problem, ReactingGame
from discreet.problems.points import product

PHASES = 3  # of a game in which outcomes drift: arms exchange them twice


class CountedGame(ReactingGame[Action, Feedback]):
    """Rounds whose losses are a table, and a memory of how often each role was played in each phase.

    A role is what an arm is in a phase: the best one, the next one, ...; ``roles[phase, arm]``.
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
    """The same where one arm is played, and its loss is all that is seen."""

    action_shape = ()

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm."""
        loss: float = self.losses[t, action]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the loss of the arm, and remember what was played."""
        if not 0 <= action < self.losses.shape[1]:  # compiled code would write to other memory
            raise DiscreetError(
                "the learner played an arm that the game does not have: their numbers of arms must "
                "agree."
            )
        self.memory[self.phase[t], self.roles[self.phase[t], action]] += 1.0
        loss: float = self.losses[t, action]
        return loss


class CountedExperts(CountedGame[Floats, Floats]):
    """The same where all losses are seen, and an expert is drawn from a distribution, which is remembered."""

    @property
    def action_shape(self) -> tuple[int, ...]:
        """A probability for each expert."""
        return (self.choices,)

    def feedback(self, t: int, action: Floats) -> Floats:
        """Return all losses, whatever was played."""
        vector: Floats = self.losses[t]
        return vector

    def loss(self, t: int, action: Floats) -> float:
        """Return the expected loss, and remember with which probability each expert was played."""
        loss = product(self.losses[t], action)
        for i in range(action.size):
            self.memory[self.phase[t], self.roles[self.phase[t], i]] += action[i]
        return loss


class Planned(Environment):
    """Independent losses, one distribution for each role; which arm has which role is drawn for every game.

    So no algorithm gains from trying arms in a certain order. If outcomes drift, every arm takes
    the role of the next one after a third of the game, and again after two thirds.
    """

    on_unit_scale = True

    plays: Any  # the problem
    distributions: Any  # one for each role
    rounds: int
    drifting: bool

    @property
    def problem(self) -> Problem:
        """What is played."""
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
