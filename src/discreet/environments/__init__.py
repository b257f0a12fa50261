"""Environments: the source of losses, and the score of a learner against them."""

from discreet.environments.access import uniforms
from discreet.environments.advice.scenes import AdviceAdversarial, AdviceContextual, AdviceRandom
from discreet.environments.advice.table import AdviceTable, read_advice
from discreet.environments.arms.deterministic import Deterministic, Drop, Leak
from discreet.environments.arms.memory import Remembering
from discreet.environments.arms.moving import (
    Drifting,
    Flipping,
    LateChange,
    RandomWalk,
    Repeating,
    Switching,
)
from discreet.environments.arms.stochastic import FullyOblivious, Oblivious, Stochastic
from discreet.environments.arms.switching_costs import SwitchingCosts
from discreet.environments.arms.table import Table, read_table
from discreet.environments.contexts.linear import (
    ContextsFixed,
    ContextsGaussian,
    ContextsLogistic,
    ContextsSkewed,
)
from discreet.environments.functions.linear import Linear, Ranking, Routing, Slates
from discreet.environments.functions.logistic import Logistic
from discreet.environments.functions.quadratics import Absolute, DriftingQuadratics, Pricing
from discreet.environments.functions.squared_errors import Completion, SquaredErrors
from discreet.environments.logged.arms import Logged
from discreet.environments.logged.contexts import LoggedContexts
from discreet.environments.points import (
    LinearAdaptive,
    LinearAlternating,
    LinearDrifting,
    LinearStochastic,
)
from discreet.environments.registry import (
    environment,
    environment_names,
    environments,
    register_environment,
)

__all__ = [
    "Absolute",
    "AdviceAdversarial",
    "AdviceContextual",
    "AdviceRandom",
    "AdviceTable",
    "Completion",
    "ContextsFixed",
    "ContextsGaussian",
    "ContextsLogistic",
    "ContextsSkewed",
    "Deterministic",
    "Drifting",
    "DriftingQuadratics",
    "Drop",
    "Flipping",
    "FullyOblivious",
    "LateChange",
    "Leak",
    "Linear",
    "LinearAdaptive",
    "LinearAlternating",
    "LinearDrifting",
    "LinearStochastic",
    "Logged",
    "LoggedContexts",
    "Logistic",
    "Oblivious",
    "Pricing",
    "RandomWalk",
    "Ranking",
    "Remembering",
    "Repeating",
    "Routing",
    "Slates",
    "SquaredErrors",
    "Stochastic",
    "Switching",
    "SwitchingCosts",
    "Table",
    "environment",
    "environment_names",
    "environments",
    "read_advice",
    "read_table",
    "register_environment",
    "uniforms",
]
