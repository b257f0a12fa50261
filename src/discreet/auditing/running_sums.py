"""Attacks on running sums, of vectors and of gradients, that combine all releases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from componentjit import compilable, compile_for, compile_if_worth, copy
from discreet.auditing.attacks import (
    PIECE,
    SLOW_PIECE,
    Attack,
    GameFacts,
    Sampler,
    attack_on,
    channel_curve,
    is_ours,
    trials_to_find,
)
from discreet.auditing.bounds import ROUNDS
from discreet.channels import DifferenceSums, RoundedSums
from discreet.channels.gradient_sums import GradientShape
from discreet.channels.rounding import Checked
from discreet.channels.running_sum import Stream
from discreet.contracts import Floats, Generator, Integers, Noise, Protected, Toss
from discreet.curves import GaussianNoise
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.live.engine import packed
from discreet.problems.points import product
from discreet.randomness import streams
from discreet.sets import ConvexSet, Projected

AT_ONCE = 1 << 15
LONGEST, LONGEST_LIVE = 2048, 128  # prefixes
Bytes = NDArray[np.uint8]


class OneVector(Attack):
    """Every trial is a fresh run; one loss vector is one of two, all others are in the middle.

    Releases are linear in the inputs and in the noise. Playing the channel with one unit of noise
    at a time shows how they respond to each draw. So the noisy nodes can be computed from the
    releases. The statistic is their log-likelihood ratio, which is the most powerful one. The
    replaced vector is the first, which is in more nodes than any other, or the first of a later
    epoch.
    """

    one: Floats
    other: Floats
    turn: int = 0  # the replaced round, from 0

    @property
    def text(self) -> str:
        """What the attack does."""
        which = "the first loss vector" if self.turn == 0 else f"loss vector {self.turn + 1}"
        return f"{which} is one of the two farthest apart; the likelihood ratio of all releases"

    def prepared(self, private: Protected, claim: Guarantee) -> Protected:
        """Return the channel without padding noise if the claim does not depend on it.

        Our own guarantees never count padding, and pure privacy gains nothing from it
        (docs/proofs.md: Tree levels), so removing it makes a stronger attack. Any other claim may
        be true only because of padding, which gives Gaussian noise a smaller μ.
        """
        channel: Any = private.channel
        pure = channel.noise.across == 1.0 and claim.delta == 0.0
        return (
            private._replace(channel=channel.without_padding())
            if pure or claim == private.guarantee
            else private
        )

    def gaussian_curve(self, private: Protected, claim: Guarantee) -> GaussianNoise | None:
        """Return the curve of the channel."""
        return channel_curve(private, claim)

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as needed, at most what can be played in about a minute."""
        channel: Any = private.channel
        rounds, shape = channel.rounds_to_audit(), self.gaussian_curve(private, claim)
        # The best event of pure noise is that all draws of the first round are on one side.
        rarer = 2.0 ** min(0.5 * rounds.bit_length() * self.one.size, 20.0)
        affordable = (
            ROUNDS // ((40 + rounds // 8) * rounds * self.one.size)  # the score grows as its square
            if compilable(channel)
            else 32 * self.at_once(private)
        )
        return trials_to_find(claim, shape, affordable=affordable, rarer=rarer)

    def at_once(self, private: Protected) -> int:
        """Return how many trials take a fraction of a second."""
        channel: Any = private.channel
        numbers = channel.rounds_to_audit() * self.one.size
        return int(PIECE // (40 * numbers) if compilable(channel) else 1 + SLOW_PIECE // numbers)

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the log-likelihood ratio of each run."""
        return self.sampler(private)(neighbour, trials, seed)

    def sampler(self, private: Protected) -> Sampler:
        """Return ``sample`` for many samples; the response to noise is computed only once."""
        channel = copy(cast(Stream, private.channel))
        rest = self.one / 2.0 + self.other / 2.0
        rounds, size = channel.rounds_to_audit(), rest.size
        longest = LONGEST if compilable(channel) else LONGEST_LIVE
        if rounds >= longest:
            raise DiscreetError(
                f"the running sum has {rounds:,} prefixes, but each audit trial plays the whole "
                f"run: use fewer than {longest:,} rounds."
            )
        inputs = np.repeat(rest[None], rounds, axis=0), np.repeat(rest[None], rounds, axis=0)
        inputs[0][self.turn], inputs[1][self.turn] = self.one, self.other
        score = _score(channel, rounds, size, *(np.cumsum(each, axis=0) for each in inputs))
        runs = compile_for(prefix_runs, channel) if compilable(channel) else prefix_runs
        at_once = max(1, AT_ONCE // (rounds * size) * 16)

        def sample(neighbour: int, trials: int, seed: int) -> Floats:
            found, rng = np.empty(trials), streams(seed, trial=neighbour).privacy
            own, block = packed(channel)  # both inputs are played at once, on two threads
            # Our own channels reset themselves in restart(), which is faster.
            state = np.zeros(0, np.uint8) if is_ours(channel) else np.asarray(block)
            before = state.copy()
            for start in range(0, trials, at_once):
                released = np.empty((min(at_once, trials - start), rounds, size))
                runs(own, state, before, inputs[neighbour], released, rng)
                found[start : start + at_once] = score(released)
            return found

        return sample


def prefix_runs(
    channel: Stream, state: Bytes, before: Bytes, inputs: Floats, released: Floats, rng: Generator
) -> None:
    """Play a channel many times from the start, and record all releases.

    ``state`` may be all of its arrays: then not even noise keeps anything of an earlier run.
    """
    for run in range(released.shape[0]):
        for i in range(state.size):
            state[i] = before[i]
        channel.restart()
        for t in range(released.shape[1]):
            _, out = channel.offer(inputs[t], 1.0, rng)
            for i in range(inputs.shape[1]):
                released[run, t, i] = out[i]


@attack_on(Stream)
def one_vector(private: Protected, facts: GameFacts) -> OneVector:
    """Return the attack with the farthest of a few pairs of loss vectors, in the noise's norm."""
    channel = cast(Stream, private.channel)
    losses = vectors_of(channel)
    norm = 2.0 if math.isnan(channel.noise.norm) else channel.noise.norm
    size = losses.dimension
    pairs = []
    for direction in (np.ones(size), np.arange(1.0, size + 1.0), np.eye(size)[0]):
        pair = np.empty(size), np.empty(size)
        losses.minimise_linear(direction, pair[0])
        losses.minimise_linear(-direction, pair[1])
        pairs.append(pair)
    farthest = max(pairs, key=lambda pair: float(np.linalg.norm(pair[1] - pair[0], norm)))
    return OneVector(*farthest, turn=channel.round_to_attack())


def vectors_of(channel: Stream) -> ConvexSet:
    """Return the set of possible vectors; in live use, the set inside ``Checked``."""
    losses = channel.losses
    return losses.losses if isinstance(losses, Checked) else cast(ConvexSet, losses)


class Impulse(Noise):
    """Replaces the noise: adds 1 in one draw, and nothing in all others."""

    turn: int
    drawn: Integers

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add one unit to all coordinates in the chosen draw."""
        if self.drawn[0] == self.turn:
            for i in range(vector.size):
                vector[i] += 1.0
        self.drawn[0] += 1


def responses(channel: Stream, rounds: int, size: int) -> Floats:
    """Return the matrix from draws to releases: release t contains entry (t, i) times draw i."""

    def play(turn: int) -> tuple[Floats, int]:
        impulse = Impulse(turn, np.zeros(1, np.int64))
        probe = channel.with_noise(impulse)
        released = np.empty((1, rounds, size))
        runs = (
            compile_if_worth(prefix_runs, probe, numbers=64 * rounds * size)
            if compilable(probe)
            else prefix_runs
        )
        none = np.zeros(0, np.uint8)  # one run only
        runs(probe, none, none, np.zeros((rounds, size)), released, streams(0).privacy)
        return released[0, :, 0], int(impulse.drawn[0])

    silent, draws = play(-1)
    return np.column_stack([play(turn)[0] - silent for turn in range(draws)])


def _score(
    channel: Stream, rounds: int, size: int, one: Floats, other: Floats
) -> Callable[[Floats], Floats]:
    """Return the function from releases (run, round, coordinate) to log-likelihood ratios."""
    matrix = responses(channel, rounds, size)
    scale, norm = float(channel.noise.scale), channel.noise.norm
    if channel.noise.across != 1.0:  # Gaussian: linear in the releases
        weights = np.linalg.pinv(matrix @ matrix.T, hermitian=True) @ (other - one) / scale**2
        return lambda released: np.tensordot(released, weights, 2)
    back = np.linalg.pinv(matrix)
    nodes = back @ one, back @ other

    def ratio(released: Floats) -> Floats:
        noisy = np.einsum("nt,rti->rni", back, released)
        far = [np.linalg.norm(noisy - mean, norm, axis=2).sum(axis=1) for mean in nodes]
        ratios: Floats = (far[0] - far[1]) / scale
        return ratios

    return ratio


FEWEST = 2_500_000


class Terms(Stream):
    """Sums of gradients as a stream of vectors: each is a number times one fixed direction.

    The first outcome of a batch encodes that number, as a share of the range; all others are in
    the middle and add nothing.
    """

    gradients: GradientShape[Any, Any]
    direction: Floats

    def offer(self, feedback: Floats, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Offer the outcomes of a batch."""
        bounds = self.gradients.bounds
        low, width = bounds.low, bounds.high - bounds.low
        share = product(feedback, self.direction)
        ready, released = self.gradients.offer(
            self.told(low + width * (0.5 + share)), self.direction, rng
        )
        for _ in range(self.gradients.size - 1):
            ready, released = self.gradients.offer(
                self.told(low + width * 0.5), self.direction, rng
            )
        return ready, released

    def told(self, outcome: float) -> float | Floats:
        """Return the feedback with that outcome."""
        return outcome

    def restart(self) -> None:
        """Forget everything and begin again."""
        self.gradients.seen[0] = 0
        self.gradients.held[:] = 0.0
        running: Any = self.gradients.running
        running.restart()

    @property
    def running(self) -> Stream:
        """The running sum inside."""
        found: Any = self.gradients.running
        return found  # type: ignore[no-any-return]

    @property
    def losses(self) -> Projected:
        """The set that bounds how far replacing one round moves the sum of a batch."""
        return self.running.losses

    @property
    def noise(self) -> Noise:
        """The noise of the running sum."""
        return self.running.noise

    def with_noise(self, noise: Noise) -> Terms:
        """Return a copy with other noise."""
        return self._replace(
            gradients=self.gradients._replace(running=self.running.with_noise(noise))
        )

    def without_padding(self) -> Terms:
        """Return the channel without padding noise, on which no guarantee depends."""
        return self._replace(
            gradients=self.gradients._replace(running=self.running.without_padding())
        )

    def rounds_to_audit(self) -> int:
        """Return how many sums there are."""
        return self.running.rounds_to_audit()

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the channel."""
        return self.gradients.guarantee


class PairTerms(Terms):
    """``Terms`` for two values per round; the second is 0."""

    values: Floats

    def told(self, outcome: float) -> float | Floats:
        """Return two values with that difference."""
        self.values[0] = outcome
        return self.values


class RoundedTerms(Terms):
    """``Terms`` for rounded outcomes: a fair coin; the direction's length encodes the number."""

    asked: Toss

    def offer(self, feedback: Floats, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Offer the outcomes of a batch; all but the first have the direction 0."""
        bounds = self.gradients.bounds
        share = product(feedback, self.direction)
        for i in range(self.direction.size):
            self.asked.direction[i] = 2.0 * abs(share) * self.direction[i]
        ready, released = self.gradients.offer(
            bounds.high if share > 0.0 else bounds.low, self.asked, rng
        )
        for i in range(self.direction.size):
            self.asked.direction[i] = 0.0
        for _ in range(self.gradients.size - 1):
            ready, released = self.gradients.offer(bounds.low, self.asked, rng)
        return ready, released


class OneOutcome(OneVector):
    """Every trial is a fresh run; its first outcome is lowest or highest, all others middle."""

    @property
    def text(self) -> str:
        """What the attack does."""
        return (
            "the first outcome is the lowest or the highest; the likelihood ratio of all releases"
        )

    def prepared(self, private: Protected, claim: Guarantee) -> Protected:
        """Return the channel as a stream, without padding if the claim does not depend on it."""
        return super().prepared(as_stream(private), claim)

    def gaussian_curve(self, private: Protected, claim: Guarantee) -> GaussianNoise | None:
        """Return the curve of the channel."""
        return super().gaussian_curve(as_stream(private), claim)

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as needed; the best events of spherical noise are rarer."""
        return max(super().trials_for(as_stream(private), claim), FEWEST)


@attack_on(GradientShape)
def one_outcome(private: Protected, facts: GameFacts) -> OneOutcome:
    """Return the attack along the direction that is longest in the norm of the noise."""
    channel: Any = as_stream(private).channel
    return OneOutcome(-channel.direction / 2.0, channel.direction / 2.0)


def as_stream(private: Protected) -> Protected:
    """Return the private learner with its channel wrapped as a stream of vectors."""
    gradients: Any = private.channel
    if isinstance(gradients, Terms):
        return private
    size, norm = gradients.release_size(), gradients.running.noise.norm
    directions = np.full(size, size**-0.5), np.eye(size)[0]
    longest = max(directions, key=lambda direction: float(np.linalg.norm(direction, norm)))
    if isinstance(gradients, DifferenceSums):
        return private._replace(channel=PairTerms(gradients, longest, np.zeros(2)))
    if isinstance(gradients, RoundedSums):
        return private._replace(channel=RoundedTerms(gradients, longest, Toss(np.zeros(size), 0.5)))
    return private._replace(channel=Terms(gradients, longest))
