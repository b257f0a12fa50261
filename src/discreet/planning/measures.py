"""From how often arms were played to what it cost, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.contracts import Floats
from discreet.guarantee import Json
from discreet.planning.question import Question
from discreet.planning.sweeps import Played, Player
from discreet.simulation.statistics import Interval, mean_interval, share_interval

# that something is gained without privacy, before shares of it are told: of nothing they would be
# noise
SURE = 0.999


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a player did, as means over trials with 95 % intervals; money words are in the units of outcomes."""

    player: Player
    outcome: Interval  # a round
    cost: (
        Interval  # a round: by how much the outcome is worse than with the best arm in every round
    )
    gain: Interval  # a round, over guessing
    share_of_gain: (
        Interval | None
    )  # of the gain without privacy; None if that is not surely above 0
    best_arm: Interval  # share of rounds in which the best arm was played
    # chance that the arm that was played most, at the end of the game, is the best one
    most_played: Interval

    @property
    def beats_guessing(self) -> bool:
        """Whether it is surely better than uniform play."""
        return self.gain.low > 0.0

    def to_json(self) -> Json:
        """Return all figures by name."""
        facts: Json = {
            "algorithm": self.player.algorithm,
            "epsilon": self.player.epsilon if self.player.is_private else None,
            "label": self.player.label,
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


def row(question: Question, played: Played, player: Player, reference: Player) -> Row:
    """Return what a player did, beside the one without privacy."""
    counts, rounds = played.counts[player], played.sweep.rounds
    best = question.shortfall == 0.0
    cost = costs(question, played, player)
    direction = 1.0 if question.better == "higher" else -1.0
    top = float(question.means.max() if question.better == "higher" else question.means.min())
    hits = strictly_most_played(counts[:, -1], best)
    return Row(
        player=player,
        outcome=mean_interval(top - direction * cost),
        cost=mean_interval(cost),
        gain=mean_interval(question.guessing_cost - cost),
        share_of_gain=share_of_gain(question, played, player, reference),
        best_arm=mean_interval(counts[:, :, best].sum(axis=(1, 2)) / rounds),
        most_played=share_interval(int(hits.sum()), hits.size),
    )


def costs(question: Question, played: Played, player: Player) -> Floats:
    """Return the mean cost a round in every trial: arms are counted, and cost what they cost on average."""
    found: Floats = played.counts[player].sum(axis=1) @ question.shortfall / played.sweep.rounds
    return found


def share_of_gain(
    question: Question, played: Played, player: Player, reference: Player
) -> Interval | None:
    """Return which share of the gain over guessing that there is without privacy is kept, or None if there is none."""
    mine, theirs = (
        question.guessing_cost - costs(question, played, each) for each in (player, reference)
    )
    return (
        ratio_interval(mine, theirs) if mean_interval(theirs, confidence=SURE).low > 0.0 else None
    )


def ratio_interval(above: Floats, below: Floats) -> Interval:
    """Return the ratio of two means over the same trials, with the interval of its linear approximation.

    >>> ratio_interval(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    Interval(value=0.5, low=0.5, high=0.5)
    """
    ratio = float(above.mean() / below.mean())
    error = mean_interval((above - ratio * below) / below.mean())
    return Interval(ratio, ratio + error.low - error.value, ratio + error.high - error.value)


def strictly_most_played(counts: Floats, best: Floats) -> Floats:
    """Return for every trial whether a best role was played more often than every other.

    >>> strictly_most_played(np.array([[3.0, 1.0], [2.0, 2.0]]), np.array([True, False])).tolist()
    [True, False]
    """
    top = np.where(best, counts, -math.inf).max(axis=1)
    others = np.where(best, -math.inf, counts).max(axis=1)
    found: Floats = top > others
    return found
