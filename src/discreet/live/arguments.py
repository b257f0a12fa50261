"""Checks of the arguments of live objects; error messages never show an outcome."""

from __future__ import annotations

import contextlib
import math
from array import array
from collections import UserString
from collections.abc import Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import copysign
from numbers import Real
from typing import Any, Protocol, runtime_checkable

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, count, shorten
from discreet.ranges import Range

Labels = tuple[Hashable, ...]
TOLERANCE = 1e-9  # rounding: how far probabilities may miss a sum of 1, and lengths a norm
NOT_NUMBERS = (str, UserString, bytes, bytearray, memoryview, np.ma.MaskedArray)
REAL = (Real, Decimal, np.bool_)
SHOWN = 8  # labels in a message
MANY = 10_000_000  # the largest number of labels or dimensions, limited by memory


@runtime_checkable
class AsArray(Protocol):
    """An array of NumPy, or what can be made one, such as a column of a table."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


def labels_of(name: str, given: int | Sequence[Hashable], *, alike: bool = False) -> Labels:
    """Return the labels; if only their number is given, 0, 1, ...

    ``alike`` is whether labels may print alike, as in runs of earlier versions.
    """
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.size <= MANY:
        given = given.tolist()
    if isinstance(given, str | bytes) or not isinstance(given, int | np.integer | Sequence):
        raise DiscreetError(
            f"{name} is {shorten(given)}, but must be a list of labels or a whole number of at "
            "least 2."
        )
    if isinstance(given, Sequence):
        if len(given) < 2:
            raise DiscreetError(
                f"{name} has {count(len(given), 'label')}, but at least 2 are needed."
            )
        if len(given) > MANY:
            raise DiscreetError(f"{name} has {len(given):,} labels, but may have {MANY:,}.")
        _check_labels(name, given, alike=alike)
        return tuple(label.item() if isinstance(label, np.generic) else label for label in given)
    return tuple(range(check_int(name, given, minimum=2, maximum=MANY)))


def _check_labels(name: str, labels: Sequence[object], *, alike: bool) -> None:
    """Refuse labels that are not equal to themselves, equal, or (usually) print alike."""
    known: set[object] = set()
    texts: dict[str, object] = {}
    for label in labels:
        try:
            fine, again, text = bool(label == label), label in known, str(label)
        except Exception:
            fine = False
        if not fine:
            raise DiscreetError(f"{name} has a label that is not allowed: use text or numbers.")
        if again:
            raise DiscreetError(
                f"{name} has the label {shorten(label)} twice, but labels must differ."
            )
        if text in texts and not alike:
            raise DiscreetError(
                f"{name} has the labels {shorten(texts[text])} and {shorten(label)}, which print "
                "alike: labels must differ as text."
            )
        known.add(label)
        texts[text] = label


def listed(labels: Sequence[object]) -> str:
    """Return labels for a message: text in quotes, and only the first of many.

    >>> listed(["A", 1])
    "'A', 1"
    """
    return ", ".join(map(shorten, labels[:SHOWN])) + ", ..." * (len(labels) > SHOWN)


def loss_of(
    reward: object, loss: object, bounds: Range | tuple[float, float], *, clip: bool
) -> float:
    """Return the outcome as a loss in range."""
    if (reward is None) is (loss is None):
        raise DiscreetError("tell needs one outcome: either reward or loss.")
    low, high = bounds
    given = reward if loss is None else loss
    value = given if type(given) is float else number_of(given)
    if value is None or not math.isfinite(value):
        raise not_finite(_name_of(loss), given if value is None else value)
    if clip:  # without comparisons: a processor guesses them, and is late if it guessed wrong
        below, above = 0.5 - copysign(0.5, value - low), 0.5 - copysign(0.5, high - value)
        value = value * (1.0 - below - above) + low * below + high * above
    elif not low <= value <= high:
        raise DiscreetError(
            f"the {_name_of(loss)} is outside the declared range {low:g} to {high:g}; clip=True "
            "would clip it."
        )
    return value if loss is not None else low + (high - value)


def _name_of(loss: object) -> str:
    """Return the name of an outcome: the loss, or the reward if that is None."""
    return "reward" if loss is None else "loss"


def not_finite(name: str, given: object) -> DiscreetError:
    """Return the refusal of an outcome that is not a finite number; it shows the type at most."""
    if isinstance(given, REAL) and not isinstance(given, np.timedelta64):
        return DiscreetError(f"the {name} is not a finite number.")
    return DiscreetError(
        f"the {name} is of type {type(given).__name__}, but must be a finite number."
    )


def number_of(given: object) -> float | None:
    """Return the outcome as a float, or None: it must not appear in the chain of an exception.

    Python's and NumPy's numbers are accepted, also decimals, fractions and arrays without axes.
    Python's ``float`` would also read text, bytes and buffers of bytes, drop the imaginary part of
    a complex number, and ignore the mask of a masked number.
    """
    if type(given) is np.ndarray and given.ndim == 0:
        given = given[()]
    if isinstance(given, np.timedelta64) or not isinstance(given, REAL):
        return None
    try:
        return float(given)
    except Exception:
        return None


def losses_of(
    rewards: object, losses: object, labels: Labels, bounds: Range, *, clip: bool
) -> Floats:
    """Return the outcomes of all experts, given in order or by label, as losses in range."""
    if (rewards is None) == (losses is None):
        raise DiscreetError("tell needs one outcome: either rewards or losses.")
    name, given = ("rewards", rewards) if losses is None else ("losses", losses)
    if isinstance(given, Mapping):
        try:
            same = len(given) == len(labels) and all(label in given for label in labels)
            ordered = [given[label] for label in labels] if same else None
        except Exception:  # of a mapping that cannot be read: it must not be in the chain
            ordered = None
        if ordered is None:
            raise DiscreetError(
                f"the {name} have other labels: give one value for each of {listed(labels)}."
            )
        given = ordered
    return _in_range(
        name, vector_of(name, given, len(labels)), bounds, clip=clip, rewards=losses is None
    )


def pair_of(reward: object, loss: object, bounds: Range, *, clip: bool) -> Floats:
    """Return the outcomes at two points, as losses in range."""
    if (reward is None) is (loss is None):
        raise DiscreetError("tell needs one outcome: either reward or loss, with two numbers.")
    name, given = ("two rewards", reward) if loss is None else ("two losses", loss)
    return _in_range(name, vector_of(name, given, 2), bounds, clip=clip, rewards=loss is None)


def _in_range(name: str, values: Floats, bounds: Range, *, clip: bool, rewards: bool) -> Floats:
    """Return losses in range, from losses or ``rewards``."""
    low, high = bounds
    if not clip and not ((values >= low) & (values <= high)).all():
        raise DiscreetError(
            f"the {name} leave the declared range {low:g} to {high:g}; clip=True would clip them."
        )
    values = np.clip(values, low, high)
    return low + (high - values) if rewards else values


def vector_of(name: str, given: object, length: int) -> Floats:
    """Return a vector of finite numbers, or refuse it."""
    numbers = numbers_of(given)
    if numbers is None or not np.isfinite(numbers).all():
        raise DiscreetError(f"the {name} must be {length} finite numbers.")
    if numbers.shape != (length,):
        raise DiscreetError(
            f"the {name} have the shape {numbers.shape}, but must be a vector of length {length}."
        )
    return numbers


def numbers_of(given: object) -> Floats | None:
    """Return an array of floats, or None: it must not appear in the chain of an exception.

    Text and bytes are not numbers, although NumPy reads a buffer of bytes as numbers; masked
    entries count as missing.
    """
    known = isinstance(given, (Sequence, array, *REAL, AsArray))
    if isinstance(given, NOT_NUMBERS) or not known:
        return None
    if isinstance(given, array) and given.typecode in "bBuw":
        return None
    try:
        if isinstance(given, Sequence) and (len(given) > MANY or _has_masked(given)):
            return None
        found = np.asarray(given)
        if found.dtype.kind == "O":  # decimals and fractions, but also anything else
            numbers = [number_of(each) for each in found.flat]
            return None if None in numbers else np.array(numbers, float).reshape(found.shape)
        return found.astype(np.float64) if found.dtype.kind in "biuf" else None
    except Exception:
        return None


def _has_masked(given: Sequence[object]) -> bool:
    """Return whether a list, or a list in it, has a masked entry."""
    return any(
        isinstance(each, NOT_NUMBERS)
        or (isinstance(each, list | tuple) and any(isinstance(one, NOT_NUMBERS) for one in each))
        for each in given
    )


# the beginnings of refusals, and the argument that holds the default
DEFAULTS = {
    "the two losses have": "loss has",
    "the two rewards have": "reward has",
    "the losses": "losses",
    "the rewards": "rewards",
    "the loss": "loss",
    "the reward": "reward",
}


@contextlib.contextmanager
def default_named() -> Iterator[None]:
    """Check a default like an outcome, but name the argument of the default in refusals."""
    try:
        yield
    except DiscreetError as refusal:
        said = str(refusal)
        if said.startswith("tell needs one outcome"):
            kinds = "rewards and default_losses" if "rewards" in said else "reward and default_loss"
            said = f"default_{kinds} are both given: give only one."
        for words, argument in DEFAULTS.items():
            if said.startswith(words):
                said = f"default_{argument} {said.removeprefix(words).lstrip()}"
                break
        said = said.partition("; clip=True")[0].rstrip(".") + "."
        raise DiscreetError(said) from None


def index_of(indices: Mapping[Hashable, int], label: object) -> int | None:
    """Return the index of a label; None if there is none, or if it cannot be a label."""
    try:
        return indices.get(label)
    except Exception:
        return None


def advice_of(given: object, experts: Labels, arms: Labels) -> Floats:
    """Return advice (experts by arms) in the form for learners: arms by experts."""
    advice = numbers_of(given)
    if advice is None or advice.shape != (len(experts), len(arms)):
        found = "not an array of numbers" if advice is None else f"of shape {advice.shape}"
        raise DiscreetError(
            f"advice is {found}, but must have one row per expert: {len(experts)} by "
            f"{len(arms)} numbers."
        )
    wrong = ~((advice >= 0.0).all(axis=1) & (np.abs(advice.sum(axis=1) - 1.0) <= TOLERANCE))
    if wrong.any():
        who = int(np.argmax(wrong))
        row = advice[who]
        wrong_entry = row[~(row >= 0.0)]
        told = f"has {wrong_entry[0]:g} in it" if wrong_entry.size else f"adds up to {row.sum():g}"
        raise DiscreetError(
            f"the advice of expert {experts[who]!r} {told}, but must be a distribution over arms."
        )
    return np.ascontiguousarray(advice.T)
