"""Common parts of algorithms on functions: costs, noise, running sums, vacuous bounds.

All numbers here are in widths of the declared range; only the bound of an instance is in the units
of the losses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from discreet.algorithms.registry import Instance, Setting
from discreet.channels import RunningSum
from discreet.channels.gradient_sums import moves, prefixes_for
from discreet.contracts import Channel, Learner, Noise
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.factorisations import FACTORISATIONS
from discreet.learners import Centre
from discreet.mechanisms import PURE, NoiseName, ReportNoiseName, noise_named, report_noise
from discreet.private import Private
from discreet.problems import Domain, Functions
from discreet.ranges import Range, make_range
from discreet.sets import LinearOracle, check_ability, check_room

Parameters = dict[str, float | int | str]
WhenVacuous = Literal["centre", "play"]
GradientSumName = Literal["tree", "honaker", "sqrt-toeplitz", "blt"]
NoiseTuning = Literal["proved", "once"]
TREES = ("tree", "honaker")  # sums whose privacy is proved for every noise
WITHOUT_NOISE = 0.25  # the largest square of a loss around the middle of its range
INSTEAD = (
    "private-projection-free plays every set, and private-linear-oracle every set with vertices."
)
MOST_OF_INNER = 0.9  # the largest exploration radius of a learner, in inner radii


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """An algorithm before the decision whether it is worth playing."""

    channel: Channel
    learner: Learner
    parameters: Parameters
    bound: float | None  # in widths of the range; None if none is proved
    source: str
    centre: type[Centre] = Centre  # the learner behind the channel if the bound is vacuous


def decide(setting: Setting[Functions], proposal: Proposal, when_vacuous: WhenVacuous) -> Instance:
    """Return the algorithm, or one that plays the centre if the bound is not below its regret."""
    problem, bound = setting.problem, proposal.bound
    width, staying = setting.bounds.width, setting.rounds * problem.blind_regret(make_range())
    if bound is None or bound < staying or when_vacuous == "play":
        return Instance(
            private=Private(proposal.channel, proposal.learner),
            parameters=proposal.parameters,
            regret_bound=None if bound is None else width * min(bound, setting.rounds),
            bound_source=proposal.source,
        )
    centre = proposal.centre.start(set=problem.place.set, points=problem.evaluations)
    return Instance(
        private=Private(proposal.channel, centre),
        parameters={"plays": "the centre"},
        regret_bound=width * staying,
        bound_source=f"the centre is played: its regret is at most {width * staying:,.0f}, and "
        f"the bound for learning is {width * bound:,.0f} (when_vacuous=play learns anyway)",
    )


def least_bound(central: Instance, local: Instance, *, share: float = 1.0) -> Instance:
    """Return the algorithm with the smaller bound: local privacy implies central privacy.

    The local bound must be below this ``share`` of the other.
    """
    mine, other = central.regret_bound, local.regret_bound
    if mine is None or other is None:
        return central
    return local if other < share * mine else central


def place_with(setting: Setting[Functions], ability: type[LinearOracle]) -> Domain:
    """Return the domain, or refuse a set without interior or without the required ability."""
    place = setting.problem.place
    try:
        check_ability(place.set, ability)
    except DiscreetError as refusal:
        raise DiscreetError(f"{refusal} {INSTEAD}") from None
    check_room(place.set)
    return place


def steepest(setting: Setting[Functions]) -> float:
    """Return a slope that no function exceeds: the declared one, and 1 / 2 r for linear functions.

    They are within their range on a ball of radius r, across which a slope of G makes a difference
    of 2 r G.
    """
    slope, linear = setting.problem.lipschitz, setting.problem.form == "linear"
    return min(slope, 0.5 / setting.problem.place.inner) if linear else slope


def looking_cost(setting: Setting[Functions], radius: float) -> float:
    """Return the largest cost of a round in which a learner explores at radius ζ = ``radius``.

    It is (2 + R / r) G ζ, or β ζ² + (R / r) G ζ for functions of smoothness β: playing, and
    smoothing the rival's function, cost β ζ² / 2 each. For linear functions only the smaller set
    costs anything.
    """
    problem, place, slope = setting.problem, setting.problem.place, steepest(setting)
    smaller_set = place.outer / place.inner * slope * radius
    plain = 2.0 * slope * radius
    if problem.form == "linear":
        return smaller_set
    smooth = problem.smoothness * radius**2 if problem.smoothness > 0.0 else math.inf
    return smaller_set + min(plain, smooth)


def least_radius(cost: Callable[[float], float], inner: float) -> float:
    """Return the radius with the least cost, which falls and then rises."""
    from scipy.optimize import minimize_scalar

    top = math.log(MOST_OF_INNER * inner)
    # e^-25: no best radius is as small as 10^-11 inner radii
    found = minimize_scalar(
        lambda power: cost(math.exp(power)), bounds=(top - 25.0, top), method="bounded"
    )
    ends = math.exp(float(found.x)), MOST_OF_INNER * inner
    return min(ends, key=cost)


def noise_on_reports(
    setting: Setting[Functions],
    bounds: Range,
    noise: ReportNoiseName | None,
    square: float = WITHOUT_NOISE,
) -> Noise:
    """Return the noise on each report, a number in ``bounds``; the default has the least bound.

    That is the least mean square around the middle. If only the range of reports is known, it is
    randomised response for every epsilon and delta. If their own mean ``square`` is smaller, it is
    another noise for large epsilons.
    """
    names: tuple[ReportNoiseName, ...] = (noise,) if noise else ("response", "laplace")
    if not noise and setting.delta > 0.0:
        names = (*names, "gaussian")
    found = [
        report_noise(name, bounds=bounds, epsilon=setting.epsilon, delta=setting.delta)
        for name in names
    ]
    return min(found, key=lambda each: mean_square(each, bounds, square))


def mean_square(noise: Noise | None, bounds: Range, square: float = WITHOUT_NOISE) -> float:
    """Return the mean square of a release around 1/2, as a fraction of the range.

    ``square`` is the mean square of the value before noise.
    """
    if noise is None:
        return square
    return noise.noisy_square(square * bounds.width**2, bounds.width) / bounds.width**2


def difference_square(dimension: int, steeper: float = 1.0) -> float:
    """Return the mean square of f(x + ζ u) - f(x - ζ u), in squares of its range ±2 ζ G.

    It is at most 1 / 4 (d - 1) for functions of slope G (docs/regret.md: Two points), and 1 / 4 in
    any case. ``steeper`` is their slope in multiples of what the range allows.

    >>> difference_square(10) * 36, difference_square(1), difference_square(2)
    (1.0, 0.25, 0.25)
    """
    return min(WITHOUT_NOISE, steeper**2 / (4.0 * max(dimension - 1, 1)))


def require_declared(
    setting: Setting[Functions], name: Literal["curvature", "smoothness"], algorithm: str
) -> float:
    """Return the declared bound on second derivatives, or refuse if it is missing."""
    value = setting.problem.curvature if name == "curvature" else setting.problem.smoothness
    if not value > 0.0:
        raise DiscreetError(
            f"{name} is 0, but {algorithm} needs it to be declared: give a value above 0."
        )
    return value


def check_given(**numbers: float | None) -> None:
    """Refuse given numbers, by name, that are not above 0."""
    for name, value in numbers.items():
        if value is not None:
            check_positive(name, value)


def check_batch(setting: Setting[Functions], batch_size: int) -> int:
    """Return the length of a batch, or refuse a length of which a game has fewer than two."""
    size = check_int("batch_size", batch_size, minimum=1)
    if setting.rounds < 2 * size:
        raise DiscreetError(
            f"rounds is {setting.rounds}, but two batches of {size} rounds need at least "
            f"{2 * size}."
        )
    return size


class GradientSum(NamedTuple):
    """A running sum of gradients of length 1, and the largest root mean square of its noise."""

    channel: RunningSum
    sums: str
    length: float

    @property
    def parameters(self) -> Parameters:
        """The parameters that were chosen."""
        return {"sums": self.sums, "noise": self.channel.noise.kind}

    @property
    def is_steady(self) -> bool:
        """Whether all sums have the same noise, or Gaussian noise whose variance never falls."""
        return self.channel.factorisation.noise_spread().steady


def coordinates(setting: Setting[Functions], baseline: bool) -> int:
    """Return the number of coordinates of a sum: one more if there is a baseline."""
    return setting.problem.place.dimension + int(baseline)


def least_noise(
    setting: Setting[Functions],
    *,
    size: int,
    sums: GradientSumName | None,
    noise: NoiseName | None,
    baseline: bool = False,
    padding: bool = False,
) -> GradientSum:
    """Return the sum over batches of ``size`` rounds with the least noise, among open choices.

    For live use, noise that cannot be drawn exactly is skipped, or refused if it was asked for.
    """
    if sums is not None and sums not in TREES and setting.delta == 0.0:
        raise DiscreetError(
            f"sums is {sums}, whose noise is Gaussian, but delta is 0: give a delta above 0, or "
            "use tree."
        )
    if noise == "gaussian" and setting.delta == 0.0:
        raise DiscreetError(
            "noise is gaussian, but delta is 0: give a delta above 0, or use laplace or spherical."
        )
    if sums is not None and sums not in TREES and noise not in (None, "gaussian"):
        raise DiscreetError(
            f"noise is {noise}, but sums={sums} is proved for gaussian noise only: use tree or "
            "honaker."
        )
    kinds: tuple[str, ...] = ("blt", "tree") if setting.delta > 0.0 else ("tree",)
    names: tuple[NoiseName, ...] = PURE if setting.delta == 0.0 else (*PURE, "gaussian")
    place, dimension = setting.problem.place, coordinates(setting, baseline)
    found = []
    for kind in (sums,) if sums else kinds:
        for name in (noise,) if noise else names:
            exact = noise or not setting.live or noise_named(name).has_exact_twin
            if not exact or (kind not in TREES and name != "gaussian"):
                continue
            channel = RunningSum.calibrated(
                moves(dimension, size),
                FACTORISATIONS[kind],
                prefixes=prefixes_for(setting.rounds, size),
                noise=name,
                epsilon=setting.epsilon,
                delta=setting.delta,
                padding=padding and kind == "tree",
            )
            length = _noise_length(channel, place.flat + dimension - place.dimension)
            found.append(GradientSum(channel, kind, length))
    return min(found, key=lambda each: each.length)


def tree_with(setting: Setting[Functions], noise: Noise, *, size: int) -> GradientSum:
    """Return a padded tree over batches of ``size`` rounds with this noise."""
    place = setting.problem.place
    channel = RunningSum.over(
        moves(place.dimension, size),
        noise,
        FACTORISATIONS["tree"],
        prefixes=prefixes_for(setting.rounds, size),
        padding=True,
    )
    return GradientSum(channel, "tree", _noise_length(channel, place.flat))


def _noise_length(channel: RunningSum, flat: int) -> float:
    """Return the largest root mean square of the noise in a sum, in a hull of that dimension."""
    deviation = channel.noise.deviation(channel.losses.dimension)
    return math.sqrt(flat) * deviation * channel.factorisation.noise_spread().most
