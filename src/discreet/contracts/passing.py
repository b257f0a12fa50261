"""Types that pass between the parts of a private learner: arrays, records, type parameters.

Every problem has its own types, which the compiler infers. For mypy a class declares them once:
``class Exp3(Learner[int, Draw, float])`` plays an int, leaves a Draw as its trace and learns a
float. So mypy rejects a learner behind a channel that does not fit. A type that is not declared may
be anything; a query's type defaults to that of the release.
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
# public: how the action was chosen, with everything ``query`` and ``learn`` need
Trace = TypeVar("Trace", default=Any)
Feedback = TypeVar("Feedback", default=Any)  # raw and sensitive: a loss, or the whole loss vector
Release = TypeVar("Release", default=Any)  # a number or a vector, with noise
# public: the factor to multiply feedback by, such as 1.0
Query = TypeVar("Query", default=Release)
# public: what the learner sees before a round, such as advice; 0 if nothing
Observation = TypeVar("Observation", default=Any)
Model = TypeVar("Model", default=Any)  # public: what a server publishes, arrays by name

# a query that multiplies a released number
Factor = TypeVar("Factor", float, Floats, default=float)
Asked = TypeVar("Asked", default=float)  # the query of a class whose subclasses may use another


class Estimate(NamedTuple):
    """A query for ``factor`` times ``vector`` times the loss. All of it is public.

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
    """A query: the outcome, rounded to an end of its range by a public coin, times a direction."""

    direction: Floats
    coin: float  # uniform in [0, 1]


class Record(NamedTuple):
    """Raw and sensitive: what a device knows after its round, if contexts are private."""

    features: Floats  # of the arm that was played
    outcome: float  # its loss
