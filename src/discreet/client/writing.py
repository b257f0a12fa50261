"""Requests: arguments and outcomes as JSON values; errors show nothing of an outcome."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Hashable, Mapping, Sequence
from datetime import timedelta
from pathlib import PurePath
from urllib.parse import quote

import numpy as np

from discreet.errors import DiscreetError, shorten
from discreet.estimates.table import MeanEstimates
from discreet.guarantee_facts import Json
from discreet.live import Features
from discreet.live.arguments import listed, not_finite, numbers_of
from discreet.live.changing_labels import worth_of
from discreet.live.client import LiveClient
from discreet.sets import LinearOracle

HERE = ("store", "key", "ledger")  # arguments about where a run is stored: the service decides


def run_name(path: object) -> str:
    """Return the name of a run on a service from the path of a file: without folder and '.db'.

    >>> run_name("runs/banner.db"), run_name("banner")
    ('banner', 'banner')
    """
    try:
        name = PurePath(os.fspath(path)).name.removesuffix(".db")  # type: ignore[call-overload]
    except TypeError:
        name = ""
    if not name:
        raise DiscreetError(
            f"path is {shorten(path)}, but on a service it must be the name of the run."
        )
    return str(name)


def run_path(name: str, *parts: object) -> str:
    """Return the path of a run, or of something in it."""
    quoted = (quote(str(part), safe="") for part in (name, *parts))
    return "/v1/runs/" + "/".join(quoted)


def spec_of(
    kind: type[LiveClient], problem: str, given: tuple[object, ...], named: Mapping[str, object]
) -> tuple[str, Json]:
    """Return the name of a run and its specification, from the arguments of its class."""
    try:
        bound = inspect.signature(kind).bind(*given, **named).arguments
    except TypeError as wrong:
        raise DiscreetError(f"{kind.__name__}: {wrong}.") from None
    arguments = {**bound, **bound.pop("options", {})}
    arguments.pop("options", None)
    name = run_name(arguments.pop("path", None))
    for each in HERE:
        if arguments.pop(each, None) is not None:
            raise DiscreetError(f"{each} is given, but the service has its own: leave it out.")
    if "wait" not in arguments:
        raise DiscreetError(
            "wait is missing: give wait and a default outcome, which hide who answers, or pass "
            "wait=None to do without (docs/service.md)."
        )
    if arguments["wait"] is None:
        arguments.pop("wait")
        arguments["wait_declined"] = True
    if isinstance(arguments.get("prior"), MeanEstimates):
        low, high = arguments.get("low", 0.0), arguments.get("high", 1.0)
        arguments["prior"] = worth_of(arguments["prior"], low, high)
    return name, {"problem": problem} | {
        each: plain(each, value) for each, value in arguments.items() if value is not None
    } | ({"horizon": None} if arguments.get("horizon", 0) is None else {})


def plain(name: str, value: object) -> object:
    """Return an argument as a JSON value, or refuse it."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Features):
        return _features(value)
    if isinstance(value, LinearOracle):
        raise DiscreetError(
            f"{name} is {shorten(value)}, but a service knows sets only by name (docs/sets.md)."
        )
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float) and not np.isfinite(value):
        raise DiscreetError(f"{name} is {shorten(value)}, but must be a finite number.")
    if isinstance(value, int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(name, each) for key, each in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes | bytearray):
        return [plain(name, each) for each in value]
    raise DiscreetError(f"{name} is {shorten(value)}, which cannot be sent to a service.")


def _features(features: Features) -> Json:
    return {
        "arms": list(features.arms),
        "context": features.context,
        "arm_features": features.arm_features,
        "per_arm": features.per_arm,
        "intercept": features.intercept,
        "scales": features.scales.tolist(),
        "clip": features.clip,
    }


def private_numbers(name: str, given: object) -> object:
    """Return numbers that no error may show, as JSON: one number, a vector, or rows."""
    numbers = numbers_of(given)
    if numbers is None or not np.isfinite(numbers).all():
        raise DiscreetError(f"the {name} must be finite numbers.")
    return numbers.tolist()


def outcome_of(given: Mapping[str, object], places: Sequence[Hashable] | None = None) -> Json:
    """Return the single outcome; one given by label is put into the order of ``places``."""
    named = {name: each for name, each in given.items() if each is not None}
    if len(named) != 1:
        raise DiscreetError(f"tell needs one outcome: either {' or '.join(given)}.")
    ((name, outcome),) = named.items()
    if isinstance(outcome, Mapping):
        if places is None:
            raise DiscreetError(
                f"the {name} are given by label, but this problem has no labels: give numbers in "
                "order."
            )
        if len(outcome) != len(places) or not all(label in outcome for label in places):
            raise DiscreetError(
                f"the {name} have other labels: give one value for each of {listed(places)}."
            )
        outcome = [outcome[label] for label in places]
    numbers = numbers_of(outcome)
    if numbers is None or not np.isfinite(numbers).all():
        if name.endswith("s"):
            raise DiscreetError(f"the {name} must be finite numbers.")
        raise not_finite(name, outcome if numbers is None else math.nan)
    return {name: numbers.tolist()}
