"""What tests of algorithms on arms share: those that are private, and mean regret."""

from __future__ import annotations

import functools
import threading

import numpy as np

from discreet import Setting, algorithm, list_algorithms
from discreet.environments import environment
from discreet.problems import Arms
from discreet.simulation.trial import checkpoints, run_trial

PRIVATE = [
    name
    for name, known in list_algorithms(Arms).items()
    if known.build(Setting(Arms())).private.channel.noise_scales
]


def mean_regret(name, setting, world, trials, **options):
    instance = algorithm(name).build(setting, **options)
    return mean_regrets([instance], setting, world, trials)[0], instance


def mean_regrets(instances, setting, world, trials):
    """Return the mean regret of each; all play the same games, which are dealt once."""
    played = [each.private for each in instances]
    marks = checkpoints(setting.rounds)
    how = {"seed": 7, "bounds": setting.bounds, "clip": False, "stop": threading.Event()}
    regrets = [
        run_trial(played, world, marks, trial=trial, **how).regret[:, -1] for trial in range(trials)
    ]
    return np.mean(regrets, axis=0).tolist()


@functools.cache
def everybody(names, setting, world, trials):
    """Return instances of algorithms by name, and their mean regrets by name."""
    instances = {name: algorithm(name).build(setting) for name in names}
    games = environment(world, arms=setting.problem.actions)
    regrets = mean_regrets(instances.values(), setting, games, trials)
    return instances, dict(zip(instances, regrets, strict=True))
