"""Checks of a registration: one sentence says what is missing or wrong."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from discreet.contracts import Protected
from discreet.errors import DiscreetError, check_flag, check_kind, shorten, unknown_name
from discreet.problems import Problem

EXAMPLE = '@register_algorithm(name="mine", title="my algorithm", problem=Arms)'
UNPROVED = "no bound is stated"


def check_given(positional: tuple[object, ...], **given: object) -> None:
    """Refuse a registration without its required arguments."""
    missing = [key for key, value in given.items() if value is None]
    if positional or missing:
        what = " and ".join(missing) or "its arguments by name"
        raise DiscreetError(f"register_algorithm needs {what}: write {EXAMPLE}.")


def check_tuples(**given: object) -> None:
    """Refuse anything but tuples of names."""
    for key, names in given.items():
        check_kind(key, names, tuple, "a tuple of names")


def check_flags(**given: object) -> None:
    """Refuse anything but True or False."""
    for key, flag in given.items():
        check_flag(key, flag)


def as_problem(problem: object) -> Problem:
    """Return an example of the problem, given one or its class."""
    if isinstance(problem, type) and issubclass(problem, Problem):
        return problem()
    if not isinstance(problem, Problem):
        raise DiscreetError(
            f"problem is {shorten(problem)}, but must be a problem such as Arms or Arms(4)."
        )
    return problem


def check_build(name: str, make: object) -> None:
    """Refuse a function that does not take a setting and keyword-only options."""
    if not callable(make):
        raise DiscreetError(
            f"'{name}' decorates {shorten(make)}, but must decorate a function of a setting."
        )
    found = list(inspect.signature(make).parameters.values())
    places = [each for each in found if each.kind is not each.KEYWORD_ONLY]
    if len(places) != 1 or places[0].kind is places[0].VAR_KEYWORD:
        wanted = ", ".join(["setting", *(["*", "option=default"] if len(found) > 1 else [])])
        raise DiscreetError(
            f"'{name}' decorates a function of ({', '.join(each.name for each in found)}), but it "
            f"must take a setting, and options by keyword only: ({wanted})."
        )
    for each in found:
        if each.kind is each.KEYWORD_ONLY and each.default is each.empty:
            raise DiscreetError(
                f"'{name}' has an option {each.name} without a default: write {each.name}=..., or "
                "None if it is derived from the setting."
            )


Made = TypeVar("Made")


def as_instance(name: str, made: object, kind: type[Made]) -> Made:
    """Return the instance that a function built; a Private or OnDevice alone has no bound."""
    if isinstance(made, kind):
        return made
    if not isinstance(made, Protected):
        raise DiscreetError(
            f"the function of '{name}' returned {shorten(made)}, but must return a "
            "Private(channel, learner), an OnDevice or an Instance."
        )
    make: Any = kind
    found: Made = make(private=made, parameters={}, regret_bound=None, bound_source=UNPROVED)
    return found


def unknown_option(algorithm: str, option: str, known: list[str]) -> DiscreetError:
    """Return the refusal of an unknown option, with a hint for the range of losses."""
    if option in ("low", "high"):
        return DiscreetError(
            f"{option} is the range of losses, not an option: give it to the setting, as in "
            "algorithm(name).setting(low=-1, high=1)."
        )
    return unknown_name("option", option, known, owner=algorithm)
