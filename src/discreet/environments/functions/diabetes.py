"""Regression by feedback alone: 442 patients, of whom only the error of a prediction is told."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.functions.squared_errors import SquaredErrors
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError
from discreet.problems import Functions, FunctionsEnvironment
from discreet.sets import Projecting, check_ability

# of a patient's vector of features: longer ones are shortened, so that none counts too much
LONGEST = 3.0
# how much of a standard deviation a feature can add: the best model without a limit adds 0.72
REACH = 0.75


@register_environment(
    "diabetes",
    title="regression on 442 patients by feedback alone",
    problem=Functions,
    usual={"domain": "ball(4)"},
)
class Diabetes(FunctionsEnvironment):
    """Squared errors of a linear model of how diabetes progresses, on scikit-learn's 442 patients, drawn at random.

    Features are the first n principal components of age, sex, body mass, blood pressure and six
    blood serum measurements, n the dimension of the set and at most 10, each of variance 1; vectors
    a of more than 3 are shortened to that. The disease's progression y after one year is centred,
    of variance 1. A point x of a set around c with the radii R and r predicts 0.75 ⟨a, x - c⟩ / r,
    and f is the squared error, divided by its largest value, (2.25 R / r + 2.52)². So f is in [0,
    1]; the Lipschitz constant is 4.5 / (2.25 R + 2.52 r), and if that is more than declared, f is
    made smaller. The best model of the set is found from counts of patients. Four components
    explain half of the variance of y, all of them 52 %.

    Every round counts as another person here: a patient who comes k times has k rounds to protect.
    Needs scikit-learn.
    """

    def functions(self, start: int, stop: int, rng: Generator) -> SquaredErrors:
        """Return the functions of rounds start to stop."""
        place = self.problem.place
        place.check_full("diabetes")
        check_ability(place.set, Projecting)  # of which the best point is found
        data = patients()
        if place.dimension > data.features.shape[1]:
            raise DiscreetError(
                f"domain is {self.domain}, but the patients have {data.features.shape[1]} "
                "features: use a set of as many dimensions, or fewer."
            )
        reach, vectors = REACH / place.inner, data.features[:, : place.dimension].copy()
        vectors *= reach * np.minimum(1.0, LONGEST / np.linalg.norm(vectors, axis=1))[:, None]
        case = (uniforms(rng, start, stop, 1)[:, 0] * len(vectors)).astype(np.int64)
        targets = data.progression + vectors @ place.set.centre()
        longest = LONGEST * reach
        largest = longest * place.outer + float(np.abs(data.progression).max())
        return SquaredErrors.of(
            case, targets[case], vectors, largest=largest, longest=longest, lipschitz=self.lipschitz
        )


class Patients(NamedTuple):
    """Principal components of the features, the first ones vary most, and the progression; all of variance 1."""

    features: Floats
    progression: Floats


@functools.cache
def patients() -> Patients:
    """Return the data, or say what is missing."""
    try:
        from sklearn.datasets import load_diabetes
    except ImportError:
        raise DiscreetError(
            "environment 'diabetes' needs scikit-learn: pip install 'discreet[data]'."
        ) from None
    features, progression = load_diabetes(return_X_y=True, scaled=False)
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    left, _, right = np.linalg.svd(standard, full_matrices=False)
    left *= np.sqrt(len(left)) * np.where(
        right.sum(axis=1) < 0.0, -1.0, 1.0
    )  # signs are the same on all machines
    return Patients(left, (progression - progression.mean()) / progression.std())
