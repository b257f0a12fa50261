"""More mechanisms that break their claim: rarely, at some levels only, in bits, or in time.

As in ``broken_mechanisms``, each has one fault, and its guarantee is that of the sound channel.
"""

from __future__ import annotations

import math

import numpy as np
from broken_mechanisms import UNIT, Broken, batched, each_round, one_bit, summed

from componentjit import Raw
from discreet import Private, Setting, algorithm
from discreet.channels import Batch, PerRound
from discreet.channels.batch import COUNT, TOTAL
from discreet.contracts import Floats, unsealed
from discreet.learners import Exp3
from discreet.mechanisms import Coin, Gaussian, Hemisphere, Laplace
from discreet.problems import Contexts
from discreet.ranges import Range, grid_for


class SometimesRaw(PerRound):
    """The raw loss, with a small probability."""

    chance: float

    def offer(self, feedback, query, rng):
        loss = self.bounds.clamp(feedback)
        noisy = self.noise.add_noise(loss, rng)
        return True, query * (loss if rng.random() < self.chance else noisy)


class SometimesTrue(Hemisphere):
    """The true direction, in 0.2 % of all reports."""

    def perturb(self, vector, rng):
        if rng.random() < 0.002:
            for i in range(vector.size):
                vector[i] *= self.reach
        else:
            self.draw(vector, rng)

    def draw(self, vector, rng):
        length, size, side = 0.0, 0.0, 0.0
        for i in range(vector.size):
            part = rng.standard_normal()
            length += vector[i] * vector[i]
            size += part * part
            side += part * vector[i]
            self.direction[i] = part
        towards = rng.random() < 0.5 + 0.5 * math.tanh(0.5 * self.epsilon) * math.sqrt(length)
        factor = self.reach / math.sqrt(size)
        if (side >= 0.0) != towards:
            factor = -factor
        for i in range(vector.size):
            vector[i] = factor * self.direction[i]
            self.direction[i] = 0.0


class UsesNoiseAgain(Batch):
    """An earlier noise, with a small probability, or with the other sign."""

    kept: Floats  # noises, the latest first
    chance: float
    sign: float

    def release(self, query, rng):
        length = self.batch_length()
        last = self.kept.size - 1
        noise = self.noise.add_noise(0.0, rng)
        if rng.random() < self.chance and self.kept[last] != 0.0:
            noise = self.sign * self.kept[last]
        for i in range(last):
            self.kept[last - i] = self.kept[last - i - 1]
        self.kept[0] = noise
        return True, query * ((self.empty() + noise) / length)


class FewBits(Laplace):
    """Noise made of so few random bits that the values it can have show what it was added to."""

    bits: int

    def __new__(cls, scale, bits):
        return cls._make((scale, bits))

    def add_noise(self, value, rng):
        count = 2**self.bits
        share = (float(rng.integers(0, count)) + 0.5) / count
        size = self.scale * math.log(2.0 - 2.0 * share if share >= 0.5 else 2.0 * share)
        return value - size if share >= 0.5 else value + size


class WholeNumbers(Laplace):
    """Whole numbers of twentieths as noise, on a value that is not rounded to any."""

    def add_noise(self, value, rng):
        return value + math.floor(rng.laplace(0.0, self.scale) * 20.0 + 0.5) / 20.0


class Clipped(Laplace):
    """Noise that never leaves ± 3 scales."""

    def add_noise(self, value, rng):
        return value + min(max(rng.laplace(0.0, self.scale), -3.0 * self.scale), 3.0 * self.scale)


class Uniform(Laplace):
    """Uniform noise of the same variance."""

    def add_noise(self, value, rng):
        return value + self.scale * math.sqrt(6.0) * (2.0 * rng.random() - 1.0)


class TooSmall(Laplace):
    """Four fifths of the noise."""

    def add_noise(self, value, rng):
        return value + rng.laplace(0.0, 0.8 * self.scale)


class TooSmallNormal(Gaussian):
    """Four fifths of Gaussian noise."""

    def add_noise(self, value, rng):
        return value + rng.normal(0.0, 0.8 * self.scale)


class TooSure(Coin):
    """A coin for a fifth more."""

    def toss(self, total, length, rng):
        odds = math.exp(1.2 * self.epsilon) - 1.0
        return 1.0 if rng.random() * (2.0 + odds * length) < 1.0 + odds * total else 0.0


class QuietBetween(Batch):
    """Less noise, or none, for some means."""

    low: float
    high: float
    factor: float

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        noise = self.noise.add_noise(0.0, rng)
        if self.low <= total / length <= self.high:
            noise *= self.factor
        return True, query * ((total + noise) / length)


class QuietForSome(PerRound):
    """No noise for losses between 0.7 and 0.74."""

    def offer(self, feedback, query, rng):
        loss = self.bounds.clamp(feedback)
        noisy = self.noise.add_noise(loss, rng)
        return True, query * (loss if 0.7 < loss < 0.74 else noisy)


class ZeroIsZero(Batch):
    """A sum of 0 is released as 0."""

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        noisy = self.noise.add_noise(total, rng)
        return True, query * (0.0 if total == 0.0 else noisy / length)


class NeverLow(Batch):
    """Low sums are never released."""

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        return total >= 0.2 * length, query * (self.noise.add_noise(total, rng) / length)


class NotTheHighest(PerRound):
    """The highest losses are not released."""

    def offer(self, feedback, query, rng):
        loss = self.bounds.clamp(feedback)
        return loss < 0.95, query * self.noise.add_noise(loss, rng)


class SometimesLate(Batch):
    """A batch with a high first loss waits for one more, in a twentieth of all cases."""

    first: Raw[Floats]

    def release(self, query, rng):
        length = self.batch_length()
        if self.first[0] > 0.5 and rng.random() < 0.05:
            self.first[0] = 0.0
            return False, query * 0.0
        return True, query * (self.noise.add_noise(self.empty(), rng) / length)

    def take(self, feedback, query):
        if self.held[COUNT] == 0.0:
            self.first[0] = self.bounds.clamp(feedback)
        self.held[TOTAL] += self.bounds.steps(feedback, grid_for(int(self.batch_length())))
        self.held[COUNT] += 1.0
        return bool(self.held[COUNT] >= self.batch_length())

    def fork(self):
        return self._replace(held=np.zeros(3), first=np.zeros(1))


class Repeats(Batch):
    """A loss that equals the one before counts twice."""

    last: Raw[Floats]

    def take(self, feedback, query):
        steps = self.bounds.steps(feedback, grid_for(int(self.batch_length())))
        self.held[TOTAL] += 2.0 * steps if steps == self.last[0] else steps
        self.last[0] = steps
        self.held[COUNT] += 1.0
        return bool(self.held[COUNT] >= self.batch_length())

    def fork(self):
        return self._replace(held=np.zeros(3), last=np.full(1, -1.0))


class Extreme(Batch):
    """The largest loss or the median of a batch, with the noise of a mean."""

    losses: Raw[Floats]
    rank: int

    def release(self, query, rng):
        length = self.batch_length()
        self.empty()
        value = np.sort(self.losses)[self.rank]
        return True, query * (value + self.noise.add_noise(0.0, rng) / length)

    def take(self, feedback, query):
        self.losses[int(self.held[COUNT])] = self.bounds.clamp(feedback)
        self.held[COUNT] += 1.0
        return bool(self.held[COUNT] >= self.batch_length())

    def fork(self):
        return self._replace(held=np.zeros(3), losses=np.zeros(self.size))


class Products(PerRound):
    """A loss times the one before: each is in two releases."""

    last: Raw[Floats]

    def offer(self, feedback, query, rng):
        loss = self.bounds.clamp(feedback)
        product = loss * self.last[0]
        self.last[0] = loss
        return True, query * self.noise.add_noise(product, rng)


class OnceQuiet(PerRound):
    """A tenth of the noise in one round only."""

    count: Floats

    def offer(self, feedback, query, rng):
        self.count[0] += 1.0
        noise = self.noise.add_noise(0.0, rng)
        if self.count[0] == 777.0:
            noise *= 0.1
        return True, query * (self.bounds.clamp(feedback) + noise)


class ByTheClock(PerRound):
    """Noise that only depends on the number of the round, as if it had a fixed seed."""

    count: Floats

    def offer(self, feedback, query, rng):
        self.count[0] += 1.0
        share = math.fmod(0.618034 * self.count[0], 1.0)
        noise = math.log(2.0 * share) if share < 0.5 else -math.log(2.0 - 2.0 * share)
        return True, query * (self.bounds.clamp(feedback) + noise)


class SometimesSilent(Laplace):
    """No noise on the first coordinate, in half a percent of all draws."""

    def perturb(self, vector, rng):
        for i in range(vector.size):
            if i > 0 or rng.random() >= 0.005:
                vector[i] += rng.laplace(0.0, self.scale)


class LowestBit(Batch):
    """Whether the sum is above the half, in the lowest bit of what is released."""

    compiles = False

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        whole = np.array([self.noise.add_noise(total, rng) / length]).view(np.uint64)
        whole = (whole | np.uint64(1)) ^ np.uint64(0 if total > 0.5 * length else 1)
        return True, query * float(whole.view(np.float64)[0])


class HalfStep(Batch):
    """Off the grid of exact noise by half a step if the sum is above the half."""

    compiles = False

    def release(self, query, rng):
        length = self.batch_length()
        total = self.empty()
        noisy = self.noise.add_noise(total, rng)
        return True, query * (noisy + (0.5 * self.noise.step if total > 0.5 * length else 0.0))


class LetsNothingPass(Range):
    """A range that lets pass what is not a number."""

    def clamp(self, loss):
        return self.low if loss < self.low else self.high if loss > self.high else loss


def live(kind: type[Batch]) -> Private:
    """Return the learner behind a broken channel with exact noise."""
    sound = unsealed(Batch.laplace(size=4, epsilon=1.0, bounds=UNIT).live())
    return Private(kind(**sound._asdict()), Exp3.start(arms=2, learning_rate=0.1))


def on_device() -> Private:
    """Return a device whose reports are true sometimes."""
    setting = Setting(Contexts(2, 2), rounds=8, epsilon=1.0)
    honest = algorithm("local-linucb").build(setting, noise="hemisphere").private
    noise = SometimesTrue(**honest.channel.noise._asdict())
    return honest._replace(channel=honest.channel._replace(noise=noise))


def reused(lag: int, chance: float, sign: float = 1.0) -> Private:
    """Return batches in which noise comes again."""
    return batched(UsesNoiseAgain, kept=np.zeros(lag), chance=chance, sign=sign)


AUDIT = ("audit",)
RARELY: dict[str, Broken] = {
    "raw with probability 5 %": Broken(lambda: each_round(SometimesRaw, chance=0.05), AUDIT),
    "raw with probability 0.1 %": Broken(lambda: each_round(SometimesRaw, chance=1e-3), AUDIT),
    "raw in 0.2 %, and cannot be compiled": Broken(
        lambda: each_round(type("Raw", (SometimesRaw,), {"compiles": False}), chance=2e-3), AUDIT
    ),
    "the true direction in 0.2 %": Broken(on_device, AUDIT),
    "the noise of the batch before in 5 %": Broken(lambda: reused(1, 0.05), AUDIT),
    "noise of 16 bits": Broken(lambda: batched(Batch, noise=FewBits(1.0, 16)), AUDIT),
    "low sums never released": Broken(lambda: batched(NeverLow), AUDIT),
    "no noise for some means": Broken(
        lambda: batched(QuietBetween, low=0.25, high=0.3, factor=0.0), AUDIT
    ),
    "the lowest bit of live noise": Broken(lambda: live(LowestBit), AUDIT),
    "half a step off the grid of live noise": Broken(lambda: live(HalfStep), AUDIT),
    "the noise of two batches before in 5 %": Broken(lambda: reused(2, 0.05), AUDIT),
    "the noise of the batch before, negated, in 10 %": Broken(lambda: reused(1, 0.1, -1.0), AUDIT),
    "noise of 24 bits": Broken(lambda: each_round(noise=FewBits(1.0, 24)), AUDIT),
    "whole numbers on a value that is none": Broken(
        lambda: batched(Batch, noise=WholeNumbers(1.0)), AUDIT
    ),
    "noise clipped at three scales": Broken(lambda: each_round(noise=Clipped(1.0)), AUDIT),
    "uniform noise": Broken(lambda: batched(Batch, noise=Uniform(1.0)), AUDIT),
    "four fifths of the noise": Broken(lambda: batched(Batch, noise=TooSmall(1.0)), AUDIT),
    "less Gaussian noise": Broken(lambda: each_round(noise=TooSmallNormal(4.0, 1e-5)), AUDIT),
    "a coin that is too sure": Broken(
        lambda: one_bit()._replace(channel=one_bit().channel._replace(noise=TooSure(1.0))), AUDIT
    ),
    "half of the noise for high means": Broken(
        lambda: batched(QuietBetween, low=0.9, high=1.0, factor=0.5), AUDIT
    ),
    "no noise for some losses": Broken(lambda: each_round(QuietForSome), AUDIT),
    "a sum of 0 is 0": Broken(lambda: batched(ZeroIsZero), AUDIT),
    "the highest losses are not released": Broken(lambda: each_round(NotTheHighest), AUDIT),
    "released later in 5 %": Broken(lambda: batched(SometimesLate, first=np.zeros(1)), AUDIT),
    "equal losses count twice": Broken(lambda: batched(Repeats, last=np.full(1, -1.0)), AUDIT),
    "the largest loss with the noise of a mean": Broken(
        lambda: batched(Extreme, losses=np.zeros(10), rank=9), AUDIT
    ),
    "a median with the noise of a mean": Broken(
        lambda: batched(Extreme, losses=np.zeros(10), rank=5), AUDIT
    ),
    "products of two losses": Broken(lambda: each_round(Products, last=np.ones(1)), AUDIT),
    "less noise in one round": Broken(lambda: each_round(OnceQuiet, count=np.zeros(1)), AUDIT),
    "noise by the clock": Broken(lambda: each_round(ByTheClock, count=np.zeros(1)), AUDIT),
    "no noise on a coordinate in 0.5 %": Broken(lambda: summed(noise=SometimesSilent), AUDIT),
    "a range that lets NaN pass": Broken(
        lambda: each_round()._replace(channel=PerRound(LetsNothingPass(0.0, 1.0), Laplace(1.0))),
        AUDIT,
    ),
}
