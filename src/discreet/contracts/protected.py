"""The contract of a protected learner: a channel before a learner."""

from __future__ import annotations

from typing import ClassVar, Generic

from discreet.components import Component
from discreet.contracts.channel import Channel
from discreet.contracts.learner import Learner
from discreet.contracts.passing import (
    Action,
    Feedback,
    Generator,
    Observation,
    Query,
    Release,
    Trace,
)
from discreet.guarantee import Guarantee


class Protected(Component, Generic[Action, Trace, Feedback, Observation, Release, Query]):
    """What plays a game: a channel before a learner.

    ``Private``, or ``OnDevice`` where contexts are private.
    """

    # whether what is observed stays away from the learner, as feedback does
    keeps_observations: ClassVar[bool] = False

    @property
    def channel(self) -> Channel[Feedback, Release, Query]:
        """Where all raw feedback goes."""
        raise NotImplementedError

    @property
    def learner(self) -> Learner:
        """What learns from released values."""
        raise NotImplementedError

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def hold_for(self, trace: Trace) -> int:
        """Return how many rounds to play the action; called once per action, before feedback."""
        raise NotImplementedError

    def submit(self, trace: Trace, feedback: Feedback, rng: Generator) -> tuple[bool, Release]:
        """Hand raw feedback to the channel; return whether it releases a value now, and which."""
        raise NotImplementedError

    def deliver(self, trace: Trace, released: Release) -> None:
        """Hand a released value to the learner."""
        raise NotImplementedError

    def tell(self, trace: Trace, feedback: Feedback, rng: Generator) -> bool:
        """Take feedback and learn from what is released, if anything is; return whether it was."""
        raise NotImplementedError

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed."""
        raise NotImplementedError
