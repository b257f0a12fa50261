"""More mechanisms that break their claim, where a search must look at the right place.

As in ``broken_mechanisms``, each has one fault, and its guarantee is that of the sound channel.
"""

from __future__ import annotations

import math

import numpy as np
from broken_mechanisms import UNIT, Broken, batched, each_round, one_bit

from componentjit import Raw
from discreet import Private, Setting, algorithm
from discreet.channels import Batch, OneBit, PerRound, RunningSum
from discreet.contracts import Floats
from discreet.factorisations import Tree
from discreet.learners import EntropyFtrl
from discreet.mechanisms import Laplace
from discreet.problems import Contexts
from discreet.ranges import Range
from discreet.sets import Box


class HidesBehindNan(PerRound):
    """A tenth of the noise; sometimes, whatever the loss is, something that is not a number."""

    chance: float
    other: float

    def offer(self, feedback, query, rng):
        noisy = self.bounds.clamp(feedback) + 0.1 * self.noise.add_noise(0.0, rng)
        return True, query * (self.other if rng.random() < self.chance else noisy)


class NanForSome(PerRound):
    """No number for losses from .6 to .7."""

    def offer(self, feedback, query, rng):
        loss = self.bounds.clamp(feedback)
        noisy = self.noise.add_noise(loss, rng)
        return True, query * (math.nan if 0.6 <= loss <= 0.7 else noisy)


class SignOfZero(OneBit):
    """A bit of 0 is -0.0 if the sum is high."""

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        bit = self.noise.toss(total, int(length), rng)
        return True, query * (-0.0 if bit == 0.0 and total > 0.5 else bit)


class WholeSums(Batch):
    """No noise on sums that are whole numbers, as those of outcomes 0 and 1 are."""

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        noisy = self.noise.add_noise(total, rng)
        return True, query * ((total if total == math.floor(total) else noisy) / length)


class MarksOneLoss(Batch):
    """Often adds 10 to a release if the third loss of its batch is high."""

    third: Raw[Floats]
    chance: float

    def take(self, feedback, query):
        if self.held[1] == 2.0:
            self.third[0] = self.bounds.clamp(feedback)
        return super().take(feedback, query)

    def release(self, query, rng):
        length = self.batch_length()
        out = self.noise.add_noise(self.empty(), rng) / length
        marked = self.third[0] > 0.7 and rng.random() < self.chance
        return True, query * (out + 10.0 if marked else out)

    def fork(self):
        return self._replace(held=np.zeros(3), third=np.zeros(1))


class LastLoss(Batch):
    """Sometimes the last loss of the batch, in place of its mean."""

    last: Raw[Floats]
    chance: float

    def take(self, feedback, query):
        self.last[0] = self.bounds.clamp(feedback)
        return super().take(feedback, query)

    def release(self, query, rng):
        length = self.batch_length()
        noisy = self.noise.add_noise(self.empty(), rng) / length
        return True, query * (self.last[0] if rng.random() < self.chance else noisy)

    def fork(self):
        return self._replace(held=np.zeros(3), last=np.zeros(1))


class LaterRaw(PerRound):
    """Sometimes the raw loss, but not in the first two rounds."""

    count: Floats
    chance: float

    def offer(self, feedback, query, rng):
        self.count[0] += 1.0
        loss = self.bounds.clamp(feedback)
        noisy = self.noise.add_noise(loss, rng)
        return True, query * (
            loss if self.count[0] >= 3.0 and rng.random() < self.chance else noisy
        )


class SilentLast(Laplace):
    """No noise on the last coordinate in 5 %."""

    def perturb(self, vector, rng):
        for i in range(vector.size):
            if i < vector.size - 1 or rng.random() >= 0.05:
                vector[i] += rng.laplace(0.0, self.scale)


class PassesHuge(Range):
    """Lets finite numbers pass if they are far outside."""

    def clamp(self, loss):
        if 1e3 < loss < 1e9:
            return loss
        return self.low if not loss >= self.low else min(loss, self.high)


def summed_in_eight(noise: type[Laplace]) -> Private:
    """Return a running sum of eight numbers with broken noise."""
    sound = RunningSum.calibrated(
        Box.cube(8, 0.0, 1.0), Tree, prefixes=15, noise="laplace", epsilon=1.0
    )
    channel = sound._replace(noise=noise(sound.noise.scale))
    return Private(channel, EntropyFtrl.start(dimension=8, learning_rate=0.1))


def reported(times: float) -> Private:
    """Return a device that adds noise to the outcome's part only, and less to the features'."""
    setting = Setting(Contexts(3, 2), rounds=8, epsilon=1.0, delta=1e-5)
    honest = algorithm("local-linucb").build(setting, noise="gaussian").private
    channel = honest.channel
    first = channel.release_size() - channel.dimension

    class OnlyOutcome(type(channel.noise)):
        def perturb(self, vector, rng):
            for i in range(vector.size):
                factor = 1.0 if i >= first else times
                vector[i] += rng.normal(0.0, factor * self.scale)

    noise = OnlyOutcome._make(tuple(channel.noise))
    return honest._replace(channel=channel._replace(noise=noise))


def passing_huge() -> Private:
    """Return every loss with noise, and some that are far too large."""
    sound = each_round()
    return sound._replace(channel=sound.channel._replace(bounds=PassesHuge(*UNIT)))


AUDIT = ("audit",)
HIDDEN: dict[str, Broken] = {
    "little noise, and NaN in 0.1 %": Broken(
        lambda: each_round(HidesBehindNan, chance=1e-3, other=math.nan), AUDIT
    ),
    "little noise, and infinity in 10 %": Broken(
        lambda: each_round(HidesBehindNan, chance=0.1, other=-math.inf), AUDIT
    ),
    "NaN for some losses": Broken(lambda: each_round(NanForSome), AUDIT),
    "the sign of zero": Broken(lambda: one_bit(SignOfZero), AUDIT),
    "no noise on whole sums of 10": Broken(lambda: batched(WholeSums), AUDIT),
    "no noise on whole sums of 100": Broken(lambda: batched(WholeSums, size=100), AUDIT),
    "the third loss of 10 is marked in 20 %": Broken(
        lambda: batched(MarksOneLoss, third=np.zeros(1), chance=0.2), AUDIT
    ),
    "the third loss of 100 is marked": Broken(
        lambda: batched(MarksOneLoss, size=100, third=np.zeros(1), chance=1.0), AUDIT
    ),
    "the raw last loss in 1 %": Broken(
        lambda: batched(LastLoss, last=np.zeros(1), chance=0.01), AUDIT
    ),
    "raw in 5 % from the third release on": Broken(
        lambda: each_round(LaterRaw, count=np.zeros(1), chance=0.05), AUDIT
    ),
    "no noise on the last of 8 numbers in 5 %": Broken(lambda: summed_in_eight(SilentLast), AUDIT),
    "huge numbers pass": Broken(lambda: passing_huge(), AUDIT),
    "no noise on features": Broken(lambda: reported(0.0), AUDIT),
    "a tenth of the noise on features": Broken(lambda: reported(0.1), AUDIT),
}
