"""The contracts of those who learn and choose: learner, server, policy."""

from __future__ import annotations

import math
from typing import ClassVar, Generic, NoReturn

from discreet.components import Component
from discreet.contracts.passing import Action, Generator, Model, Observation, Query, Release, Trace
from discreet.errors import DiscreetError


class Learner(Component, Generic[Action, Trace, Release, Query, Observation]):
    """An ordinary online learner. It sees observations and released values, never raw feedback."""

    follows: ClassVar[bool] = (
        False  # whether actions are experts, whose advice the game then carries out
    )
    plays_vertices: ClassVar[bool] = (
        False  # whether actions are vertices of a set, which can be told in words
    )

    @classmethod
    def example(cls) -> Learner:
        """Return one to check the contract with."""
        raise NotImplementedError

    @property
    def choices(self) -> int:
        """Among how many arms or experts it chooses, or in how many dimensions; 0 if it does not say."""
        return 0

    @property
    def mixing(self) -> float:
        """With which probability an action is drawn uniformly at random."""
        return 0.0

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def query(self, trace: Trace) -> Query:
        """Return the public factor by which the feedback to this trace is to be multiplied: the plain loss is wanted."""
        return 1.0  # type: ignore[return-value] # who asks for something else says so

    def learn(self, trace: Trace, released: Release) -> None:
        """Update the state with a released value (losses on the scale [0, 1], plus noise)."""
        raise NotImplementedError

    def patience(self, trace: Trace) -> int:
        """Return for how many rounds to hold the action, chosen from earlier releases; 0 leaves it to the channel."""
        return 0

    def is_done(self) -> bool:
        """Return whether the game may stop here, as far as the learner is concerned."""
        return False

    def must_pause(self) -> bool:
        """Return whether ``resume`` is to be called before the next action, outside of compiled code."""
        return False

    def resume(self) -> None:
        """Do what cannot be compiled, as plain Python; called where ``must_pause`` asks for it."""

    def window(self, change: float) -> float:
        """Return within which window log-ratios of action probabilities stay when one past gain is ``change`` away."""
        return math.inf

    def release_size(self) -> int:
        """Return how many numbers a release must have; 0 for one plain number."""
        return 0


class Server(Learner[NoReturn, object, Release, Query], Generic[Model, Release, Query]):
    """A learner that plays nothing: it publishes a model, with which devices choose, and learns from their reports."""

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
    """How a device chooses, from a published model and from what it alone is shown. It keeps nothing between rounds."""

    @classmethod
    def example(cls) -> Policy:
        """Return one to check the contract with."""
        raise NotImplementedError

    def choose(self, model: Model, observation: Observation, rng: Generator) -> Action:
        """Return an action; what is observed stays on the device."""
        raise NotImplementedError
