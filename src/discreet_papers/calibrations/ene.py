"""Ene, Nguyen & Vladu 2021, as printed: projection-free leaders on private running sums."""

from __future__ import annotations

import math

from discreet.algorithms import Instance, Setting, functions
from discreet.channels import GradientSums
from discreet.contracts import Noise
from discreet.errors import DiscreetError
from discreet.mechanisms import Gaussian, Laplace, NoiseName
from discreet.problems import Functions
from discreet_papers.calibrations.claims import printed


@printed("private-projection-free")
def private_projection_free(
    setting: Setting[Functions],
    *,
    sums: functions.GradientSumName | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Algorithm 1, except for the sign, the delay, and a radius that stays in the set.

    Noise and parameters are those of Lemmas 5.1 and 5.4, with logarithms to base 2 for levels of
    the tree. A batch has at most as many oracle calls as rounds.
    """
    size = functions.root_batch(setting, batch_size)
    functions.check_given(radius=radius, learning_rate=learning_rate)
    place, rounds, slope = setting.problem.place, setting.rounds, setting.problem.lipschitz
    kind = "laplace" if setting.delta == 0.0 else "gaussian"
    if sums not in (None, "tree") or noise not in (None, kind):
        raise DiscreetError(
            f"calibration='paper' fixes a tree with {kind} noise here; do not set sums or noise."
        )
    diameter, dimension = 2.0 * place.outer, place.dimension
    most = functions.MOST_OF_INNER * place.inner
    usual = min(diameter * math.sqrt(dimension) / rounds**0.25, most)
    looking = usual if radius is None else radius
    # printed for the sum of (N / ζ) f u; discreet's is that of u times f in widths of the range
    unit = looking / place.flat
    found = functions.tree_with(setting, _noise(setting, slope * unit), size=size)
    rate = 2.0 * diameter / (rounds**0.75 * math.sqrt(dimension) * slope)
    return functions.lead_projection_free(
        setting,
        GradientSums.over(found.channel, size=size, bounds=setting.bounds),
        size=size,
        length=found.length,
        parameters={"sums": "tree", "noise": kind},
        radius=looking,
        learning_rate=rate if learning_rate is None else learning_rate,
        budget="rounds",
        when_vacuous=when_vacuous,
    )


def _noise(setting: Setting[Functions], slope: float) -> Noise:
    """Return the noise of Lemmas 5.1 and 5.4; ``slope`` is L in the units of what is released."""
    rounds, dimension = setting.rounds, setting.problem.place.dimension
    levels = math.log2(rounds)
    if setting.delta == 0.0:
        return Laplace(math.sqrt(rounds) * dimension * slope * levels / setting.epsilon)
    rare = math.log((dimension + rounds) / setting.delta)
    concentration = rare + math.sqrt((1.0 + math.sqrt(rounds) / dimension) * rare)
    log = math.log(rounds / setting.delta)
    spread = rounds**0.25 * math.sqrt(dimension) * slope * levels * log / setting.epsilon
    return Gaussian(spread * concentration, setting.delta)
