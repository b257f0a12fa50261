"""The attack on channels that keep nothing from one release to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from componentjit import copy
from discreet.auditing.attacks import (
    Attack,
    EveryBit,
    EveryDifference,
    EveryRelease,
    EverySum,
    fresh_runs,
)
from discreet.auditing.registry import GameFacts, attack_on
from discreet.channels import Batch, Constant, OneBit, PerDifference, PerRound
from discreet.contracts import Floats, Protected
from discreet.on_device import OnDevice
from discreet.randomness import streams
from discreet.ranges import Range


@attack_on(Batch, PerRound)
def every_release(private: Protected, facts: GameFacts) -> Attack:
    """Return the attack whose every release is a trial, unless noise of one's own might remember."""
    channel: Any = private.channel
    if channel.noise.has_memory:
        return fresh_runs(private, facts.problem, facts.bounds)
    bounds = facts.bounds or channel.bounds
    return (
        EverySum(bounds, channel.hold())
        if _chooses_lengths(private)
        else EveryRelease(bounds, channel.hold())
    )


@attack_on(OneBit)
def every_bit(private: Protected, facts: GameFacts) -> Attack:
    """Return the attack whose every bit is a trial."""
    channel: Any = private.channel
    return EveryBit(facts.bounds or channel.bounds, channel.hold())


@attack_on(PerDifference)
def every_difference(private: Protected, facts: GameFacts) -> Attack:
    """Return the same attack on differences of two values; their range is the channel's."""
    channel: Any = private.channel
    return EveryDifference(channel.bounds, 1)


class EveryOffer(Attack):
    """Every release is a trial: the channel by itself is offered the lowest outcome again and again, or the highest."""

    bounds: Range

    @property
    def text(self) -> str:
        """What is done."""
        low, high = self.bounds
        return f"every outcome is {low:g} or {high:g}; a half-line of what is released"

    def sample(self, private: Protected, world: int, trials: int, seed: int) -> Floats:
        """Return what is released."""
        channel, rng = copy(private.channel), streams(seed, trial=world).privacy
        found = list[float]()
        while len(found) < trials:
            ready, released = channel.offer(self.bounds[world], 1.0, rng)
            if ready:
                found.append(float(np.sum(released)))
        return np.array(found)


@attack_on(Constant)
def every_constant(private: Protected, facts: GameFacts) -> Attack:
    """Return the same attack on what never uses feedback; of devices, which show nobody what they do, on the channel."""
    bounds = facts.bounds or Range(0.0, 1.0)
    return (
        EveryOffer(bounds)
        if isinstance(private, OnDevice)
        else EveryRelease(bounds, private.channel.hold())
    )


def _chooses_lengths(private: Protected) -> bool:
    """Return whether the learner wishes a length for its first batch: then it does for all of them."""
    learner = copy(private.learner)
    _, trace = learner.act(0, np.random.default_rng(0))
    return learner.patience(trace) > 0
