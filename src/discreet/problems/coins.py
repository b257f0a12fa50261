"""Games of coins: losses of 0 or 1, tossed arm by arm.

With many arms, losses are stored as bits, because few are ever read.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from componentjit import compile_for, helper, vectorizable
from discreet.components import Component
from discreet.contracts import Floats, Generator, Integers
from discreet.lengths import check_arm
from discreet.problems.base import Game
from discreet.randomness import in_turn

WORD = 64  # rounds in a word
MANY = 128  # losses are stored as bits from this number of arms
PURPOSE = 2_000  # key of the random streams of bits, distinct from those of ``uniforms``


class Coins(Component):
    """Losses of 0 or 1: an arm's loss is 1 if a uniform number is at least ``tails``."""

    tails: Floats
    tossed_so_far: Floats  # sums of the losses


def tossed(coins: Coins, rounds: int, rng: Generator) -> Floats:
    """Return a table of losses."""
    return (rng.random((rounds, coins.tails.size)) >= coins.tails).astype(np.float64)


@vectorizable(state="coins", tables=("losses", "sums"), uniform=("marks",), generators=("rng",))
def toss(coins: Coins, losses: Floats, marks: Integers, sums: Floats, rng: Generator) -> None:
    """Fill a table with the same losses, toss by toss, and sums with the totals at marks.

    This form can be vectorised over trials.
    """
    t = 0
    for mark in range(marks.size):
        while t < marks[mark]:
            for arm in range(losses.shape[1]):
                loss = 1.0 if rng.random() >= coins.tails[arm] else 0.0
                losses[t, arm] = loss
                coins.tossed_so_far[arm] += loss
            t += 1
        for arm in range(losses.shape[1]):
            sums[mark, arm] = coins.tossed_so_far[arm]


class CoinGame(Game[int, float]):
    """Rounds of a bandit game whose losses are coins: the loss of arm i in round t is a bit.

    A word of ``words`` holds 64 rounds of an arm, the first in its lowest bit; the first ``offset``
    rounds of the first word are not played.
    """

    action_shape = ()

    words: NDArray[np.uint64]  # stretch of 64 rounds, arm
    offset: int
    rounds: int
    low: float
    high: float

    @property
    def choices(self) -> int:
        """The number of arms."""
        return int(self.words.shape[1])

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm that was played."""
        place = t + self.offset
        heads = (self.words[place >> 6, action] >> np.uint64(place & 63)) & np.uint64(1)
        return self.high if heads else self.low

    def loss(self, t: int, action: int) -> float:
        """Return the same: the feedback is the loss."""
        check_arm(action, self.words.shape[1])  # compiled code would read other memory
        return self.feedback(t, action)

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of the losses of every arm in each stretch."""
        sums = np.empty((len(starts), self.words.shape[1]))
        for row, (start, end) in zip(sums, itertools.pairwise([*starts, self.rounds]), strict=True):
            row[:] = self._heads(start + self.offset, end + self.offset)
            if (self.low, self.high) != (0.0, 1.0):
                row *= self.high - self.low
                row += self.low * (end - start)
        return sums

    def least_at(self, stops: Integers, heads: Integers) -> Integers:
        """Return the fewest heads of any arm after each number of rounds in ``stops``.

        ``heads`` accumulates those of every arm.
        """
        least: Integers = np.empty(stops.size, dtype=np.int64)
        compile_for(count_heads)(self.words, self.offset, stops, heads, least)
        return least

    def _heads(self, first: int, last: int) -> Integers:
        """Return the number of bits of every arm that are set from one place to another."""
        count: Integers = np.zeros(self.words.shape[1], dtype=np.int64)
        cuts = sorted({first, *range(-(-first // WORD) * WORD, last, WORD), last})
        for begin, stop in itertools.pairwise(cuts):
            mask = np.uint64(((1 << (stop - begin)) - 1) << (begin % WORD))
            count += np.bitwise_count(self.words[begin // WORD] & mask)
        return count

    def rescaled(self, shift: float, factor: float) -> CoinGame:
        """Return the game with different values for the two sides of the coins."""
        return self._replace(low=shift + factor * self.low, high=shift + factor * self.high)


def tossed_in_words(coins: Coins, start: int, stop: int, rng: Generator) -> CoinGame:
    """Return rounds start to stop of the game given by the generator's seed.

    A game is the same if it is dealt in pieces.

    >>> coins = Coins(np.array([0.5, 0.75]), np.zeros(2))
    >>> whole = tossed_in_words(coins, 0, 1000, np.random.default_rng(1))
    >>> part = tossed_in_words(coins, 300, 400, np.random.default_rng(1))
    >>> all(part.loss(t, arm) == whole.loss(300 + t, arm) for t in range(100) for arm in range(2))
    True
    """
    first, end = start // WORD, -(-stop // WORD)
    words = np.empty((end - first, coins.tails.size), dtype=np.uint64)
    fill = compile_for(toss_words, coins)
    for row, own in zip(
        words, in_turn(rng, [(PURPOSE, index) for index in range(first, end)]), strict=True
    ):
        fill(coins, row, own)
    return CoinGame(
        words=words, offset=start - first * WORD, rounds=stop - start, low=0.0, high=1.0
    )


def toss_words(coins: Coins, words: NDArray[np.uint64], rng: Generator) -> None:
    """Write 64 tosses of every coin: a bit is set if a uniform number z is at least its ``tails``.

    Numbers are compared bit by bit from the highest, all tosses of a coin at once: the first bit in
    which z and tails differ decides. If tails has no further bits, z is at least as large.
    """
    for arm in range(words.size):
        left = coins.tails[arm]
        heads, undecided = np.uint64(0), ~np.uint64(0)
        if left >= 1.0:
            undecided = np.uint64(0)
        while left > 0.0 and undecided != np.uint64(0):
            high, low = (
                np.uint64(rng.random() * 4294967296.0),
                np.uint64(rng.random() * 4294967296.0),
            )
            drawn = (high << np.uint64(32)) | low
            left *= 2.0
            if left >= 1.0:
                left -= 1.0
                undecided &= drawn
            else:
                heads |= undecided & drawn  # z has a 1 where tails has a 0
                undecided &= ~drawn
        words[arm] = heads | undecided


def count_heads(
    words: NDArray[np.uint64], offset: int, stops: Integers, heads: Integers, least: Integers
) -> None:
    """Add the heads of every arm until each stop, and write the fewest."""
    place = offset
    for mark in range(stops.size):
        end = stops[mark] + offset
        while place < end:
            row, begin = place >> 6, place & 63
            tosses = min(end - place, WORD - begin)
            mask = (~np.uint64(0) >> np.uint64(WORD - tosses)) << np.uint64(begin)
            for arm in range(heads.size):
                heads[arm] += np.int64(count_ones(words[row, arm] & mask))
            place += tosses
        fewest = heads[0]
        for arm in range(heads.size):
            fewest = min(fewest, heads[arm])
        least[mark] = fewest


@helper
def count_ones(word: np.uint64) -> np.uint64:
    """Return the number of set bits of a word.

    They are counted in pairs of bits, fours and bytes, all at once.
    """
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + (
        (pairs >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    bytes_of = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (bytes_of * np.uint64(0x0101010101010101)) >> np.uint64(56)
