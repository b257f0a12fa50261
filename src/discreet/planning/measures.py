"""Measurements: costs and gains with intervals, and thresholds at which the gain is enough.

Shares of the gain are simulated on a logarithmic grid, and on a finer one near the threshold. A
share cannot fall as epsilon or the number of rounds grows, so a monotone regression removes random
variation. Between grid points, the logarithm is interpolated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.contracts import Floats
from discreet.guarantee import Json
from discreet.planning.question import MOST_ROUNDS, Question
from discreet.planning.sweeps import PlayCounts, Sweep, Variant, other_epsilons, other_rounds
from discreet.simulation.statistics import Interval, mean_interval, share_interval

# Confidence that there is a gain without privacy: a share of no gain would be noise.
SURE = 0.999


@dataclass(frozen=True, kw_only=True)
class Performance:
    """Means over simulations with 95 % intervals; outcome, cost and gain are per round."""

    variant: Variant
    outcome: Interval
    cost: Interval  # shortfall of the outcome from that of the best arm in every round
    gain: Interval  # over equal randomisation
    share_of_gain: Interval | None  # of the gain without privacy; None if that may be 0
    best_arm: Interval  # share of rounds in which the best arm was played
    most_played: Interval  # probability that the arm played most at the end is the best one

    @property
    def beats_guessing(self) -> bool:
        """Whether the gain over equal randomisation is significant."""
        return self.gain.low > 0.0

    @property
    def is_worse(self) -> bool:
        """Whether the loss against equal randomisation is significant."""
        return self.gain.high < 0.0

    def to_json(self) -> Json:
        """Return all figures by name."""
        facts: Json = {
            "algorithm": self.variant.algorithm,
            "epsilon": self.variant.epsilon if self.variant.is_private else None,
            "label": self.variant.label,
            "beats_guessing": self.beats_guessing,
        }
        names = ("outcome", "cost", "gain", "share_of_gain", "best_arm", "most_played")
        values: tuple[Interval | None, ...] = (
            self.outcome,
            self.cost,
            self.gain,
            self.share_of_gain,
            self.best_arm,
            self.most_played,
        )
        return facts | {name: as_json(value) for name, value in zip(names, values, strict=True)}


def as_json(interval: Interval | None) -> Json | None:
    """Return an interval for JSON."""
    return (
        None
        if interval is None
        else {"mean": interval.value, "low": interval.low, "high": interval.high}
    )


def measure(
    question: Question, played: PlayCounts, variant: Variant, reference: Variant
) -> Performance:
    """Return the performance of a variant, compared with the reference without privacy."""
    counts, rounds = played.counts[variant], played.sweep.rounds
    best = question.shortfall == 0.0
    cost = costs(question, played, variant)
    direction = 1.0 if question.better == "higher" else -1.0
    top = float(question.means.max() if question.better == "higher" else question.means.min())
    hits = strictly_most_played(counts[:, -1], best)
    return Performance(
        variant=variant,
        outcome=mean_interval(top - direction * cost),
        cost=mean_interval(cost),
        gain=mean_interval(question.guessing_cost - cost),
        share_of_gain=share_of_gain(question, played, variant, reference),
        best_arm=mean_interval(counts[:, :, best].sum(axis=(1, 2)) / rounds),
        most_played=share_interval(int(hits.sum()), hits.size),
    )


def costs(question: Question, played: PlayCounts, variant: Variant) -> Floats:
    """Return the mean cost per round in every trial, from the counts of plays."""
    found: Floats = played.counts[variant].sum(axis=1) @ question.shortfall / played.sweep.rounds
    return found


def share_of_gain(
    question: Question, played: PlayCounts, variant: Variant, reference: Variant
) -> Interval | None:
    """Return the share of the gain without privacy that is kept, or None if nothing is gained."""
    mine, theirs = (
        question.guessing_cost - costs(question, played, each) for each in (variant, reference)
    )
    return (
        ratio_interval(mine, theirs) if mean_interval(theirs, confidence=SURE).low > 0.0 else None
    )


def ratio_interval(above: Floats, below: Floats) -> Interval:
    """Return the ratio of two means over the same trials, with the interval of the delta method.

    >>> ratio_interval(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    Interval(value=0.5, low=0.5, high=0.5)
    """
    ratio = float(above.mean() / below.mean())
    error = mean_interval((above - ratio * below) / below.mean())
    return Interval(ratio, ratio + error.low - error.value, ratio + error.high - error.value)


def strictly_most_played(counts: Floats, best: Floats) -> Floats:
    """Return for every trial whether a best role was played more often than any other.

    >>> strictly_most_played(np.array([[3.0, 1.0], [2.0, 2.0]]), np.array([True, False])).tolist()
    [True, False]
    """
    top = np.where(best, counts, -math.inf).max(axis=1)
    others = np.where(best, -math.inf, counts).max(axis=1)
    found: Floats = top > others
    return found


EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
FINER = 4  # extra points between the two grid points around the threshold
FEWEST_ROUNDS = 50  # with fewer rounds, no algorithm learns anything
NOTHING = Interval(0.0, 0.0, 0.0)  # the share where nothing is gained

Play = Callable[[Sweep], PlayCounts]
IntervalsAt = dict[float, Interval]  # by epsilon or number of rounds


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The smallest epsilon or number of rounds that reaches the wanted share.

    ``value`` is None if no number up to ``largest`` reaches it, and ``smallest`` if that is already
    enough. The upper ends of the 95 % intervals reach it at ``low``, the lower ends at ``high``.
    """

    share: float
    value: float | None
    low: float | None
    high: float | None
    shares: Mapping[float, Interval]  # by number; empty if nothing is gained without privacy

    @property
    def smallest(self) -> float:
        """The smallest number that was tried."""
        return min(self.shares)

    @property
    def largest(self) -> float:
        """The largest number that was tried."""
        return max(self.shares)

    def to_json(self) -> Json:
        """Return all fields by name."""
        return {
            "wanted_share_of_gain": self.share,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "simulated": [
                {"at": at, "share_of_gain": as_json(share)}
                for at, share in sorted(self.shares.items())
            ],
        }


def least_epsilon(
    question: Question, name: str, reference: Variant, shown: PlayCounts, play: Play
) -> Threshold:
    """Return the smallest epsilon at which an algorithm keeps the wanted share; reuse ``shown``."""
    played = shown

    def shares() -> IntervalsAt:
        mine = [
            variant for variant in played.counts if variant.algorithm == name and variant.is_private
        ]
        found = {
            variant.epsilon: share_of_gain(question, played, variant, reference) for variant in mine
        }
        return {epsilon: share for epsilon, share in found.items() if share is not None}

    def more(epsilons: Sequence[float]) -> None:
        nonlocal played
        variants = tuple(
            variant for each in epsilons if (variant := Variant(name, each)) not in played.counts
        )
        fresh = play(other_epsilons(question, variants)) if variants else played
        played = replace(played, counts={**played.counts, **fresh.counts})

    more(EPSILONS)
    found = shares()
    bracket = _bracket(found, question.share)
    if bracket is not None:
        inner = np.geomspace(*bracket, FINER + 2)[1:-1]
        more([float(f"{epsilon:.3g}") for epsilon in inner])
    return find_threshold(shares(), question.share)


def least_rounds(
    question: Question, name: str, reference: Variant, play: Play, shown: PlayCounts | None = None
) -> Threshold:
    """Return the smallest number of rounds for which the wanted epsilon keeps the wanted share.

    The number of rounds is doubled until the whole interval reaches the share, and halved until the
    whole interval is below it. Then the middle of the bracket is tried. For the planned number of
    rounds, the share comes from the games in ``shown``, so that the plan states the same number
    twice.
    """
    variant = Variant(name, question.epsilon_for_rounds)
    found: IntervalsAt = {}

    def games_of(rounds: int) -> PlayCounts:
        if shown is None or rounds != question.rounds:
            return play(other_rounds(question, (variant, reference), rounds))
        if variant in shown.counts:
            return shown
        fresh = play(other_epsilons(question, (variant,)))
        return replace(shown, counts={**shown.counts, **fresh.counts})

    def look(rounds: int) -> Interval:
        games = games_of(rounds)
        share = share_of_gain(question, games, variant, reference)
        if share is not None:
            found[rounds] = share
        return share or NOTHING

    rounds, seen = question.rounds, look(question.rounds)
    while seen.low < question.share and 2 * rounds <= max_rounds(question.rounds):
        rounds *= 2
        seen = look(rounds)
    rounds, seen = question.rounds, found.get(question.rounds, NOTHING)
    while seen.high >= question.share and rounds // 2 >= FEWEST_ROUNDS:
        rounds //= 2
        seen = look(rounds)
    bracket = _bracket(found, question.share)
    if bracket is not None:
        look(round(math.sqrt(bracket[0] * bracket[1])))
    return find_threshold(found, question.share)


def max_rounds(rounds: int) -> int:
    """Return the largest number of rounds to try: at most 64 times the planned number.

    >>> max_rounds(2000), max_rounds(100_000)
    (128000, 800000)
    """
    return min(max(8 * rounds, min(64 * rounds, 2**18)), MOST_ROUNDS)


def find_threshold(shares: IntervalsAt, level: float) -> Threshold:
    """Return where increasing shares reach a level.

    >>> line = {1.0: Interval(0.2, 0.1, 0.3), 10.0: Interval(0.6, 0.5, 0.7)}
    >>> found = find_threshold(line, 0.4)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (3.162, 1.778, 5.623)
    >>> find_threshold(line, 0.65).value is None
    True
    """
    places = sorted(shares)
    value, low, high = (
        _reach(places, monotone_regression([shares[place][end] for place in places]), level)
        for end in (0, 2, 1)
    )
    return Threshold(share=level, value=value, low=low, high=high, shares=shares)


def monotone_regression(values: Sequence[float]) -> list[float]:
    """Return the nearest non-decreasing numbers (pool adjacent violators).

    >>> monotone_regression([1.0, 3.0, 2.0, 4.0])
    [1.0, 2.5, 2.5, 4.0]
    """
    blocks: list[tuple[float, int]] = []  # mean and count of each level stretch
    for value in values:
        mean, size = value, 1
        while blocks and blocks[-1][0] >= mean:
            before, many = blocks.pop()
            mean, size = (before * many + mean * size) / (many + size), many + size
        blocks.append((mean, size))
    return [mean for mean, size in blocks for _ in range(size)]


def _reach(places: Sequence[float], heights: Sequence[float], level: float) -> float | None:
    """Return where a curve first reaches a level, or None."""
    if not heights or heights[-1] < level:
        return None
    if heights[0] >= level:
        return places[0]
    points = zip(places, heights, strict=True)
    (a, below), (b, above) = next(
        pair for pair in itertools.pairwise(points) if pair[1][1] >= level
    )
    return float(a * (b / a) ** ((level - below) / (above - below)))


def _bracket(shares: IntervalsAt, level: float) -> tuple[float, float] | None:
    """Return the adjacent grid points between which the level is reached, if any."""
    places = sorted(shares)
    heights = monotone_regression([shares[place].value for place in places])
    for (a, below), (b, above) in itertools.pairwise(zip(places, heights, strict=True)):
        if below < level <= above:
            return a, b
    return None
