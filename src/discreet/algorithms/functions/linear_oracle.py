"""One value per round of linear functions on vertices: explore, and lead by a linear oracle."""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from discreet.algorithms.functions.common import (
    GradientSum,
    GradientSumName,
    WhenVacuous,
    check_batch,
    least_noise,
    place_with,
    steepest,
)
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import GradientSums
from discreet.contracts import Channel, Floats
from discreet.errors import check_range
from discreet.learners import OracleLeader
from discreet.learners.functions.oracle_leader import centred_estimators, oracle_bound
from discreet.mechanisms import NoiseName
from discreet.private import Private
from discreet.problems import Functions
from discreet.ranges import make_range
from discreet.sets import Vertices

SOURCE = (
    "exploring and leading by vertices, for linear functions (see "
    "discreet.learners.functions.oracle_leader)"
)
UNSTEADY = "no bound proved: the noise of these sums goes up and down"
LINEAR = Functions("k-sets(10,3)", form="linear")
MOST_BATCHES = 1 << 16  # more sums take long to release and save little
# If all bounds are vacuous, the least is that of always exploring and learning nothing.
HALF = 0.5
BLOCKS = 64  # of sums; each counts with the least noise in it


@register_algorithm(
    name="linear-oracle",
    title="leader computed by a linear oracle, playing vertices only",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    citation="mcmahan2004online",
    growth=Growth(2.0 / 3.0),
)
def linear_oracle(
    setting: Setting[Functions],
    *,
    exploration: float | None = None,
    spread: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """McMahan & Blum 2004 with a plan of vertices, Gaussian perturbations and the least bound."""
    channel = GradientSums.without_noise(
        size=1, dimension=setting.problem.place.dimension, bounds=setting.bounds
    )
    chosen = _least(setting, 1, None, exploration, spread)
    if exploration is None and when_vacuous == "play" and chosen.exploration > HALF:
        chosen = _least(setting, 1, None, HALF, spread)
    return _instance(setting, channel, chosen, None, when_vacuous)


@register_algorithm(
    name="private-linear-oracle",
    twin="linear-oracle",
    title="leader computed by a linear oracle, playing vertices only, on private running sums",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    builds_on=("mcmahan2004online",),
    growth=Growth(2.0 / 3.0),
)
def private_linear_oracle(
    setting: Setting[Functions],
    *,
    sums: GradientSumName | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    exploration: float | None = None,
    spread: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Lead by a private running sum of the estimates of exploring rounds (central model).

    Estimates do not depend on earlier learning, so the noise is paid for once. It perturbs the
    leader, which adds only the missing part of the perturbation.
    """
    sizes = _sizes(setting, batch_size)
    released = [
        least_noise(setting, size=size, sums=sums, noise=noise, padding=True) for size in sizes
    ]

    def least(share: float | None) -> tuple[Choice, GradientSum]:
        found = [
            (_least(setting, size, each, share, spread), each)
            for size, each in zip(sizes, released, strict=True)
        ]
        return min(found, key=lambda candidate: candidate[0].bound)

    chosen, found = least(exploration)
    if exploration is None and when_vacuous == "play" and chosen.exploration > HALF:
        chosen, found = least(HALF)
    channel = GradientSums.over(found.channel, size=chosen.size, bounds=setting.bounds)
    return _instance(setting, channel, chosen, found, when_vacuous)


class Choice(NamedTuple):
    """Parameters, and their bound in widths of the range."""

    size: int
    exploration: float
    spread: float
    bound: float


def _sizes(setting: Setting[Functions], batch_size: int | None) -> list[int]:
    """Return batch sizes to choose from: a game has at least 2 batches, at most MOST_BATCHES."""
    if batch_size is not None:
        return [check_batch(setting, batch_size)]
    sizes, rounds = (1, 4, 16, 64, 256, 1024), setting.rounds
    usual = [size for size in sizes if 2 * size <= rounds <= MOST_BATCHES * size]
    return usual or [-(-rounds // MOST_BATCHES)]


def _least(
    setting: Setting[Functions],
    size: int,
    found: GradientSum | None,
    exploration: float | None,
    spread: float | None,
) -> Choice:
    """Return the exploration and the spread with the least bound for a running sum."""
    place, rounds, slope = place_with(setting, Vertices), setting.rounds, steepest(setting)
    plan = cast(Vertices, place.set).plan()
    lengths = np.linalg.norm(centred_estimators(plan), axis=1)
    square, longest, root = (
        float(plan.weights @ lengths**2),
        float(lengths.max()),
        math.sqrt(place.flat),
    )
    noisy_sums = _noise_of(found)

    def chosen(share: float, own: float) -> Choice:
        unit = longest / share
        rest = unit * noisy_sums.deviations if noisy_sums.gaussian else np.zeros(1)
        inside = np.maximum(np.sqrt(own**2 + rest**2), 1e-300)  # never divides by 0
        last = unit * noisy_sums.largest
        total = math.hypot(own, last) if noisy_sums.gaussian else own + last
        bound = oracle_bound(
            rounds=rounds,
            batch=size,
            outer=place.outer,
            exploration=share,
            square=square,
            slope=slope,
            noise=root * total,
            inverse=float(
                np.max(1.0 / inside) if rest.size == 1 else noisy_sums.shares @ (1.0 / inside)
            ),
        )
        return Choice(size, share, own, bound)

    def best_spread(share: float) -> Choice:
        if spread is not None:
            return chosen(share, check_range("spread", spread, 0.0, 1e100))
        # near the best spread for sums without noise, around which a grid is searched
        alone = math.sqrt(rounds * (square / (4.0 * share) + size * slope**2) / 2.5 / root)
        tried = [chosen(share, alone * factor) for factor in np.geomspace(0.03, 3.0, 40)]
        return min([*tried, chosen(share, alone), chosen(share, 0.0)], key=lambda each: each.bound)

    if exploration is not None:
        return best_spread(check_range("exploration", exploration, 1e-9, 1.0))
    return min(
        (best_spread(float(share)) for share in np.geomspace(1e-4, 1.0, 80)),
        key=lambda each: each.bound,
    )


class SumNoise(NamedTuple):
    """The noise in a coordinate of sums, for queries of length 1: the least per block, the most."""

    gaussian: bool
    steady: bool  # the same in all sums, or Gaussian with a variance that never falls
    deviations: Floats
    shares: Floats  # of all sums that are in a block
    largest: float


def _noise_of(found: GradientSum | None) -> SumNoise:
    """Return the noise of a running sum."""
    if found is None:
        return SumNoise(True, True, np.zeros(1), np.ones(1), 0.0)
    running = found.channel
    one = running.noise.deviation(running.losses.dimension)
    spread, prefixes = running.factorisation.noise_spread(), running.factorisation.prefixes
    largest, gaussian = one * spread.most, running.noise.is_gaussian
    if spread.least == spread.most or not spread.steady:
        return SumNoise(
            gaussian, spread.steady, np.array([one * spread.least]), np.ones(1), largest
        )
    blocks = np.array_split(
        one * np.sqrt(running.factorisation.variances(prefixes)), min(BLOCKS, prefixes)
    )
    shares = np.array([block.size / prefixes for block in blocks])
    return SumNoise(gaussian, True, np.array([block[0] for block in blocks]), shares, largest)


def _instance(
    setting: Setting[Functions],
    channel: Channel,
    chosen: Choice,
    found: GradientSum | None,
    when_vacuous: WhenVacuous,
) -> Instance:
    """Return the algorithm, or one that plays vertices of the plan at random if it is vacuous."""
    around, width = cast(Vertices, setting.problem.place.set), setting.bounds.width
    most = setting.rounds * setting.problem.widest(make_range())
    proved = _noise_of(found).steady
    if proved and chosen.bound >= most and when_vacuous == "centre":
        return Instance(
            private=Private(channel, OracleLeader.start(set=around, exploration=1.0, spread=0.0)),
            parameters={"plays": "vertices at random"},
            regret_bound=width * most,
            bound_source="vertices are played at random, because the bound for learning is "
            f"{width * chosen.bound:,.0f} (when_vacuous=play learns anyway)",
        )
    learner = OracleLeader.start(set=around, exploration=chosen.exploration, spread=chosen.spread)
    return Instance(
        private=Private(channel, learner),
        parameters={
            **({} if found is None else {**found.parameters, "batch_size": chosen.size}),
            "exploration": chosen.exploration,
            "spread": chosen.spread,
        },
        regret_bound=width * min(chosen.bound, most) if proved else None,
        bound_source=SOURCE if proved else UNSTEADY,
    )
