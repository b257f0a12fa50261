"""One value per round and projections, on private running sums: Thakurta & Smith 2013."""

from __future__ import annotations

import math

from discreet.algorithms.functions.common import (
    GradientSum,
    GradientSumName,
    Proposal,
    WhenVacuous,
    check_batch,
    decide,
    least_noise,
    place_with,
)
from discreet.algorithms.functions.projection_tuning import Tuned, tune_leader
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import GradientSums
from discreet.learners import NoisyOco, SumCentre
from discreet.learners.functions.mirror_maps import ByProjection
from discreet.mechanisms import NoiseName
from discreet.problems import Functions
from discreet.sets import Projecting

SOURCE = "a leader on noisy sums of estimates, projected (docs/proofs.md: A noisy leader)"


@register_algorithm(
    name="private-fkm",
    twin="fkm",
    title="leader by projections, on private running sums of one value per round (a baseline)",
    problem=Functions(),
    fixed=("evaluations",),
    citation="thakurta2013nearly",
    builds_on=("flaxman2005online",),
    growth=Growth(0.75, shows_at=10.0),
)
def private_fkm(
    setting: Setting[Functions],
    *,
    sums: GradientSumName | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Lead by a private running sum of one-value estimates, with projections.

    The paper has a tree and a sum for every round. Here the noise hides one replaced term, the sums
    have the least noise, and batches have the length with the least bound. It is a baseline for
    private-projection-free; local-convex has the smaller bound for most numbers.
    """
    place, rounds = place_with(setting, Projecting), setting.rounds
    usual = (1, 4, 16, 64, math.isqrt(rounds))
    sizes = sorted({size for size in usual if 2 * size <= rounds})
    if batch_size is not None:
        sizes = [check_batch(setting, batch_size)]

    def tuned(size: int) -> tuple[Tuned, GradientSum, int]:
        found = least_noise(setting, size=size, sums=sums, noise=noise)
        parameters = tune_leader(
            setting,
            rounds=rounds,
            size=size,
            length=found.length,
            radius=radius,
            learning_rate=learning_rate,
            exact=True,
        )
        return parameters, found, size

    best, found, size = min(map(tuned, sizes), key=lambda each: each[0].bound)
    learner = NoisyOco.with_map(
        ByProjection(),
        set=place.set,
        inner=place.inner,
        radius=best.radius,
        learning_rate=best.rate,
    )
    proposal = Proposal(
        channel=GradientSums.over(found.channel, size=size, bounds=setting.bounds),
        learner=learner,
        parameters={
            **found.parameters,
            "batch_size": size,
            "radius": best.radius,
            "learning_rate": best.rate,
        },
        bound=best.bound,
        source=SOURCE,
        centre=SumCentre,
    )
    return decide(setting, proposal, when_vacuous)
