"""A private learner whose state is bytes: put in before a step, and taken out after it."""

from __future__ import annotations

import numpy as np

from discreet import kernel
from discreet.contracts import Generator, Observation, unsealed
from discreet.live.blocks import packed
from discreet.live.rows import Example, Group, Rows, new_group
from discreet.private import Private


class Engine:
    """The learner and the channel of a run, and how feedback is held between two calls.

    The learner's arrays are a copy of the committed ones. What a group of rounds holds is put into the channel while an
    outcome is taken, and taken out again: between two calls there is nothing raw in it.
    """

    def __init__(self, private: Private, observation: Observation) -> None:
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
        self._copy_action, self._copy_trace = (kernel.copier(part) for part in self.example)  # buffers of the learner

    @property
    def stream(self) -> bytes | None:
        """What the channel holds before the first round, if all rounds are one stream."""
        return self._blank if self.streaming else None

    def new_group(self, number: int, observation: Observation, rng: Generator) -> Group:
        """Let the learner act, and begin what the channel holds for it."""
        learner = self.learner
        if learner.must_pause():
            learner.resume()
        action, trace = learner.act(observation, rng)
        if self._copy_action is not None:
            action = self._copy_action(action)
        if self._copy_trace is not None:
            trace = self._copy_trace(trace)
        size = self.channel.begin(learner.patience(trace))
        held = None
        if self.holding:
            held = self.channel_state.tobytes()
            self.clear()
        return new_group((number, action, trace, size, 0, held))

    def put(self, rows: Rows, group: Group) -> None:
        """Put into the channel what is held for a group."""
        if self.raw:
            self.channel_state[:] = rows.stream if self.streaming else group.held  # type: ignore[assignment]

    def clear(self) -> None:
        """Leave nothing raw in the channel."""
        self.channel_state[:] = self._blank


def _example(private: Private, observation: Observation) -> Example:
    """Return an action and a trace of the kind that the learner makes."""
    learner = kernel.copy(private.learner)
    if learner.must_pause():
        learner.resume()
    return learner.act(observation, np.random.default_rng(0))
