"""Greedy choices with a model that is learned by noisy gradient steps."""

from __future__ import annotations

from discreet.algorithms.contexts.linear import ReportNoise, direction_noise
from discreet.algorithms.contexts.widths import UNPROVED
from discreet.algorithms.papers import HAN, PRIV_UNIT
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Residuals
from discreet.contracts import Noise
from discreet.errors import DiscreetError, check_int
from discreet.learners import ResidualDescent
from discreet.mechanisms import Gaussian
from discreet.on_device import OnDevice
from discreet.policies import Greedy
from discreet.problems import Contexts

AVERAGING = 16.0
# rounds a feature, at a variance of 1: means of 0.5 and 0.2 are then 4.9 standard deviations apart
SWEEP = 264.0
MOST = 1.0 / 8.0  # of all rounds
FIRST, TRUST = (
    8,
    2,
)  # for how many rounds a feature counts before the first, and how often a round of the sweep does
RESIDUAL = 0.75  # the variance of a reward of ±1 with mean 0.5


@register_algorithm(
    name="local-greedy",
    twin="linucb",
    title="greedy choices, learned from one noisy residual a round",
    problem=Contexts(),
    citation=HAN,
    builds_on=(PRIV_UNIT,),
    stochastic=True,
)
def local_greedy(
    setting: Setting[Contexts],
    *,
    noise: ReportNoise | None = None,
    gain: float | None = None,
    offset: float | None = None,
    averaging: float = AVERAGING,
    sweep: int | None = None,
) -> Instance:
    """Gradient steps on residuals that fill the unit ball, after a look at each feature, so that it cannot lock in."""
    problem = setting.problem
    size = problem.dimension
    found: Noise
    if noise == "gaussian":
        if setting.delta <= 0.0:
            raise DiscreetError(
                "noise is gaussian, but delta is 0: give a delta above 0, or use cap or hemisphere."
            )
        found = Gaussian.calibrate(sensitivity=2.0, epsilon=setting.epsilon, delta=setting.delta)
    else:
        found = direction_noise(noise or "cap", size, setting.epsilon)
    channel = Residuals.calibrated(
        noise=found, dimension=size, bounds=setting.bounds, norm=problem.norm
    )
    looking = (
        _sweep(setting, found.deviation(size))
        if sweep is None
        else check_int("sweep", sweep, minimum=0)
    )
    learner = ResidualDescent.start(
        dimension=size,
        gain=float(size) if gain is None else gain,
        offset=float(size * (FIRST + TRUST * looking)) if offset is None else offset,
        averaging=averaging,
        sweep=looking,
    )
    return Instance(
        private=OnDevice(channel=channel, policy=Greedy(), learner=learner),
        parameters={
            "noise": found.kind,
            "gain": learner.gain,
            "offset": learner.offset,
            "averaging": averaging,
            "sweep": learner.sweep,
        },
        regret_bound=None,
        bound_source=UNPROVED,
    )


def _sweep(setting: Setting[Contexts], deviation: float) -> int:
    """Return for how many rounds each feature is looked at: more where there is more noise, but not for too long.

    The variance is that of the noise, and of the reward itself.
    """
    return int(
        min(SWEEP * (RESIDUAL + deviation**2), MOST * setting.rounds / setting.problem.dimension)
    )
