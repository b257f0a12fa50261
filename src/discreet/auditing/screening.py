"""A search for what a channel should not show: whole runs, many neighbours, joint statistics.

An attack made for a channel assumes that the channel is what its class says. This search assumes
nothing. For many positions of the replaced loss, it first measures how far every observable moves
while the noise is held fixed, compared with how much it usually varies. Then it plays the most
suspicious neighbours with fresh noise and picks the best statistic. All of these trials serve only
to choose. If there is a lead, the claim is attacked there with new trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.auditing.attacks import GameFacts, channel_curve
from discreet.auditing.bounds import CONFIDENCE, MOST, largest_bound, quick_bound
from discreet.auditing.runs import (
    Pair,
    Runs,
    Stage,
    levels_of,
    probe_query,
    stage_for,
)
from discreet.auditing.whole_runs import JointReleases, Statistic, rows_of
from discreet.channels.gradient_sums import GradientShape
from discreet.channels.moments import MomentShape
from discreet.channels.residuals import Reporting
from discreet.channels.running_sum import Stream
from discreet.contracts import Channel, Floats, Integers, Protected
from discreet.guarantee import Guarantee

# Raw numbers may hide in noisy ones below the steps of these grids.
STEPS = (2.0**-10, 2.0**-16, 2.0**-20, 2.0**-26, 2.0**-30, 1e-3, 1e-6, 1e-9)
BINS = 24  # of a histogram
ALONE = 4  # columns to inspect one by one
BATCHES = 64  # maximum batches of a run
# Maximum rounds of a run; the second is for runs that are not compiled, or release in every round.
LONGEST, SHORT = 1 << 15, 2048
LEVELS, SLOW_LEVELS = 32, 12  # of the range, for the other losses and for the replaced one
STREAMED = 63  # rounds of a running sum: six complete levels of a tree
WIDEST = 6200  # maximum numbers in the view of a run
USUAL = 96  # runs from which the usual variation is estimated
COUPLED = 6  # pairs of runs with the same noise
# Columns to combine: those that move most, and those that vary with them.
COLUMNS, PARTNERS = 12, 4
TOGETHER = 0.9  # the minimum correlation of columns that vary together
INSIDE = 256  # positions in the first batch
PLAYED, FAST_PLAYED = 1 << 21, 1 << 27  # maximum rounds of all these runs
QUIET = 3  # releases that vary least, at which a loss is replaced
LEADS = 3  # leads of each kind to follow
LEAST_EIGENVALUE = 1e-10  # keeps the inverse of a covariance finite
NEAR = 0.97  # the share of the largest possible result that so few runs must show


def candidates(
    weights: Floats, middle: Floats, fitted: tuple[Floats, Floats]
) -> Iterator[tuple[str, Statistic]]:
    """Yield statistics with their names; some are fitted to samples, which must not be reused.

    Bits finer than 2^-30 are not inspected: in floating-point noise they depend on the value that
    the noise is added to, which is why live noise is on a grid.
    """
    columns = middle.size
    yield "a linear combination", lambda rows: rows @ weights
    yield "a sum of likelihood ratios", likelihood(fitted)
    for place in range(min(ALONE, columns)):
        yield "", _one(place)
        yield "the distance from its median", _distance(place, float(middle[place]))
    for place in range(min(ALONE // 2, columns)):
        for step in STEPS:
            yield f"the remainder modulo {step:.3g}", _remainder(place, step)


def likelihood(fitted: tuple[Floats, Floats]) -> Statistic:
    """Return the sum over columns of log-likelihood ratios, estimated by histograms."""
    tables = []
    for one, other in zip(fitted[0].T, fitted[1].T, strict=True):
        edges = np.unique(
            np.quantile(np.concatenate([one, other]), np.linspace(0.0, 1.0, BINS + 1)[1:-1])
        )
        counts = [
            np.bincount(np.searchsorted(edges, sample), minlength=edges.size + 1)
            for sample in (one, other)
        ]
        tables.append((edges, np.log((counts[1] + 1.0) / (counts[0] + 1.0))))

    def total(rows: Floats) -> Floats:
        found = np.zeros(rows.shape[0])
        for column, (edges, ratios) in zip(rows.T, tables, strict=True):
            found += ratios[np.searchsorted(edges, column)]
        return found

    return total


def _one(place: int) -> Statistic:
    return lambda rows: rows[:, place]


def _distance(place: int, middle: float) -> Statistic:
    return lambda rows: np.abs(rows[:, place] - middle)


def _remainder(place: int, step: float) -> Statistic:
    return lambda rows: np.mod(rows[:, place], step) / step


class Inspection(NamedTuple):
    """How closely a lead is inspected before it is followed."""

    runs: int  # for each input, half of them to fit statistics; fewer if they take long
    deviations: float  # standard deviations of the counts that a bound allows for
    hope: float  # a lead below this share of the needed epsilon is dropped


INSPECTIONS = Inspection(600, 1.5, 0.9), Inspection(4_000, 3.0, 1.0)


class Lead(NamedTuple):
    """Where something may leak: neighbouring inputs, and the columns that distinguish them."""

    others: str
    pair: Pair
    position: int
    columns: Integers
    weights: Floats
    middle: Floats
    last: int  # the round after which all columns are known


def find_leak(
    private: Protected, claim: Guarantee, facts: GameFacts, *, seed: int
) -> JointReleases | None:
    """Return an attack that seems to refute the claim, or None if nothing looks suspicious."""
    channel = private.channel
    if not channel.guarantee.is_private:  # the claim depends on the learner
        return None
    # These channels take records, for which there are no neighbours here.
    if isinstance(channel, MomentShape | Reporting):
        return None
    if claim.epsilon > largest_bound(
        MOST, confidence=CONFIDENCE, delta=claim.delta, gaussian=False
    ):
        return None  # no number of trials could refute it
    runs, stage = _set_up(channel, facts)
    gaussian = channel_curve(private, claim) is not None
    best, found = 0.0, None
    levels = levels_of(stage, LEVELS if runs.is_fast else SLOW_LEVELS)
    short = Runs.of(channel, runs.query, rounds=min(2 * channel.hold(), runs.rounds))
    short = short._replace(is_fast=runs.is_fast)
    leads = [(runs, lead) for lead in _followed(list(_leads(runs, stage, seed)))]
    leads += [(short, lead) for lead in _followed(list(_inside_leads(short, stage, seed)))]
    at_levels = list(_level_leads(short, levels, seed))
    leads += [(short, lead) for lead in _followed(at_levels, by_level=True)]
    stage = stage._replace(others=stage.others | levels.others)
    for runs, lead in leads:
        for look in INSPECTIONS:
            quick = partial(
                quick_bound, delta=claim.delta, gaussian=gaussian, deviations=look.deviations
            )
            number = runs.affordable(look.runs, lead.last + 1)
            most = quick(np.zeros(number // 2), np.ones(number // 2))
            needed = min(claim.epsilon, NEAR * most)
            score, name, statistic = _piloted(runs, stage, lead, quick, number, seed)
            if score < look.hope * needed:
                break
        else:
            if score > max(best, needed):
                best, found = score, _attack(runs, stage, lead, name, statistic)
    return found


def _set_up(channel: Channel, facts: GameFacts) -> tuple[Runs, Stage]:
    """Return runs of a channel, as long as is affordable, and their neighbouring inputs."""
    hold, width = channel.hold(), channel.release_size() + 3
    streams = isinstance(channel, Stream | GradientShape)
    rounds = (
        STREAMED if streams else min(max(BATCHES * hold, SHORT), LONGEST, WIDEST // width * hold)
    )
    query = probe_query(channel)
    runs = Runs.of(channel, query, rounds=rounds)
    stage = stage_for(channel, facts, rounds)
    if runs.compiles(stage.example):
        return runs, stage
    rounds = STREAMED // 4 if streams else min(rounds, max(BATCHES // 4 * hold, 2 * BATCHES), SHORT)
    runs = Runs.of(channel, query, rounds=rounds)._replace(is_fast=False)
    return runs, stage_for(channel, facts, rounds)


def _leads(runs: Runs, stage: Stage, seed: int) -> Iterator[tuple[float, float, Lead]]:
    """Yield leads: how far the view moves relative to its noise, how much that varies, where."""
    positions = stage.positions
    for others, losses in stage.others.items():
        usual = Usual.of(runs.play(losses, USUAL, np.random.default_rng(seed)))
        if positions is stage.positions:
            positions = tuple(dict.fromkeys([*positions, *_quiet_rounds(runs, usual)]))
        for pair in stage.pairs:
            for position in positions:
                inputs = [stage.inputs(others, pair, position, neighbour) for neighbour in (0, 1)]
                yield from _lead(runs, usual, inputs, (others, pair, position), seed)


def _inside_leads(runs: Runs, stage: Stage, seed: int) -> Iterator[tuple[float, float, Lead]]:
    """Yield leads for many positions in the first batch: all of them, if that is affordable.

    Only the first batches are played.
    """
    hold, pair = runs.channel.hold(), stage.pairs[0]
    played = 2 * COUPLED * len(stage.others) * runs.rounds
    number = min(hold, INSIDE, (FAST_PLAYED if runs.is_fast else PLAYED) // played)
    if hold < 2:
        return
    for others, losses in stage.others.items():
        usual = Usual.of(runs.play(losses[: runs.rounds], USUAL, np.random.default_rng(seed)))
        for position in np.unique(np.linspace(0, hold - 1, number).astype(int)).tolist():
            inputs = [stage.inputs(others, pair, position, each)[: runs.rounds] for each in (0, 1)]
            yield from _lead(runs, usual, inputs, (others, pair, position), seed)


def _level_leads(runs: Runs, levels: Stage, seed: int) -> Iterator[tuple[float, float, Lead]]:
    """Yield leads for many levels of the other losses and of the replaced one.

    Only the first batches are played. Moves are compared with the variation of the quieter input.
    """
    many = USUAL if runs.is_fast else USUAL // 4
    ends, *between = levels.pairs
    rest = next(iter(levels.others))
    tried = [(others, ends) for others in levels.others] + [(rest, pair) for pair in between]
    for turn, (others, pair) in enumerate(tried):
        inputs = [levels.inputs(others, pair, 0, each)[: runs.rounds] for each in (0, 1)]
        usual = [
            runs.play(each, many, np.random.default_rng([seed, 4, turn, neighbour]))
            for neighbour, each in enumerate(inputs)
        ]
        quieter = min(usual, key=lambda rows: float(rows.std(axis=0).sum()))
        yield from _lead(runs, Usual.of(quieter), inputs, (others, pair, 0), seed)


def _quiet_rounds(runs: Runs, usual: Usual) -> list[int]:
    """Return the rounds of the releases that vary least: noise may be missing there."""
    spread = usual.spread[: runs.places * max(1, runs.size)]
    varying = np.flatnonzero(np.abs(usual.rows[:, : spread.size]).max(axis=0) > 0.0)
    quiet = varying[np.argsort(spread[varying])[:QUIET]]
    return [runs.round_of(int(column), usual.rows[0]) for column in quiet]


class Usual(NamedTuple):
    """How the view usually varies: rows, and for each column its deviation and median."""

    rows: Floats
    spread: Floats
    middle: Floats
    standard: Floats
    largest: float

    @classmethod
    def of(cls, rows: Floats) -> Usual:
        """Return the usual variation of some runs."""
        spread = rows.std(axis=0)
        standard = (rows - rows.mean(axis=0)) / np.where(spread > 0.0, spread, math.inf)
        return cls(rows, spread, np.median(rows, axis=0), standard, float(np.abs(rows).max()))


def _lead(
    runs: Runs, usual: Usual, inputs: list[Floats], where: tuple[str, Pair, int], seed: int
) -> Iterator[tuple[float, float, Lead]]:
    """Yield a lead, if anything moves at all."""
    played = [runs.play(each, COUPLED, np.random.default_rng([seed, 1])) for each in inputs]
    moved = played[1] - played[0]
    size = np.abs(moved).max(axis=0)
    tiny = 1e-9 * (usual.largest + size.max())
    if not (size > tiny).any():
        return
    # The usual losses may be among those that get no noise: then these runs show how it varies.
    here = np.minimum(played[0].std(axis=0), played[1].std(axis=0))
    spread = np.where(usual.spread > tiny, usual.spread, here)
    units = np.maximum(spread, tiny)
    columns = _columns(np.where(size > tiny, size / units, 0.0), usual.standard)
    shift = moved[:, columns].mean(axis=0)
    weights, score = _whitened(
        usual.rows[:, columns],
        shift,
        units[columns],
        missing=spread[columns] > usual.spread[columns],
    )
    wobble = float((moved[:, columns].std(axis=0) / units[columns]).max())
    last = max(runs.round_of(int(column), rows[0]) for column in columns for rows in played)
    last = min(last, inputs[0].shape[0] - 1)
    yield score, wobble, Lead(*where, columns, weights, usual.middle[columns], last)


def _columns(sizes: Floats, standard: Floats) -> Integers:
    """Return the columns that move most, and others that share their noise."""
    first = np.argsort(-sizes)[:COLUMNS]
    found = first[sizes[first] > 0.0].tolist()
    for column in found[:2]:
        alike = np.abs(standard[:, column] @ standard) / standard.shape[0]
        alike[sizes > 0.0] = 0.0
        found += [
            place
            for place in np.argsort(-alike)[: PARTNERS // 2].tolist()
            if alike[place] > TOGETHER
        ]
    return np.array(list(dict.fromkeys(found)), dtype=np.int64)


def _whitened(
    usual: Floats, shift: Floats, units: Floats, *, missing: NDArray[np.bool_]
) -> tuple[Floats, float]:
    """Return the linear combination that best detects a shift, and its squared deviations.

    Columns whose variation is missing vary by one unit.
    """
    scaled = (usual - usual.mean(axis=0)) / units
    values, vectors = np.linalg.eigh(scaled.T @ scaled / usual.shape[0] + np.diag(missing * 1.0))
    along = vectors.T @ (shift / units)
    inverse = along / np.maximum(values, LEAST_EIGENVALUE)
    return (vectors @ inverse) / units, float(along @ inverse)


def _followed(found: Sequence[tuple[float, float, Lead]], *, by_level: bool = False) -> list[Lead]:
    """Return leads that move most and leads whose noise changes most, at different positions.

    With ``by_level``, leads at one position are different too if the other losses are.
    """
    leads: list[Lead] = []
    for scores in ([score for score, _, _ in found], [wobble for _, wobble, _ in found]):
        # Rounded, so that of leads with about the same size the first, a short one, is chosen.
        sizes = np.round(2.0 * np.log(np.maximum(scores, 1e-12)))
        places: dict[tuple[int, str], Lead] = {}
        for place in np.argsort(-sizes, kind="stable"):
            if scores[place] > 0.0:
                lead = found[place][2]
                places.setdefault((lead.position, lead.others if by_level else ""), lead)
        leads += [
            lead
            for lead in list(places.values())[:LEADS]
            if not any(lead is other for other in leads)
        ]
    return leads


def _piloted(
    runs: Runs,
    stage: Stage,
    lead: Lead,
    quick: Callable[[Floats, Floats], float],
    number: int,
    seed: int,
) -> tuple[float, str, Statistic]:
    """Return roughly what the best statistic shows in a few runs, its name, and the statistic."""
    rows = []
    for neighbour in (0, 1):
        inputs = stage.inputs(lead.others, lead.pair, lead.position, neighbour)[: lead.last + 1]
        rng = np.random.default_rng([seed, 2, number, neighbour, lead.position])
        rows.append(rows_of(runs, inputs, lead.columns, number, rng))
    half = number // 2
    found = []
    for name, statistic in candidates(lead.weights, lead.middle, (rows[0][:half], rows[1][:half])):
        score = quick(statistic(rows[0][half:]), statistic(rows[1][half:]))
        found.append((score, name, statistic))
    return max(found, key=lambda each: each[0])


def _attack(runs: Runs, stage: Stage, lead: Lead, name: str, statistic: Statistic) -> JointReleases:
    one, other = (
        stage.inputs(lead.others, lead.pair, lead.position, neighbour)[: lead.last + 1]
        for neighbour in (0, 1)
    )
    which = ", ".join(dict.fromkeys(runs.name_of(int(column)) for column in lead.columns[:3]))
    text = (
        f"the loss of round {lead.position + 1} is {lead.pair.text}, all others are "
        f"{lead.others}; a threshold on "
        f"{f'{name} of ' if name else ''}{which}{' and more' if lead.columns.size > 3 else ''}"
    )
    return JointReleases(runs, one, other, lead.columns, statistic, text)
