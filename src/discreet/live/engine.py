"""A private learner whose state is bytes: loaded before a step, and unloaded after it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import componentjit
from componentjit import arrays, map_arrays
from discreet.channels.batch import UNREACHABLE
from discreet.contracts import Channel, Generator, Learner, Protected, unsealed
from discreet.contracts.learner import check_act, check_methods
from discreet.errors import DiscreetError
from discreet.learners.arms.availability import Available, act_among
from discreet.live.rows import Example
from discreet.on_device import OnDevice

Part = TypeVar("Part")
Array = NDArray[np.generic]

ALIGNED = 16  # bytes: arrays start where vector instructions can load them


class Engine:
    """The learner and the channel of a run, and the feedback held between two calls.

    The learner's arrays are a copy of the committed ones. The content of a group of rounds is
    loaded into the channel while an outcome is recorded, and unloaded again: between two calls the
    channel holds nothing raw.
    """

    def __init__(self, private: Protected, observation: object) -> None:
        learner, self.learner_state = packed(private.learner)
        channel, self.channel_state = packed(unsealed(private.channel))
        self.first, self._blank = self.learner_state.tobytes(), self.channel_state.tobytes()
        self.private = private._replace(channel=channel, learner=learner)
        self.learner = learner  # reached faster than through ``private``
        self._on_device = isinstance(private, OnDevice)  # the learner never sees the observation
        self.streaming = channel.one_stream
        self.holding = channel.holds_feedback and not channel.one_stream  # each group separately
        self.raw = self.streaming or self.holding
        self.showing = channel.guarantee.is_private
        self.example = _example(private, observation)
        self._pausing = type(learner).must_pause is not Learner.must_pause
        # whether all groups are of one size, and the channel holds nothing for them
        alike = type(channel).begin is Channel.begin and not self.holding
        self.size = channel.hold() if alike else 0
        # actions and traces may be buffers of the learner: those are copied
        self._copy_action, self._copy_trace = (componentjit.copier(part) for part in self.example)
        copied = self._copy_action is not None or self._copy_trace is not None
        # whether a new group takes no more than ``learner.act``, which a run then calls itself
        self.acts_only = alike and not (self._pausing or self._on_device or copied)

    @property
    def stream(self) -> bytes | None:
        """The content of the channel before the first round, if all rounds are one stream."""
        return self._blank if self.streaming else None

    def act(
        self,
        observation: Any,  # noqa: ANN401 - any observation
        rng: Generator,
    ) -> tuple[Any, object, int, bytes | None]:
        """Let the learner act; return action, trace, rounds, and the channel's new content."""
        action: Any
        private = self.private
        if self._pausing and private.learner.must_pause():
            private.learner.resume()
        if type(observation) is Available:
            action, trace = act_among(private.learner, observation.places, rng)
        elif self._on_device:
            action, trace = private.act(observation.rows, rng)
        else:
            action, trace = private.learner.act(observation, rng)
        if self._copy_action is not None:
            action = self._copy_action(action)
        if self._copy_trace is not None:
            trace = self._copy_trace(trace)
        if self.size:
            return action, trace, self.size, None
        size, held = private.hold_for(trace), None
        if self.holding:
            held = self.channel_state.tobytes()
            self.channel_state[:] = self._blank
        return action, trace, size, held

    def hand_over(
        self, held: bytes | None, trace: object, feedback: object, rng: Generator, full: bool
    ) -> tuple[bool, Any, bytes | None]:
        """Pass an outcome to the channel; return whether it releases, what, and its new content.

        ``held`` is its content so far; ``full`` is whether this outcome completes a batch. A
        channel that holds nothing needs no more than ``private.submit``.
        """
        private, state = self.private, self.channel_state
        try:
            try:
                state[:] = held  # type: ignore[assignment]
            except (ValueError, TypeError):
                self.put(held)  # which says what is wrong
            if full:
                private.channel.check_held()
            ready, value = private.submit(trace, feedback, rng)
            if ready and not full and self.holding:  # content of another number of outcomes
                raise DiscreetError(UNREACHABLE)
            if ready and type(value) is not float:
                value = own(value)
            return ready, value, state.tobytes()
        finally:
            state[:] = self._blank

    def give_up(self, trace: object) -> bytes:
        """Notify the learner that a batch is lost; return its state."""
        self.private.learner.give_up(trace)
        return self.learner_state.tobytes()

    def without(self, traces: Iterable[object]) -> bytes:
        """Return the learner's state as if these batches were lost; leave its own unchanged."""
        before = self.learner_state.tobytes()
        try:
            for trace in traces:
                self.private.learner.give_up(trace)
            return self.learner_state.tobytes()
        finally:
            self.learner_state[:] = before

    def wish(self, committed: bytes, observation: object, rng: Generator) -> object:
        """Return what the learner would do now, without changing its committed state."""
        try:
            return self.act(observation, rng)[0]
        finally:
            self.learner_state[:] = committed[: self.learner_state.nbytes]  # a hold-out follows
            self.clear()

    def can_hold(self, held: bytes | None) -> bool:
        """Return whether this content fits into the channel."""
        return held is not None and len(held) == len(self._blank)

    def put(self, held: bytes | None) -> None:
        """Load content into the channel."""
        try:
            self.channel_state[:] = held  # type: ignore[assignment]
        except (ValueError, TypeError):
            raise DiscreetError(
                "the content of a batch does not fit the channel of this run: another version of "
                "discreet wrote it."
            ) from None

    def clear(self) -> None:
        """Erase all raw data in the channel."""
        self.channel_state[:] = self._blank


def own(value: object) -> object:
    """Return a released value that does not change with the channel, which may reuse an array."""
    return float(value) if isinstance(value, float) else np.array(value, np.float64)


def packed(component: Part) -> tuple[Part, memoryview]:
    """Return a component with its arrays contiguous in one block, and that block: its state.

    >>> pair, block = packed((np.array([1.0, 2.0]), np.array([3])))
    >>> before = block.tobytes()
    >>> pair[0][:] = 7.0
    >>> block[:] = before
    >>> pair
    (array([1., 2.]), array([3]))
    """
    sizes = [-(-array.nbytes // ALIGNED) * ALIGNED for _, array in arrays(component)]
    block = np.zeros(sum(sizes), np.uint8)
    starts = iter(np.cumsum([0, *sizes]).tolist())

    def placed(array: Array) -> Array:
        start = next(starts)
        view: Array = block[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        view[...] = array
        return view

    return map_arrays(component, placed), memoryview(block.data)


def _example(private: Protected, observation: object) -> Example:
    """Return an action and a trace of the learner's kind, in stored form."""
    if isinstance(private, OnDevice):
        return 0, 0
    check_methods(private.learner)
    learner = componentjit.copy(private.learner)
    if learner.must_pause():
        learner.resume()
    returned = learner.act(observation, np.random.default_rng(0))
    check_act(learner, returned)
    return returned
