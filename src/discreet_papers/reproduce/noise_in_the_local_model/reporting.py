"""Measuring: devices report one vector many times, and a server takes the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from componentjit import compile_for
from discreet.contracts import Floats, Generator, Noise
from discreet_papers.reproduce.noise_in_the_local_model.noises import OneCoordinate, noise_of
from discreet_papers.reproduce.noise_in_the_local_model.sweep import Reports
from discreet_papers.reproduce.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Reported:
    """Reports, and the squared distance of their mean from the vector, one number a trial."""

    reports: Reports
    squared: Floats


def play(sweep: Sequence[Reports], plan: Plan) -> list[Reported]:
    """Let devices report, part after part."""
    found = []
    for part in dict.fromkeys(each.part for each in sweep):
        mine, progress = [each for each in sweep if each.part == part], plan.step(part)
        for done, each in enumerate(mine, 1):
            found.append(report(each, plan))
            if progress is not None:
                progress(done, len(mine))
    return found


def report(reports: Reports, plan: Plan) -> Reported:
    """Return the distances of all trials; each has a unit vector of its own."""
    noise, size = noise_of(reports), reports.dimension
    compiled = compile_for(add_reports, noise)
    squared = np.empty(plan.trials)
    for trial in range(plan.trials):
        rng = np.random.default_rng([plan.seed, trial, size, round(1000.0 * reports.epsilon)])
        vector = rng.standard_normal(size)
        vector /= np.linalg.norm(vector)
        total = np.zeros(size)
        compiled(noise, vector, reports.rounds, rng, np.zeros(size), total)
        squared[trial] = float(((total / reports.rounds - vector) ** 2).sum())
    return Reported(reports=reports, squared=squared)


def add_reports(
    noise: Noise | OneCoordinate,
    vector: Floats,
    count: int,
    rng: Generator,
    work: Floats,
    total: Floats,
) -> None:
    """Add ``count`` reports of a vector to a total."""
    for _ in range(count):
        for i in range(vector.size):
            work[i] = vector[i]
        noise.perturb(work, rng)
        for i in range(vector.size):
            total[i] += work[i]
