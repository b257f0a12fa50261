"""Which running sum a full-information algorithm learns from, and how large the noise in it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from discreet.algorithms.registry import Setting
from discreet.channels import Buffered, SquareRoot, Tree
from discreet.channels.tree import tree_noise
from discreet.errors import DiscreetError
from discreet.factorisations import buffered, reduction
from discreet.mechanisms import CubeLaplace, Laplace, SphericalLaplace
from discreet.problems import Points
from discreet.sets import Geometry

Sums = Literal["tree", "honaker", "sqrt-toeplitz", "blt"]
Noise = Literal["laplace", "spherical", "cube", "gaussian"]
TREES = ("tree", "honaker")
PURE: tuple[Noise, ...] = ("laplace", "spherical", "cube")


class RunningSum(NamedTuple):
    """A channel for running sums, and the size of the noise in them."""

    channel: Any  # that releases all prefix sums
    sums: Sums
    noise: Noise
    padding: bool
    most: float  # the largest standard deviation in a coordinate of a sum
    least: float  # the smallest
    draws: int  # how many independent noises a sum holds, at most
    steady: bool  # whether its distribution is the same in all sums, or Gaussian with a variance that never falls

    @property
    def parameters(self) -> dict[str, str | int]:
        """What was chosen."""
        padded = {"padding": "true" if self.padding else "false"} if self.sums == "tree" else {}
        return {"sums": self.sums, **padded}

    @property
    def reach(self) -> float:
        """Below which tilts noise that is not Gaussian has moments."""
        return 1.0 / float(self.channel.mechanism.scale)

    def moment(self, tilt: float) -> float:
        """Return the logarithm of E exp(tilt Z), Z the noise in a coordinate of a sum with all its draws.

        For N coordinates with density proportional to exp(-‖z‖ / s): 1-norm 1 / (1 - u²), u = s tilt; 2-norm
        (1 - u²)^(-(N + 1) / 2); largest entry ((1 - u)^-N - (1 + u)^-N) / (2 N u). Infinite from u = 1 on.
        """
        if self.noise == "gaussian":
            return (tilt * self.most) ** 2 / 2.0
        size, u = int(self.channel.losses.dimension), tilt / self.reach
        if u >= 1.0:
            return math.inf
        if self.noise == "cube":
            below, above = -size * math.log1p(-u), -size * math.log1p(u)
            one = below + math.log(-math.expm1(above - below)) - math.log(2.0 * size * u)
        else:
            one = -math.log1p(-(u**2)) * (1.0 if self.noise == "laplace" else (size + 1) / 2.0)
        return self.draws * one


Bound = Callable[[RunningSum], float | None]  # None where none is proved


def choose(
    setting: Setting[Points],
    geometry: Geometry,
    bound: Bound,
    *,
    sums: Sums | None,
    noise: Noise | None,
    padding: bool | None,
) -> RunningSum:
    """Return the running sum with the least proved bound among those that were left open.

    The square-root factorisation is never chosen by itself: it remembers all rounds, and gains less than 1 % on buffers.
    """
    _check(setting, sums, noise, padding)
    kinds: list[Sums] = (
        [sums]
        if sums
        else ["blt", "tree"]
        if setting.delta > 0.0 and noise in (None, "gaussian") and padding is None
        else ["tree"]
    )
    best: tuple[float, RunningSum] | None = None
    for kind in kinds:
        for candidate in _candidates(setting, geometry, kind, noise, padding):
            proved = bound(candidate)
            value = math.inf if proved is None else proved
            if best is None or value < best[0]:
                best = value, candidate
    assert best is not None
    return best[1]


def _candidates(
    setting: Setting[Points], geometry: Geometry, sums: Sums, noise: Noise | None, padding: bool | None
) -> Iterator[RunningSum]:
    if sums not in TREES:
        yield _factorised(setting, geometry, sums)
        return
    noises: tuple[Noise, ...] = (noise,) if noise else PURE if setting.delta == 0.0 else (*PURE, "gaussian")
    paddings = [False] if sums == "honaker" else [True, False] if padding is None else [padding]
    for kind in noises:
        for padded in paddings:
            yield planted(setting, geometry, sums, kind, padded)


def planted(
    setting: Setting[Points], geometry: Geometry, sums: Sums, noise: Noise, padding: bool, mechanism: Any = None
) -> RunningSum:
    """Return a tree, with the least noise for the guarantee if no mechanism is given."""
    prefixes = setting.rounds - 1  # round t learns from the sum of t - 1 vectors
    levels = prefixes.bit_length()
    if mechanism is None:
        mechanism = tree_noise(
            geometry.losses, prefixes=prefixes, epsilon=setting.epsilon, delta=setting.delta, noise=noise
        )
    one = node_deviation(mechanism, geometry.dimension)
    channel = Tree.over(geometry.losses, mechanism, prefixes=prefixes, reduced=sums == "honaker", padding=padding)
    if sums == "honaker":
        variances = reduction(levels)
        most, least = math.sqrt(float(variances.sum())), math.sqrt(float(variances[-1]))
    else:
        most, least = math.sqrt(levels), math.sqrt(levels) if padding else 1.0
    return RunningSum(channel, sums, noise, padding, one * most, one * least, levels, padding)


def _factorised(setting: Setting[Points], geometry: Geometry, sums: Sums) -> RunningSum:
    prefixes = setting.rounds - 1
    if sums == "blt":
        channel: Any = Buffered.over(geometry.losses, prefixes=prefixes, epsilon=setting.epsilon, delta=setting.delta)
        growth = buffered(max(2, prefixes)).row_norm(prefixes)
    else:
        channel = SquareRoot.over(geometry.losses, prefixes=prefixes, epsilon=setting.epsilon, delta=setting.delta)
        growth = float(np.sqrt((channel.coefficients**2).sum()))
    scale = channel.mechanism.scale
    return RunningSum(channel, sums, "gaussian", False, scale * growth, scale, 1, True)


def node_deviation(mechanism: Any, dimension: int) -> float:
    """Return the standard deviation of a coordinate of one noise."""
    if isinstance(mechanism, Laplace):
        return math.sqrt(2.0) * mechanism.scale
    if isinstance(mechanism, SphericalLaplace):
        return math.sqrt(dimension + 1.0) * mechanism.scale
    if isinstance(mechanism, CubeLaplace):
        return math.sqrt((dimension + 1.0) * (dimension + 2.0) / 3.0) * mechanism.scale
    return float(mechanism.scale)


def _check(setting: Setting[Points], sums: Sums | None, noise: Noise | None, padding: bool | None) -> None:
    if sums is not None and sums not in TREES:
        if setting.delta == 0.0:
            raise DiscreetError(
                f"sums is {sums}, whose noise is Gaussian, but delta is 0: give a delta above 0, or use tree or honaker."
            )
        if noise not in (None, "gaussian"):
            raise DiscreetError(f"noise is {noise}, but {sums} has a proof for gaussian only: use tree or honaker.")
    if noise == "gaussian" and setting.delta == 0.0:
        raise DiscreetError("noise is gaussian, but delta is 0: give a delta above 0, or use laplace, spherical or cube.")
    if padding and sums not in (None, "tree"):
        raise DiscreetError(f"padding is for tree, but sums is {sums}.")
