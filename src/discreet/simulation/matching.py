"""Matching algorithms with an environment for the problem they play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from numpy.typing import ArrayLike

from discreet.algorithms import Algorithm, algorithm, list_algorithms
from discreet.environments.arms.table import numbers_of
from discreet.environments.registry import (
    DEFAULT_ROUNDS,
    check_parameters,
    environment,
    environments,
    file_options,
    find_environment,
)
from discreet.errors import DiscreetError, check_int, shorten, unknown_name
from discreet.options import Values
from discreet.problems import Arms, Environment, Problem
from discreet.ranges import Range
from discreet.tables import read_arrow

TABLES = ("losses", "rewards")


def shared_problem(
    algorithms: Sequence[Algorithm], parameters: Values, asked: str | Environment | None = None
) -> Problem | None:
    """Return the problem that all algorithms play, or None without any algorithm.

    Parameters that are not given have the defaults of a named environment.
    """
    if not algorithms:
        return None
    first, *others = algorithms
    usual = find_environment(asked, first.problem).usual if isinstance(asked, str) else {}
    _check_parameters_are_no_options(first, parameters, asked)
    alike = [each for each in reversed(algorithms) if type(each.problem) is type(first.problem)]
    fixed = {name: each.problem.parameters()[name] for each in alike for name in each.fixed}
    problem = first.problem_with(**{**fixed, **usual, **parameters})
    for other in others:
        if not other.plays(problem):
            raise DiscreetError(
                f"{first.name} plays {problem} and {other.name} plays {other.problem}, but in one "
                "simulation all must play the same."
            )
    return problem


def _check_parameters_are_no_options(
    known: Algorithm, parameters: Values, asked: str | Environment | None
) -> None:
    """Refuse an option of the algorithm or the environment among the parameters of the problem."""
    own = known.problem.parameters()
    strange = [name for name in parameters if name not in own]
    if not strange:
        return
    owners = {known.name: known.options}
    if not isinstance(asked, Environment):
        found = find_environment(asked or known.problem.default_environment, known.problem)
        owners[f"environment '{found.name}'"] = found.options
    for name in strange:
        for owner, options in owners.items():
            if name in options:
                raise DiscreetError(
                    f"{name} is an option of {owner}, not a parameter of the game: give it in "
                    f"options={{'{name}': ...}}."
                )


def find_algorithms(
    names: Iterable[object], problem: Problem | None, asked: object
) -> list[Algorithm]:
    """Return the algorithms that are named; an unknown name gets suggestions of the same kind.

    The kind is that of the problem, of the environment, or of an algorithm that is known.
    """
    texts = [each for each in names if isinstance(each, str)]
    try:
        return [algorithm(name) for name in texts]
    except DiscreetError:
        known = list_algorithms()
    kinds = [type(problem)] if problem is not None else []
    if isinstance(asked, Environment):
        kinds.append(type(asked.problem))
    elif isinstance(asked, str):
        kinds += [each.problem for each in environments() if each.name == asked]
    kinds += [type(known[name].problem) for name in texts if name in known]
    return [algorithm(name, kinds[0] if kinds else None) for name in texts]


def environment_or_table(
    asked: str | Environment | ArrayLike | None, files: Values
) -> tuple[str | Environment | None, dict[str, object]]:
    """Return the requested environment ('table' for given losses or rewards), and all tables."""
    tables = [name for name in TABLES if name in files]
    if isinstance(asked, str | Environment):
        return asked, dict(files)
    if asked is None:
        return ("table" if tables else "logged" if "log" in files else None), dict(files)
    if tables:
        raise DiscreetError(
            f"{tables[0]} are given, but so is an environment: give one of the two."
        )
    try:
        table = read_arrow(asked)
        numbers_of("environment", table)
        return "table", {**files, "losses": table}
    except DiscreetError:
        wanted = "a name, an Environment or a table of losses"
        raise DiscreetError(f"environment is {shorten(asked)}, but must be {wanted}.") from None


def matching_environment(
    asked: str | Environment | None,
    problem: Problem | None,
    *,
    parameters: Values,
    options: Values,
    rounds: int | None,
    bounds: Range,
) -> Environment:
    """Return the environment for a problem; without a problem, the environment decides.

    ``parameters`` are the given ones of the problem, which must agree with the environment;
    ``options`` are those of the environment and of others.
    """
    if asked is None:
        asked = (problem or Arms()).default_environment
    if isinstance(asked, Environment):
        found = _adapted(asked, problem)
        for name in TABLES:
            if name in options:
                raise DiscreetError(
                    f"{name} are given, but so is an environment: give one of the two."
                )
    else:
        wanted = {**find_environment(asked, problem).options, **file_options()}
        mine = {name: value for name, value in options.items() if name in wanted}
        usual = DEFAULT_ROUNDS if problem is None else problem.default_rounds
        length = usual if rounds is None else rounds
        numbers = parameters if problem is None else {}
        found = environment(asked, problem, rounds=length, bounds=bounds, **numbers, **mine)
    return check_parameters(found, parameters)


def rounds_of(environment: Environment, rounds: int | None) -> int:
    """Return the number of rounds: as asked for, or all rows of a table."""
    length = environment.length
    if length is not None and rounds is not None and rounds > length:
        raise DiscreetError(
            f"rounds is {rounds}, but {environment.source} {environment.length_words}."
        )
    usual = environment.problem.default_rounds if length is None else length
    return check_int("rounds", usual if rounds is None else rounds, minimum=2)


def _adapted(given: Environment, problem: Problem | None) -> Environment:
    """Return the user's environment, adapted to the problem of the algorithms."""
    if problem is None or type(given.problem) is type(problem):
        return given
    if type(given.problem) is type(problem.borrowed()):
        return problem.adapt(given)
    raise DiscreetError(
        f"the environment is for {given.problem}, but the algorithms play {problem}."
    )


def own_options(given: Values | None) -> dict[str, object]:
    """Return options by name, or refuse anything but a dictionary."""
    if given is not None and not isinstance(given, Mapping):
        raise DiscreetError(
            f"options is {shorten(given)}, but must be a dictionary of options by name."
        )
    return dict(given or {})


def check_options(
    options: Values, named: Sequence[Algorithm], asked: str | Environment | None, problem: Problem
) -> None:
    """Refuse an option that neither an algorithm nor the environment has."""
    known = {key for each in named for key in each.options}
    if not isinstance(asked, Environment):
        known |= set(find_environment(asked or problem.default_environment, problem).options)
    for key in options:
        if key not in known:
            raise unknown_name("option", key, known | {"low", "high"})


def title_of(asked: str | Environment | None, found: Environment) -> str:
    """Return the name of an environment, or what it is made of."""
    named = asked if asked is not None else found.problem.default_environment
    return named if isinstance(named, str) and found.length is None else repr(found)
