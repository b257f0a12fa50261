"""A search for what a channel should not show: whole runs, neighbours of every kind, joint statistics of what is seen.

The attacks that know a channel assume that it is what its class says. This one assumes nothing. First it asks, for many
places of the replaced loss, how all that is seen moves, with the noise held fixed, and compares that with how it varies.
Then it plays the most suspicious neighbours with fresh noise, and picks the statistic that tells most. All of that is
spent on the choice; if it leads anywhere, the claim is attacked there, with trials of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from discreet.auditing.attacks import Attack, channel_curve
from discreet.auditing.bounds import RUNS, Tally, best_event, epsilon_bound
from discreet.auditing.neighbours import Pair, Stage, probe_query, stage_for
from discreet.auditing.registry import GameFacts
from discreet.auditing.runs import LONGEST, SHORT, Runs
from discreet.auditing.statistics import Statistic, candidates
from discreet.channels.running_sum import Stream
from discreet.contracts import Floats, Generator, Integers
from discreet.curves import GaussianNoise
from discreet.guarantee import Guarantee
from discreet.private import Private

BATCHES = 64  # of a run, at most
STREAMED = 63  # rounds of a running sum
USUAL = 96  # runs that tell how what is seen varies
COUPLED = 6  # pairs of runs with the same noise
COLUMNS, PARTNERS = 12, 4  # that are looked at together: those that move most, and those that vary with them
TOGETHER = 0.9  # a correlation
PILOT = 1_500  # runs in each world, half of which statistics are fitted to
LEADS = 3  # of each kind that are followed
MOST_RUNS = 400_000
LEAST_EIGENVALUE = 1e-10
STRICT = 1.0 - 1e-4  # of one statistic among many: a lead that is none costs the time and the power of the audit
NEAR = 0.97  # of what so few runs can show at most


class Lead(NamedTuple):
    """Where something leaks, perhaps: neighbouring inputs, and the columns that tell them apart."""

    others: str
    pair: Pair
    position: int
    columns: Integers
    weights: Floats
    middle: Floats
    last: int  # the round after which all columns are known
    score: float


class JointReleases(Attack):
    """Every trial is a run from the start; one loss is one of two, and some of what is seen is weighed together."""

    runs: Runs
    one: Floats
    other: Floats
    columns: Integers
    statistic: Statistic
    text: str

    def trials_for(self, private: Private, claim: Guarantee) -> int:
        """Return more where epsilon is so large that few runs could not refute it."""
        wanted = int(20.0 * math.exp(min(claim.epsilon, 20.0)))
        return max(RUNS if self.runs.is_fast else RUNS // 4, min(wanted, MOST_RUNS))

    def gaussian_curve(self, private: Private) -> GaussianNoise | None:
        """Return the curve that is claimed of a channel with Gaussian noise."""
        return channel_curve(private)

    def sample(self, private: Private, world: int, trials: int, seed: int) -> Floats:
        """Return the statistic of each run."""
        rng = np.random.default_rng([seed, world])
        return self.statistic(rows_of(self.runs, (self.one, self.other)[world], self.columns, trials, rng))


def rows_of(runs: Runs, inputs: Floats, columns: Integers, number: int, rng: Generator) -> Floats:
    """Return some columns of what is seen of independent runs, a row a run."""
    return np.array([runs.play(inputs, rng)[columns] for _ in range(number)])


def screened(private: Private, claim: Guarantee, facts: GameFacts, *, seed: int) -> JointReleases | None:
    """Return an attack that seems to refute the claim, or None if nothing suspicious is seen."""
    channel = private.channel
    if not channel.guarantee.is_private:  # what is claimed rests on the learner
        return None
    query, hold = probe_query(channel), channel.hold()
    rounds = STREAMED if isinstance(channel, Stream) else min(max(BATCHES * hold, SHORT), LONGEST)
    stage = stage_for(channel, facts, rounds)
    runs = Runs.of(channel, query, rounds=rounds, feedback=next(iter(stage.others.values()))[0])
    if not runs.is_fast and not isinstance(channel, Stream):
        rounds = min(max(BATCHES // 4 * hold, 2 * BATCHES), SHORT)
        stage, runs = stage_for(channel, facts, rounds), runs._replace(rounds=rounds)
    best, found = 0.0, None
    gaussian = channel_curve(private) is not None
    for lead in _followed(list(_leads(runs, stage, seed))):
        score, name, statistic = _piloted(runs, stage, lead, claim, gaussian, seed)
        if score > best:
            best, found = score, _attack(runs, stage, lead, name, statistic)
    counted = PILOT - PILOT // 2
    most = epsilon_bound(Tally(counted, 0, counted), confidence=STRICT, delta=claim.delta, gaussian=gaussian)
    return found if best > min(claim.epsilon, NEAR * most) else None


def _leads(runs: Runs, stage: Stage, seed: int) -> Iterator[tuple[float, float, Lead]]:
    """Yield how far what is seen moves in units of how it varies, by how much that depends on the noise, and where."""
    for others, losses in stage.others.items():
        usual = np.array([runs.play(losses, np.random.default_rng([seed, i])) for i in range(USUAL)])
        spread, middle = usual.std(axis=0), np.median(usual, axis=0)
        for pair in stage.pairs:
            for position in stage.positions:
                worlds = [
                    [runs.play(stage.inputs(others, pair, position, world), np.random.default_rng([seed, i])) for i in range(COUPLED)]
                    for world in (0, 1)
                ]
                moved = np.array(worlds[1]) - np.array(worlds[0])
                shift, wobble = moved.mean(axis=0), moved.std(axis=0)
                size = np.abs(moved).max(axis=0)
                tiny = 1e-9 * (np.abs(usual).max() + size.max())
                if not (size > tiny).any():
                    continue
                units = np.maximum(spread, tiny)
                columns = _columns(np.where(size > tiny, size / units, 0.0), usual, spread)
                weights, score = _whitened(usual[:, columns], shift[columns], units[columns])
                last = max(runs.round_of(int(column), world[0]) for column in columns for world in worlds)
                lead = Lead(others, pair, position, columns, weights, middle[columns], last, score)
                yield score, float((wobble / units)[columns].max()), lead


def _columns(sizes: Floats, usual: Floats, spread: Floats) -> Integers:
    """Return the columns that move most, and others whose noise is theirs."""
    first = np.argsort(-sizes)[:COLUMNS]
    first = first[sizes[first] > 0.0]
    varying = np.flatnonzero((spread > 0.0) & (sizes == 0.0))
    centred = usual - usual.mean(axis=0)
    partners: list[int] = []
    for column in first[:2]:
        if spread[column] > 0.0 and varying.size:
            alike = centred[:, varying].T @ centred[:, column] / (usual.shape[0] * spread[varying] * spread[column])
            nearest = np.argsort(-np.abs(alike))[: PARTNERS // 2]
            partners += [int(varying[i]) for i in nearest if abs(alike[i]) > TOGETHER]
    return np.array(list(dict.fromkeys([*first.tolist(), *partners])), dtype=np.int64)


def _whitened(usual: Floats, shift: Floats, units: Floats) -> tuple[Floats, float]:
    """Return the linear combination that tells a shift best, and by how many of its deviations it moves, squared."""
    scaled = (usual - usual.mean(axis=0)) / units
    values, vectors = np.linalg.eigh(scaled.T @ scaled / usual.shape[0])
    along = vectors.T @ (shift / units)
    inverse = along / np.maximum(values, LEAST_EIGENVALUE)
    return (vectors @ inverse) / units, float(along @ inverse)


def _followed(found: list[tuple[float, float, Lead]]) -> list[Lead]:
    """Return the leads that move most for their noise, and those whose noise changes most, each in another place."""
    leads: dict[tuple[str, int], Lead] = {}
    for kind in (0, 1):
        ranked = sorted(found, key=lambda each: -each[kind])
        number = len(leads)
        for each in ranked:
            if len(leads) - number >= LEADS or each[kind] == 0.0:
                break
            leads.setdefault((each[2].pair.text + each[2].others, each[2].position), each[2])
    return list(leads.values())


def _piloted(
    runs: Runs, stage: Stage, lead: Lead, claim: Guarantee, gaussian: bool, seed: int
) -> tuple[float, str, Statistic]:
    """Return the bound that the best statistic has on a few runs, its name, and the statistic."""
    rows = []
    for world in (0, 1):
        inputs = stage.inputs(lead.others, lead.pair, lead.position, world)[: lead.last + 1]
        rng = np.random.default_rng([seed, 1, world, lead.position])
        rows.append(rows_of(runs, inputs, lead.columns, PILOT, rng))
    half = PILOT // 2
    fitted, tried = (rows[0][:half], rows[1][:half]), (rows[0][half:], rows[1][half:])
    best: tuple[float, str, Statistic] | None = None
    for name, statistic in candidates(lead.weights, lead.middle, fitted):
        samples = statistic(tried[0]), statistic(tried[1])
        event = best_event(*samples, confidence=STRICT, delta=claim.delta, gaussian=gaussian)
        hits = [event.hits(sample) for sample in samples]
        tally = Tally(hits[event.likelier], hits[1 - event.likelier], samples[0].size)
        score = epsilon_bound(tally, confidence=STRICT, delta=claim.delta, gaussian=gaussian)
        if best is None or score > best[0]:
            best = score, name, statistic
    assert best is not None, "there is always a linear combination"
    return best


def _attack(runs: Runs, stage: Stage, lead: Lead, name: str, statistic: Statistic) -> JointReleases:
    one, other = (stage.inputs(lead.others, lead.pair, lead.position, world)[: lead.last + 1] for world in (0, 1))
    which = ", ".join(dict.fromkeys(runs.name_of(int(column)) for column in lead.columns[:3]))
    text = (
        f"the loss of round {lead.position + 1} is {lead.pair.text}, all others are {lead.others}; a half-line of "
        f"{f'{name} of ' if name else ''}{which}{' and more' if lead.columns.size > 3 else ''}"
    )
    return JointReleases(runs, one, other, lead.columns, statistic, text)
