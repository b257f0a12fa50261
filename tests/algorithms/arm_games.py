"""What tests of algorithms on arms share: those that are private, and mean regret."""

from __future__ import annotations

import threading

import numpy as np

from discreet import Setting, algorithm, algorithms
from discreet.problems import Arms
from discreet.simulation.trial import checkpoints, run_trial

PRIVATE = [name for name, known in algorithms(Arms).items() if known.build(Setting(Arms())).private.channel.noise_scales]


def mean_regret(name, setting, world, trials, **options):
    instance = algorithm(name).build(setting, **options)
    marks = checkpoints(setting.rounds)
    regrets = [
        run_trial(
            [instance.private],
            world,
            marks,
            seed=7,
            trial=trial,
            bounds=setting.bounds,
            clip=False,
            stop=threading.Event(),
        ).regret[0, -1]
        for trial in range(trials)
    ]
    return float(np.mean(regrets)), instance
