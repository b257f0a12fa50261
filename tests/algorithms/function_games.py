"""What tests of algorithms on functions share: their names, building them, their worlds, and mean
regret.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np

from discreet import Range, Setting, algorithm, list_algorithms
from discreet.environments import environment
from discreet.problems import Functions
from discreet.simulation.trial import run_trial

NAMES = list(list_algorithms(Functions))
PRIVATE = [name for name in NAMES if name.startswith(("local", "private", "batched"))]
LOCAL = [name for name in PRIVATE if name.startswith("local") or name == "private-scrible"]
NUMBERS = [*LOCAL, "batched-scrible"]  # which learn from one number at a time
UNIT = Range(0.0, 1.0)


def setting_for(name, dimension=3, rounds=600, **numbers):
    if algorithm(name).stochastic:
        return Setting(algorithm(name).problem, rounds=rounds, **numbers)
    domain = "cross" if "linear-oracle" in name else "ball"
    problem = replace(algorithm(name).problem, domain=f"{domain}({dimension})")
    return Setting(problem, rounds=rounds, **numbers)


def build(name, dimension=3, rounds=600, options=(), **numbers):
    play = {"when_vacuous": "play"} if "when_vacuous" in algorithm(name).options else {}
    return algorithm(name).build(
        setting_for(name, dimension, rounds, **numbers), **play, **dict(options)
    )


def world_of(name, dimension=3, rounds=600):
    problem = setting_for(name, dimension).problem
    return environment(problem.default_environment, problem, rounds=rounds)


def mean_regret(instance, world, rounds, trials=3):
    outcomes = [
        run_trial(
            [instance.private],
            world,
            np.array([rounds]),
            seed=5,
            trial=trial,
            bounds=UNIT,
            clip=False,
            stop=threading.Event(),
        )
        for trial in range(trials)
    ]
    return float(np.mean([outcome.regret[0, -1] for outcome in outcomes]))
