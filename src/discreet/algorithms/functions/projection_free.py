"""One value per round and a linear oracle: Ene, Nguyen & Vladu 2021, with corrected noise."""

from __future__ import annotations

import math
from dataclasses import replace

from discreet.algorithms.functions.common import (
    GradientSumName,
    NoiseTuning,
    Parameters,
    Proposal,
    WhenVacuous,
    check_batch,
    coordinates,
    decide,
    least_bound,
    least_noise,
    mean_square,
    noise_on_reports,
    place_with,
)
from discreet.algorithms.functions.one_point import descend_one_point
from discreet.algorithms.functions.projection_tuning import OracleBudget, tune_leader
from discreet.algorithms.functions.unknown_horizon import lead_in_epochs
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import GradientSums, PerRound, RoundedSums
from discreet.contracts import Channel
from discreet.errors import DiscreetError
from discreet.learners import (
    CentredProjectionFree,
    ProjectionFree,
    ReportedProjectionFree,
    RoundedCentre,
    RoundedProjectionFree,
    SumCentre,
)
from discreet.mechanisms import NoiseName
from discreet.problems import Functions
from discreet.sets import LinearOracle, Projecting

SOURCE = (
    "a leader on noisy sums of estimates, and exploration (see discreet.learners.functions.sums)"
)
REPORTED = (
    "a leader on sums of noisy estimates, and exploration (see "
    "discreet.learners.functions.reported)"
)
WORTH_IT = 0.97  # for a gain of a few percent, keep sums, which tend to the non-private algorithm
LOCAL_BATCH = 32  # rounds between two leaders, which keeps oracle calls below one per round
ONCE = "a leader on noisy sums of estimates, noise paid once (docs/proofs.md: Noise paid once)"


@register_algorithm(
    name="projection-free",
    title="leader computed by a linear oracle, from one value per round",
    problem=Functions(),
    fixed=("evaluations",),
    citation="garber2020improved",
    growth=Growth(0.75),
    anytime=True,
)
def projection_free(
    setting: Setting[Functions],
    *,
    batch_size: int | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    baseline: bool = False,
    budget: OracleBudget = "tolerance",
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Algorithm 1 of Ene et al. 2021 without noise, after Garber & Kretzu 2020.

    Batches have sqrt(T) rounds. For ``budget`` see private-projection-free.
    """
    if setting.unknown_horizon:
        refuse_in_epochs(radius=radius, learning_rate=learning_rate, baseline=baseline or None)
        return lead_in_epochs(setting, private=False, batch_size=batch_size, budget=budget)
    size = root_batch(setting, batch_size)
    channel = GradientSums.without_noise(
        size=size, dimension=coordinates(setting, baseline), bounds=setting.bounds
    )
    return lead_projection_free(
        setting,
        channel,
        size=size,
        length=0.0,
        parameters={},
        radius=radius,
        learning_rate=learning_rate,
        baseline=baseline,
        budget=budget,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="private-projection-free",
    twin="projection-free",
    title="leader computed by a linear oracle, on private running sums",
    problem=Functions(),
    fixed=("evaluations",),
    citation="ene2021projection",
    builds_on=("garber2020improved",),
    growth=Growth(0.75),
    anytime=True,
)
def private_projection_free(
    setting: Setting[Functions],
    *,
    tuning: NoiseTuning = "proved",
    sums: GradientSumName | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    baseline: bool = False,
    rounding: bool | None = None,
    budget: OracleBudget = "tolerance",
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Algorithm 1: sums of batches of estimates in a private running sum (central model).

    The noise hides one replaced term, not a whole batch; parameters have the least proved bound.
    With ``rounding``, the default for functions declared linear, public coins round values to an
    end of their range: then noise is provably paid for once. ``tuning=once`` uses the same
    parameters without rounding and without a proof.

    The leader is computed by a linear oracle up to R / sqrt(T), which takes less than one call per
    round on all sets here. ``budget=rounds`` guarantees at most one call per round; the bound then
    allows for a leader that is further away.

    If noise on every value has the smaller bound, it is used unless an option asks for sums: local
    privacy implies central privacy. It is then ``local-convex`` if the set has a projection and
    that bound is smaller still (``budget=rounds`` keeps the oracle).
    """
    if baseline and rounding:
        raise DiscreetError(
            "rounding and baseline are both given, but rounded values cannot use a baseline."
        )
    linear = setting.problem.form == "linear"
    rounded = linear and not baseline and tuning == "proved" if rounding is None else rounding
    if setting.unknown_horizon:
        refuse_in_epochs(radius=radius, learning_rate=learning_rate, baseline=baseline or None)
        return lead_in_epochs(
            setting,
            private=True,
            tuning=tuning,
            sums=sums,
            noise=noise,
            batch_size=batch_size,
            rounded=rounded,
            budget=budget,
        )
    size = root_batch(setting, batch_size)
    found = least_noise(
        setting, size=size, sums=sums, noise=noise, baseline=baseline, padding=rounded
    )
    kind = RoundedSums if rounded else GradientSums
    central = lead_projection_free(
        setting,
        kind.over(found.channel, size=size, bounds=setting.bounds),
        size=size,
        length=found.length,
        parameters=found.parameters,
        tuning=tuning,
        radius=radius,
        learning_rate=learning_rate,
        baseline=baseline,
        budget=budget,
        rounded=rounded,
        once=rounded and linear and found.is_steady,
        when_vacuous=when_vacuous,
    )
    asked = (sums, noise, batch_size, radius, learning_rate, rounding)
    if tuning != "proved" or baseline or any(each is not None for each in asked):
        return central
    local = lead_on_reports(setting, budget, when_vacuous)
    best = least_bound(central, local, share=WORTH_IT)
    if best is local and isinstance(setting.problem.place.set, Projecting) and budget != "rounds":
        # Not in place of sums: without noise they are the non-private algorithm, whose bound also
        # covers leaders without projections.
        return least_bound(local, descend_on_reports(setting, when_vacuous))
    return best


def lead_on_reports(
    setting: Setting[Functions], budget: OracleBudget, when_vacuous: WhenVacuous
) -> Instance:
    """Return the leader on values that have their own noise, which is local privacy."""
    place = place_with(setting, LinearOracle)
    noise = noise_on_reports(setting, setting.bounds, None)
    size = min(LOCAL_BATCH, setting.rounds)
    tuned = tune_leader(
        setting,
        rounds=setting.rounds,
        size=size,
        length=0.0,
        budget=budget,
        square=mean_square(noise, setting.bounds),
    )
    learner = ReportedProjectionFree.start(
        set=place.set,
        inner=place.inner,
        radius=tuned.radius,
        learning_rate=tuned.rate,
        batch=size,
        tolerance=tuned.tolerance,
        most=tuned.most,
    )
    proposal = Proposal(
        channel=PerRound(setting.bounds, noise),
        learner=learner,
        parameters={
            "channel": "local, which has the smaller bound",
            "noise": noise.kind,
            "batch_size": size,
            "radius": tuned.radius,
            "learning_rate": tuned.rate,
        },
        bound=tuned.bound,
        source=REPORTED,
    )
    return decide(setting, proposal, when_vacuous)


def descend_on_reports(setting: Setting[Functions], when_vacuous: WhenVacuous) -> Instance:
    """Return descent by projections on values that have their own noise: local-convex."""
    noise = noise_on_reports(setting, setting.bounds, None)
    found = descend_one_point(setting, noise, when_vacuous=when_vacuous)
    known = {"channel": "local, by projections, which has the smaller bound", "noise": noise.kind}
    return replace(found, parameters={**known, **found.parameters})


def refuse_in_epochs(**given: object) -> None:
    """Refuse options that need a known number of rounds."""
    for name, value in given.items():
        if value is not None:
            raise DiscreetError(
                f"{name} is given, but the number of rounds is unknown, so each epoch derives its "
                "own: omit it."
            )


def root_batch(setting: Setting[Functions], batch_size: int | None) -> int:
    """Return the length of a batch, sqrt(T) by default; there must be two of them."""
    return check_batch(setting, math.isqrt(setting.rounds) if batch_size is None else batch_size)


def lead_projection_free(
    setting: Setting[Functions],
    channel: Channel,
    *,
    size: int,
    length: float,
    parameters: Parameters,
    tuning: NoiseTuning = "proved",
    radius: float | None = None,
    learning_rate: float | None = None,
    baseline: bool = False,
    rounded: bool = False,
    once: bool = False,
    budget: OracleBudget = "tolerance",
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Return the leader on sums of batches whose noise has that ``length``, for unit directions.

    ``once`` states that noise is provably paid for once.
    """
    place = place_with(setting, LinearOracle)
    tuned = tune_leader(
        setting,
        rounds=setting.rounds,
        size=size,
        length=length,
        tuning=tuning,
        once=once,
        radius=radius,
        learning_rate=learning_rate,
        budget=budget,
    )
    learner = ProjectionFree.start(
        set=place.set,
        inner=place.inner,
        radius=tuned.radius,
        learning_rate=tuned.rate,
        tolerance=tuned.tolerance,
        most=tuned.most,
    )
    known = {**parameters, "batch_size": size, "radius": tuned.radius, "learning_rate": tuned.rate}
    if baseline:
        proposal = Proposal(
            channel=channel,
            learner=CentredProjectionFree.around(learner),
            parameters=known | {"baseline": "mean so far"},
            bound=None,
            source="no bound proved: the baseline depends on the rounds from which it is "
            "subtracted",
            centre=SumCentre,
        )
        return decide(setting, proposal, when_vacuous)
    by: Parameters = {"tuning": tuning} if length > 0.0 else {}
    proposal = Proposal(
        channel=channel,
        learner=RoundedProjectionFree.around(learner) if rounded else learner,
        parameters=known | by | ({"values": "rounded by coins"} if rounded else {}),
        bound=tuned.bound,
        source=ONCE if once else SOURCE,
        centre=RoundedCentre if rounded else SumCentre,
    )
    return decide(setting, proposal, when_vacuous)
