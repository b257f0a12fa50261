"""ACTG 175, a randomised trial of four treatments of HIV, as lifelines ships it; and a response model fitted to it."""

from __future__ import annotations

import csv
import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError

Covariates = Literal["all", "three", "none"]
TREATMENTS = ("zidovudine", "zidovudine and didanosine", "zidovudine and zalcitabine", "didanosine")
BASELINE = (
    *(
        "age",
        "wtkg",
        "hemo",
        "homo",
        "drugs",
        "karnof",
        "oprior",
        "z30",
        "preanti",
        "race",
        "gender",
        "str2",
        "symptom",
    ),
    *("cd40", "cd80"),
)
SHOWN: dict[str, tuple[str, ...]] = {
    "all": BASELINE,
    "three": ("z30", "symptom", "cd40"),
    "none": (),
}
# half of it times each squared coefficient of a standardised covariate; none on the constant
PENALTY = 10.0
STEPS = 25  # of Newton's method, which needs seven


class Trial(NamedTuple):
    """Its patients: baseline covariates of mean 0 and variance 1, who was given what, and whose disease got worse."""

    covariates: Floats
    treatments: Integers
    worse: Floats

    def shown(self, which: Covariates) -> Floats:
        """Return some of the covariates."""
        return self.covariates[:, [BASELINE.index(name) for name in SHOWN[which]]]


@functools.cache
def trial() -> Trial:
    """Return the data, or say what is missing. Only the file is read: lifelines itself is not imported."""
    found = find_spec("lifelines")
    if found is None or not found.submodule_search_locations:
        raise DiscreetError(
            "environments on ACTG 175 need lifelines, which ships it: pip install 'discreet[data]'."
        )
    with (Path(found.submodule_search_locations[0]) / "datasets" / "ACTG175.csv").open(
        newline=""
    ) as file:
        rows = list(csv.DictReader(file))
    columns = {
        name: np.array([float(row[name]) for row in rows]) for name in (*BASELINE, "arms", "cens")
    }
    baseline = np.column_stack([columns[name] for name in BASELINE])
    standard = (baseline - baseline.mean(axis=0)) / baseline.std(axis=0)
    return Trial(standard, columns["arms"].astype(np.int64), columns["cens"])


@functools.cache
def fitted_risks() -> Floats:
    """Return for every patient and treatment how likely the disease gets worse, by a fitted model and not by data.

    It is a logistic regression on all covariates for each treatment, with a penalty that keeps
    coefficients small.
    """
    data = trial()
    design = np.column_stack([data.covariates, np.ones(len(data.worse))])
    risks = np.empty((len(data.worse), len(TREATMENTS)))
    for arm in range(len(TREATMENTS)):
        given = data.treatments == arm
        risks[:, arm] = _logistic(design @ ridge_logistic(design[given], data.worse[given]))
    return risks


def ridge_logistic(design: Floats, outcomes: Floats) -> Floats:
    """Return the coefficients of a logistic regression with a penalty on all but the last, by Newton's method."""
    penalty = np.full(design.shape[1], PENALTY)
    penalty[-1] = 0.0
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        means = _logistic(design @ coefficients)
        slope = design.T @ (outcomes - means) - penalty * coefficients
        curvature = (design.T * (means * (1.0 - means))) @ design + np.diag(penalty)
        coefficients = coefficients + np.linalg.solve(curvature, slope)
    return coefficients


def _logistic(values: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-values))
