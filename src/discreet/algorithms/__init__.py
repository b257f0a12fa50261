"""The named algorithms: a channel, a learner, their parameters, a guarantee, a regret bound and a citation each."""

from discreet.algorithms import (
    agarwal_singh,
    baselines,
    expert_advice,
    faster_rates,
    full_information,
    noisy_tsallis,
    ordinary,
    tossou,
)
from discreet.algorithms.registry import Algorithm, Instance, Setting, algorithm, algorithms

__all__ = [
    "Algorithm",
    "Instance",
    "Setting",
    "agarwal_singh",
    "algorithm",
    "algorithms",
    "baselines",
    "expert_advice",
    "faster_rates",
    "full_information",
    "noisy_tsallis",
    "ordinary",
    "tossou",
]
