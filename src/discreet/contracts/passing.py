"""What passes between the parts of a private learner: arrays, records, and the type parameters of the contracts.

Every problem has types of its own, which the compiler infers. For mypy a class says once what it is
about: ``class Exp3(Learner[int, Draw, float])`` plays an int, leaves a Draw behind and learns a
float. So a learner behind a channel that does not fit is an error. What is not said may be
anything; a query of which nothing is said is of the same type as the release.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Generator = np.random.Generator

Action = TypeVar("Action", default=Any)  # what is played: an arm, a point, a distribution
Trace = TypeVar(
    "Trace", default=Any
)  # public: how the action was chosen, all that ``query`` and ``learn`` need of it
Feedback = TypeVar("Feedback", default=Any)  # raw and sensitive: a loss, or the whole loss vector
Release = TypeVar(
    "Release", default=Any
)  # what a channel lets out: a number or a vector, with noise
Query = TypeVar(
    "Query", default=Release
)  # public: the factor by which feedback is wanted, such as 1.0
Observation = TypeVar(
    "Observation", default=Any
)  # public: what is shown before a round, such as advice; 0 if nothing is
Model = TypeVar("Model", default=Any)  # public: what a server publishes, arrays by name

Factor = TypeVar(
    "Factor", float, Floats, default=float
)  # a query by which a released number is multiplied
Asked = TypeVar("Asked", default=float)  # the query of a class that has subclasses with another


class Estimate(NamedTuple):
    """A query for more than the loss: ``factor`` times ``vector`` times the loss is wanted. All of it is public.

    ``group`` says which queries may be alike (the arm that was played); ``weights``, with the sum
    ``total``, say how much an error in each coordinate matters. The channel computes the
    sensitivity from these numbers itself.
    """

    group: int
    factor: float
    vector: Floats
    weights: Floats
    total: float


class Toss(NamedTuple):
    """A query for an outcome that is rounded to an end of its range by a public coin, times a direction."""

    direction: Floats
    coin: float  # uniform in [0, 1]


class Record(NamedTuple):
    """Raw and sensitive: what a device knows after its round, where contexts are private."""

    features: Floats  # of the arm that was played
    outcome: float  # its loss
