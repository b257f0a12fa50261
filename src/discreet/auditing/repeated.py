"""Attacks that repeatedly offer a channel the same input: a batch of advice, or a record."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeVar, cast

import numpy as np

from componentjit import compilable, compile_for
from discreet.auditing.attacks import (
    AT_ONCE,
    PIECE,
    SLOW_PIECE,
    Attack,
    GameFacts,
    attack_on,
    channel_curve,
    trials_to_find,
)
from discreet.auditing.bounds import ROUNDS, coded
from discreet.auditing.running_sums import Bytes, OneVector
from discreet.channels import (
    Estimates,
    GlmMoments,
    Moments,
    Residuals,
    RunningMoments,
)
from discreet.channels.estimates import FITTED, GROUPS, JOINT_LAPLACE
from discreet.channels.moments import MomentShape
from discreet.contracts import Channel, Estimate, Floats, Generator, Protected, Record
from discreet.curves import GaussianNoise
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.live.engine import packed
from discreet.mechanisms.directions import DirectionShape
from discreet.randomness import streams
from discreet.ranges import Range

HEAVY = 1e6  # the weight of the first expert; all others have 1


class OneEstimate(Attack):
    """Every batch is a trial; its first loss is lowest or highest, all others are in the middle.

    The queries are fixed and public; the learner receives only the releases. All experts but the
    first advise the played arm, so one loss moves the estimates of all of them. The first expert
    has nearly all of the weight, so the arm is rarely played and the entries are large. If
    ``alike``, the queries of a batch are equal, and losses may be added up before noise is drawn.
    Otherwise each query is slightly smaller than the one before.

    The statistic is the likelihood ratio of a release, up to a monotone map: the projection on a
    public vector for Gaussian noise and for groups, a sum of bounded terms for Laplace noise.
    """

    bounds: Range
    experts: int
    importance: float = 20.0
    alike: bool = True
    heavy: float = 0.0  # the probability that the first expert gives to the arm
    always_laplace: bool = False  # whether the channel has Laplace noise in every batch

    @property
    def text(self) -> str:
        """What the attack does."""
        low, high = self.bounds
        return (
            f"a loss is {low:g} or {high:g}, and all experts but one advise the arm; the "
            "likelihood ratio of a release"
        )

    def queries(self, size: int) -> tuple[Floats, Floats]:
        """Return the vectors of a batch, one row per round, and the weights of experts."""
        column = np.ones(self.experts)
        column[0] = self.heavy
        factors = self.importance * (np.ones(size) if self.alike else 1.0 - 1e-6 * np.arange(size))
        weights = np.ones(self.experts)
        weights[0] = HEAVY
        return factors[:, None] * column, weights

    def gaussian_curve(self, private: Protected, claim: Guarantee) -> GaussianNoise | None:
        """Return the curve of the noise for these queries if it is Gaussian."""
        channel: Any = private.channel
        return (
            None
            if self.way(channel) in (GROUPS, JOINT_LAPLACE)
            else GaussianNoise(1.0 / channel.gaussian)
        )

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as needed, at most what can be played in about a minute."""
        channel: Any = private.channel
        affordable = ROUNDS // (20 + 10 * self.experts * channel.size)
        return trials_to_find(claim, self.gaussian_curve(private, claim), affordable=affordable)

    def at_once(self, private: Protected) -> int:
        """Return how many trials take a fraction of a second."""
        channel: Any = private.channel
        return int(PIECE // (20 + 10 * self.experts * channel.size))

    def way(self, channel: Estimates) -> int:
        """Return how the channel releases a batch of these queries; that is public."""
        if channel.sums.size != self.experts:
            raise DiscreetError(
                f"the attack expects {self.experts} experts, but the channel has "
                f"{channel.sums.size}."
            )
        if self.always_laplace:
            return JOINT_LAPLACE
        probe, block = packed(channel)
        vectors, weights = self.queries(probe.size)
        batches(
            probe,
            np.asarray(block),
            np.asarray(block).copy(),
            np.zeros(probe.size),
            vectors,
            weights,
            np.empty((1, self.experts)),
            streams(0).privacy,
        )
        return int(probe.way[0])

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each batch."""
        channel, block = packed(cast(Any, private.channel))
        state = np.asarray(block)
        before = state.copy()
        low, high = self.bounds
        losses = np.full(channel.size, low + (high - low) / 2)
        losses[0] = self.bounds[neighbour]
        vectors, weights = self.queries(channel.size)
        shift = vectors[0] / channel.size
        middle = (vectors.sum(axis=0) - vectors[0]) / channel.size / 2.0
        way = self.way(channel)
        along = shift
        # Its square is inversely proportional to the variance σ² of a coordinate, and every |shift|
        # is the largest possible in its coordinate.
        if way == FITTED:
            along = np.sqrt(weights / weights.sum() + 1.0 / self.experts)
        play = compile_for(batches, channel)
        rng = streams(seed, trial=neighbour).privacy
        found = np.empty(trials)
        at_once = max(1, AT_ONCE // self.experts)
        for start in range(0, trials, at_once):
            released = np.empty((min(at_once, trials - start), self.experts))
            play(channel, state, before, losses, vectors, weights, released, rng)
            if way == JOINT_LAPLACE:
                ratios = np.abs(released - middle) - np.abs(released - middle - shift)
                found[start : start + at_once] = ratios.sum(axis=1) / np.abs(shift).max()
            else:
                found[start : start + at_once] = released @ along
        return found


def batches(
    channel: Channel,
    state: Bytes,
    before: Bytes,
    losses: Floats,
    vectors: Floats,
    weights: Floats,
    released: Floats,
    rng: Generator,
) -> None:
    """Offer a channel the same batch many times, always from its first state; record releases."""
    total = weights.sum()
    for trial in range(released.shape[0]):
        for i in range(state.size):
            state[i] = before[i]
        for t in range(losses.size):
            _, out = channel.offer(losses[t], Estimate(0, 1.0, vectors[t], weights, total), rng)
        for j in range(out.size):
            released[trial, j] = out[j]


@attack_on(Estimates)
def attack_estimates(private: Protected, facts: GameFacts) -> OneEstimate:
    """Return the attack, with entries as large as the learner's mixing allows."""
    channel: Any = private.channel
    attack = OneEstimate(facts.bounds or channel.bounds, channel.sums.size)
    arms, mixing = 2 if facts.problem is None else facts.problem.actions, private.learner.mixing
    return attack._replace(importance=arms / mixing) if mixing > 0.0 else attack


Direction = TypeVar("Direction", float, Floats)


class EveryReport(Attack):
    """Every report is a trial, always of the same record; the statistic is a likelihood ratio.

    ``one`` and ``other`` are the vectors of the two records before noise is added; ``weights``
    convert a report to their units.
    """

    records: tuple[Record, Record]
    query: float | Floats
    one: Floats
    other: Floats
    weights: Floats

    @property
    def text(self) -> str:
        """What the attack does."""
        return "a record is one of two that are far apart; the likelihood ratio of a report"

    def gaussian_curve(self, private: Protected, claim: Guarantee) -> GaussianNoise | None:
        """Return the curve of the channel."""
        return channel_curve(private, claim)

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as needed, at most what can be drawn in about a minute."""
        affordable = 64 * AT_ONCE // self.one.size if compilable(private.channel) else SLOW_PIECE
        return trials_to_find(
            claim, self.gaussian_curve(private, claim), affordable=affordable, rarer=2.0
        )

    def at_once(self, private: Protected) -> int:
        """Return how many trials take a fraction of a second."""
        return AT_ONCE // self.one.size if compilable(private.channel) else SLOW_PIECE // 16

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each report."""
        found = self.reported(private, neighbour, trials, seed)
        return self.score(private.channel, found * self.weights)

    def reported(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the reports as rows, each from the first state of the channel."""
        channel, block = packed(private.channel)
        state = np.asarray(block)
        found = np.empty((trials, self.one.size))
        record = self.records[neighbour]
        loop = (
            compile_for(reports, channel, record, self.query)
            if compilable((channel, record))
            else reports
        )
        rng = streams(seed, trial=neighbour).privacy
        loop(channel, state, state.copy(), record, self.query, found, rng)
        return coded(found)

    def score(self, channel: Channel, found: Floats) -> Floats:
        """Return the log-likelihood ratio, or for other noise the position between the vectors."""
        noise = cast(Moments | Residuals, channel).noise
        if isinstance(noise, DirectionShape):
            return np.log(noise.densities(found, self.other)) - np.log(
                noise.densities(found, self.one)
            )
        return found @ (self.other - self.one)


def with_other_records(usual: EveryReport) -> Iterator[EveryReport]:
    """Yield the attack with pairs of records that differ in their features; each has one outcome.

    The records that are farthest apart may differ in few of the numbers that are reported.
    """
    one = usual.records[0]
    features, turned = one.features, np.roll(one.features, 1)
    seen = {features.tobytes()}
    for other in (turned, 0.6 * features + 0.8 * turned, -features, 0.0 * features):
        if other.tobytes() not in seen and np.linalg.norm(other) <= np.linalg.norm(features):
            seen.add(other.tobytes())
            yield usual._replace(records=(one, Record(other, one.outcome)))


def reports(
    channel: Channel,
    state: Bytes,
    before: Bytes,
    record: Record,
    query: object,
    found: Floats,
    rng: Generator,
) -> None:
    """Report the same record many times, always from the first state; record the releases."""
    for trial in range(found.shape[0]):
        for i in range(state.size):
            state[i] = before[i]
        _, released = channel.offer(record, query, rng)
        for i in range(found.shape[1]):
            found[trial, i] = released[i]


def worst_records(channel: MomentShape[Direction]) -> tuple[Record, Record]:
    """Return two records whose weighted moments are farthest apart (docs/proofs.md: Moments)."""
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
    """Return this attack with model 0: no other makes residuals as large at both ends."""
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
    """Return the attack with model 0, and the highest or the lowest outcome."""
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
        """Return as many trials as for the running sum inside."""
        return super().trials_for(self.prepared(private, claim), claim)


@attack_on(RunningMoments)
def attack_running_moments(private: Protected, facts: GameFacts) -> OneRecord:
    """Return the attack on the running sum, with the two records that are farthest apart."""
    channel = cast(RunningMoments, private.channel)
    return OneRecord(*max(_pairs_of_moments(channel), key=lambda pair: math.dist(*pair)))


def _pairs_of_moments(channel: RunningMoments) -> list[tuple[Floats, Floats]]:
    """Return pairs of moments that may be farthest apart: in a plane, orthogonal, or parallel."""
    one, other = worst_records(channel)
    second = np.roll(one.features, 1) if channel.dimension > 1 else 0.5 * one.features
    pairs = []
    for features in (other.features, second, one.features):
        vectors = np.zeros(channel.release_size()), np.zeros(channel.release_size())
        channel.form(one, vectors[0])
        channel.form(Record(features, other.outcome), vectors[1])
        pairs.append(vectors)
    return pairs
