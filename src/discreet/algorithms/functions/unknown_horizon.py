"""Leaders by a linear oracle for an unknown number of rounds: epochs that double.

Every epoch is a game of known length with its own leader and sums. A round is in one epoch, so the
guarantee is that of one epoch. With the bound B(T) = c T^(3/4) for a known number of rounds, epochs
that grow by g cost about g^(3/4) (g - 1)^(3/4) / (g^(3/4) - 1) times as much, and no more from the
third on: 2.47 times for g = 2, which trees allow; the least is 2.26, at g = 1.39.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.algorithms.functions.common import (
    GradientSumName,
    NoiseTuning,
    Parameters,
    place_with,
)
from discreet.algorithms.functions.projection_tuning import OracleBudget, tune_leader
from discreet.algorithms.registry import Instance, Setting
from discreet.channels import GradientSums, Restarting, RoundedSums
from discreet.channels.gradient_sums import moves
from discreet.channels.restarting import lengths_from
from discreet.errors import DiscreetError, check_int
from discreet.factorisations import FACTORISATIONS
from discreet.learners import AnytimeProjectionFree, RoundedProjectionFree
from discreet.learners.functions.epochs import Epoch
from discreet.mechanisms import PURE, NoiseName, noise_named
from discreet.private import Private
from discreet.problems import Functions
from discreet.sets import LinearOracle

SOURCE = "bounds of epochs that double, added up (docs/proofs.md: Epochs of a leader)"
BATCH = 32  # rounds per sum: smaller than sqrt(T), which costs some noise and no regret
FIRST = 32  # sums of the first epoch, a power of two: 1,024 rounds


class EpochSums(NamedTuple):
    """A running sum that restarts, and the largest root mean square of its noise per epoch."""

    channel: Restarting | None  # None without privacy
    sums: str
    lengths: list[float]
    steady: bool  # whether noise is Gaussian, with a variance that never falls within an epoch

    @property
    def parameters(self) -> Parameters:
        """The parameters that were chosen."""
        if self.channel is None:
            return {}
        return {"sums": f"{self.sums}, restarted", "noise": self.channel.noise.kind}


def lead_in_epochs(
    setting: Setting[Functions],
    *,
    private: bool,
    tuning: NoiseTuning = "proved",
    sums: GradientSumName | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    rounded: bool = False,
    budget: OracleBudget = "tolerance",
) -> Instance:
    """Return the leader that starts again when an epoch is over; only its bound uses ``rounds``."""
    place, linear = place_with(setting, LinearOracle), setting.problem.form == "linear"
    size = check_int("batch_size", BATCH if batch_size is None else batch_size, minimum=1)
    kind = RoundedSums if rounded else GradientSums
    found = EpochSums(None, "", [0.0] * len(lengths_from(FIRST)), True)
    if private:
        found = _least_noise(setting, size, sums, noise)
    once = rounded and linear and found.steady
    tuned = [
        tune_leader(
            setting,
            rounds=size * releases,
            size=size,
            length=length,
            tuning=tuning,
            once=once,
            budget=budget,
        )
        for releases, length in zip(lengths_from(FIRST), found.lengths, strict=True)
    ]
    learner = AnytimeProjectionFree.start(
        set=place.set,
        inner=place.inner,
        epochs=[
            Epoch(releases, each.radius, each.rate, each.tolerance)
            for releases, each in zip(lengths_from(FIRST), tuned, strict=True)
        ],
        most=size if budget == "rounds" else max(each.most for each in tuned),
    )
    channel = kind.without_noise(size=size, dimension=place.dimension, bounds=setting.bounds)
    if found.channel is not None:
        channel = kind.over(found.channel, size=size, bounds=setting.bounds)
    bound = epoch_bound(setting.rounds, size, [each.bound for each in tuned])
    by: Parameters = {"tuning": tuning} if private else {}
    return Instance(
        private=Private(channel, RoundedProjectionFree.around(learner) if rounded else learner),
        parameters={
            **found.parameters,
            "batch_size": size,
            "first_epoch": size * FIRST,
            "epochs": "double",
            **by,
            **({"values": "rounded by coins"} if rounded else {}),
        },
        regret_bound=setting.bounds.width * min(bound, setting.rounds),
        bound_source=SOURCE,
    )


def epoch_bound(rounds: int, size: int, bounds: list[float]) -> float:
    """Return the sum of the bounds of all epochs that begin within that many rounds.

    An epoch of n rounds costs at most n.

    >>> epoch_bound(1024 + 2048, 32, [200.0, 9999.0])
    2248.0
    """
    total, left = 0.0, rounds
    for releases, bound in zip(lengths_from(FIRST), bounds, strict=False):
        played = min(left, size * releases)
        total += min(bound, played)
        left -= played
    return total + left


def _least_noise(
    setting: Setting[Functions],
    size: int,
    sums: GradientSumName | None,
    noise: NoiseName | None,
) -> EpochSums:
    """Return sums with the least noise; live use allows only trees with exact noise."""
    gaussian = setting.delta > 0.0 and noise in (None, "gaussian")
    if not gaussian and (noise == "gaussian" or sums not in (None, "tree", "honaker")):
        raise DiscreetError(
            f"sums is {sums}, noise is {noise} and delta is {setting.delta:g}, but such sums need "
            "Gaussian noise and delta above 0: give both, or omit sums and noise."
        )
    usual: GradientSumName = "honaker" if setting.live else "blt"
    kind: GradientSumName = sums or (usual if gaussian else "tree")
    names: tuple[NoiseName, ...] = ("gaussian",) if gaussian else (noise,) if noise else PURE
    lengths, place = lengths_from(FIRST), setting.problem.place
    found = []
    for name in names:
        if setting.live and not noise and not noise_named(name).has_exact_twin:
            continue
        channel = Restarting.calibrated(
            moves(place.dimension, size),
            FACTORISATIONS[kind],
            noise=name,
            epsilon=setting.epsilon,
            delta=setting.delta,
            split="restarts",
            first=FIRST,
        )
        # Sums inside an epoch have fewer vectors than the epoch.
        inside = channel.sums.factorisation.variances_by_digits()
        one = math.sqrt(place.flat) * channel.noise.deviation(place.dimension)
        found.append(
            EpochSums(
                channel,
                kind,
                [
                    one * factor * math.sqrt(inside[releases.bit_length() - 1])
                    for releases, factor in zip(lengths, channel.on_inside.tolist(), strict=True)
                ],
                name == "gaussian" and channel.sums.factorisation.noise_spread().steady,
            )
        )
    return min(found, key=lambda each: each.lengths[len(lengths) // 2])
