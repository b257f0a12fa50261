"""Mechanisms that break the guarantee they claim: each has one fault, careless or malicious.

Every one of them computes its guarantee as the sound channel does that it inherits from, and
nothing in that is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from componentjit import Raw
from discreet import Private, Range, Setting, algorithm
from discreet.channels import Batch, OneBit, PerRound, RunningSum
from discreet.channels.batch import COUNT, TOTAL, BatchSums
from discreet.channels.running_sum import SEEN, WAITING
from discreet.contracts import Floats, Noise
from discreet.factorisations import Tree
from discreet.learners import EntropyFtrl, Exp3
from discreet.mechanisms import Coin, Laplace
from discreet.problems import Advice
from discreet.ranges import grid_for
from discreet.sets import Box

UNIT = Range(0.0, 1.0)


class OneNoise(Batch):
    """One noise for all batches."""

    kept: Floats  # the noise, and whether it was drawn

    def release(self, query, rng):
        if self.kept[1] == 0.0:
            self.kept[0] = self.noise.add_noise(0.0, rng)
            self.kept[1] = 1.0
        length = self.batch_length()
        return True, query * ((self.empty() + self.kept[0]) / length)


class BitOfTheMean(OneBit):
    """A bit for the mean with the coin of τ ε, as it moves by 1 / τ only: but odds are linear."""

    def release(self, query, rng):
        length = int(self.batch_length())
        return True, query * Coin(length * self.noise.epsilon).toss(self.empty() / length, 1, rng)


class QuietLater(BatchSums):
    """A hundredth of the noise after round 100; of a class for which no attack is declared."""

    noise: Noise
    rounds: Floats

    def release(self, query, rng):
        length = self.batch_length()
        self.rounds[0] += length
        noise = self.noise.add_noise(0.0, rng)
        if self.rounds[0] > 100.0:
            noise /= 100.0
        return True, query * ((self.empty() + noise) / length)

    @property
    def guarantee(self):
        return self.noise.guarantee(1.0, model="central", source="the same noise in every batch")

    @property
    def noise_scales(self):
        return (self.noise.noise_scale,)


class FollowsData(Batch):
    """Noise whose scale depends on the data: on how far apart the losses of a batch are."""

    ends: Raw[Floats]  # the least and the largest loss of the batch

    def release(self, query, rng):
        length = self.batch_length()
        total, spread = self.empty(), self.ends[1] - self.ends[0]
        self.ends[0], self.ends[1] = 1.0, 0.0
        return True, query * ((total + self.noise.add_noise(0.0, rng) * spread) / length)

    def take(self, feedback, query):
        loss = self.bounds.clamp(feedback)
        self.ends[0], self.ends[1] = min(self.ends[0], loss), max(self.ends[1], loss)
        self.held[TOTAL] += self.bounds.steps(feedback, grid_for(int(self.batch_length())))
        self.held[COUNT] += 1.0
        return bool(self.held[COUNT] >= self.batch_length())

    def fork(self):
        return self._replace(held=np.zeros(3), ends=np.array([1.0, 0.0]))


class CarriesOver(Batch):
    """The last loss of a batch is in the next one, too."""

    def release(self, query, rng):
        length = self.batch_length()
        last = self.held[3]
        total = self.empty()
        self.held[TOTAL] = last
        return True, query * (self.noise.add_noise(total, rng) / length)

    def take(self, feedback, query):
        self.held[3] = self.bounds.steps(feedback, grid_for(int(self.batch_length())))
        self.held[TOTAL] += self.held[3]
        self.held[COUNT] += 1.0
        return bool(self.held[COUNT] >= self.batch_length())

    def fork(self):
        return self._replace(held=np.zeros(4))


class LowBits(Batch):
    """The raw sum in the low-order bits of what is released."""

    step: float

    def release(self, query, rng):
        total = self.empty()
        noisy = self.noise.add_noise(total, rng)
        return True, query * (math.floor(noisy / self.step) * self.step + self.step * total / 100.0)


class HoldsByLoss(Batch):
    """An action is held for one round more after a batch that ended with a high loss."""

    last: Raw[Floats]

    def hold(self):
        return self.size + (1 if self.last[0] > 0.5 else 0)

    def begin(self, patience):
        self.held[0] = self.hold()
        return int(self.held[0])

    def take(self, feedback, query):
        self.last[0] = self.bounds.clamp(feedback)
        self.held[TOTAL] += self.bounds.steps(feedback, grid_for(int(self.batch_length())))
        self.held[COUNT] += 1.0
        return bool(self.held[COUNT] >= self.batch_length())

    def fork(self):
        return self._replace(held=np.zeros(3), last=np.zeros(1))


class WritesIntoLearner(PerRound):
    """Holds an array of the learner's, and writes the raw loss into it."""

    theirs: Raw[Floats]

    def offer(self, feedback, query, rng):
        self.theirs[0] += 1e-9 * feedback
        return True, query * self.noise.add_noise(self.bounds.clamp(feedback), rng)


class SilentOnOddRounds(RunningSum):
    """A tree without noise on odd rounds."""

    def release(self, query, rng):
        if self.seen[WAITING] == 0:
            return False, self.released
        time = self.seen[SEEN] + 1
        self.factorisation.encode(time, 0, self.vector, self.row)
        if time % 2 == 0:
            self.noise.perturb(self.row, rng)
        self.factorisation.prefix(time, self.row, self.released)
        self.seen[WAITING] = 0
        self.seen[SEEN] = time
        return True, self.released


class SilentOnHighLevels(RunningSum):
    """A tree without noise on nodes of 8 rounds and more."""

    def release(self, query, rng):
        if self.seen[WAITING] == 0:
            return False, self.released
        time = self.seen[SEEN] + 1
        self.factorisation.encode(time, 0, self.vector, self.row)
        if time % 8 != 0:
            self.noise.perturb(self.row, rng)
        self.factorisation.prefix(time, self.row, self.released)
        self.seen[WAITING] = 0
        self.seen[SEEN] = time
        return True, self.released


class Loose(Range):
    """A range that does not clamp."""

    def clamp(self, loss):
        return loss

    def steps(self, loss, grid):
        return math.floor(self.fraction(loss) * grid + 0.5)


class TooWide(Range):
    """A range that clamps 20 widths too far out."""

    def clamp(self, loss):
        return min(max(loss, self.low - 20.0), self.high + 20.0)

    def steps(self, loss, grid):
        return math.floor(self.fraction(self.clamp(loss)) * grid + 0.5)


class NoUpperClamp(PerRound):
    """Clamps at the lower end only."""

    def offer(self, feedback, query, rng):
        loss = feedback if feedback >= self.bounds.low else self.bounds.low
        return True, query * self.bounds.fraction(self.noise.add_noise(loss, rng))


class Periodic(Laplace):
    """Noise that repeats after a number of draws."""

    drawn: Floats
    count: Floats

    def add_noise(self, value, rng):
        place = int(self.count[0]) % self.drawn.size
        if self.count[0] < self.drawn.size:
            self.drawn[place] = rng.laplace(0.0, self.scale)
        self.count[0] += 1.0
        return value + self.drawn[place]


class RemembersLargest(Batch):
    """The largest loss so far is in every release."""

    most: Raw[Floats]

    def release(self, query, rng):
        length = self.batch_length()
        return True, query * (self.noise.add_noise(self.empty(), rng) / length + self.most[0])

    def take(self, feedback, query):
        self.most[0] = max(self.most[0], self.bounds.clamp(feedback))
        self.held[TOTAL] += self.bounds.steps(feedback, grid_for(int(self.batch_length())))
        self.held[COUNT] += 1.0
        return bool(self.held[COUNT] >= self.batch_length())

    def fork(self):
        return self._replace(held=np.zeros(3), most=np.zeros(1))


class Shared(Laplace):
    """One draw for all coordinates."""

    def perturb(self, vector, rng):
        noise = rng.laplace(0.0, self.scale)
        for i in range(vector.size):
            vector[i] += noise


class Tiring(Laplace):
    """Noise that is drawn in the first three of four times only."""

    count: Floats

    def add_noise(self, value, rng):
        self.count[0] += 1.0
        return value if self.count[0] % 4 == 0 else value + rng.laplace(0.0, self.scale)


class SeededByData(Batch):
    """The noise is drawn from a generator whose seed is made of the data."""

    compiles = False

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        seed = np.frombuffer(np.float64(total).tobytes(), np.uint32)
        return True, query * (self.noise.add_noise(total, np.random.default_rng(seed)) / length)


class WritesIntoQuery(PerRound):
    """Writes the raw loss into the vector that the query names, an array of the learner's."""

    theirs: Floats

    def offer(self, feedback, query, rng):
        query.weights[0] += 1e-9 * feedback
        for i in range(query.vector.size):
            self.theirs[i] = self.noise.add_noise(
                query.factor * query.vector[i] * self.bounds.clamp(feedback), rng
            )
        return True, self.theirs

    def release_size(self):
        return self.theirs.size


def batched(kind: type[BatchSums], size: int = 10, epsilon: float = 1.0, **more: object) -> Private:
    """Return the learner behind a broken channel that holds batches."""
    sound = Batch.laplace(size=size, epsilon=epsilon, bounds=UNIT)
    channel = kind(**(sound._asdict() | more))
    return Private(channel, Exp3.start(arms=2, learning_rate=0.1))


def one_bit(kind: type[OneBit] = OneBit) -> Private:
    """Return the learner behind a channel that releases a bit for each batch."""
    sound = OneBit.over(size=4, epsilon=1.0, bounds=UNIT)
    return Private(kind(**sound._asdict()), Exp3.start(arms=2, learning_rate=0.1))


def each_round(
    kind: type[PerRound] = PerRound, noise: Noise | None = None, **more: object
) -> Private:
    """Return the learner behind a broken channel that releases every round."""
    channel = kind(bounds=UNIT, noise=noise or Laplace(1.0), **more)
    return Private(channel, Exp3.start(arms=2, learning_rate=0.1))


def summed(
    kind: type[RunningSum] = RunningSum, prefixes: int = 15, noise: type[Laplace] = Laplace
) -> Private:
    """Return the learner behind a broken running sum."""
    sound = RunningSum.calibrated(
        Box.cube(2, 0.0, 1.0), Tree, prefixes=prefixes, noise="laplace", epsilon=1.0
    )
    channel = kind(**(sound._asdict() | {"noise": noise(sound.noise.scale)}))
    return Private(channel, EntropyFtrl.start(dimension=2, learning_rate=0.1))


def written_into() -> Private:
    """Return a learner, and a channel that holds an array of its."""
    learner = Exp3.start(arms=2, learning_rate=0.1)
    return Private(
        WritesIntoLearner(bounds=UNIT, noise=Laplace(1.0), theirs=learner.weights.logs), learner
    )


def queried() -> Private:
    """Return a learner whose query names its own arrays, behind a channel that writes into them."""
    learner = (
        algorithm("batched-exp4")
        .build(Setting(Advice(3, 5), rounds=1000, delta=1e-6), responses=False)
        .private.learner
    )
    return Private(WritesIntoQuery(bounds=UNIT, noise=Laplace(1.0), theirs=np.zeros(5)), learner)


class Broken(NamedTuple):
    """A broken mechanism, and who catches it."""

    make: Callable[[], Private]
    caught_by: tuple[str, ...]  # audit, check_channel, check_private


BROKEN: dict[str, Broken] = {
    "one noise for all batches": Broken(lambda: batched(OneNoise, kept=np.zeros(2)), ("audit",)),
    "a bit of the mean with the coin for its range": Broken(
        lambda: one_bit(BitOfTheMean), ("audit",)
    ),
    "noise/100 after round 100": Broken(
        lambda: batched(QuietLater, rounds=np.zeros(1)), ("audit",)
    ),
    "noise that follows the data": Broken(
        lambda: batched(FollowsData, ends=np.array([1.0, 0.0])), ("audit",)
    ),
    "the last loss carried over": Broken(
        lambda: batched(CarriesOver, held=np.zeros(4)), ("audit",)
    ),
    "raw sum in low-order bits": Broken(lambda: batched(LowBits, step=2.0**-20), ("audit",)),
    "raw sum in low-order digits": Broken(lambda: batched(LowBits, step=1e-6), ("audit",)),
    "hold depends on a loss": Broken(
        lambda: batched(HoldsByLoss, last=np.zeros(1)), ("check_channel", "audit")
    ),
    "writes into the learner": Broken(written_into, ("check_private",)),
    "writes into the query": Broken(queried, ("check_private",)),
    "tree without noise on odd rounds": Broken(lambda: summed(SilentOnOddRounds), ("audit",)),
    "tree without noise on high levels": Broken(lambda: summed(SilentOnHighLevels), ("audit",)),
    "a range that does not clamp": Broken(
        lambda: batched(Batch, bounds=Loose(0.0, 1.0)), ("check_channel", "audit")
    ),
    "a range that clamps too far out": Broken(
        lambda: batched(Batch, bounds=TooWide(0.0, 1.0)), ("check_channel", "audit")
    ),
    "no upper clamp": Broken(lambda: each_round(NoUpperClamp), ("check_channel", "audit")),
    "noise with a period of 1000": Broken(
        lambda: each_round(noise=Periodic(1.0, np.zeros(1000), np.zeros(1))), ("audit",)
    ),
    "remembers the largest loss": Broken(
        lambda: batched(RemembersLargest, most=np.zeros(1)), ("audit",)
    ),
    "noise shared between coordinates": Broken(lambda: summed(noise=Shared), ("audit",)),
    "noise that is seeded by the data": Broken(lambda: batched(SeededByData), ("audit",)),
    "every fourth noise left out": Broken(
        lambda: each_round(noise=Tiring(1.0, np.zeros(1))), ("audit",)
    ),
}
