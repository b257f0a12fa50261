"""Devices do not lock in to a wrong arm where contexts do not change: 256 seeds."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from discreet import Range, Setting, algorithm
from discreet.environments import environment
from discreet.problems import Contexts
from discreet.simulation.trial import run_trial

ROUNDS, RANGE = 2**17, Range(-1.0, 1.0)


@pytest.mark.full
def test_reports_of_devices_do_not_lock_in():
    """The mean is 6,748 and the largest 11,424; uniform play has 35,390. The seed is fixed."""
    setting = Setting(Contexts(), rounds=ROUNDS, epsilon=1.0, delta=1e-5, bounds=RANGE)
    names = ("local-linucb", "uniform-contexts")
    players = [algorithm(name).build(setting).private for name in names]
    world, marks = environment("contexts-fixed", Contexts()), np.array([ROUNDS])
    how = {"seed": 2718, "bounds": RANGE, "clip": False, "stop": threading.Event()}
    found = np.array(
        [run_trial(players, world, marks, trial=trial, **how).regret[:, 0] for trial in range(256)]
    )
    mine, uniform = found[:, 0], found[:, 1]
    assert mine.max() < uniform.min() / 2.0
    assert mine.mean() < uniform.mean() / 4.0
