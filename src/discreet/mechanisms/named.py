"""Noise by its name."""

from __future__ import annotations

from typing import Literal

from discreet.contracts import Noise
from discreet.errors import unknown_name
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.norms import CubeLaplace, SphericalLaplace

NoiseName = Literal["laplace", "spherical", "cube", "gaussian"]
NOISES: dict[str, type[Noise]] = {
    "laplace": Laplace,
    "spherical": SphericalLaplace,
    "cube": CubeLaplace,
    "gaussian": Gaussian,
}
PURE: tuple[NoiseName, ...] = ("laplace", "spherical", "cube")  # which need no delta


def noise_named(name: str) -> type[Noise]:
    """Return the noise of this name.

    >>> noise_named("cube").for_guarantee(sensitivity=3.0, epsilon=1.0, delta=0.0)
    CubeLaplace(scale=3.0)
    """
    if name not in NOISES:
        raise unknown_name("noise", name, NOISES)
    return NOISES[name]
