"""The spec of a run: the JSON that creates it, as arguments of a live class."""

from __future__ import annotations

import inspect
import json
import re
import warnings
from collections.abc import Hashable
from datetime import timedelta
from typing import Any, NamedTuple

from discreet.errors import DiscreetError, check_flag, check_positive, shorten
from discreet.live import Features, LiveClient
from discreet.service.forms import FORMS, AnyJson, ProblemForm, check_fields
from discreet.service.problems import HttpProblem

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
SIMULATING = ("simulation", "seed")
NOT_HERE = (*SIMULATING, "ledger", "path", "store", "key")
FEATURES = frozenset(inspect.signature(Features).parameters)
LONGEST_LABEL = 200  # characters


class Creation(NamedTuple):
    """A checked spec: the class and its arguments."""

    form: ProblemForm
    arguments: AnyJson
    text: str  # the spec as stored and compared

    def probe(self) -> LiveClient[Any]:
        """Return such a run in memory; refuse what the library refuses, or does not protect."""
        arguments = {name: value for name, value in self.arguments.items() if name != "durable"}
        with warnings.catch_warnings(action="ignore"):  # all warnings are refused below
            live = self.make(arguments)
        if not live.guarantee.is_private:
            raise HttpProblem(
                "invalid", f"algorithm is {live.algorithm}, which is not private: choose another."
            )
        return live

    def make(self, arguments: AnyJson) -> LiveClient[Any]:
        """Return a run of the class."""
        try:
            made: LiveClient[Any] = self.form.live(**arguments)
        except TypeError as reason:
            known = inspect.signature(self.form.live).parameters
            needed = [
                name
                for name, each in known.items()
                if each.default is each.empty and each.kind is not each.VAR_KEYWORD
            ]
            missing = [name for name in needed if name not in arguments]
            if missing:
                raise HttpProblem("invalid", f"{missing[0]} is missing.") from None
            raise DiscreetError(f"the arguments do not match: {shorten(str(reason))}.") from None
        return made


def check_run_name(name: str) -> str:
    """Return the name of a run, or refuse it."""
    if not RUN_NAME.fullmatch(name):
        raise HttpProblem(
            "invalid",
            "a name must have 1 to 64 letters, digits, dots, hyphens or underscores, and begin "
            "with a letter or a digit.",
        )
    return name


def read_spec(spec: AnyJson, *, simulations: bool = False) -> Creation:
    """Return the run that a spec describes, or refuse it; simulations protect nobody."""
    given = dict(spec)
    problem = given.pop("problem", None)
    if not isinstance(problem, str) or problem not in FORMS:
        state = "missing: give" if problem is None else f"{shorten(problem)}, but must be"
        raise HttpProblem("invalid", f"problem is {state} one of {', '.join(FORMS)}.")
    form = FORMS[problem]
    for name in NOT_HERE:
        if name in given and not (simulations and name in SIMULATING):
            raise HttpProblem("invalid", f"{name} is given, but the service sets it: leave it out.")
    _read_wait(given)
    if given.get("per") is not None:
        try:
            given["per"] = timedelta(seconds=check_positive("per", given["per"]))
        except OverflowError:
            raise HttpProblem("invalid", "per is too large: give seconds.") from None
    if form.name == "contexts":
        given["features"] = _features(given.get("features"))
    for name in ("arms", "experts", "items"):
        if isinstance(given.get(name), list):
            check_labels(name, given[name])
    if isinstance(given.get("prior"), dict):
        texts = texts_of(given["arms"] if isinstance(given.get("arms"), list) else [])
        given["prior"] = {texts.get(label, label): pair for label, pair in given["prior"].items()}
    return Creation(form, given, json.dumps(spec, sort_keys=True))


def _read_wait(given: AnyJson) -> None:
    """Remove the choice about waiting from a spec; refuse a spec without one."""
    declined = check_flag("wait_declined", given.pop("wait_declined", False))
    if given.get("wait") is None:
        given.pop("wait", None)
        if not declined:
            raise HttpProblem(
                "wait-missing",
                "wait is missing: give the seconds after which a missing outcome counts as the "
                "default, or wait_declined: true.",
            )
    elif declined:
        raise HttpProblem("invalid", "wait is given and wait_declined is true: give one of them.")


def _features(given: object) -> Features:
    if not isinstance(given, dict):
        raise HttpProblem("invalid", "features must be an object with arms and context.")
    check_fields(given, FEATURES, "features")
    if isinstance(given.get("arms"), list):
        check_labels("features.arms", given["arms"])
    if "arms" not in given:
        raise HttpProblem("invalid", "features must name the arms.")
    return Features(**given)


def check_labels(name: str, labels: list[object]) -> None:
    """Refuse labels that JSON cannot distinguish."""
    for label in labels:
        check_label(name, label)
    if len({str(label) for label in labels}) < len(labels):
        raise HttpProblem("invalid", f"{name} has a duplicate label; 1 and '1' count as the same.")


def check_label(name: str, label: object) -> None:
    """Refuse a value that cannot be a label: anything but text and whole numbers."""
    fine = type(label) is int and abs(label) < 1 << 53
    fine |= isinstance(label, str) and 0 < len(label) <= LONGEST_LABEL and label.isprintable()
    if not fine:
        raise HttpProblem(
            "invalid",
            f"{name} has a label that is neither text of 1 to {LONGEST_LABEL} printable "
            "characters nor a whole number.",
        )


def texts_of(labels: object) -> dict[str, Hashable]:
    """Return labels by their text."""
    return {str(label): label for label in labels} if isinstance(labels, list | tuple) else {}
