"""Labelled data as a bandit: arms are labels, and only whether the played one is right comes back."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.environments.contexts.rows import bounded, in_blocks
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError
from discreet.problems import Against, ContextGame, Contexts, Environment

DataName = Literal["digits", "wine", "breast_cancer"]
COMPONENTS = 12  # principal components, at most


class Labelled(NamedTuple):
    """Rows of features of length at most 1, a constant among them, and their labels."""

    features: Floats
    labels: Integers


@register_environment(
    "classification", title="labelled data, one label tried a round", problem=Contexts
)
class Classification(Environment):
    """Rows of a data set of scikit-learn (``digits``, ``wine`` or ``breast_cancer``), drawn at random; an arm is a label.

    A loss is 0 if the label is right, else 1. Of the standardised columns the first 12 principal
    components are taken, and a constant; rows are scaled so that nine of ten are no longer than 1,
    and the others are shortened. The features of arm a are those of the row in the a-th of as many
    blocks as there are labels, and 0 elsewhere. So arms and features follow from the data: 10 and
    130 for digits, 3 and 39 for wine, 2 and 26 for breast_cancer. It needs scikit-learn.
    """

    on_unit_scale = True

    data: DataName = "breast_cancer"
    norm: float = 1.0
    against: Against = "context"

    @property
    def problem(self) -> Contexts:
        """As many arms as labels, and a block of features for each."""
        found = labelled(self.data)
        arms = int(found.labels.max()) + 1
        return Contexts(arms, arms * found.features.shape[1], self.norm, self.against)

    @property
    def source(self) -> str:
        """The name of the data."""
        return self.data

    def deal(self, start: int, stop: int, rng: Generator) -> ContextGame:
        """Return rounds start to stop."""
        found, arms = labelled(self.data), self.problem.arms
        which = (uniforms(rng, start, stop, 1, purpose=20)[:, 0] * len(found.labels)).astype(
            np.int64
        )
        losses = 1.0 - np.eye(arms)[found.labels[which]]
        return ContextGame(losses, losses, self.norm * blocks(self.data), which)


@lru_cache(maxsize=3)
def labelled(name: str) -> Labelled:
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
    signs = np.where(
        vectors[np.abs(vectors[:, first]).argmax(axis=0), first] < 0.0, -1.0, 1.0
    )  # the same everywhere
    components = standard @ (vectors[:, first] * signs)
    return Labelled(bounded(components), labels.astype(np.int64))


@lru_cache(maxsize=3)
def blocks(name: str) -> Floats:
    """Return the features of every row and arm: a table that games only read."""
    found = labelled(name)
    return in_blocks(found.features, int(found.labels.max()) + 1)
