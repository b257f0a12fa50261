"""Adversaries: who produces the losses, and how a learner is scored against them."""

from discreet.environments.advice import AdviceAdversarial, AdviceContextual, AdviceRandom
from discreet.environments.advice_table import AdviceTable, read_advice
from discreet.environments.deterministic import Deterministic
from discreet.environments.linear import FullInformation, LinearAlternating, LinearDrifting, LinearStochastic
from discreet.environments.linear_adaptive import LinearAdaptive
from discreet.environments.moving import Drifting, RandomWalk
from discreet.environments.named import Kind, environment, environment_names, environment_options, kind_of, shown_whole
from discreet.environments.oblivious import FullyOblivious, Oblivious
from discreet.environments.pairs import Drop, Leak
from discreet.environments.stochastic import Stochastic
from discreet.environments.switching_costs import SwitchingCosts
from discreet.environments.table import Table, read_table

__all__ = [
    "AdviceAdversarial",
    "AdviceContextual",
    "AdviceRandom",
    "AdviceTable",
    "Deterministic",
    "Drifting",
    "Drop",
    "FullInformation",
    "FullyOblivious",
    "Kind",
    "Leak",
    "LinearAdaptive",
    "LinearAlternating",
    "LinearDrifting",
    "LinearStochastic",
    "Oblivious",
    "RandomWalk",
    "Stochastic",
    "SwitchingCosts",
    "Table",
    "environment",
    "environment_names",
    "environment_options",
    "kind_of",
    "read_advice",
    "read_table",
    "shown_whole",
]
