"""Who learns nothing from contexts."""

from __future__ import annotations

from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Constant
from discreet.learners import Unmoved
from discreet.on_device import OnDevice
from discreet.policies import UniformChoice
from discreet.problems import Contexts


@register_algorithm(
    name="uniform-contexts",
    title="uniform play, whatever is shown",
    problem=Contexts(),
    stochastic=True,
)
def uniform_contexts(setting: Setting[Contexts]) -> Instance:
    """Every arm with the same probability: the yardstick."""
    channel = Constant.example()._replace(value=0.0, rounds=1)
    return Instance(
        private=OnDevice(
            channel=channel, policy=UniformChoice(setting.problem.arms), learner=Unmoved.start()
        ),
        parameters={},
        regret_bound=setting.rounds * setting.problem.blind_regret(setting.bounds),
        bound_source="it plays every arm as often as the best one",
    )
