"""A private learner whose state is bytes: put in before a step, and taken out after it."""

from __future__ import annotations

import numpy as np

import componentjit
from discreet.contracts import Channel, Generator, Learner, unsealed
from discreet.live.blocks import packed
from discreet.live.rows import Example
from discreet.private import Private


class Engine:
    """The learner and the channel of a run, and how feedback is held between two calls.

    The learner's arrays are a copy of the committed ones. What a group of rounds holds is put into
    the channel while an outcome is taken, and taken out again: between two calls there is nothing
    raw in it.
    """

    def __init__(self, private: Private, observation: object) -> None:
        learner, self.learner_state = packed(private.learner)
        channel, self.channel_state = packed(unsealed(private.channel))
        self.first, self._blank = self.learner_state.tobytes(), self.channel_state.tobytes()
        self.private, self.learner, self.channel = Private(channel, learner), learner, channel
        self.streaming = channel.one_stream
        self.holding = channel.holds_feedback and not channel.one_stream  # for each group by itself
        self.taking = channel.holds_feedback and not channel.draws_while_taking
        self.raw = self.streaming or self.holding
        self.showing = channel.guarantee.is_private
        self.example = _example(private, observation)
        self._pausing = type(learner).must_pause is not Learner.must_pause
        alike = type(channel).begin is Channel.begin and not self.holding
        self._size = (
            channel.hold() if alike else None
        )  # of every group, if it holds nothing of its own
        self._copy_action, self._copy_trace = (
            componentjit.copier(part) for part in self.example
        )  # buffers of the learner

    @property
    def stream(self) -> bytes | None:
        """What the channel holds before the first round, if all rounds are one stream."""
        return self._blank if self.streaming else None

    def act(self, observation: object, rng: Generator) -> tuple[object, object, int, bytes | None]:
        """Let the learner act; return also for how many rounds, and what the channel holds for them to begin with."""
        learner = self.learner
        if self._pausing and learner.must_pause():
            learner.resume()
        action, trace = learner.act(observation, rng)
        if self._copy_action is not None:
            action = self._copy_action(action)
        if self._copy_trace is not None:
            trace = self._copy_trace(trace)
        if self._size is not None:
            return action, trace, self._size, None
        size, held = self.channel.begin(learner.patience(trace)), None
        if self.holding:
            held = self.channel_state.tobytes()
            self.clear()
        return action, trace, size, held

    def put(self, held: bytes | None) -> None:
        """Put into the channel what it holds."""
        self.channel_state[:] = held  # type: ignore[assignment]

    def clear(self) -> None:
        """Leave nothing raw in the channel."""
        self.channel_state[:] = self._blank


def _example(private: Private, observation: object) -> Example:
    """Return an action and a trace of the kind that the learner makes."""
    learner = componentjit.copy(private.learner)
    if learner.must_pause():
        learner.resume()
    return learner.act(observation, np.random.default_rng(0))
