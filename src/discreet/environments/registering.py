"""Checks of an environment's registration: one sentence says what is missing."""

from __future__ import annotations

from discreet.errors import DiscreetError, shorten
from discreet.problems import Environment

EXAMPLE = '@register_environment("mine", title="my losses", problem=Arms)'


def check_environment_given(name: object, title: object, problem: object) -> None:
    """Refuse a registration without its required arguments."""
    given = {"a name": None if callable(name) else name, "title": title, "problem": problem}
    missing = [key for key, value in given.items() if value is None]
    if missing:
        raise DiscreetError(f"register_environment needs {' and '.join(missing)}: write {EXAMPLE}.")


def check_environment_class(name: str, make: object) -> None:
    """Refuse a class that is not an environment, or lacks a part of one."""
    if not callable(make):
        raise DiscreetError(
            f"'{name}' decorates {shorten(make)}, but must decorate a class that extends "
            "Environment, or a function that returns one."
        )
    if not isinstance(make, type):
        return
    if not issubclass(make, Environment):
        raise DiscreetError(
            f"'{name}' decorates {make.__name__}, which must extend Environment: for arms, "
            "class Mine(ArmsEnvironment)."
        )
    if make.deal is Environment.deal:
        raise DiscreetError(
            f"{make.__name__} has no deal(self, start, stop, rng), which returns a game of the "
            "rounds from start to stop."
        )
    if make.problem is Environment.problem:
        raise DiscreetError(
            f"{make.__name__} has no property problem: return a problem such as Arms(self.arms), "
            "or extend ArmsEnvironment."
        )
