"""The named algorithms: a channel, a learner, their parameters, a guarantee, a regret bound and a citation each."""

from discreet.algorithms import advice, arms, points
from discreet.algorithms.registry import (
    Algorithm,
    Citation,
    Instance,
    Setting,
    algorithm,
    algorithms,
    register_algorithm,
)

__all__ = [
    "Algorithm",
    "Citation",
    "Instance",
    "Setting",
    "advice",
    "algorithm",
    "algorithms",
    "arms",
    "points",
    "register_algorithm",
]
