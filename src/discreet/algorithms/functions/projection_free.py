"""One value a round and a linear oracle: Ene, Nguyen & Vladu 2021, Algorithm 1, with corrected noise and analysis."""

from __future__ import annotations

import math

from componentjit import compilable
from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.functions.checking import batch_of, check_given
from discreet.algorithms.functions.running import (
    Sums,
    Tuning,
    coordinates,
    least_noise,
    noise_length,
)
from discreet.algorithms.functions.tuning import (
    MOST_OF_INNER,
    Plan,
    WhenVacuous,
    instance,
    least,
    looking_cost,
    place_with,
    steepest,
)
from discreet.algorithms.papers import ENE, GARBER
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import GradientSums, RoundedSums, RunningSum
from discreet.channels.gradient_sums import moves, prefixes_for
from discreet.contracts import Channel, Noise
from discreet.errors import DiscreetError, check_positive
from discreet.factorisations import Tree
from discreet.learners import (
    CentredProjectionFree,
    Corrective,
    ProjectionFree,
    RoundedCentre,
    RoundedProjectionFree,
    SumCentre,
)
from discreet.mechanisms import Gaussian, Laplace, NoiseName
from discreet.problems import Functions
from discreet.sets import LinearOracle

SOURCE = (
    "a leader on noisy sums of estimates, and looking around (see discreet.learners.functions.sums)"
)
ONCE = "a leader on noisy sums of estimates, noise paid once (docs/proofs.md: Noise paid once)"
TOLERANCE = 0.003  # outer radii that a leader may be from the minimum


@register_algorithm(
    name="projection-free",
    title="leader by a linear oracle, from one value a round",
    problem=Functions(),
    fixed=("evaluations",),
    citation=GARBER,
    growth=Growth(0.75),
)
def projection_free(
    setting: Setting[Functions],
    *,
    batch_size: int | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Algorithm 1 of Ene et al. 2021 without noise, after Garber & Kretzu 2020: batches of sqrt(T) rounds."""
    size = _size(setting, batch_size)
    channel = GradientSums.without_noise(
        size=size, dimension=coordinates(setting, baseline), bounds=setting.bounds
    )
    plan = _plan(
        setting, channel, size, 0.0, "proved", radius, learning_rate, {}, baseline=baseline
    )
    return instance(setting, plan, when_vacuous)


@register_algorithm(
    name="private-projection-free",
    twin="projection-free",
    title="leader by a linear oracle, on private running sums",
    problem=Functions(),
    fixed=("evaluations",),
    citation=ENE,
    builds_on=(GARBER,),
    growth=Growth(0.75),
)
def private_projection_free(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    tuning: Tuning = "proved",
    sums: Sums | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    baseline: bool = False,
    rounding: bool | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Algorithm 1: sums of batches of estimates in a private running sum (central model).

    Tight: noise for one replaced term, not for a whole batch, and parameters with the least proved
    bound. With ``rounding``, the default for functions that are declared linear, values are rounded
    to an end of their range by public coins: then noise is paid for once, and it is proved.
    ``tuning=once`` takes the parameters for that without rounding, of which nothing is proved. The
    paper's noise and parameters are those of Lemmas 5.1 and 5.4, with logarithms to base 2 for
    levels of the tree.
    """
    size = _size(setting, batch_size)
    if calibration == "paper":
        if baseline or rounding:
            name = "baseline" if baseline else "rounding"
            raise DiscreetError(f"calibration is paper, which has no {name}: leave it out.")
        return _paper(setting, size, when_vacuous, sums, noise, radius, learning_rate)
    if baseline and rounding:
        raise DiscreetError(
            "rounding and baseline are both given, but a rounded value has no use for a baseline."
        )
    linear = setting.problem.form == "linear"
    rounded = linear and not baseline and tuning == "proved" if rounding is None else rounding
    found = least_noise(
        setting, size=size, sums=sums, noise=noise, baseline=baseline, padding=rounded
    )
    kind = RoundedSums if rounded else GradientSums
    plan = _plan(
        setting,
        kind.over(found.channel, size=size, bounds=setting.bounds),
        size,
        found.length,
        tuning,
        radius,
        learning_rate,
        found.parameters,
        baseline=baseline,
        rounded=rounded,
        once=rounded and linear and found.is_steady,
    )
    return instance(setting, plan, when_vacuous)


def _size(setting: Setting[Functions], batch_size: int | None) -> int:
    """Return the length of a batch; there must be two of them."""
    return batch_of(setting, math.isqrt(setting.rounds) if batch_size is None else batch_size)


def _plan(
    setting: Setting[Functions],
    channel: Channel,
    size: int,
    length: float,
    tuning: Tuning,
    radius: float | None,
    learning_rate: float | None,
    parameters: dict[str, float | int | str],
    *,
    baseline: bool = False,
    rounded: bool = False,
    once: bool = False,
) -> Plan:
    """Return the learner whose sums have noise of that length, for directions of length 1.

    ``once`` says that noise which is paid for once is proved.
    """
    place, rounds, slope = place_with(setting, LinearOracle), setting.rounds, steepest(setting)
    batches = -(-rounds // size)
    check_given(radius=radius, learning_rate=learning_rate)

    def own(looking: float) -> float:
        spread = size * (place.flat / looking) ** 2 / 4.0
        return batches * (spread + (size * slope) ** 2) / 4.0

    def paid(looking: float, in_all: bool) -> float:
        noise = place.flat / looking * length
        return noise**2 / 4.0 if in_all else rounds * slope * noise / 2.0

    def tuned_by(looking: float) -> float:
        return own(looking) + paid(looking, once or tuning == "once")

    def rate(looking: float) -> float:
        return (
            place.outer / math.sqrt(tuned_by(looking)) if learning_rate is None else learning_rate
        )

    def cost(looking: float) -> float:
        steps = place.outer**2 / rate(looking) + rate(looking) * tuned_by(looking)
        return steps + rounds * looking_cost(setting, looking)

    chosen = least(cost, place.inner) if radius is None else radius
    near = TOLERANCE * place.outer
    # An oracle in Python is worth sparing; with a baseline all parts are those of the plain
    # learner.
    kind = ProjectionFree if baseline or compilable(place.set) else Corrective
    learner = kind.start(
        set=place.set,
        inner=place.inner,
        radius=chosen,
        learning_rate=check_positive("learning_rate", rate(chosen)),
        tolerance=near,
        most=math.ceil(16.0 / TOLERANCE**2),
    )
    bound = place.outer**2 / rate(chosen) + rate(chosen) * (own(chosen) + paid(chosen, once))
    known = {**parameters, "batch_size": size, "radius": chosen, "learning_rate": rate(chosen)}
    if baseline:
        return Plan(
            channel=channel,
            learner=CentredProjectionFree.around(learner),
            parameters=known | {"baseline": "mean so far"},
            bound=None,
            source="no bound proved: the baseline depends on the rounds from which it is subtracted",
            centre=SumCentre,
        )
    tuned: dict[str, float | int | str] = {"tuning": tuning} if length > 0.0 else {}
    return Plan(
        channel=channel,
        learner=RoundedProjectionFree.around(learner) if rounded else learner,
        parameters=known | tuned | ({"values": "rounded by coins"} if rounded else {}),
        bound=bound + rounds * (looking_cost(setting, chosen) + slope * near),
        source=ONCE if once else SOURCE,
        centre=RoundedCentre if rounded else SumCentre,
    )


def _paper(
    setting: Setting[Functions],
    size: int,
    when_vacuous: WhenVacuous,
    sums: Sums | None,
    noise: NoiseName | None,
    radius: float | None,
    learning_rate: float | None,
) -> Instance:
    """Return Algorithm 1 as printed, but for the sign, the delay, and a radius that stays in the set."""
    check_given(radius=radius, learning_rate=learning_rate)
    place, rounds, slope = setting.problem.place, setting.rounds, setting.problem.lipschitz
    printed = "laplace" if setting.delta == 0.0 else "gaussian"
    if sums not in (None, "tree") or noise not in (None, printed):
        raise DiscreetError(
            f"calibration is paper, which has a tree with {printed} noise here: leave sums and "
            "noise out."
        )
    diameter, dimension = 2.0 * place.outer, place.dimension
    usual = min(diameter * math.sqrt(dimension) / rounds**0.25, MOST_OF_INNER * place.inner)
    looking = usual if radius is None else radius
    # printed for the sum of (n / ζ) f u; ours is that of u times f in widths of the range
    unit = looking / place.flat
    running = RunningSum.over(
        moves(dimension, size),
        _paper_noise(setting, slope * unit),
        Tree,
        prefixes=prefixes_for(rounds, size),
        padding=True,
    )
    channel = GradientSums.over(running, size=size, bounds=setting.bounds)
    rate = (
        2.0 * diameter / (rounds**0.75 * math.sqrt(dimension) * slope)
        if learning_rate is None
        else learning_rate
    )
    parameters: dict[str, float | int | str] = {"sums": "tree", "noise": printed}
    plan = _plan(
        setting,
        channel,
        size,
        noise_length(running, place.flat),
        "proved",
        looking,
        rate,
        parameters,
    )
    return instance(setting, plan, when_vacuous)


def _paper_noise(setting: Setting[Functions], slope: float) -> Noise:
    """Return the noise of Lemmas 5.1 and 5.4; ``slope`` is L in the units of what is released."""
    rounds, dimension = setting.rounds, setting.problem.place.dimension
    levels = math.log2(rounds)
    if setting.delta == 0.0:
        return Laplace(math.sqrt(rounds) * dimension * slope * levels / setting.epsilon)
    rare = math.log((dimension + rounds) / setting.delta)
    concentration = rare + math.sqrt((1.0 + math.sqrt(rounds) / dimension) * rare)
    spread = (
        rounds**0.25
        * math.sqrt(dimension)
        * slope
        * levels
        * math.log(rounds / setting.delta)
        / setting.epsilon
    )
    return Gaussian(spread * concentration, setting.delta)
