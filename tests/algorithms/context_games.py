"""Games with contexts."""

from __future__ import annotations

import threading

import numpy as np

from discreet import Range, Setting, algorithm
from discreet.environments import environment
from discreet.problems import Contexts
from discreet.simulation.trial import run_trial

RANGE = Range(-1.0, 1.0)


def regrets(names, world, *, rounds, trials, epsilon=1.0, problem=None, seed=41, compiled=True):
    place = problem or Contexts()
    setting = Setting(place, rounds=rounds, epsilon=epsilon, delta=1e-5, bounds=RANGE)
    privates = [algorithm(name).build(setting, **options).private for name, options in names]
    found = environment(world, place)
    runs = [
        run_trial(
            privates,
            found,
            np.array([rounds]),
            seed=seed,
            trial=t,
            bounds=RANGE,
            clip=False,
            stop=threading.Event(),
            compiled=compiled,
        ).regret[:, 0]
        for t in range(trials)
    ]
    return np.array(runs)
