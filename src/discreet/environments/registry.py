"""Named environments: how to register one, list them, find one by name and build it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast

import numpy as np

from componentjit import copy
from discreet.environments.registering import check_environment_class, check_environment_given
from discreet.errors import DiscreetError, check_int, check_name, check_text, shorten, unknown_name
from discreet.options import REQUIRED, Option, Values, defined_as, options_of
from discreet.plugins import load_plugins
from discreet.problems import Environment, Problem
from discreet.ranges import Range, check_bounds, make_range

Make = TypeVar("Make", bound=Callable[..., Environment])
DEFAULT_ROUNDS = 10_000


@dataclass(frozen=True, kw_only=True)
class NamedEnvironment:
    """An environment with a name: the class that makes it, and the kind of problem it is for.

    ``make`` is an environment's class, or a function with keyword-only arguments. Arguments called
    ``rounds``, ``bounds`` or like a parameter of the problem are filled in. Those in ``preset`` are
    fixed. All others are options. ``usual`` holds the problem's default parameters in this
    environment, such as a set of slates.
    """

    name: str
    title: str
    problem: type[Problem]
    make: Callable[..., Environment]
    preset: Mapping[str, Any] = field(default_factory=dict)
    usual: Values = field(default_factory=dict)

    def problem_with(self, **parameters: object) -> Problem:
        """Return its problem with these parameters, and its defaults for the others."""
        return self.problem(**{**self.usual, **parameters})

    @property
    def options(self) -> dict[str, Option]:
        """The options that a caller can set."""
        filled = {*parameter_names(self.problem), "rounds", "bounds", *self.preset}
        return {
            name: option for name, option in options_of(self.make).items() if name not in filled
        }

    def build(
        self, problem: Problem, *, rounds: int, bounds: Range, options: Values
    ) -> Environment:
        """Return the environment for a problem and a number of rounds."""
        wanted = options_of(self.make)
        given: dict[str, Any] = {"rounds": rounds, "bounds": bounds} | problem.parameters()
        arguments = {name: value for name, value in given.items() if name in wanted} | dict(
            self.preset
        )
        for name, value in options.items():
            if name in file_options() and name not in self.options:
                raise DiscreetError(
                    f"{name} is given, but environment '{self.name}' makes its own: use "
                    f"'{environment_of_file(name)}'."
                )
            if name not in self.options:
                raise unknown_name("option", name, self.options, owner=f"environment '{self.name}'")
            arguments[name] = self.options[name].check(value)
        for name, option in self.options.items():
            if option.default is REQUIRED and arguments.get(name) is None:
                raise DiscreetError(
                    f"environment '{self.name}' needs {_what(option)}, and none was given."
                )
        made = self.make(**arguments)
        # report a bad option now, not in the middle of a simulation
        copy(made).deal(0, 2, np.random.default_rng(0))
        return made


_environments: dict[tuple[type[Problem], str], NamedEnvironment] = {}


def register_environment(
    name: str | None = None,
    *,
    title: str | None = None,
    problem: type[Problem] | Problem | None = None,
    usual: Values | None = None,
    **preset: object,
) -> Callable[[Make], Make]:
    """Register an environment for a kind of problem: decorate its class, or a function.

    ``problem`` is a class such as Arms, or an example of it. Keyword arguments beyond these fix
    options of the environment.
    """
    check_environment_given(name, title, problem)
    called, titled = check_name("name", name), check_text("title", title)
    kind = type(problem) if isinstance(problem, Problem) else problem
    if not isinstance(kind, type) or not issubclass(kind, Problem):
        raise DiscreetError(f"problem is {shorten(problem)}, but must be a class such as Arms.")
    if usual is not None and not isinstance(usual, Mapping):
        raise DiscreetError(
            f"usual is {shorten(usual)}, but must be a dictionary of parameters by name."
        )

    def keep(make: Make) -> Make:
        older = _environments.get((kind, called))
        if older is not None and defined_as(older.make) != defined_as(make):
            raise DiscreetError(
                f"name is '{called}', but an environment of that name is registered already: use "
                "another."
            )
        check_environment_class(called, make)
        known = NamedEnvironment(
            name=called,
            title=titled,
            problem=kind,
            make=make,
            preset=preset,
            usual=dict(usual or {}),
        )
        _environments[kind, called] = known
        return make

    return keep


def environments(problem: type[Problem] | None = None) -> list[NamedEnvironment]:
    """Return all named environments, or those for one kind of problem; plugins are loaded first."""
    load_plugins()
    found = [each for (kind, _), each in _environments.items() if problem in (None, kind)]
    return sorted(found, key=lambda each: each.name in ("logged", "table"))


def environment_names(problem: type[Problem] | None = None) -> dict[str, str]:
    """Return every environment's name and title, or those for one kind of problem."""
    return {each.name: each.title for each in environments(problem)}


def find_environment(name: str, problem: Problem | None = None) -> NamedEnvironment:
    """Return the environment of that name for a problem, or for any problem.

    Plugins are loaded only if the name is unknown without them.
    """
    found = _look_up(name, problem)
    if found is None:
        load_plugins()
        found = _look_up(name, problem)
    if found is not None:
        return found
    other = _look_up(name, None)
    if problem is None or other is None:
        kinds = [None] if problem is None else [type(problem), type(problem.borrowed())]
        found_names = [each for kind in kinds for each in _names_of(kind)]
        raise unknown_name("environment", name, found_names or environment_names())
    names = ", ".join(environment_names(type(problem)))
    raise DiscreetError(
        f"environment '{name}' is for {other.problem_with()}, but {problem} are played: use one "
        f"of {names}."
    )


def _names_of(kind: type | None) -> list[str]:
    """Return the names of environments for one kind of problem, or of all."""
    return [each.name for each in environments() if kind is None or each.problem is kind]


def _look_up(name: str, problem: Problem | None) -> NamedEnvironment | None:
    """Return the registered environments, including those of the problem this one borrows from."""
    if not isinstance(name, str):
        return None
    if problem is None:
        return next((each for each in _environments.values() if each.name == name), None)
    for each in (problem, problem.borrowed()):
        if each is not None and (type(each), name) in _environments:
            return _environments[type(each), name]
    return None


def environment(
    name: str,
    problem: Problem | None = None,
    *,
    rounds: int = DEFAULT_ROUNDS,
    bounds: Range | None = None,
    **options: object,
) -> Environment:
    """Return the named environment for a problem, or for the parameters of one.

    >>> environment("deterministic", arms=4).problem
    Arms(arms=4)
    >>> environment("linear-stochastic", geometry="ball", dimension=3, gap=0.2).problem
    Points(geometry='ball', dimension=3)
    """
    known = find_environment(name, problem)
    given: dict[str, Any] = {}
    if problem is None:
        given = {
            name: options.pop(name) for name in parameter_names(known.problem) if name in options
        }
        problem = known.problem_with(**given)
    length, declared = (
        check_int("rounds", rounds, minimum=2),
        make_range() if bounds is None else check_bounds(bounds),
    )
    borrowed = None if isinstance(problem, known.problem) else problem.borrowed()
    found = known.build(borrowed or problem, rounds=length, bounds=declared, options=options)
    return check_parameters(found if borrowed is None else problem.adapt(found), given)


def check_parameters(environment: Environment, parameters: Values) -> Environment:
    """Return the environment if its problem has these parameters; else say which one differs."""
    found = environment.problem.parameters()
    for name, value in parameters.items():
        if found.get(name) != value:
            raise DiscreetError(
                f"{name} is {value}, but {environment.source} has {found.get(name)}."
            )
    return environment


def file_options() -> dict[str, Option]:
    """Return the options of all environments that take a file or its content."""
    return {
        name: option
        for each in environments()
        for name, option in each.options.items()
        if option.is_file
    }


def environment_of_file(option: str) -> str:
    """Return which environment takes a file of that name."""
    return next(each.name for each in environments() if option in each.options)


def parameter_names(problem: type[Problem]) -> tuple[str, ...]:
    """Return the names of the parameters of a kind of problem."""
    return tuple(each.name for each in fields(cast(Any, problem)))


def _what(option: Option) -> str:
    if not option.is_file:
        return option.name
    return "a log" if option.name == "log" else f"a file of {option.name}"
