"""Assignments: who does what."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.errors import check_int
from discreet.sets.arguments import outweighed
from discreet.sets.contract import Gauged
from discreet.sets.exploration import MOST, Plan, plan_by_oracle, uniform_plan
from discreet.sets.selections import Selections


class Birkhoff(Selections, Gauged):
    """Doubly stochastic matrices, row by row: the hull of all assignments of as many jobs to workers; not compiled.

    >>> teams = Birkhoff(3)
    >>> point = np.zeros(9)
    >>> teams.minimise_linear(np.array([0.5, 0.9, 0.2, 0.2, 0.1, 0.9, 0.0, 0.5, 0.7]), point)
    >>> teams.label(point)
    'worker 0 does job 2, worker 1 does job 1, worker 2 does job 0'
    """

    compiles = False

    workers: int

    def __new__(cls, workers: int) -> Self:
        """Return the assignments of as many jobs as workers."""
        return cls._make((check_int("workers", workers, minimum=2, maximum=3000),))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return some to check the contract with."""
        return [cls(2), cls(3), cls(4)]

    @property
    def dimension(self) -> int:
        """The number of pairs of a worker and a job."""
        return self.workers * self.workers

    @property
    def flat(self) -> int:
        """That of matrices whose rows and columns have the sum 0."""
        return (self.workers - 1) ** 2

    @property
    def inner(self) -> float:
        """The distance of the centre from where an entry is 0: 1/n over 1 - 1/n, that of a unit vector in the hull."""
        return 1.0 / (self.workers - 1)

    def centre(self) -> Floats:
        """Return the matrix with all entries equal."""
        return np.full(self.dimension, 1.0 / self.workers)

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write an assignment with the least sum of entries."""
        workers, jobs = _solver()(outweighed(direction).reshape(self.workers, self.workers))
        point[:] = 0.0
        point[workers * self.workers + jobs] = 1.0

    def tangent(self, vector: Floats) -> None:
        """Subtract the means of rows and of columns."""
        matrix = vector.reshape(self.workers, self.workers)
        matrix -= np.add.reduce(matrix, axis=1, keepdims=True) / self.workers
        matrix -= np.add.reduce(matrix, axis=0) / self.workers

    def gauge(self, point: Floats) -> float:
        """Return 1 - n times the least entry, which is 0 on the boundary."""
        return max(1.0 - self.workers * float(point.min()), 0.0)

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether entries are at least -tolerance and sums of rows and columns within tolerance of 1."""
        if point.size != self.dimension or not np.all(point >= -tolerance):
            return False
        matrix = point.reshape(self.workers, self.workers)
        return bool(
            np.all(np.abs(np.append(matrix.sum(axis=0), matrix.sum(axis=1)) - 1.0) <= tolerance)
        )

    def plan(self) -> Plan:
        """Return all assignments, or, if they are more than 1024, random ones that span whatever all span."""
        if math.factorial(self.workers) > MOST:
            return _random_plan(self.workers)
        return uniform_plan(
            [
                np.eye(self.workers)[list(jobs)].ravel()
                for jobs in itertools.permutations(range(self.workers))
            ]
        )

    def label(self, point: Floats) -> str:
        """Return who does what."""
        jobs = np.argmax(point.reshape(self.workers, self.workers), axis=1)
        return ", ".join(f"worker {worker} does job {job}" for worker, job in enumerate(jobs))


@functools.cache
def _solver() -> Callable[[Floats], tuple[Integers, Integers]]:
    """Return SciPy's solver, which is imported when it is first needed, and not looked up in every call."""
    from scipy.optimize import linear_sum_assignment

    found: Callable[[Floats], tuple[Integers, Integers]] = linear_sum_assignment
    return found


@functools.lru_cache(maxsize=4)
def _random_plan(workers: int) -> Plan:
    """Return a plan that takes a while to find."""
    return plan_by_oracle(Birkhoff(workers).minimise_linear, workers * workers)
