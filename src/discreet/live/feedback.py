"""Checks of what callers pass to a live run directly; messages never show feedback."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from discreet.contracts import Channel, Floats, Record
from discreet.errors import DiscreetError, check_int, shorten, whole_number
from discreet.live.arguments import not_finite, number_of, numbers_of
from discreet.ranges import Range


def feedback_for(channel: Channel, given: object, *, records: bool) -> object:
    """Return feedback in the form that a channel takes, or refuse it.

    ``records`` is whether the run itself makes records of the outcomes. The channel's example says
    what it takes: a number, a vector, a record, or anything else, of which only the type is known.
    """
    example = channel.example_feedback
    if records or isinstance(example, Real):
        return _number(channel, "feedback", given)
    if isinstance(example, np.ndarray):
        return _array("feedback", given, channel.feedback_size(), example.ndim)
    if not isinstance(given, type(example)):
        raise DiscreetError(
            f"feedback is of type {type(given).__name__}, but must be a {type(example).__name__}."
        )
    if isinstance(given, Record):
        features = _array("the features of the record", given.features, 0, 1)
        return Record(features, _number(channel, "outcome of the record", given.outcome))
    return given


def _number(channel: Channel, name: str, given: object) -> float:
    """Return a finite number in the channel's range, if it has one."""
    value = number_of(given)
    if value is None or not math.isfinite(value):
        raise not_finite(name, given if value is None else value)
    bounds = dict(zip(channel._fields, channel, strict=True)).get("bounds")
    if isinstance(bounds, Range) and not bounds.low <= value <= bounds.high:
        raise DiscreetError(
            f"the {name} is outside the declared range {bounds.low:g} to {bounds.high:g}."
        )
    return value


def _array(name: str, given: object, size: int, axes: int) -> Floats:
    """Return an array of finite numbers; ``size`` is its length, or 0 if that is not known."""
    words = f"vector of {size or 'finite'} {'finite ' * bool(size)}numbers"
    if axes != 1:
        words = f"array of finite numbers with {axes} axes"
    numbers = numbers_of(given)
    if numbers is None or not np.isfinite(numbers).all():
        raise DiscreetError(f"{name} must be a {words}.")
    if numbers.ndim != axes or (size and numbers.shape != (size,)):
        raise DiscreetError(f"{name} has the shape {numbers.shape}, but must be a {words}.")
    return numbers


def check_id(number: object, token: object) -> int:
    """Return the id of a decision, or refuse it or its token."""
    found = whole_number(number)
    if found is None:
        raise DiscreetError(
            f"number is of type {type(number).__name__}, but must be the id of a decision."
        )
    if token is not None and not isinstance(token, str):
        raise DiscreetError(f"token is of type {type(token).__name__}, but must be text or None.")
    return found


def check_page(after: object, limit: object) -> tuple[int, int | None]:
    """Return the id after which a list of decisions begins, and its length, or refuse them."""
    most = None if limit is None else check_int("limit", limit, minimum=0)
    return check_int("after", after, minimum=-1), most


def check_reader(read: object) -> None:
    """Refuse what cannot be called."""
    if not callable(read):
        raise DiscreetError(f"read is {shorten(read)}, but must be a function of the learner.")
