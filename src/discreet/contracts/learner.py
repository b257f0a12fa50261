"""The contracts of what learns and chooses: learner, server, policy."""

from __future__ import annotations

import math
from typing import ClassVar, Generic, NoReturn

from discreet.components import Component
from discreet.contracts.passing import Action, Generator, Model, Observation, Query, Release, Trace
from discreet.errors import DiscreetError


class Learner(Component, Generic[Action, Trace, Release, Query, Observation]):
    """An ordinary online learner. It sees observations and released values, never raw feedback."""

    # whether actions are experts, whose advice the game then carries out
    follows: ClassVar[bool] = False
    # whether its actions follow from what was released, apart from ties: no arm is drawn at random
    predictable: ClassVar[bool] = False
    # whether actions are vertices of a set, which have names
    plays_vertices: ClassVar[bool] = False

    @classmethod
    def example(cls) -> Learner:
        """Return one to check the contract with."""
        raise NotImplementedError

    @property
    def choices(self) -> int:
        """How many arms, experts or dimensions it chooses among; 0 if it does not say."""
        return 0

    @property
    def learns(self) -> bool:
        """Whether what it plays depends on what is released."""
        return True

    @property
    def mixing(self) -> float:
        """The probability with which an action is drawn uniformly at random."""
        return 0.0

    @property
    def oracle_calls(self) -> int | None:
        """How often it has called a linear oracle; None if it uses none."""
        return None

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def query(self, trace: Trace) -> Query:
        """Return the public factor to multiply the feedback to this trace by; 1: the plain loss."""
        return 1.0  # type: ignore[return-value] # learners with another query override it

    def learn(self, trace: Trace, released: Release) -> None:
        """Update the state with a released value (losses on the scale [0, 1], plus noise)."""
        raise NotImplementedError

    def give_up(self, trace: Trace) -> None:
        """Take note that nothing will be released for an action; for learners that count rounds."""

    def chance(self, trace: Trace, action: Action) -> float | None:
        """Return the probability of an action at the draw of the trace; None if unknown.

        Given the state before the draw. For the action that was drawn the trace is enough; for any
        other one it is asked right after the draw. Not compiled.
        """
        return None

    def patience(self, trace: Trace) -> int:
        """Return how many rounds to hold the action (0: the channel decides)."""
        return 0

    def is_done(self) -> bool:
        """Return whether the game may stop here, as far as the learner is concerned."""
        return False

    def must_pause(self) -> bool:
        """Return whether to call ``resume`` before the next action, outside of compiled code."""
        return False

    def resume(self) -> None:
        """Do what cannot be compiled, in plain Python; called when ``must_pause`` asks for it."""

    def window(self, change: float) -> float:
        """Return how far log action probabilities can move if one past gain moves by ``change``."""
        return math.inf

    def release_size(self) -> int:
        """Return how many numbers a release must have; 0 for one plain number."""
        return 0


class Server(Learner[NoReturn, object, Release, Query], Generic[Model, Release, Query]):
    """A learner that plays nothing: it publishes a model for devices and learns from reports."""

    @property
    def model(self) -> Model:
        """What is published: arrays, by name."""
        raise NotImplementedError

    def act(self, observation: object, rng: Generator) -> NoReturn:
        """Refuse: a server is shown nothing, and plays nothing."""
        raise DiscreetError(
            "a server publishes a model and plays nothing: join it with a policy by OnDevice."
        )


class Policy(Component, Generic[Model, Action, Observation]):
    """How a device chooses, from a published model and its own context; it keeps no state."""

    @classmethod
    def example(cls) -> Policy:
        """Return one to check the contract with."""
        raise NotImplementedError

    def choose(self, model: Model, observation: Observation, rng: Generator) -> Action:
        """Return an action; what is observed stays on the device."""
        raise NotImplementedError
