"""Labelled data as a bandit: arms are labels, and the feedback is whether the label is right."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.environments import register_environment, uniforms
from discreet.errors import DiscreetError
from discreet.problems import Against, ContextGame, Contexts, Environment
from discreet_papers.datasets.features import bound_rows, spread_over_arms

DataName = Literal["digits", "wine", "breast_cancer"]
COMPONENTS = 12  # at most so many principal components
ROW = 20  # names the table of random numbers that chooses rows


class Labelled(NamedTuple):
    """Rows of features with length at most 1, including a constant, and their labels."""

    features: Floats
    labels: Integers


@register_environment(
    "classification", title="labelled data, one label tried per round", problem=Contexts
)
class Classification(Environment):
    """Random rows of scikit-learn's ``digits``, ``wine`` or ``breast_cancer``; an arm is a label.

    The loss is 0 if the label is right, else 1. The columns are standardised; the features of a row
    are their first 12 principal components and a constant. Rows are scaled so that nine of ten have
    length at most 1, and the others are shortened to 1. There is one block of features per label:
    the features of arm a are the row in block a, and 0 elsewhere. So the data determine the numbers
    of arms and features: 10 and 130 for digits, 3 and 39 for wine, 2 and 26 for breast_cancer.
    Needs scikit-learn.
    """

    on_unit_scale = True

    data: DataName = "breast_cancer"
    norm: float = 1.0
    against: Against = "context"

    @property
    def problem(self) -> Contexts:
        """One arm per label, and a block of features for each."""
        found = load_labelled(self.data)
        arms = int(found.labels.max()) + 1
        return Contexts(arms, arms * found.features.shape[1], self.norm, self.against)

    @property
    def source(self) -> str:
        """The name of the data."""
        return self.data

    def deal(self, start: int, stop: int, rng: Generator) -> ContextGame:
        """Return rounds start to stop."""
        found, arms = load_labelled(self.data), self.problem.arms
        which = (uniforms(rng, start, stop, 1, purpose=ROW)[:, 0] * len(found.labels)).astype(
            np.int64
        )
        losses = 1.0 - np.eye(arms)[found.labels[which]]
        return ContextGame(losses, losses, self.norm * block_features(self.data), which)


@lru_cache(maxsize=3)
def load_labelled(name: str) -> Labelled:
    """Return the rows and labels of a data set, or say what is missing."""
    try:
        from sklearn import datasets
    except ImportError:
        raise DiscreetError(
            "environment 'classification' needs scikit-learn, which the extra 'examples' "
            "installs (pip install 'discreet[examples]')."
        ) from None
    loaders: dict[str, Any] = {
        "digits": datasets.load_digits,
        "wine": datasets.load_wine,
        "breast_cancer": datasets.load_breast_cancer,
    }
    columns, labels = loaders[name](return_X_y=True)
    spread = columns.std(axis=0)
    standard = (columns - columns.mean(axis=0))[:, spread > 0.0] / spread[spread > 0.0]
    values, vectors = np.linalg.eigh(standard.T @ standard)
    first = np.argsort(-values)[:COMPONENTS]
    # The signs of eigenvectors are arbitrary: fix them, so that all machines agree.
    signs = np.where(vectors[np.abs(vectors[:, first]).argmax(axis=0), first] < 0.0, -1.0, 1.0)
    components = standard @ (vectors[:, first] * signs)
    return Labelled(bound_rows(components), labels.astype(np.int64))


@lru_cache(maxsize=3)
def block_features(name: str) -> Floats:
    """Return the features of every row and arm, as a table that games only read."""
    found = load_labelled(name)
    return spread_over_arms(found.features, int(found.labels.max()) + 1)
