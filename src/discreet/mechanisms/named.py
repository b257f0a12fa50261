"""Noise by its name."""

from __future__ import annotations

from typing import Literal

from discreet.contracts import Noise
from discreet.errors import DiscreetError, unknown_name
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.norms import CubeLaplace, SphericalLaplace
from discreet.mechanisms.response import RandomisedResponse
from discreet.ranges import Range

NoiseName = Literal["laplace", "spherical", "cube", "gaussian"]
NOISES: dict[str, type[Noise]] = {
    "laplace": Laplace,
    "spherical": SphericalLaplace,
    "cube": CubeLaplace,
    "gaussian": Gaussian,
}
ReportNoiseName = Literal["laplace", "response", "gaussian"]  # for one number a report
PURE: tuple[NoiseName, ...] = ("laplace", "spherical", "cube")  # which need no delta


def noise_named(name: str) -> type[Noise]:
    """Return the noise of this name.

    >>> noise_named("cube").for_guarantee(sensitivity=3.0, epsilon=1.0, delta=0.0)
    CubeLaplace(scale=3.0)
    """
    if name not in NOISES:
        raise unknown_name("noise", name, NOISES)
    return NOISES[name]


def report_noise(name: str, *, bounds: Range, epsilon: float, delta: float) -> Noise:
    """Return the least noise of this name with which each number of a range is released for (epsilon, delta).

    >>> report_noise("response", bounds=Range(0.0, 1.0), epsilon=1.0, delta=0.0).scale
    1.0819...
    """
    if name == "response":
        return RandomisedResponse.calibrate(bounds=bounds, epsilon=epsilon)
    if name == "gaussian" and delta <= 0.0:
        raise DiscreetError(
            "noise is gaussian, but delta is 0: give a delta above 0, or use laplace or response."
        )
    return noise_named(name).for_guarantee(sensitivity=bounds.width, epsilon=epsilon, delta=delta)
