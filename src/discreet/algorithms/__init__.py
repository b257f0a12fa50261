"""The named algorithms: a channel, a learner, their parameters, a guarantee, a regret bound and a citation each."""

from discreet.algorithms import advice, arms, contexts, functions, points, search
from discreet.algorithms.citing import cite
from discreet.algorithms.papers import Citation
from discreet.algorithms.registry import (
    Algorithm,
    Growth,
    Instance,
    Setting,
    algorithm,
    list_algorithms,
    register_algorithm,
)

__all__ = [
    "Algorithm",
    "Citation",
    "Growth",
    "Instance",
    "Setting",
    "advice",
    "algorithm",
    "arms",
    "cite",
    "contexts",
    "functions",
    "list_algorithms",
    "points",
    "register_algorithm",
    "search",
]
