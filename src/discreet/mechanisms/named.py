"""Noise by name, and no noise at all."""

from __future__ import annotations

from typing import ClassVar, Literal

from discreet.contracts import Floats, Generator, Noise
from discreet.errors import DiscreetError, unknown_name
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.bits import RandomisedResponse
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import CubeLaplace, Laplace, SphericalLaplace
from discreet.ranges import Range


class Silent(Noise):
    """Adds nothing and guarantees nothing.

    >>> Silent().guarantee(1.0, model="local", source="nothing").is_private
    False
    """

    kind: ClassVar[str] = "no noise"
    norm: ClassVar[float] = 2.0
    has_memory: ClassVar[bool] = False

    scale: float = 0.0

    def unit_variance(self, dimension: int) -> float:
        """Return 0."""
        return 0.0

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return the value."""
        return value

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Leave the vector unchanged."""

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return no guarantee."""
        return Guarantee.none("no noise is added")


NoiseName = Literal["laplace", "spherical", "cube", "gaussian"]
NOISES: dict[str, type[Noise]] = {
    "laplace": Laplace,
    "spherical": SphericalLaplace,
    "cube": CubeLaplace,
    "gaussian": Gaussian,
}
ReportNoiseName = Literal["laplace", "response", "gaussian"]  # for reports of one number
PURE: tuple[NoiseName, ...] = ("laplace", "spherical", "cube")  # these need no delta


def noise_named(name: str) -> type[Noise]:
    """Return the noise of this name.

    >>> noise_named("cube").for_guarantee(sensitivity=3.0, epsilon=1.0, delta=0.0)
    CubeLaplace(scale=3.0)
    """
    if name not in NOISES:
        raise unknown_name("noise", name, NOISES)
    return NOISES[name]


def report_noise(name: str, *, bounds: Range, epsilon: float, delta: float) -> Noise:
    """Return the least noise of this name for (epsilon, delta) on numbers of a range.

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
