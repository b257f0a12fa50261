"""Policies that do not learn, for evaluation on a log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.contracts import Floats, Learner, Protected
from discreet.errors import DiscreetError, check_range, shorten
from discreet.logs.log import Log

TOLERANCE = 1e-9  # allowance for rounding by which probabilities may fail to sum to 1
LEARNS = (
    "learns while it plays, but only fixed policies can be evaluated: replay it with "
    "simulate(..., environment='logged')."
)


class FixedPolicy(ABC):
    """Chooses an arm with probabilities that depend only on the row's own context."""

    name: str

    @abstractmethod
    def probabilities(self, log: Log) -> Floats:
        """Return the probability of every arm in every row."""


@dataclass(frozen=True)
class ArmShares(FixedPolicy):
    """The same probabilities in every row.

    >>> ArmShares({"a": 0.7, "b": 0.3}).name
    'a 0.7, b 0.3'
    """

    shares: Mapping[Any, float]
    name: str = ""

    def __post_init__(self) -> None:
        words = ", ".join(f"{label} {share:g}" for label, share in self.shares.items())
        object.__setattr__(self, "name", self.name or words)

    def probabilities(self, log: Log) -> Floats:
        """Return the shares, in the order of the log's arms."""
        row = np.zeros(log.arms)
        for label, share in self.shares.items():
            row[log.number(label)] += check_range(f"the share of {label}", share, 0.0, 1.0)
        return np.broadcast_to(row, (log.rows, log.arms))


@dataclass(frozen=True)
class UniformPolicy(FixedPolicy):
    """Every arm with the same probability."""

    name: str = "uniform"

    def probabilities(self, log: Log) -> Floats:
        """Return 1 / K."""
        return np.full((log.rows, log.arms), 1.0 / log.arms)


@dataclass(frozen=True, eq=False)
class LinearScores(FixedPolicy):
    """The arm with the largest score ⟨x, θ(a)⟩ + c(a), and a uniform arm with probability explore.

    ``weights`` has one row of θ for each arm, in the order of the log's arms, and one column for
    each feature of the log.
    """

    weights: Floats
    constants: Floats | None = None
    explore: float = 0.0
    name: str = "linear scores"

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", np.asarray(self.weights, dtype=np.float64))
        check_range("explore", self.explore, 0.0, 1.0)

    def probabilities(self, log: Log) -> Floats:
        """Return explore / K, and the rest for the arm with the largest score."""
        if self.weights.shape != (log.arms, log.context.shape[1]):
            raise DiscreetError(
                f"weights has the shape {self.weights.shape}, but {log.source} has "
                f"{log.arms} arms and {log.context.shape[1]} features."
            )
        scores = log.context @ self.weights.T
        if self.constants is not None:
            scores = scores + np.asarray(self.constants, dtype=np.float64)
        found = np.full(scores.shape, self.explore / log.arms)
        found[np.arange(log.rows), scores.argmax(axis=1)] += 1.0 - self.explore
        return found


@dataclass(frozen=True, eq=False)
class GivenProbabilities(FixedPolicy):
    """Probabilities computed elsewhere: a function of contexts, or a table.

    A row's probabilities may depend on other rows, so such a policy has no private release.
    """

    given: Any
    name: str = "the given policy"

    def probabilities(self, log: Log) -> Floats:
        """Return the table, or the values of the function on all contexts."""
        found = self.given(log.context) if callable(self.given) else self.given
        try:
            table = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError):
            table = np.zeros(0)
        if table.shape not in ((log.rows, log.arms), (log.arms,)):
            raise DiscreetError(
                f"policy gives {shorten(found)}, but must give a probability for each of "
                f"{log.rows} rows and {log.arms} arms."
            )
        return np.broadcast_to(table, (log.rows, log.arms))


def policy_of(given: object) -> FixedPolicy:
    """Return a policy: itself, "uniform", "arm=LABEL", shares by label, a table or a function."""
    if isinstance(given, FixedPolicy):
        return given
    if isinstance(given, str):
        if given == "uniform":
            return UniformPolicy()
        word, equals, label = given.partition("=")
        if word == "arm" and equals and label:
            return ArmShares({label: 1.0}, given)
        if given.startswith("shares:"):
            return ArmShares(_parse_shares(given.removeprefix("shares:")))
        raise DiscreetError(
            f"policy is '{given}', but must be 'uniform', 'arm=LABEL' or "
            f"'shares:LABEL=SHARE,...'; an algorithm {LEARNS}"
        )
    if isinstance(given, Learner | Protected):
        raise DiscreetError(f"policy is {shorten(given)}, which {LEARNS}")
    if isinstance(given, Mapping):
        return ArmShares(dict(given))
    if callable(given) or isinstance(given, np.ndarray | list | tuple):
        return GivenProbabilities(given)
    raise DiscreetError(
        f"policy is {shorten(given)}, but must be 'uniform', 'arm=LABEL', shares by label, a "
        "table of probabilities or a function of contexts."
    )


def _parse_shares(text: str) -> dict[str, float]:
    """Return shares by label from a text such as a=0.7,b=0.3."""
    found = {}
    for part in text.split(","):
        label, equals, share = part.strip().rpartition("=")
        try:
            found[label] = float(share)
        except ValueError:
            equals = ""
        if not equals:
            raise DiscreetError(
                f"policy is 'shares:{text}', but must look like 'shares:a=0.7,b=0.3'."
            )
    return found


def checked_probabilities(policy: FixedPolicy, log: Log) -> Floats:
    """Return the probabilities of a policy, or refuse those that are not a distribution."""
    found = policy.probabilities(log)
    wrong = ~((found >= 0.0).all(axis=1) & (np.abs(found.sum(axis=1) - 1.0) <= TOLERANCE))
    if wrong.any():
        raise DiscreetError(
            f"policy gives row {log.lines[np.argmax(wrong)]} probabilities that add up "
            f"to {found[np.argmax(wrong)].sum():g}, but they must be at least 0 and add up to 1."
        )
    return found
