"""Greedy choices with a model that is learned by noisy gradient steps."""

from __future__ import annotations

from discreet.algorithms.contexts.linear import ReportNoise, direction_noise
from discreet.algorithms.contexts.widths import UNPROVED
from discreet.algorithms.papers import HAN, PRIV_UNIT
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Residuals
from discreet.contracts import Noise
from discreet.errors import DiscreetError
from discreet.learners import ResidualDescent
from discreet.mechanisms import Gaussian
from discreet.on_device import OnDevice
from discreet.policies import Greedy
from discreet.problems import Contexts

EXPLORING = 2.0


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
    exploring: float = EXPLORING,
) -> Instance:
    """Gradient steps on residuals that fill the unit ball, and exploration, so that it cannot lock in."""
    problem = setting.problem
    size = problem.dimension
    found: Noise
    if noise == "gaussian":
        if setting.delta <= 0.0:
            raise DiscreetError("noise is gaussian, but delta is 0: give a delta above 0, or use cap or hemisphere.")
        found = Gaussian.calibrate(sensitivity=2.0, epsilon=setting.epsilon, delta=setting.delta)
    else:
        found = direction_noise(noise or "cap", size, setting.epsilon)
    channel = Residuals.calibrated(noise=found, dimension=size, bounds=setting.bounds, norm=problem.norm)
    learner = ResidualDescent.start(
        dimension=size,
        gain=float(size) if gain is None else gain,
        offset=8.0 * size if offset is None else offset,
        exploring=exploring,
    )
    return Instance(
        private=OnDevice(channel=channel, policy=Greedy(), learner=learner),
        parameters={"noise": found.kind, "gain": learner.gain, "offset": learner.offset, "exploring": exploring},
        regret_bound=None,
        bound_source=UNPROVED,
    )
