"""A search for rare events: values that repeat exactly, under one of two inputs.

Noise with a density hardly ever produces the same number twice. Repeated values reveal faults: a
raw value that slips through once in a thousand times, noise with few bits, noise that is used
twice, or a missing release. So the search plays many runs and records which values occur for which
input. A value's score is how much likelier it was for the second input. Other runs then show how
much these scores reveal. All of these trials serve only to choose: a lead is attacked with new
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from componentjit import compilable
from discreet.auditing.attacks import SLOW_PIECE, Attack, GameFacts
from discreet.auditing.bounds import CONFIDENCE, LEAST, MOST, largest_bound
from discreet.auditing.repeated import EveryReport, with_other_records
from discreet.auditing.runs import Pair, Runs, Stage, probe_query, stage_for
from discreet.auditing.whole_runs import JointReleases, Statistic, rows_of
from discreet.channels.moments import MomentShape
from discreet.channels.residuals import Reporting
from discreet.contracts import Channel, Floats, Integers, Noise, Protected
from discreet.guarantee import Guarantee

MANY, SLOW_MANY = 1 << 17, 1 << 15  # trials of each input, half of them to record values
LONG, SLOW_LONG = 1 << 25, 1 << 19  # maximum rounds of all these trials
FEW = 1 << 12  # trials of each input if the caller asks for few; fewer than an eighth show nothing
BATCHES = 4  # to play
LAGS = 3  # noise may repeat up to this many releases later
WIDEST = 12  # columns to inspect
# Where noise cancels, values are equal up to rounding errors, which are far below this.
ROUNDED = 2.0**-36
DEVIATIONS = 2.5  # standard deviations of the counts that a bound allows for
REPEATED = 16  # repeated values below which nothing is reported
ODD = 0.3718  # a share of the range that is on no simple grid

Keys = Callable[[Floats], Floats]  # from rows to one number per row, which may repeat


class Quantity(NamedTuple):
    """Something that may repeat, in words and in rows, and the last release on which it depends."""

    text: str
    keys: Keys
    last: int | None  # counted from 1; None if it is a time


class Place(NamedTuple):
    """Two neighbouring inputs."""

    others: str
    pair: Pair
    position: int


class ReportedValues(Attack):
    """Every report, of one of two records, is a trial; the statistic is which values occur."""

    reports: EveryReport
    statistic: Statistic
    text: str = "a record is one of two that are far apart; which exact values are reported"

    def trials_for(self, private: Protected, claim: Guarantee) -> int:
        """Return as many as rare values need, at most what can be drawn in a few seconds."""
        return LEAST if compilable(private.channel) else SLOW_PIECE

    def at_once(self, private: Protected) -> int:
        """Return how many trials take a fraction of a second."""
        return self.reports.at_once(private)

    def sample(self, private: Protected, neighbour: int, trials: int, seed: int) -> Floats:
        """Return the score of each report."""
        return self.statistic(self.reports.reported(private, neighbour, trials, seed))


def find_rare(
    private: Protected,
    claim: Guarantee,
    facts: GameFacts,
    usual: Attack,
    *,
    trials: int | None = None,
    seed: int,
) -> Attack | None:
    """Return an attack on rare values that seems to refute the claim, or None.

    ``trials`` is the number of trials that will follow, if given: few cannot show rare events.
    """
    limit = max(4 * trials, FEW) if trials else MANY
    channel = private.channel
    most = largest_bound(MOST, confidence=CONFIDENCE, delta=claim.delta, gaussian=False)
    if not channel.guarantee.is_private or claim.epsilon > most:
        return None
    if isinstance(usual, EveryReport):
        return _rare_report(private, claim, usual, limit, seed)
    if isinstance(channel, MomentShape | Reporting):
        return None
    return _rare_release(channel, claim, facts, limit, seed)


def _rare_report(
    private: Protected, claim: Guarantee, usual: EveryReport, limit: int, seed: int
) -> ReportedValues | None:
    number = min(limit, MANY if compilable((private.channel, usual.records[0])) else SLOW_MANY)
    best, found = claim.epsilon, None
    for attack in (usual, *with_other_records(usual)):
        rows = [attack.reported(private, neighbour, number, seed) for neighbour in (0, 1)]
        columns = range(min(WIDEST, rows[0].shape[1]))
        kinds = (Quantity("", _column(place), None) for place in columns)
        score, _, statistic = _best(rows, kinds, claim.delta)
        if score > best:
            best, found = score, ReportedValues(attack, statistic)
    return found


def _rare_release(
    channel: Channel, claim: Guarantee, facts: GameFacts, limit: int, seed: int
) -> JointReleases | None:
    hold = channel.hold()
    rounds = BATCHES * hold
    stage = stage_for(channel, facts, rounds)
    runs = Runs.of(channel, probe_query(channel), rounds=rounds)
    runs = runs._replace(is_fast=runs.compiles(stage.example))
    longest, many = (LONG, MANY) if runs.is_fast else (SLOW_LONG, SLOW_MANY)
    number = min(many, limit, longest // rounds)
    if number < FEW // 8:
        return None
    columns = _columns(runs)
    best, found = claim.epsilon, None
    for turn, place in enumerate(_places(stage, hold)):
        inputs = [stage.inputs(*place, neighbour) for neighbour in (0, 1)]
        rows = [
            rows_of(
                runs, inputs[each], columns, number, np.random.default_rng([seed, 3, turn, each])
            )
            for each in (0, 1)
        ]
        score, quantity, statistic = _best(rows, _kinds(channel, columns.size), claim.delta)
        if score > best:
            text = (
                f"fresh runs; the loss of round {place.position + 1} is {place.pair.text}, all "
                f"others are {place.others}; which exact values occur in "
                f"{quantity.text}"
            )
            last = _last_round(quantity, rows, hold)
            one, other = (each[:last] for each in inputs)
            best, found = score, JointReleases(runs, one, other, columns, statistic, text, LEAST)
    return found


def _last_round(quantity: Quantity, rows: list[Floats], hold: int) -> int:
    """Return how many rounds to play: fewer if only early releases matter and none is shifted."""
    times = np.concatenate([each[:, -BATCHES:] for each in rows])
    usual = (np.arange(BATCHES) + 1) * hold - 1
    if quantity.last is None or not (times == usual).all():
        return BATCHES * hold
    return hold * quantity.last


def _columns(runs: Runs) -> Integers:
    """Return the columns of the first numbers of each release, and of the rounds of releases."""
    width = max(1, runs.size)
    each = max(1, min(width, WIDEST // BATCHES))
    numbers = [*range(each - 1), width - 1]  # the first ones and the last
    releases = [release * width + i for release in range(BATCHES) for i in numbers]
    times = runs.places * (width + 1) + np.arange(BATCHES)
    return np.array([*releases, *times])


def _places(stage: Stage, hold: int) -> Iterator[Place]:
    """Yield some neighbouring inputs: ends of the range or not, in one of the first batches."""
    ends = stage.pairs[0]
    odd = Pair("the lowest or odd", np.asarray(ends.one), ends.one + ODD * (ends.other - ends.one))
    yield Place("in the middle", ends, 0)
    yield Place("random", odd, 0)
    yield Place("random", ends, hold)
    yield Place("random", ends, 2 * hold)
    if "lowest" in stage.others:
        yield Place("lowest", ends, 0)
    if hold > 1:
        yield Place("random", ends, hold - 1)


def _kinds(channel: Channel, columns: int) -> Iterator[Quantity]:
    """Yield quantities that may repeat; the last columns are times."""
    releases = columns - BATCHES
    each = releases // BATCHES
    for place in range(releases):
        number = place // each + 1
        yield Quantity(f"release {number}", _column(place), number)
        yield Quantity(f"the sign of zero in release {number}", _zero_sign(place), number)
    for lag in range(1, LAGS + 1):
        for place in range(min(each, 2)):
            later = place + lag * each
            which = f"release {lag + 1} and release 1"
            yield Quantity(f"the difference of {which}", _mixed(place, later, -1.0), lag + 1)
            if lag == 1:
                yield Quantity(f"the sum of {which}", _mixed(place, later, 1.0), lag + 1)
    for place in range(releases, columns):
        text = f"the round of release {place - releases + 1}"
        yield Quantity(text, _column(place), None)
    if _is_exact(channel):  # the low bits of floating-point noise depend on what it is added to
        for place in range(releases):
            number = place // each + 1
            yield Quantity(f"the lowest bits of release {number}", _low_bits(place), number)
            yield Quantity(f"the finest bit of release {number}", _finest_bit(place), number)


def _is_exact(part: object) -> bool:
    """Return whether any noise in a channel is exact."""
    if isinstance(part, Noise):
        return part.is_exact
    return isinstance(part, tuple) and any(map(_is_exact, part))


def _column(place: int) -> Keys:
    return lambda rows: rows[:, place]


def _mixed(place: int, later: int, sign: float) -> Keys:
    """Return a difference or a sum of two columns, rounded to remove rounding errors."""

    def key(rows: Floats) -> Floats:
        return np.round((rows[:, later] + sign * rows[:, place]) / ROUNDED) * ROUNDED

    return key


def _zero_sign(place: int) -> Keys:
    """Return 1 for 0.0, -1 for -0.0, and the position of the row for anything else."""

    def key(rows: Floats) -> Floats:
        signs = np.where(np.signbit(rows[:, place]), -1.0, 1.0)
        return np.where(rows[:, place] == 0.0, signs, np.arange(2.0, rows.shape[0] + 2.0))

    return key


def _low_bits(place: int) -> Keys:
    """Return the four lowest bits of a double."""

    def key(rows: Floats) -> Floats:
        whole: Any = np.ascontiguousarray(rows[:, place]).view(np.uint64)
        found: Floats = (whole & np.uint64(15)).astype(np.float64)
        return found

    return key


def _finest_bit(place: int) -> Keys:
    """Return the power of two of the lowest bit that is set: noise is on a grid."""

    def key(rows: Floats) -> Floats:
        fraction, power = np.frexp(rows[:, place])
        whole = np.ldexp(fraction, 53).astype(np.int64)
        found: Floats = np.log2(np.maximum(whole & -whole, 1)) + power
        return found

    return key


def _best(
    rows: list[Floats], kinds: Iterator[Quantity], delta: float
) -> tuple[float, Quantity, Statistic]:
    """Return roughly how much the best scores reveal, the quantity, and the statistic."""
    half = rows[0].shape[0] // 2
    nothing = Quantity("", _column(0), None)
    found: list[tuple[float, Quantity, Statistic]] = [(0.0, nothing, _column(0))]
    for quantity in kinds:
        keys = [quantity.keys(each) for each in rows]
        pooled = np.sort(np.concatenate(keys))
        if np.count_nonzero(pooled[1:] == pooled[:-1]) < REPEATED:
            continue
        statistic = scores(keys[0][:half], keys[1][:half])
        shown = _revealed(statistic(keys[0][half:]), statistic(keys[1][half:]), delta)
        if shown > 0.0:
            found.append((shown, quantity, _of(statistic, quantity.keys)))
    return max(found, key=lambda each: each[0])


def _of(statistic: Statistic, key: Keys) -> Statistic:
    return lambda rows: statistic(key(rows))


def scores(first: Floats, second: Floats) -> Statistic:
    """Return the score of a value: about log₂ of how much more often the second sample has it.

    It is 0 for values in neither sample.
    """
    values, inverse = np.unique(np.concatenate([first, second]), return_inverse=True)
    counts = [
        np.bincount(part, minlength=values.size)
        for part in (inverse[: first.size], inverse[first.size :])
    ]
    table = np.round(np.log2((counts[1] + 0.5) / (counts[0] + 0.5)))

    def score(sample: Floats) -> Floats:
        place = np.minimum(np.searchsorted(values, sample), values.size - 1)
        found: Floats = np.where(values[place] == sample, table[place], 0.0)
        return found

    return score


def _revealed(first: Floats, second: Floats, delta: float) -> float:
    """Return roughly what scores of two equally large samples reveal; they are small integers."""
    trials = first.size
    levels, inverse = np.unique(np.concatenate([first, second]), return_inverse=True)
    if levels.size < 2:
        return 0.0
    counts = [
        np.bincount(part, minlength=levels.size).astype(np.float64)
        for part in (inverse[:trials], inverse[trials:])
    ]
    best = 0.0
    for hits, others in (
        (np.cumsum(counts[0]), np.cumsum(counts[1])),
        (np.cumsum(counts[1][::-1]), np.cumsum(counts[0][::-1])),
    ):
        low = np.maximum(hits - DEVIATIONS * np.sqrt(hits), 0.0) / trials - delta
        high = (others + DEVIATIONS * np.sqrt(others) + DEVIATIONS**2) / trials
        best = max(best, float(np.log(np.maximum(low, 1e-300) / high).max()))
    return best
