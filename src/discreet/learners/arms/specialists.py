"""Weights of arms that come and go: an arm that returns has the share it had when it left.

This is the rule of specialists (Freund, Schapire, Singer & Warmuth 1997): rounds without an arm
neither raise nor lower its share. Otherwise an arm would return with the estimated loss it had when
it left, while all others had gone on losing, and would look best in proportion to its absence.
Everything here is computed from releases and public facts.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Learner
from discreet.errors import DiscreetError
from discreet.learners.arms.accepting import Accepting
from discreet.learners.arms.adaptive_tsallis_inf import LOG_LENGTH, POWER, AdaptiveTsallisInf
from discreet.learners.arms.availability import Places
from discreet.learners.arms.draws import rebuild
from discreet.learners.arms.exp3 import Exp3, Exp3Gain, Exp3IX
from discreet.learners.arms.htinf import Htinf, root, solve_power
from discreet.learners.arms.tsallis_inf import TsallisInf, solve

LEAST = 1e-300  # no share is smaller: its logarithm is finite, and so is its estimated loss


class Absent(NamedTuple):
    """The memory of an arm that left: its share, and the level of its weight at that time."""

    share: float
    level: float


def has_shares(learner: Learner) -> bool:
    """Return whether a learner draws arms by weight."""
    if isinstance(learner, Accepting):
        return has_shares(learner.learner)
    return shares.dispatch(type(learner)) is not shares.dispatch(Learner)


def let_go(
    learner: Learner, before: Places, now: Places, absent: Mapping[int, Absent]
) -> dict[int, Absent]:
    """Set the weights of the arms that are available now; return the memory of the others.

    A returning arm gets its previous share, adjusted by later releases about it; a new arm gets an
    equal share.

    >>> learner = Exp3.start(arms=3, learning_rate=0.1)
    >>> learner.weights.logs[:] = np.log([0.5, 0.3, 0.2])
    >>> away = let_go(learner, (0, 1, 2), (0, 1), {})
    >>> learner.weights.logs[:2] -= 5.0                         # it learns that both lose
    >>> _ = let_go(learner, (0, 1), (0, 1, 2), away)
    >>> [round(float(share), 3) for share in shares(learner, (0, 1, 2))]
    [0.5, 0.3, 0.2]
    """
    learner = learner.learner if isinstance(learner, Accepting) else learner
    level = levels(learner)
    fresh = [arm for arm in now if arm not in before and arm not in absent]
    equal = 1.0 / (len(before) + len(absent) + len(fresh))
    rest = 1.0 - equal * len(fresh)
    here = rest * (1.0 - sum(each.share for each in absent.values()))
    whole = dict.fromkeys(fresh, equal)
    whole |= {arm: rest * each.share for arm, each in absent.items()}
    if before:
        mine = shares(learner, before)
        whole |= {arm: here * float(mine[i]) for i, arm in enumerate(before)}
    moved = {arm: float(level[arm]) - absent[arm].level for arm in now if arm in absent}
    away = {
        arm: Absent(share, absent[arm].level if arm in absent else float(level[arm]))
        for arm, share in whole.items()
        if arm not in now
    }
    wanted = np.maximum([whole[arm] for arm in now], LEAST)
    place(learner, now, wanted / wanted.sum())
    for arm, by in moved.items():
        level[arm] += by
    return away


@functools.singledispatch
def shares(learner: Learner, places: Places) -> Floats:
    """Return the shares of some arms in the weights of a learner; they sum to 1."""
    raise DiscreetError(f"{type(learner).__name__} has no weights.")


@shares.register(Exp3)
@shares.register(Exp3IX)
@shares.register(Exp3Gain)
def _(learner: Exp3 | Exp3IX | Exp3Gain, places: Places) -> Floats:
    logs = learner.weights.logs[list(places)]
    values: Floats = np.exp(logs - logs.max())
    return np.asarray(values / values.sum())


@shares.register(TsallisInf)
@shares.register(AdaptiveTsallisInf)
def _(learner: TsallisInf | AdaptiveTsallisInf, places: Places) -> Floats:
    weights = np.zeros(len(places))
    solve(learner.losses[list(places)], next_rate(learner), 0.0, weights)
    return weights


@shares.register
def _(learner: Htinf, places: Places) -> Floats:
    weights, power = np.zeros(len(places)), learner.tail / (learner.tail - 1.0)
    solve_power(learner.losses[list(places)], next_rate(learner), power, 0.0, weights)
    return weights


def next_rate(learner: TsallisInf | AdaptiveTsallisInf | Htinf) -> float:
    """Return the learning rate of the next draw."""
    if isinstance(learner, TsallisInf):
        return learner.learning_rate / math.sqrt(float(learner.clock[0]) + 1.0)
    if isinstance(learner, Htinf):
        return 1.0 / (learner.moment * root(float(learner.clock[0]) + 1.0, learner.tail))
    length = max(1, round(math.exp(float(learner.state[LOG_LENGTH]))))
    noise = 2.0 * learner.noise * learner.noise
    return learner.rate / math.sqrt(float(learner.state[POWER]) + noise + 0.25 * length * length)


@functools.singledispatch
def place(learner: Learner, places: Places, wanted: Floats) -> None:
    """Give some arms these shares, which sum to 1."""
    raise DiscreetError(f"{type(learner).__name__} has no weights.")


@place.register(Exp3)
@place.register(Exp3IX)
@place.register(Exp3Gain)
def _(learner: Exp3 | Exp3IX | Exp3Gain, places: Places, wanted: Floats) -> None:
    weights = learner.weights
    weights.logs[list(places)] = np.log(wanted)
    weights.scale[0] = rebuild(weights.logs, weights.values, weights.scale)


@place.register(TsallisInf)
@place.register(AdaptiveTsallisInf)
def _(learner: TsallisInf | AdaptiveTsallisInf, places: Places, wanted: Floats) -> None:
    learner.losses[list(places)] = 2.0 / (next_rate(learner) * np.sqrt(wanted))


@place.register
def _(learner: Htinf, places: Places, wanted: Floats) -> None:
    power = (learner.tail - 1.0) / learner.tail
    learner.losses[list(places)] = wanted**-power / next_rate(learner)


def levels(learner: Learner) -> Floats:
    """Return the array that learning moves: logarithms of weights, or estimated losses."""
    if isinstance(learner, Exp3 | Exp3IX | Exp3Gain):
        return learner.weights.logs
    assert isinstance(learner, TsallisInf | AdaptiveTsallisInf | Htinf), "it has shares"
    return learner.losses
