"""Semi-bandits: hold a slate for some rounds, then release bits about the losses of its items."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.channels.batch import UNREACHABLE
from discreet.contracts import Channel, Floats, Generator, NoiseScale
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.guarantee import Guarantee
from discreet.lengths import check_query
from discreet.mechanisms import Coin, CoinShape
from discreet.ranges import Range, check_bounds, grid_for, make_range

SOURCE = "randomised bits about some items of a slate (docs/proofs.md: Bits of a slate)"


class SlateBits(Channel[Floats, Floats, Floats]):
    """Releases one random bit about each of m items of a slate, once per batch.

    Feedback is the loss of every item shown, k numbers. A query has a 1 at each place that the
    learner asks about; the first m of them count. With s the mean loss of an item over a batch of τ
    rounds, as a fraction of the range, its bit is 1 with probability

        P(1) = 1/2 + a (s - 1/2),   a = Ω τ / (2 + Ω τ),   Ω = e^(ε / m) - 1.

    Formal guarantee: each round enters one batch, and at most m bits of it. Replacing all losses of
    a round changes the probability of each bit by at most the factor e^(ε / m), so epsilon holds
    for the whole run (docs/proofs.md: Bits of a slate).

    Edge cases: a last, incomplete batch is never released. Out-of-range losses are clamped.

    >>> bits = SlateBits.over(size=4, shown=3, reports=1, epsilon=1.0, bounds=make_range())
    >>> bits.guarantee.short, round(bits.contrast, 3)
    ('1-differential privacy', 0.775)
    """

    example_feedback: ClassVar[Floats] = np.array([0.5, 0.75, 1.0])
    example_query: ClassVar[Floats] = np.array([1.0, 0.0, 1.0])

    size: int  # τ
    reports: int  # m
    bounds: Range
    held: Raw[Floats]  # sums of places, in steps of a grid, then the number of rounds
    bits: Raw[Floats]  # released: a buffer
    noise: CoinShape

    @classmethod
    def over(
        cls, *, size: int, shown: int, reports: int, epsilon: float, bounds: Range
    ) -> SlateBits:
        """Return the channel before the first round, for slates of ``shown`` items."""
        places = check_int("shown", shown, minimum=1)
        asked = check_int("reports", reports, minimum=1, maximum=places)
        return cls(
            check_int("batch_size", size, minimum=1),
            asked,
            check_bounds(bounds),
            np.zeros(places + 1),
            np.zeros(places),
            Coin.calibrate(epsilon=check_positive("epsilon", epsilon) / asked),
        )

    @classmethod
    def example(cls) -> SlateBits:
        """Return an example for the contract tests."""
        return cls.over(size=4, shown=3, reports=2, epsilon=0.5, bounds=Range(0.0, 3.0))

    def hold(self) -> int:
        """Return the size of a batch."""
        return self.size

    def feedback_size(self) -> int:
        """Return how many items are shown."""
        return self.bits.size

    def take(self, feedback: Floats, query: Floats) -> bool:
        """Add the losses; return whether the batch is full."""
        places = self.bits.size
        check_query(feedback.size, places)
        check_query(query.size, places)
        for j in range(places):
            self.held[j] += self.bounds.steps(feedback[j], grid_for(self.size))
        self.held[places] += 1.0
        return float(self.held[places]) >= self.size

    def release(self, query: Floats, rng: Generator) -> tuple[bool, Floats]:
        """Release the requested bits, and 0 elsewhere."""
        left = self.reports
        for j in range(self.bits.size):
            self.bits[j] = 0.0
            if query[j] > 0.0 and left > 0:
                total = float(self.held[j]) / grid_for(self.size)
                self.bits[j] = self.noise.toss(total, self.size, rng)
                left -= 1
        for j in range(self.held.size):
            self.held[j] = 0.0
        return True, self.bits

    def nothing(self, query: Floats) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return False, self.bits

    def fork(self) -> Self:
        """Return a channel for another batch."""
        return self._replace(held=np.zeros(self.held.size), bits=np.zeros(self.bits.size))

    def rounds_seen(self) -> int:
        """Return how many rounds of the current batch were received."""
        return int(self.held[-1])

    def check_held(self) -> None:
        """Refuse sums that so many losses in the range cannot have."""
        count = float(self.held[-1])
        largest = count * grid_for(self.size)
        inside = bool(((self.held[:-1] >= 0.0) & (self.held[:-1] <= largest)).all())
        if not (0.0 <= count <= self.size and inside):
            raise DiscreetError(UNREACHABLE)

    def release_size(self) -> int:
        """Return the number of items shown."""
        return self.bits.size

    def _with_exact_noise(self) -> Self:
        """Return the channel with an exact coin."""
        return self._replace(noise=self.noise.exact(self.guarantee, sensitivity=1.0))

    @property
    def contrast(self) -> float:
        """a: how much the mean of a bit grows with the mean loss of an item."""
        return self.noise.contrast_of(self.size)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the coins that are actually tossed."""
        one = self.noise.guarantee(1.0, model="central", source=SOURCE)
        whole = Pure(self.reports * self.noise.epsilon)
        return Guarantee.of(whole, delta=0.0, model="central", source=one.source)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One bit per item: the distance of both values from the middle, in units of the losses."""
        return (self.noise.noise_scale._replace(scale=0.5 * self.bounds.width / self.contrast),)


class OpenSlate(Channel[Floats, Floats, Floats]):
    """Releases the loss of every item shown, as a fraction of its range, without privacy."""

    holds_feedback = False
    example_feedback: ClassVar[Floats] = np.array([0.5, 0.75, 1.0])
    example_query: ClassVar[Floats] = np.ones(3)

    bounds: Range
    released: Raw[Floats]  # a buffer

    @classmethod
    def over(cls, *, shown: int, bounds: Range) -> OpenSlate:
        """Return the channel for slates of that many items."""
        places = check_int("shown", shown, minimum=1)
        return cls(check_bounds(bounds), np.zeros(places))

    @classmethod
    def example(cls) -> OpenSlate:
        """Return an example for the contract tests."""
        return cls.over(shown=3, bounds=make_range())

    def feedback_size(self) -> int:
        """Return how many items are shown."""
        return self.released.size

    def offer(self, feedback: Floats, query: Floats, rng: Generator) -> tuple[bool, Floats]:
        """Release the losses themselves."""
        check_query(feedback.size, self.released.size)
        for j in range(self.released.size):
            self.released[j] = self.bounds.fraction(feedback[j])
        return True, self.released

    def release_size(self) -> int:
        """Return the number of items shown."""
        return self.released.size

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")
