"""Synthetic logs in the format of the Open Bandit data, whose truth is known."""

from __future__ import annotations

import csv

import numpy as np

MEANS = np.array([0.6, 0.4, 0.3, 0.2])
CHANCES = np.array([0.4, 0.3, 0.2, 0.1])


def plain_log(rows, *, seed=0, means=MEANS, chances=CHANCES):
    """Return a log without contexts: arm i has the mean reward means[i]."""
    rng = np.random.default_rng(seed)
    arm = rng.choice(len(means), rows, p=chances)
    click = (rng.random(rows) < means[arm]).astype(int)
    return {"item_id": arm, "click": click, "propensity_score": chances[arm]}


def context_log(rows, *, seed=0, arms=4, features=3):
    """Return a log with contexts, the mean rewards (row, arm), and the logging probabilities."""
    rng = np.random.default_rng(seed)
    theta, x = rng.standard_normal((arms, features)), rng.standard_normal((rows, features))
    means = 1.0 / (1.0 + np.exp(-2.0 * x @ theta.T))
    chances = np.exp(0.5 * x @ rng.standard_normal((features, arms)))
    chances = 0.8 * chances / chances.sum(axis=1, keepdims=True) + 0.2 / arms
    arm = (chances.cumsum(axis=1) > rng.random((rows, 1))).argmax(axis=1)
    here = np.arange(rows), arm
    log = {
        "item_id": arm,
        "click": (rng.random(rows) < means[here]).astype(int),
        "propensity_score": chances[here],
        **{f"user_feature_{i}": x[:, i] for i in range(features)},
    }
    return log, means, chances


def write_csv(path, columns, *, position=None):
    """Write a log as the Open Bandit data are: with an index, times and positions."""
    rows = len(columns["item_id"])
    place = np.ones(rows, int) if position is None else position
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["", "timestamp", "position", *columns])
        for t, cells in enumerate(zip(*columns.values(), strict=True)):
            writer.writerow([t, f"2019-11-24 00:00:{t % 60:02d}", place[t], *cells])
    return path
