"""Rows and coins for the replay of a log, with or without contexts."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.errors import DiscreetError, check_share, count
from discreet.logs import Log
from discreet.ranges import Range

COINS = 40  # key of the random numbers that decide on rows
# Largest probability that the rows of a log do not suffice for the rounds of a game.
SHORT_OF_ROWS = 1e-4
# Entries of a game's memory of one player.
PLACE, FOUND, ACCEPTED, READ, SHORT = range(5)
MEMORY = 5
NOTE = (
    "Replay: each round is one accepted row of the log, and the best arm is the one with the best "
    "SNIPS estimate. Replay is an evaluation and is not private, even if the algorithm is."
)


class LogRows(NamedTuple):
    """The rows of a log, as losses, with the probability of accepting each match."""

    arm: Integers
    losses: Floats
    accept: Floats
    means: Floats  # estimated mean loss of every arm
    rounds: int  # how many a game can have
    source: str
    lines: Integers  # of the file


def rows_of(log: Log, bounds: Range, least: float | None) -> LogRows:
    """Return the rows of a log for replay, or refuse a log with too few."""
    losses = log.outcome if log.is_loss else bounds.low + (bounds.high - log.outcome)
    floor = float(log.probability.min()) if least is None else check_share("least", least)
    accept = np.minimum(1.0, floor / log.probability)
    weights = 1.0 / log.probability
    sums = np.bincount(log.arm, weights, minlength=log.arms)
    if not (sums > 0.0).all():
        missing = log.labels[int(np.argmin(sums))]
        raise DiscreetError(
            f"{log.source} has no row with arm {missing}, so it cannot be replayed."
        )
    means = np.bincount(log.arm, weights * losses, minlength=log.arms) / sums
    usual = min(
        float(np.bincount(log.arm, accept, minlength=log.arms).min()), log.rows * min(floor, 1.0)
    )
    # Chernoff: a sum of coins with mean μ is below μ - sqrt(2 μ ln(1/p)) with probability at most p
    rounds = math.floor(usual - math.sqrt(2.0 * usual * math.log(1.0 / SHORT_OF_ROWS)))
    if rounds < 2:
        raise DiscreetError(
            f"{log.source} has {count(log.rows, 'row')} and a smallest probability of {floor:g}: "
            f"replay would accept about {usual:.3g} of them, which is too few for a game."
        )
    return LogRows(log.arm, losses, accept, means, rounds, log.source, log.lines)


def accepted_rows(accept: Floats, rng: Generator) -> Integers:
    """Return which rows a trial accepts if the player's arm is the logged one."""
    coins = uniforms(rng, 0, accept.size, 1, purpose=COINS)[:, 0]
    return np.flatnonzero(coins < accept)


def new_memory() -> Integers:
    """Return the memory of a player who has not played yet."""
    return np.zeros(MEMORY, np.int64)


def best_loss(memory: Floats, means: Floats, source: str) -> float:
    """Return the loss of the best arm in the rounds played so far, as estimated from the log."""
    if memory[SHORT]:
        raise DiscreetError(
            f"{source} has no rows left after {int(memory[ACCEPTED])} accepted ones: ask for fewer "
            "rounds, and check the probabilities in the log."
        )
    return float(memory[ACCEPTED]) * float(means.min())


def check_losses(
    losses: Floats, bounds: Range, *, clip: bool, place: str, lines: Integers
) -> tuple[Floats, int]:
    """Return losses in the declared range, and how many were clipped, or refuse them."""
    outside = ~((losses >= bounds.low) & (losses <= bounds.high))
    if not outside.any():
        return losses, 0
    if clip:
        return np.clip(losses, bounds.low, bounds.high), int(outside.sum())
    first = int(np.argmax(outside))
    raise DiscreetError(
        f"{place}, row {lines[first]}: the loss is {losses[first]:g}, but the declared range is "
        f"{bounds.low:g} to {bounds.high:g}; declare a wider one, or clip."
    )
