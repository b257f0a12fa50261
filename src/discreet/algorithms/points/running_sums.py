"""The choice of running sum for full-information algorithms, and its noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from discreet.algorithms.registry import Setting
from discreet.channels import Restarting, RunningSum
from discreet.channels.restarting import SPLITS
from discreet.channels.rounding import MOST_NUMBERS
from discreet.contracts import Floats, Noise
from discreet.errors import DiscreetError
from discreet.factorisations import FACTORISATIONS, Spread
from discreet.factorisations.unbounded_sums import LONGEST
from discreet.mechanisms import PURE, NoiseName
from discreet.problems import Points
from discreet.sets import Geometry

RunningSumName = Literal[
    "tree", "honaker", "sqrt-toeplitz", "blt", "unbounded", "restarts", "hybrid", "tapered"
]
TREES = ("tree", "honaker", *SPLITS)  # their privacy is proved for every noise
UNKNOWN_HORIZON = ("unbounded", *SPLITS)  # their noise does not depend on the number of rounds


class Candidate(NamedTuple):
    """A channel for running sums, and the size of the noise in them."""

    channel: RunningSum | Restarting
    sums: RunningSumName
    padding: bool
    spread: Spread

    @property
    def parameters(self) -> dict[str, str | int]:
        """The parameters that were chosen."""
        padded = {"padding": "true" if self.padding else "false"} if self.sums == "tree" else {}
        return {"sums": self.sums, **padded}

    @property
    def is_gaussian(self) -> bool:
        """Whether the noise is Gaussian, and hence also its sums."""
        return self.channel.noise.is_gaussian

    @property
    def most(self) -> float:
        """The largest standard deviation in a coordinate of a sum."""
        return self._deviation * self.spread.most

    @property
    def least(self) -> float:
        """The smallest standard deviation in a coordinate of a sum."""
        return self._deviation * self.spread.least

    @property
    def steady(self) -> bool:
        """Whether all sums have the same noise, or Gaussian noise whose variance never falls."""
        return self.spread.steady

    @property
    def reach(self) -> float:
        """The tilt below which noise that is not Gaussian has moments."""
        return 1.0 / self.channel.noise.scale

    def moment(self, tilt: float) -> float:
        """Return the logarithm of E exp(tilt Z), Z the noise in a coordinate of a sum."""
        if self.is_gaussian:
            return (tilt * self.most) ** 2 / 2.0
        return self.spread.draws * self.channel.noise.log_moment(
            tilt, self.channel.losses.dimension
        )

    def variances_by_digits(self) -> Floats:
        """Return, for every j, a bound on the variance in a sum of fewer than 2^j vectors."""
        return self._deviation**2 * self.channel.variances_by_digits()

    @property
    def _deviation(self) -> float:
        return self.channel.noise.deviation(self.channel.losses.dimension)


Bound = Callable[[Candidate], float | None]  # None if none is proved
Pick = Callable[[Bound], Candidate]  # one of several candidates, by their bounds


def choose(
    setting: Setting[Points],
    geometry: Geometry,
    bound: Bound,
    *,
    sums: RunningSumName | None,
    noise: NoiseName | None,
    padding: bool | None,
) -> Candidate:
    """Return the running sum with the least proved bound, or else with the least noise.

    Options that are None are chosen here. The square-root factorisation is used only on request: it
    takes two to three times as long as buffers, and gains less than 1 %.
    """
    _check(setting, sums, noise, padding)

    def value(candidate: Candidate) -> tuple[float, float]:
        proved = bound(candidate)
        return math.inf if proved is None else proved, candidate.most

    kinds = [sums] if sums else _kinds(setting, noise, padding)
    return min(
        (each for kind in kinds for each in _candidates(setting, geometry, kind, noise, padding)),
        key=value,
    )


def _kinds(
    setting: Setting[Points], noise: NoiseName | None, padding: bool | None
) -> list[RunningSumName]:
    """Return the candidates if no options are given."""
    gaussian = setting.delta > 0.0 and noise in (None, "gaussian") and padding is None
    if setting.unknown_horizon:
        return ["unbounded"] if gaussian else ["tapered"]
    return ["blt", "tree"] if gaussian else ["tree"]


def _candidates(
    setting: Setting[Points],
    geometry: Geometry,
    sums: RunningSumName,
    noise: NoiseName | None,
    padding: bool | None,
) -> Iterator[Candidate]:
    names: tuple[NoiseName, ...] = (
        (noise,) if noise else PURE if setting.delta == 0.0 else (*PURE, "gaussian")
    )
    if sums not in TREES:
        names = ("gaussian",)
    paddings = [False] if sums != "tree" else [True, False] if padding is None else [padding]
    epsilon, delta = setting.epsilon, setting.delta
    for name in names:
        for padded in paddings:
            channel: RunningSum | Restarting
            if sums in SPLITS:
                channel = Restarting.calibrated(
                    geometry.losses, noise=name, epsilon=epsilon, delta=delta, split=sums
                )
            else:
                channel = RunningSum.calibrated(
                    geometry.losses,
                    FACTORISATIONS[sums],
                    prefixes=_prefixes(setting),
                    noise=name,
                    epsilon=epsilon,
                    delta=delta,
                    padding=padded,
                )
            yield Candidate(channel, sums, padded, channel.noise_spread())


def _prefixes(setting: Setting[Points]) -> int:
    """Return how many sums are needed (the last round needs none), or possible if unknown."""
    needed = setting.rounds - 1
    if not setting.unknown_horizon:
        return needed
    most = min(LONGEST, MOST_NUMBERS // setting.problem.dimension)
    if needed > most:
        raise DiscreetError(
            f"rounds is {setting.rounds:,}, but sums of {setting.problem.dimension:,} numbers for "
            f"an unknown number of rounds allow at most {most + 1:,}."
        )
    return most


def padded_tree(setting: Setting[Points], noise: Noise) -> Candidate:
    """Return a padded tree with this noise."""
    losses = setting.problem.sets(setting.bounds).losses
    prefixes = setting.rounds - 1  # round t learns from the sum of t - 1 vectors
    channel = RunningSum.over(
        losses, noise, FACTORISATIONS["tree"], prefixes=prefixes, padding=True
    )
    return Candidate(channel, "tree", True, channel.noise_spread())


def _check(
    setting: Setting[Points],
    sums: RunningSumName | None,
    noise: NoiseName | None,
    padding: bool | None,
) -> None:
    if setting.unknown_horizon and sums not in (None, *UNKNOWN_HORIZON):
        raise DiscreetError(
            f"sums is {sums}, whose noise depends on the number of rounds, but that is unknown: "
            f"use {', '.join(UNKNOWN_HORIZON[:-1])} or {UNKNOWN_HORIZON[-1]}."
        )
    if sums is not None and sums not in TREES:
        if setting.delta == 0.0:
            raise DiscreetError(
                f"sums is {sums}, whose noise is Gaussian, but delta is 0: give a delta above 0, "
                "or use tree or honaker."
            )
        if noise not in (None, "gaussian"):
            raise DiscreetError(
                f"noise is {noise}, but sums={sums} is proved for gaussian noise only: use tree or "
                "honaker."
            )
    if noise == "gaussian" and setting.delta == 0.0:
        raise DiscreetError(
            "noise is gaussian, but delta is 0: give a delta above 0, or use laplace, spherical "
            "or cube."
        )
    if padding and sums not in (None, "tree"):
        raise DiscreetError(f"padding is True, but is for sums=tree only, and sums is {sums}.")
    if padding and setting.unknown_horizon:
        raise DiscreetError(
            "padding is True, but a tree is padded to the number of rounds, which is unknown: omit "
            "padding."
        )
