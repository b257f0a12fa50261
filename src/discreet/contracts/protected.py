"""The contract of a protected learner: a learner behind a channel."""

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
    """Plays a game: a learner behind a channel.

    ``Private``, or ``OnDevice`` where contexts are private.
    """

    # whether observations, like feedback, never reach the learner
    keeps_observations: ClassVar[bool] = False

    @property
    def channel(self) -> Channel[Feedback, Release, Query]:
        """The channel, which receives all raw feedback."""
        raise NotImplementedError

    @property
    def learner(self) -> Learner:
        """The learner, which receives released values."""
        raise NotImplementedError

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def hold_for(self, trace: Trace) -> int:
        """Return how many rounds to play the action; called once per action, before feedback."""
        raise NotImplementedError

    def submit(self, trace: Trace, feedback: Feedback, rng: Generator) -> tuple[bool, Release]:
        """Pass raw feedback to the channel; return whether it releases a value, and the value."""
        raise NotImplementedError

    def deliver(self, trace: Trace, released: Release) -> None:
        """Pass a released value to the learner."""
        raise NotImplementedError

    def tell(self, trace: Trace, feedback: Feedback, rng: Generator) -> bool:
        """Take feedback and learn from the release, if there is one; return whether there was."""
        raise NotImplementedError

    @property
    def guarantee(self) -> Guarantee:
        """The privacy guarantee."""
        raise NotImplementedError
