"""Adversaries: who produces the losses, and how a learner is scored against them."""

from discreet.environments.access import uniforms
from discreet.environments.advice.scenes import AdviceAdversarial, AdviceContextual, AdviceRandom
from discreet.environments.advice.table import AdviceTable, read_advice
from discreet.environments.arms.changing import Flipping, LateChange, Repeating, Switching
from discreet.environments.arms.deterministic import Deterministic
from discreet.environments.arms.moving import Drifting, RandomWalk
from discreet.environments.arms.oblivious import FullyOblivious, Oblivious
from discreet.environments.arms.pairs import Drop, Leak
from discreet.environments.arms.stochastic import Stochastic
from discreet.environments.arms.switching_costs import SwitchingCosts
from discreet.environments.arms.table import Table, read_table
from discreet.environments.contexts.linear import (
    ContextsFixed,
    ContextsGaussian,
    ContextsLogistic,
    ContextsSkewed,
)
from discreet.environments.functions.absolute import Absolute
from discreet.environments.functions.completion import Completion
from discreet.environments.functions.linear import Linear
from discreet.environments.functions.logistic import Logistic
from discreet.environments.functions.pricing import Pricing
from discreet.environments.functions.quadratics import DriftingQuadratics
from discreet.environments.functions.ranking import Ranking
from discreet.environments.functions.routing import Routing
from discreet.environments.functions.slates import Slates
from discreet.environments.functions.squared_errors import SquaredErrors
from discreet.environments.points.adaptive import LinearAdaptive
from discreet.environments.points.linear import LinearAlternating, LinearDrifting, LinearStochastic
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
    "Logistic",
    "Oblivious",
    "Pricing",
    "RandomWalk",
    "Ranking",
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
