"""The environment that algorithms meet: what is asked for must be what they play."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.algorithms import Algorithm
from discreet.environments.registry import (
    DEFAULT_ROUNDS,
    check_parameters,
    environment,
    file_options,
    find_environment,
)
from discreet.errors import DiscreetError, check_int, unknown_name
from discreet.options import Values
from discreet.problems import Arms, Environment, Problem
from discreet.ranges import Range


def shared_problem(algorithms: Sequence[Algorithm], parameters: Values) -> Problem | None:
    """Return what all algorithms play with these parameters, or None if there are none."""
    if not algorithms:
        return None
    first, *others = algorithms
    alike = [each for each in reversed(algorithms) if type(each.problem) is type(first.problem)]
    fixed = {name: each.problem.parameters()[name] for each in alike for name in each.fixed}
    problem = first.problem_with(**(fixed | dict(parameters)))
    for other in others:
        if not other.plays(problem):
            raise DiscreetError(
                f"{first.name} plays {problem} and {other.name} plays {other.problem}, but in one simulation all must "
                "play the same."
            )
    return problem


def matching_environment(
    asked: str | Environment | None,
    problem: Problem | None,
    *,
    parameters: Values,
    options: Values,
    rounds: int | None,
    bounds: Range,
) -> Environment:
    """Return the environment for a problem, or refuse it; without a problem, the environment decides what is played.

    ``parameters`` are those of the problem that were given, and have to agree with what is found; ``options`` those of
    the environment and of others.
    """
    if asked is None:
        asked = "table" if "losses" in options else (problem or Arms()).default_environment
    if isinstance(asked, Environment):
        found = _adapted(asked, problem)
        if "losses" in options:
            raise DiscreetError("losses are given, but so is an environment: give one of the two.")
    elif isinstance(asked, str):
        wanted = {**find_environment(asked, problem).options, **file_options()}
        mine = {name: value for name, value in options.items() if name in wanted}
        length = DEFAULT_ROUNDS if rounds is None else rounds
        numbers = parameters if problem is None else {}
        found = environment(asked, problem, rounds=length, bounds=bounds, **numbers, **mine)
    else:
        raise unknown_name("environment", asked, ())
    return check_parameters(found, parameters)


def rounds_of(environment: Environment, rounds: int | None) -> int:
    """Return the number of rounds: as asked for, or all rows of a table."""
    length = environment.length
    if length is not None and rounds is not None and rounds > length:
        raise DiscreetError(f"rounds is {rounds}, but {environment.source} has {length} rows.")
    usual = DEFAULT_ROUNDS if length is None else length
    return check_int("rounds", usual if rounds is None else rounds, least=2)


def _adapted(given: Environment, problem: Problem | None) -> Environment:
    """Return an environment of the user's for what the algorithms play."""
    if problem is None or type(given.problem) is type(problem):
        return given
    if type(given.problem) is type(problem.borrowed()):
        return problem.adapt(given)
    raise DiscreetError(f"the environment is for {given.problem}, but the algorithms play {problem}.")
