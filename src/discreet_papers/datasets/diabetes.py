"""Regression from feedback alone: 442 patients; only the error of a prediction is revealed."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments import SquaredErrors, register_environment, uniforms
from discreet.errors import DiscreetError
from discreet.problems import Functions, FunctionsEnvironment
from discreet.sets import Projecting, check_ability

# The longest vector of features: longer ones are shortened, so that no patient counts too much.
LONGEST = 3.0
# How many standard deviations one feature can add: the best unrestricted model adds 0.72.
REACH = 0.75


@register_environment(
    "diabetes",
    title="regression on 442 patients by feedback alone",
    problem=Functions,
    usual={"domain": "ball(4)"},
)
class Diabetes(FunctionsEnvironment):
    """Squared errors of linear models of diabetes progression, on scikit-learn's 442 patients.

    Each round draws a patient at random. The features a are the first n principal components of
    age, sex, body mass, blood pressure and six blood serum measurements, each with variance 1; n is
    the dimension of the set, at most 10. Vectors longer than 3 are shortened to 3. The progression
    y after one year has mean 0 and variance 1. In a set around c with radii R and r, a point x
    predicts 0.75 ⟨a, x - c⟩ / r. The function f is the squared error divided by its largest value,
    (2.25 R / r + 2.52)², so it lies in [0, 1]. Its Lipschitz constant is 4.5 / (2.25 R + 2.52 r);
    if that exceeds the declared one, f is scaled down. The best model in the set is computed from
    the counts of patients. Four components explain half of the variance of y, all ten 52 %.

    Every round counts as a different person: a patient who is drawn k times has k rounds to
    protect. Needs scikit-learn.
    """

    def functions(self, start: int, stop: int, rng: Generator) -> SquaredErrors:
        """Return the functions of rounds start to stop."""
        place = self.problem.place
        place.check_full("diabetes")
        check_ability(place.set, Projecting)  # needed to find the best point
        data = load_patients()
        if place.dimension > data.features.shape[1]:
            raise DiscreetError(
                f"domain is {self.domain}, but the patients have {data.features.shape[1]} "
                "features: use a set with at most that many dimensions."
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


class DiabetesPatients(NamedTuple):
    """The features' principal components, largest first, and the progression; all of variance 1."""

    features: Floats
    progression: Floats


@functools.cache
def load_patients() -> DiabetesPatients:
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
    # The signs of singular vectors are arbitrary: fix them, so that all machines agree.
    left *= np.sqrt(len(left)) * np.where(right.sum(axis=1) < 0.0, -1.0, 1.0)
    return DiabetesPatients(left, (progression - progression.mean()) / progression.std())
