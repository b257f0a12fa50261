"""Semi-bandits: the learner shows k of N items and sees the loss of each."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import as_list
from discreet.contracts import Floats, Generator, Integers, Learner
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.sets.vectors import select_least

FARTHEST = 50.0  # exponents: e^50 times the least chance of an item is more than 1


class Slate(NamedTuple):
    """The items shown, the divisors of their estimates, and which of them it asks about."""

    items: Integers
    importance: Floats
    asked: Floats  # 1 for items it asks about, 0 for the others


class SlateFtrl(Learner[Integers, Slate, Floats, Floats]):
    """The leader with entropy over all slates, on estimated losses of items.

    Round t has chances p of the items, which minimise η ⟨L, p⟩ + Σ p ln p over 0 ≤ p ≤ 1, Σ p = k:

        p(i) = min(1, c exp(-η L(i)))   with c such that Σ p = k.

    It shows k items so that item i is among them with probability p(i): one uniform number z, and
    the items where p(1) + ... + p(i) passes z, z + 1, z + 2, ... It asks about m of them, chosen at
    random. When their losses y arrive (on the scale [0, 1]),

        L(i) ← L(i) + y(i) k / (m p(i)).

    ``learning_rate`` is η, ``reports`` is m.

    Regret for losses in [0, 1] that are fixed in advance, the loss of a slate being the sum over
    its items: at most k ln(N / k) / η + η T k N / 2 m, which is k sqrt(2 T N ln(N / k) / m) for the
    best η (docs/regret.md: Semi-bandits). With m = k it is sqrt(2 k N T ln(N / k)), of the order in
    Audibert, Bubeck & Lugosi 2014.

    >>> learner = SlateFtrl.start(items=4, shown=2, learning_rate=0.5)
    >>> items, trace = learner.act(None, np.random.default_rng(1))
    >>> items.tolist(), trace.importance.tolist()
    ([1, 3], [2.0, 2.0])
    >>> learner.learn(trace, np.array([1.0, 0.0]))
    >>> _ = learner.act(None, np.random.default_rng(1))
    >>> learner.chances.round(3).tolist()
    [0.594, 0.218, 0.594, 0.594]
    """

    learning_rate: float
    reports: int
    sums: Floats  # L
    chances: Floats  # p
    order: Integers  # a buffer
    items: Integers  # the slate: a buffer
    importance: Floats  # a buffer
    asked: Floats  # a buffer

    @classmethod
    def start(
        cls, *, items: int, shown: int, learning_rate: float, reports: int | None = None
    ) -> SlateFtrl:
        """Return the learner before the first round; it asks about all items shown by default."""
        many = check_int("items", items, minimum=2)
        some = check_int("shown", shown, minimum=1)
        if some >= many:
            raise DiscreetError(
                f"shown is {some}, but must be less than the number of items, {many}."
            )
        told = some if reports is None else check_int("reports", reports, minimum=1, maximum=some)
        return cls(
            check_positive("learning_rate", learning_rate),
            told,
            np.zeros(many),
            np.full(many, some / many),
            np.zeros(many, np.int64),
            np.zeros(some, np.int64),
            np.zeros(some),
            np.zeros(some),
        )

    @classmethod
    def example(cls) -> SlateFtrl:
        """Return an example for the contract tests."""
        return cls.start(items=5, shown=3, learning_rate=0.1, reports=2)

    @property
    def choices(self) -> int:
        """The number of items."""
        return self.sums.size

    def act(self, observation: object, rng: Generator) -> tuple[Integers, Slate]:
        """Show a slate, and choose which of its items to ask about."""
        self.find_chances()
        self.draw_items(rng.random())
        places = self.items.size
        left = self.reports
        for j in range(places):
            self.asked[j] = 0.0
            if left == places - j or (left > 0 and rng.random() * (places - j) < left):
                self.asked[j] = 1.0
                left -= 1
            self.importance[j] = places / (self.reports * self.chances[self.items[j]])
        return self.items, Slate(self.items, self.importance, self.asked)

    def find_chances(self) -> None:
        """Compute p; items at 1 are set aside until the others fit.

        Sums are relative to the k-th least, so that weights of items that matter neither underflow
        nor overflow.
        """
        places = self.items.size
        select_least(as_list(self.sums), self.order, places)
        level = -math.inf
        for j in range(places):
            level = max(level, float(self.sums[self.order[j]]))
        for i in range(self.sums.size):
            exponent = self.learning_rate * (level - float(self.sums[i]))
            self.chances[i] = math.exp(min(exponent, FARTHEST))
        factor, full = 0.0, -1
        for _ in range(places + 1):
            before, full, total = full, 0, 0.0
            for i in range(self.sums.size):
                if factor * self.chances[i] >= 1.0:
                    full += 1
                else:
                    total += self.chances[i]
            if full in (before, places):
                break
            factor = (places - full) / total
        for i in range(self.sums.size):
            self.chances[i] = min(1.0, factor * self.chances[i])

    def draw_items(self, uniform: float) -> None:
        """Choose items with these chances by one uniform number."""
        places, found = self.items.size, 0
        passed, mark = 0.0, uniform
        for i in range(self.sums.size):
            passed += self.chances[i]
            left = self.sums.size - i
            # if rounding left fewer marks than items, the last items are shown
            if found < places and (passed > mark or left <= places - found):
                self.items[found] = i
                found += 1
                mark += 1.0

    def query(self, trace: Slate) -> Floats:
        """Return which items to ask about."""
        return trace.asked

    def learn(self, trace: Slate, released: Floats) -> None:
        """Add the estimates of the items that were asked about."""
        for j in range(trace.items.size):
            if trace.asked[j] > 0.0:
                self.sums[trace.items[j]] += released[j] * trace.importance[j]

    def release_size(self) -> int:
        """Return the number of items shown."""
        return self.items.size

    @staticmethod
    def recommended_rate(*, items: int, shown: int, reports: int, rounds: int) -> float:
        """Return η = sqrt(2 m ln(N / k) / (T N)), with the least bound."""
        return math.sqrt(2.0 * reports * math.log(items / shown) / (rounds * items))

    @staticmethod
    def regret_bound(
        *, items: int, shown: int, reports: int, rounds: int, learning_rate: float
    ) -> float:
        """Return k ln(N / k) / η + η T k N / 2 m."""
        entropy = shown * math.log(items / shown)
        return entropy / learning_rate + learning_rate * rounds * shown * items / (2.0 * reports)
