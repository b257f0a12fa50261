"""Attacks on channels without memory between releases: every release is a trial."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import componentjit
from componentjit import copy
from discreet.auditing.attacks import (
    AT_ONCE,
    LONGEST_BATCH,
    PIECE,
    SLOW_PIECE,
    SLOW_ROUNDS,
    Attack,
    GameFacts,
    Recording,
    RecordingSums,
    attack_on,
    channel_curve,
    releases_are_trials,
    trials_to_find,
)
from discreet.auditing.bounds import ROUNDS
from discreet.auditing.whole_runs import first_release
from discreet.channels import Batch, Constant, OneBit, PerDifference, PerRound, SlateBits
from discreet.contracts import Floats, Integers, Protected
from discreet.curves import GaussianNoise
from discreet.guarantee import Guarantee
from discreet.on_device import OnDevice
from discreet.problems import Game
from discreet.randomness import streams
from discreet.ranges import Range
from discreet.simulation.loop import Player


class Stretches(Game[object, float | Floats, int]):
    """A game with feedback ``first`` in the first round of every action, and ``usual`` after it."""

    first: float
    usual: float
    begins: Integers  # 1 if an action was just asked for

    def observe(self, t: int) -> int:
        """Show nothing; this is called whenever an action begins."""
        self.begins[0] = 1
        return 0

    def next_outcome(self) -> float:
        """Return the outcome of this round."""
        if self.begins[0] == 0:
            return self.usual
        self.begins[0] = 0
        return self.first

    def feedback(self, t: int, action: object) -> float | Floats:
        """Return the same for all actions."""
        return self.next_outcome()

    def loss(self, t: int, action: object) -> float:
        """Score nothing."""
        return 0.0


class PairStretches(Stretches):
    """``Stretches`` with two values per round: the outcome is their difference, as one is 0."""

    values: Floats

    def feedback(self, t: int, action: object) -> float | Floats:
        """Return both values."""
        self.values[0] = self.next_outcome()
        return self.values


class RecordingBits(Recording[Any, Any, Any, Any]):
    """Records the sum of what is released about the items of a slate."""

    def learn(self, trace: object, released: Floats) -> None:  # type: ignore[override]
        """Record how many bits are 1."""
        total = 0.0
        for j in range(released.size):
            total += released[j]
        self.released[self.counts[1] % self.released.size] = total
        self.counts[1] += 1
        self.learner.learn(trace, released)  # type: ignore[arg-type]


class SlateStretches(Stretches):
    """``Stretches`` for slates: all items of a round have the same loss."""

    values: Floats

    def feedback(self, t: int, action: object) -> float | Floats:
        """Return the losses of the items shown."""
        outcome = self.next_outcome()
        for j in range(self.values.size):
            self.values[j] = outcome
        return self.values


class EveryRelease(Attack):
    """Every release is a trial: for channels without memory between releases.

    In each batch the loss of the first round is the lowest for one input and the highest for the
    other. The statistic is the release. The learner receives nothing else from this round, so no
    attack on actions or states can do better.
    """

    bounds: Range
    size: int  # of a batch
    recording: ClassVar[type[Recording[Any, Any, Any, Any]]] = Recording

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        what = f"one loss of {self.size}" if self.size > 1 else "a loss"
        return f"{what} is {low:g} or {high:g}; a threshold on the release"

    def gaussian_curve(self, private: Protected, claim: Guarantee) -> GaussianNoise | None:
        """Return the curve of the channel."""
        return channel_curve(private, claim)

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as needed, at most what can be played in about a minute."""
        hold = private.channel.hold()
        affordable = (
            ROUNDS // (20 + hold) if componentjit.compilable(private) else SLOW_ROUNDS // hold
        )
        return trials_to_find(claim, self.gaussian_curve(private, claim), affordable=affordable)

    def at_once(self, private: Protected) -> int:
        """Return how many trials take a fraction of a second."""
        hold = private.channel.hold()
        return (
            min(AT_ONCE, PIECE // (20 + hold))
            if componentjit.compilable(private)
            else 1 + SLOW_PIECE // hold
        )

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the releases, batch after batch."""
        low, high = self.bounds
        found = np.empty(trials)
        for start in range(0, trials, AT_ONCE):
            part = found[start : start + AT_ONCE]
            recorded = np.empty(part.size)
            game = self.stretches(self.bounds[neighbour], low + (high - low) / 2)
            learner = self.recording(
                componentjit.copy(private.learner), recorded, np.zeros(2, np.int64)
            )
            player = Player(
                private._replace(learner=learner),
                streams(seed, trial=2 * (start // AT_ONCE) + neighbour),
            )
            recording: Any = player.private.learner
            while recording.counts[1] < part.size:
                player.play(game, np.array([(part.size - int(recording.counts[1])) * self.size]))
            part[:] = recording.released
        return found

    def stretches(self, first: float, usual: float) -> Stretches:
        """Return the game with that loss in the first round of every batch."""
        return Stretches(first, usual, np.zeros(1, np.int64))


class EverySum(EveryRelease):
    """The same if the learner chooses batch lengths; a trial is a batch's centred sum.

    Earlier releases determine the length, and the sum has the same distribution for every length.
    So trials are independent, whatever the learner chooses.
    """

    recording = RecordingSums

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        return (
            f"the first loss of every batch is {low:g} or {high:g}; a threshold on the released sum"
        )


class EveryBit(EveryRelease):
    """The same for one bit: all other losses are lowest, where one loss changes the odds most."""

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        others = f" and all others are {low:g}" if self.size > 1 else ""
        return f"a loss is {low:g} or {high:g}{others}; whether the bit is 1"

    def stretches(self, first: float, usual: float) -> Stretches:
        """Return the game with that loss in the first round of a batch, and the lowest after it."""
        return Stretches(first, self.bounds.low, np.zeros(1, np.int64))


class EveryDifference(EveryRelease):
    """The same if feedback is two values, and the channel releases their difference."""

    @property
    def text(self) -> str:
        """What the attack does."""
        return (
            f"a difference is {self.bounds.low:g} or {self.bounds.high:g}; a threshold on the "
            "release"
        )

    def stretches(self, first: float, usual: float) -> Stretches:
        """Return the game with pairs of that difference."""
        return PairStretches(first, usual, np.zeros(1, np.int64), np.zeros(2))


class EverySlate(EveryBit):
    """The same for slates: all items of a round have the same loss; how many bits are 1."""

    shown: int
    recording: ClassVar[type[Recording[Any, Any, Any, Any]]] = RecordingBits

    @property
    def text(self) -> str:
        """What the attack does."""
        return f"{super().text[: -len('whether the bit is 1')]}how many bits of a slate are 1"

    def stretches(self, first: float, usual: float) -> Stretches:
        """Return the game with that loss of all items in the first round of a batch."""
        begins, values = np.zeros(1, np.int64), np.zeros(self.shown)
        return SlateStretches(first, self.bounds.low, begins, values)


@attack_on(Batch, PerRound)
def attack_releases(private: Protected, facts: GameFacts) -> Attack:
    """Return the attack with every release as a trial; with whole runs, if there may be memory."""
    channel: Any = private.channel
    if not releases_are_trials(channel):
        return first_release(_with_long_batches(private), facts)
    bounds = facts.bounds or channel.bounds
    return (
        EverySum(bounds, channel.hold())
        if _chooses_lengths(private)
        else EveryRelease(bounds, channel.hold())
    )


@attack_on(OneBit)
def every_bit(private: Protected, facts: GameFacts) -> Attack:
    """Return the attack with every bit as a trial, or with whole runs if there may be memory."""
    channel: Any = private.channel
    if not releases_are_trials(channel):
        return first_release(private, facts)
    return EveryBit(facts.bounds or channel.bounds, channel.hold())


@attack_on(SlateBits)
def every_slate(private: Protected, facts: GameFacts) -> Attack:
    """Return the attack with the bits of each batch as a trial, or with whole runs."""
    channel: Any = private.channel
    if not releases_are_trials(channel):
        return first_release(private, facts)
    return EverySlate(facts.bounds or channel.bounds, channel.hold(), channel.release_size())


@attack_on(PerDifference)
def every_difference(private: Protected, facts: GameFacts) -> Attack:
    """Return the same attack on differences of two values; their range is the channel's."""
    channel: Any = private.channel
    if not releases_are_trials(channel):
        return first_release(private, facts)
    return EveryDifference(channel.bounds, 1)


class EveryOffer(Attack):
    """Every release is a trial: the channel alone is offered the lowest or the highest outcome."""

    bounds: Range

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        return f"every outcome is {low:g} or {high:g}; a threshold on the release"

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the releases."""
        channel, rng = copy(private.channel), streams(seed, trial=neighbour).privacy
        found = list[float]()
        while len(found) < trials:
            ready, released = channel.offer(self.bounds[neighbour], 1.0, rng)
            if ready:
                found.append(float(np.sum(released)))
        return np.array(found)


@attack_on(Constant)
def every_constant(private: Protected, facts: GameFacts) -> Attack:
    """Return the attack on a channel that ignores feedback; on devices, on the channel alone."""
    bounds = facts.bounds or Range(0.0, 1.0)
    if not releases_are_trials(private.channel):
        return first_release(private, facts)
    return (
        EveryOffer(bounds)
        if isinstance(private, OnDevice)
        else EveryRelease(bounds, private.channel.hold())
    )


def _with_long_batches(private: Protected) -> Protected:
    """Return the learner with long batches, if it may ask for them and the claim stays the same."""
    channel: Any = private.channel
    if "size" not in channel._fields or not _chooses_lengths(private):
        return private
    longer = channel._replace(size=LONGEST_BATCH)
    return private._replace(channel=longer) if longer.guarantee == channel.guarantee else private


def _chooses_lengths(private: Protected) -> bool:
    """Return whether the learner chooses the length of its first batch, and so of all batches."""
    learner = copy(private.learner)
    _, trace = learner.act(0, np.random.default_rng(0))
    return learner.patience(trace) > 0
