"""Attacks on reports of devices, and on running sums of moments: one record is replaced by another."""

from __future__ import annotations

import math
from typing import TypeVar, cast

import numpy as np

from componentjit import compilable, compile_for, copy
from discreet.auditing.attacks import AT_ONCE, SLOW_PIECE, Attack, channel_curve, trials_to_find
from discreet.auditing.registry import GameFacts, attack_on
from discreet.auditing.running_sums import OneVector
from discreet.channels import GlmMoments, Moments, Residuals, RunningMoments
from discreet.channels.moments import MomentShape
from discreet.contracts import Channel, Floats, Generator, Protected, Record
from discreet.curves import GaussianNoise
from discreet.guarantee import Guarantee
from discreet.mechanisms.directions import DirectionShape
from discreet.randomness import streams

Direction = TypeVar("Direction", float, Floats)


class EveryReport(Attack):
    """Every report is a trial: the same record each time, one of two, and the likelihood ratio of what is reported.

    ``one`` and ``other`` are what is noised in the two worlds; ``weights`` bring a report back to
    the units of them.
    """

    records: tuple[Record, Record]
    query: float | Floats
    one: Floats
    other: Floats
    weights: Floats

    @property
    def text(self) -> str:
        """What is done."""
        return "a record is one of two that are far apart; the likelihood ratio of a report"

    def gaussian_curve(self, private: Protected) -> GaussianNoise | None:
        """Return the curve of the channel."""
        return channel_curve(private)

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as are needed, or can be played in about a minute."""
        affordable = 64 * AT_ONCE // self.one.size if compilable(private.channel) else SLOW_PIECE
        return trials_to_find(claim, self.gaussian_curve(private), affordable=affordable, rarer=2.0)

    def at_once(self, private: Protected) -> int:
        """Return as many as take a part of a second."""
        return AT_ONCE // self.one.size if compilable(private.channel) else SLOW_PIECE // 16

    def sample(self, private: Protected, world: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each report."""
        channel = copy(private.channel)
        found = np.empty((trials, self.one.size))
        record = self.records[world]
        loop = (
            compile_for(reports, channel, record, self.query)
            if compilable((channel, record))
            else reports
        )
        loop(channel, record, self.query, found, streams(seed, trial=world).privacy)
        return self.score(channel, found * self.weights)

    def score(self, channel: Channel, found: Floats) -> Floats:
        """Return the logarithm of the likelihood ratio, or, of other noise, how far a report is on the way."""
        noise = cast(Moments | Residuals, channel).noise
        if isinstance(noise, DirectionShape):
            return np.log(noise.densities(found, self.other)) - np.log(
                noise.densities(found, self.one)
            )
        return found @ (self.other - self.one)


def reports(channel: Channel, record: Record, query: object, found: Floats, rng: Generator) -> None:
    """Report the same record again and again, and note what is released."""
    for trial in range(found.shape[0]):
        _, released = channel.offer(record, query, rng)
        for i in range(found.shape[1]):
            found[trial, i] = released[i]


def worst_records(channel: MomentShape[Direction]) -> tuple[Record, Record]:
    """Return two records whose weighted moments are as far apart as can be (docs/proofs.md: Moments)."""
    size = channel.dimension
    one, other = np.zeros(size), np.zeros(size)
    one[0] = other[0] = channel.norm
    cosine = min(1.0, channel.linear**2 / (2.0 * channel.diagonal**2))
    if size > 1:
        other[0], other[1] = channel.norm * cosine, channel.norm * math.sqrt(1.0 - cosine**2)
    return Record(one, float(channel.bounds.low)), Record(other, float(channel.bounds.high))


@attack_on(Moments)
def attack_moments(private: Protected, facts: GameFacts) -> EveryReport:
    """Return the attack with the two records that are farthest apart."""
    return _weighed(cast(Moments, private.channel), 1.0)


@attack_on(GlmMoments)
def attack_glm_moments(private: Protected, facts: GameFacts) -> EveryReport:
    """Return the same with a model that knows nothing; no model makes residuals as large at both ends."""
    channel = cast(GlmMoments, private.channel)
    return _weighed(channel, np.zeros(channel.dimension))


def _weighed(channel: Moments[Direction], query: Direction) -> EveryReport:
    """Return the attack on reports of weighted moments."""
    records = worst_records(channel)
    vectors = []
    for record in records:
        vectors.append(np.zeros(channel.release_size()))
        channel.statistic(record, query, vectors[-1])
    ones = np.ones(channel.release_size())
    channel.finish(ones)
    return EveryReport(records, query, vectors[0], vectors[1], 1.0 / ones)


@attack_on(Residuals)
def attack_residuals(private: Protected, facts: GameFacts) -> EveryReport:
    """Return the attack with a model that knows nothing, and the best or the worst outcome."""
    channel = cast(Residuals, private.channel)
    vector = np.zeros(channel.release_size())
    vector[0] = 1.0
    features = channel.norm * vector
    records = (
        Record(features, float(channel.bounds.high)),
        Record(features, float(channel.bounds.low)),
    )
    return EveryReport(records, np.zeros(vector.size), vector, -vector, np.ones(vector.size))


class OneRecord(OneVector):
    """``OneVector`` on the running sum of moments: the first record is one of two."""

    def prepared(self, private: Protected, claim: Guarantee) -> Protected:
        """Return the running sum inside, whose inputs are moments."""
        channel = cast(RunningMoments, private.channel)
        return private._replace(channel=channel.running)

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as for the running sum inside."""
        return super().trials_for(self.prepared(private, claim), claim)


@attack_on(RunningMoments)
def attack_running_moments(private: Protected, facts: GameFacts) -> OneRecord:
    """Return the attack on the running sum, with the moments of the two records that are farthest apart."""
    channel = cast(RunningMoments, private.channel)
    vectors = []
    for record in worst_records(channel):
        vectors.append(np.zeros(channel.release_size()))
        channel.form(record, vectors[-1])
    return OneRecord(vectors[0], vectors[1])
