"""Which running sum of gradients an algorithm learns from, and how long the noise in it is."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from discreet.algorithms.registry import Setting
from discreet.channels import RunningSum
from discreet.channels.gradient_sums import moves, prefixes_for
from discreet.errors import DiscreetError
from discreet.factorisations import FACTORISATIONS
from discreet.mechanisms import PURE, NoiseName, noise_named
from discreet.problems import Functions

Sums = Literal["tree", "honaker", "sqrt-toeplitz", "blt"]
Tuning = Literal["proved", "once"]
TREES = ("tree", "honaker")


class Found(NamedTuple):
    """A running sum of gradients, and the root mean square length of its noise, at most, for directions of length 1."""

    channel: RunningSum
    sums: str
    length: float

    @property
    def parameters(self) -> dict[str, float | int | str]:
        """What was chosen."""
        return {"sums": self.sums, "noise": self.channel.noise.kind}

    @property
    def is_steady(self) -> bool:
        """Whether the noise has the same law in all sums, or is Gaussian with a variance that never falls."""
        return self.channel.factorisation.noise_spread().steady


def coordinates(setting: Setting[Functions], baseline: bool) -> int:
    """Return how many coordinates sums have: one more, if there is a baseline."""
    return setting.problem.place.dimension + int(baseline)


def least_noise(
    setting: Setting[Functions],
    *,
    size: int,
    sums: Sums | None,
    noise: NoiseName | None,
    baseline: bool = False,
    padding: bool = False,
) -> Found:
    """Return the running sum over batches of ``size`` rounds with the least noise, among those that were left open.

    For live use noise that cannot be drawn exactly is not among them, unless it was asked for: then
    live use refuses it.
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
            f"noise is {noise}, but {sums} has a proof for gaussian only: use tree or honaker."
        )
    kinds: tuple[str, ...] = (
        (sums,) if sums else ("blt", "tree") if setting.delta > 0.0 else ("tree",)
    )
    names: tuple[NoiseName, ...] = (
        (noise,) if noise else PURE if setting.delta == 0.0 else (*PURE, "gaussian")
    )
    found = [
        _running(setting, size, coordinates(setting, baseline), kind, name, padding)
        for kind in kinds
        for name in names
        if (kind in TREES or name == "gaussian")
        and (noise or not setting.live or noise_named(name).has_exact_twin)
    ]
    return min(found, key=lambda each: each.length)


def _running(
    setting: Setting[Functions],
    size: int,
    dimension: int,
    kind: str,
    noise: NoiseName,
    padding: bool,
) -> Found:
    place = setting.problem.place
    channel = RunningSum.calibrated(
        moves(dimension, size),
        FACTORISATIONS[kind],
        prefixes=prefixes_for(setting.rounds, size),
        noise=noise,
        epsilon=setting.epsilon,
        delta=setting.delta,
        padding=padding and kind == "tree",
    )
    return Found(channel, kind, noise_length(channel, place.flat + dimension - place.dimension))


def noise_length(channel: RunningSum, flat: int) -> float:
    """Return the root mean square length of the noise in a sum, at most, in a hull of that dimension."""
    dimension = channel.losses.dimension
    spread = channel.factorisation.noise_spread()
    return math.sqrt(flat) * channel.noise.deviation(dimension) * spread.most
