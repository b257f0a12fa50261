"""The least epsilon for a wanted share of the gain, and the least number of rounds for a wanted epsilon.

Shares are simulated on a logarithmic grid, and on a finer one where they reach what is wanted. A
share cannot fall as epsilon or the number of rounds grows, so a monotone regression takes out what
is only chance; between grid points the logarithm is interpolated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.guarantee import Json
from discreet.planning.measures import as_json, share_of_gain
from discreet.planning.question import MOST_ROUNDS, Question
from discreet.planning.sweeps import Played, Player, Sweep, other_epsilons, other_rounds
from discreet.simulation.statistics import Interval

EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
FINER = 4  # points between two of the grid
FEWEST_ROUNDS = 50
NOTHING = Interval(0.0, 0.0, 0.0)  # is gained, where nobody learns

Play = Callable[[Sweep], Played]
Shares = dict[float, Interval]  # by epsilon or number of rounds


@dataclass(frozen=True, kw_only=True)
class Least:
    """The least number for which the wanted share is reached.

    ``value`` is None if it is not reached on the whole grid, up to ``most``; and it is ``fewest``
    if that is enough already. ``low`` and ``high`` are where the upper and the lower ends of the 95
    % intervals reach it.
    """

    share: float
    value: float | None
    low: float | None
    high: float | None
    shares: Mapping[
        float, Interval
    ]  # by what was tried; empty if nothing can be gained without privacy either

    @property
    def fewest(self) -> float:
        """The least number that was tried."""
        return min(self.shares)

    @property
    def most(self) -> float:
        """The largest number that was tried."""
        return max(self.shares)

    def to_json(self) -> Json:
        """Return it by names."""
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
    question: Question, name: str, reference: Player, shown: Played, play: Play
) -> Least:
    """Return the least epsilon at which an algorithm keeps the wanted share; what is shown already is used too."""
    played = shown

    def shares() -> Shares:
        mine = [
            player for player in played.counts if player.algorithm == name and player.is_private
        ]
        found = {
            player.epsilon: share_of_gain(question, played, player, reference) for player in mine
        }
        return {epsilon: share for epsilon, share in found.items() if share is not None}

    def more(epsilons: Sequence[float]) -> None:
        nonlocal played
        players = tuple(
            player for each in epsilons if (player := Player(name, each)) not in played.counts
        )
        fresh = play(other_epsilons(question, players)) if players else played
        played = replace(played, counts={**played.counts, **fresh.counts})

    more(EPSILONS)
    found = shares()
    bracket = _bracket(found, question.share)
    if bracket is not None:
        inner = np.geomspace(*bracket, FINER + 2)[1:-1]
        more([float(f"{epsilon:.3g}") for epsilon in inner])
    return crossing(shares(), question.share)


def least_rounds(question: Question, name: str, reference: Player, play: Play) -> Least:
    """Return the least number of rounds for which the wanted epsilon keeps the wanted share.

    The number of rounds is doubled until the share is surely reached, and halved until it surely is
    not; then the middle of where it is reached is tried.
    """
    player = Player(name, question.epsilon_for_rounds)
    found: Shares = {}

    def look(rounds: int) -> Interval:
        games = play(other_rounds(question, (player, reference), rounds))
        share = share_of_gain(question, games, player, reference)
        if share is not None:
            found[rounds] = share
        return share or NOTHING

    rounds, seen = question.rounds, look(question.rounds)
    while seen.low < question.share and 2 * rounds <= longest(question.rounds):
        rounds *= 2
        seen = look(rounds)
    rounds, seen = question.rounds, found.get(question.rounds, NOTHING)
    while seen.high >= question.share and rounds // 2 >= FEWEST_ROUNDS:
        rounds //= 2
        seen = look(rounds)
    bracket = _bracket(found, question.share)
    if bracket is not None:
        look(round(math.sqrt(bracket[0] * bracket[1])))
    return crossing(found, question.share)


def longest(rounds: int) -> int:
    """Return the most rounds that are tried: 64 times as many as planned, fewer of many.

    >>> longest(2000), longest(100_000)
    (128000, 800000)
    """
    return min(max(8 * rounds, min(64 * rounds, 2**18)), MOST_ROUNDS)


def crossing(shares: Shares, level: float) -> Least:
    """Return where shares that rise reach a level.

    >>> line = {1.0: Interval(0.2, 0.1, 0.3), 10.0: Interval(0.6, 0.5, 0.7)}
    >>> found = crossing(line, 0.4)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (3.162, 1.778, 5.623)
    >>> crossing(line, 0.65).value is None
    True
    """
    places = sorted(shares)
    value, low, high = (
        _reach(places, rising([shares[place][end] for place in places]), level) for end in (0, 2, 1)
    )
    return Least(share=level, value=value, low=low, high=high, shares=shares)


def rising(values: Sequence[float]) -> list[float]:
    """Return the never falling numbers that are nearest to some (monotone regression).

    >>> rising([1.0, 3.0, 2.0, 4.0])
    [1.0, 2.5, 2.5, 4.0]
    """
    blocks: list[tuple[float, int]] = []  # mean and count of neighbours that are level
    for value in values:
        mean, size = value, 1
        while blocks and blocks[-1][0] >= mean:
            before, many = blocks.pop()
            mean, size = (before * many + mean * size) / (many + size), many + size
        blocks.append((mean, size))
    return [mean for mean, size in blocks for _ in range(size)]


def _reach(places: Sequence[float], heights: Sequence[float], level: float) -> float | None:
    """Return where a curve first reaches a level, None if nowhere."""
    if not heights or heights[-1] < level:
        return None
    if heights[0] >= level:
        return places[0]
    points = zip(places, heights, strict=True)
    (a, below), (b, above) = next(
        pair for pair in itertools.pairwise(points) if pair[1][1] >= level
    )
    return float(a * (b / a) ** ((level - below) / (above - below)))


def _bracket(shares: Shares, level: float) -> tuple[float, float] | None:
    """Return the two neighbours on the grid between which the level is reached, if there are such."""
    places = sorted(shares)
    heights = rising([shares[place].value for place in places])
    for (a, below), (b, above) in itertools.pairwise(zip(places, heights, strict=True)):
        if below < level <= above:
            return a, b
    return None
