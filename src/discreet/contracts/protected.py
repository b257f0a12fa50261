"""The contract of what games are played with: a channel before a learner."""

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
    """A channel before a learner, as games are played with: ``Private``, or ``OnDevice`` where contexts are private."""

    keeps_observations: ClassVar[bool] = (
        False  # whether what is observed stays away from the learner, as feedback does
    )

    @property
    def channel(self) -> Channel[Feedback, Release, Query]:
        """What all raw feedback goes to."""
        raise NotImplementedError

    @property
    def learner(self) -> Learner:
        """Who learns from what is released."""
        raise NotImplementedError

    def act(self, observation: Observation, rng: Generator) -> tuple[Action, Trace]:
        """Return an action and its trace."""
        raise NotImplementedError

    def hold_for(self, trace: Trace) -> int:
        """Return for how many rounds the action is to be played; asked once for every action, before its feedback."""
        raise NotImplementedError

    def tell(self, trace: Trace, feedback: Feedback, rng: Generator) -> bool:
        """Hand raw feedback to the channel, and what is released to the learner; return whether something was."""
        raise NotImplementedError

    @property
    def guarantee(self) -> Guarantee:
        """What is guaranteed."""
        raise NotImplementedError
