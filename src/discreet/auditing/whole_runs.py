"""Attacks in which every trial is a whole run from a fresh start, even if the channel has memory.

If a channel or its noise depends on earlier releases, then releases are not independent. Counting
each as a trial would report sound mechanisms as violated. Runs from a fresh start are always
independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.auditing.attacks import (
    SLOW_ROUNDS,
    Attack,
    GameFacts,
    channel_curve,
    trials_to_find,
)
from discreet.auditing.bounds import LEAST, ROUNDS, RUNS
from discreet.auditing.runs import Runs, probe_query, stage_for
from discreet.channels import OneBit, SlateBits
from discreet.contracts import Floats, Generator, Integers, Protected
from discreet.curves import GaussianNoise
from discreet.guarantee import Guarantee

Statistic = Callable[[Floats], Floats]  # from rows to one number per row

FEWEST = 4_000  # trials
PIECE = 1 << 17  # trials in one call
AT_ONCE = 1 << 21  # numbers in memory


class JointReleases(Attack):
    """Every trial is a fresh run; one loss is one of two, and a statistic combines some columns."""

    runs: Runs
    one: Floats
    other: Floats
    columns: Integers
    statistic: Statistic
    text: str
    wanted: int = RUNS  # trials, if epsilon is small

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return more trials if a large epsilon needs them, and fewer if runs are long."""
        rarer = self.wanted / RUNS  # how much rarer than usual the best event is
        wanted = max(self.wanted, int(20.0 * rarer * math.exp(min(claim.epsilon, 20.0))))
        parts = 8 if self.runs.is_fast else 2
        return max(parts * self.runs.affordable(wanted // parts, self.one.shape[0]), FEWEST)

    def at_once(self, private: Protected) -> int:
        """Return how many trials take a fraction of a second."""
        return self.runs.affordable(PIECE, self.one.shape[0]) // 4

    def gaussian_curve(self, private: Protected, claim: Guarantee) -> GaussianNoise | None:
        """Return the claimed curve of a channel with Gaussian noise."""
        return channel_curve(private, claim)

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each run."""
        rng = np.random.default_rng([seed, neighbour])
        return self.statistic(
            rows_of(self.runs, (self.one, self.other)[neighbour], self.columns, trials, rng)
        )


class FirstRelease(JointReleases):
    """``JointReleases`` on the first release only, with noise that seems to be known.

    Known noise determines how many trials are needed.
    """

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as needed, at most what can be played in about a minute."""
        rounds = int(self.one.shape[0])
        affordable = (
            ROUNDS // (40 + 4 * rounds) if self.runs.is_fast else SLOW_ROUNDS // (2 * rounds)
        )
        affordable = max(affordable, LEAST // 20)
        return min(
            trials_to_find(claim, self.gaussian_curve(private, claim), affordable=affordable),
            affordable,
        )


def rows_of(runs: Runs, inputs: Floats, columns: Integers, number: int, rng: Generator) -> Floats:
    """Return some columns of the view of independent runs, one row per run."""
    found = np.empty((number, columns.size))
    at_once = max(1, AT_ONCE // (runs.places * (runs.size + 3)))
    for start in range(0, number, at_once):
        stop = min(start + at_once, number)
        found[start:stop] = runs.play(inputs, stop - start, rng)[:, columns]
    return found


def first_release(private: Protected, facts: GameFacts) -> FirstRelease:
    """Return the attack on the first release of whole runs, whose first loss is one of two."""
    channel: Any = private.channel
    rounds = channel.hold()
    runs, stage = (
        Runs.of(channel, probe_query(channel), rounds=rounds),
        stage_for(channel, facts, rounds),
    )
    runs = runs._replace(is_fast=runs.compiles(stage.example))
    others, pair = (
        "lowest" if isinstance(channel, OneBit | SlateBits) else "in the middle",
        stage.pairs[0],
    )
    one, other = (stage.inputs(others, pair, 0, neighbour) for neighbour in (0, 1))
    rest = f", all others are {others}" if rounds > 1 else ""
    text = f"fresh runs; the first loss is {pair.text}{rest}; a threshold on the first release"
    return FirstRelease(runs, one, other, np.array([0]), _first, text)


def _first(rows: Floats) -> Floats:
    return rows[:, 0]
