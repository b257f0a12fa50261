"""What tests of algorithms on points share: building them, their worlds, and mean regret."""

from __future__ import annotations

import threading

import numpy as np

from discreet import Range, Setting, algorithm
from discreet.environments import environment
from discreet.simulation.trial import checkpoints, run_trial

UNIT = Range(0.0, 1.0)


def problem_of(name, options, dimension=3):
    if algorithm(name).problem.domain:  # any set: slates stand for it
        return algorithm(name).problem_with(domain=f"k-sets({dimension},{dimension // 2})")
    return algorithm(name).problem_with(
        dimension=dimension, **{key: options[key] for key in options if key == "geometry"}
    )


def world_of(name, options, dimension=3):
    return environment("linear-stochastic", problem_of(name, options, dimension))


def build(name, options, *, dimension=4, **numbers):
    setting = Setting(problem_of(name, options, dimension), **numbers)
    return algorithm(name).build(
        setting, **{key: options[key] for key in options if key != "geometry"}
    )


def mean_regret(private, world, rounds, trials=4, seed=1):
    marks = checkpoints(rounds)
    outcomes = [
        run_trial(
            [private],
            world,
            marks,
            seed=seed,
            trial=trial,
            bounds=UNIT,
            clip=False,
            stop=threading.Event(),
        )
        for trial in range(trials)
    ]
    return float(np.mean([outcome.regret[0, -1] for outcome in outcomes]))
