"""The features of a contextual bandit: one vector per arm, from person and arm."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np

from discreet.contracts import Floats, Integers, Record
from discreet.errors import (
    DiscreetError,
    check_flag,
    check_int,
    check_positive,
    count,
    has_items,
    shorten,
)
from discreet.live.arguments import Labels, index_of, labels_of, numbers_of, vector_of

MOST = 10_000  # features in all, as in ``problems.Contexts``
NUMBER = np.dtype(np.float64).itemsize


class Shown(NamedTuple):
    """The features of all arms available in a round, and which arms these are."""

    rows: Floats  # arm, feature
    arms: Integers

    def __repr__(self) -> str:
        return f"Shown(rows=<hidden>, arms={len(self.arms)})"


class Features:
    """How to build the features of an arm from numbers about a person and about the arm.

    >>> features = Features(["sports", "politics", "science"], context=2)
    >>> features.dimension, features.block                 # two numbers and a constant per article
    (9, 3)
    >>> Features(4, context=3, arm_features=5, per_arm=False).dimension
    9

    The model assumes that rewards are linear in these numbers. You declare the numbers and their
    scales: measuring scales from data would not be private.

    Parameters
    ----------
    arms
        Labels of the arms, or their number (labels are then 0, 1, ...).
    context
        How many numbers about a person you pass to ``ask``.
    arm_features
        How many numbers about each arm (or about a person and an arm) you pass to ``ask``.
    per_arm
        Whether each arm has its own coefficients of the context and its own constant. If False, all
        arms share them, and arms differ only in their own features.
    intercept
        Whether there is a constant.
    scales
        The usual size of each number: those of the context, then those of an arm; a single number
        applies to all. Each number is divided by its scale.
    clip
        The context is too long if the mean square of its numbers, each divided by its scale, is
        above 1. The same holds for the features of an arm. Vectors that are too long are shortened,
        or refused with ``clip=False``.

    """

    def __init__(
        self,
        arms: int | Sequence[Hashable],
        *,
        context: int = 0,
        arm_features: int = 0,
        per_arm: bool = True,
        intercept: bool = True,
        scales: float | Sequence[float] | Floats | None = None,
        clip: bool = True,
    ) -> None:
        self.arms: Labels = labels_of("arms", arms, alike=True)
        self.context = check_int("context", context, minimum=0, maximum=MOST)
        self.arm_features = check_int("arm_features", arm_features, minimum=0, maximum=MOST)
        self.per_arm = check_flag("per_arm", per_arm)
        self.intercept = check_flag("intercept", intercept)
        self.clip = check_flag("clip", clip)
        own = self.context + self.intercept
        self.block = own if self.per_arm else 0
        self.shared = self.arm_features + (0 if self.per_arm else own)
        self.dimension = self.shared + len(self.arms) * self.block
        if self.dimension == 0:
            raise DiscreetError("there are no features: give context, arm_features or intercept.")
        if not self.per_arm and self.arm_features == 0:
            raise DiscreetError(
                "per_arm is False, but arm_features is 0: the arms would be indistinguishable."
            )
        if self.dimension > MOST:
            raise DiscreetError(
                f"there are {self.dimension:,} features in total, but at most {MOST:,} are allowed."
            )
        self.scales = _scales_of(scales, self.context + self.arm_features)
        # Each part has at most this length, so that all together have a length of at most 1.
        parts = (self.context > 0) + (self.arm_features > 0) + self.intercept
        self._room = 1.0 / math.sqrt(parts)
        self._indices = {label: index for index, label in enumerate(self.arms)}

    def __repr__(self) -> str:
        return (
            f"Features({count(len(self.arms), 'arm')}, {count(self.dimension, 'feature')}, "
            f"{self.block} of them for each arm)"
        )

    @property
    def kept(self) -> int:
        """How many numbers of a record are stored until its outcome arrives; others are 0."""
        return self.shared + self.block

    def shown(
        self, context: object, arm_features: object, available: Iterable[Hashable] | None
    ) -> Shown:
        """Return the features of all available arms; messages never show a value."""
        arms = self._available(available)
        rows = np.zeros((arms.size, self.dimension))
        person = self._person(context)
        if self.arm_features > 0:
            rows[:, : self.arm_features] = self._of_arms(arm_features, arms)
        elif arm_features is not None:
            raise DiscreetError("arm_features are given, but this bandit was created without them.")
        if self.per_arm:
            for place, arm in enumerate(arms):
                start = self.shared + int(arm) * self.block
                rows[place, start : start + self.block] = person
        else:
            rows[:, self.arm_features : self.shared] = person
        return Shown(rows, arms)

    def _person(self, context: object) -> Floats:
        """Return the numbers about a person, and the constant."""
        if self.context == 0:
            if context is not None:
                raise DiscreetError("context is given, but this bandit was created without one.")
            found = np.zeros(0)
        else:
            given = vector_of("numbers of the context", context, self.context)
            found = self._shortened(given / self.scales[: self.context], "context")
        return np.append(found, self._room) if self.intercept else found

    def _of_arms(self, given: object, arms: Integers) -> Floats:
        """Return the numbers about each available arm, given by label or for all arms."""
        size, every = self.arm_features, len(self.arms)
        if isinstance(given, Mapping):
            wanted = [self.arms[int(arm)] for arm in arms]
            if not all(label in given for label in wanted):
                raise DiscreetError("arm_features must have one row per arm.")
            numbers, count = numbers_of([given[label] for label in wanted]), len(wanted)
        else:
            numbers, count = numbers_of(given), every
        if numbers is None or numbers.shape != (count, size) or not np.isfinite(numbers).all():
            raise DiscreetError(
                f"arm_features must be {count} rows of {size} finite numbers, one for each arm."
            )
        rows = numbers if isinstance(given, Mapping) else numbers[arms]
        return self._shortened(rows / self.scales[self.context :], "arm_features")

    def _shortened(self, given: Floats, name: str) -> Floats:
        """Return vectors of length at most ``_room``; one of the usual size has that length."""
        usual = math.sqrt(given.shape[-1])
        # divide by the largest entry first: squares of huge numbers are infinite
        most = np.maximum(np.abs(given).max(axis=-1, keepdims=True), 1.0)
        lengths = most * np.sqrt(np.square(given / most).sum(axis=-1, keepdims=True))
        if not self.clip and (lengths > usual * (1.0 + 1e-9)).any():
            raise DiscreetError(
                f"{name} is longer than its declared scales allow; clip=True would shorten it."
            )
        found: Floats = given * (self._room / np.maximum(lengths, usual))
        return found

    def _available(self, given: Iterable[Hashable] | None) -> Integers:
        """Return the indices of the available arms, in order."""
        if given is None:
            return np.arange(len(self.arms))
        found = _labels_in(given, self._indices)
        if found is None:
            raise DiscreetError(f"available is {shorten(given)}, but must be a list of arms.")
        if not found or None in found or len(set(found)) < len(found):
            raise DiscreetError("available must be one or more of the arms, each once.")
        return np.array(sorted(cast(list[int], found)), np.int64)


def _labels_in(given: object, indices: Mapping[Hashable, int]) -> list[int | None] | None:
    """Return the indices of labels in a list or the like; None if it is not one."""
    try:
        if not has_items(given):
            return None
        return [index_of(indices, label) for label in given]
    except Exception:  # of an unreadable object: it must not be in the chain of an error
        return None


class KeptRecords(NamedTuple):
    """What is stored of a decision until its outcome arrives: arm and features, as raw as that.

    It consists of the bytes of an outcome (``RunPlan``), the arm, the features shared by all arms,
    and those of the arm. The size is always the same, for any decision.
    """

    shared: int
    block: int
    dimension: int

    def opened(self, unknown: bytes, shown: object, place: int) -> tuple[bytes, int]:
        """Return what is stored with a decision, and its arm; ``unknown`` replaces the outcome.

        ``place`` is the position of the chosen arm among those shown.
        """
        assert isinstance(shown, Shown), "ContextualBandit passes Shown"
        arm, row = int(shown.arms[place]), shown.rows[place]
        start = self.shared + arm * self.block
        parts = (np.float64(arm), row[: self.shared], row[start : start + self.block])
        return unknown + b"".join(part.tobytes() for part in parts), arm

    def record(self, kept: bytes, outcome: object) -> Record:
        """Return the record of a round, with its outcome."""
        numbers = np.frombuffer(kept[len(kept) - self.size :])
        features = np.zeros(self.dimension)
        start = self.shared + int(numbers[0]) * self.block
        features[: self.shared] = numbers[1 : 1 + self.shared]
        features[start : start + self.block] = numbers[1 + self.shared :]
        return Record(features, float(outcome))  # type: ignore[arg-type]

    @property
    def size(self) -> int:
        """The number of bytes of arm and features."""
        return NUMBER * (1 + self.shared + self.block)


def _scales_of(given: float | Sequence[float] | Floats | None, size: int) -> Floats:
    """Return a scale for every number."""
    if given is None:
        return np.ones(size)
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
        return np.full(size, check_positive("scales", given))
    found = numbers_of(given)
    if found is None or found.shape != (size,) or not ((found > 0.0) & np.isfinite(found)).all():
        raise DiscreetError(
            f"scales is {shorten(given)}, but must be one number above 0, or one for each of the "
            f"{size} numbers of context and arm_features."
        )
    return found
