"""What a named algorithm is, and where all of them are found."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Union

from discreet.algorithms.papers import Citation
from discreet.errors import DiscreetError, check_int, check_positive, check_range, unknown_name
from discreet.guarantee import Guarantee
from discreet.private import Private
from discreet.ranges import Range, make_range
from discreet.sets import Geometry, geometry


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The numbers that an algorithm's parameters are derived from. All of them are public."""

    arms: int = 4  # or the dimension of the points
    experts: int = 10  # who give advice
    rounds: int = 100_000
    epsilon: float = 1.0
    delta: float = 0.0
    bounds: Range = field(default_factory=make_range)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", check_int("arms", self.arms, least=2, most=10_000_000))
        object.__setattr__(self, "experts", check_int("experts", self.experts, least=2, most=1_000_000))
        object.__setattr__(self, "rounds", check_int("rounds", self.rounds, least=2))
        check_positive("epsilon", self.epsilon)
        check_range("epsilon", self.epsilon, 1e-12, 1e12)
        check_range("delta", self.delta, 0.0, 1.0)
        object.__setattr__(self, "bounds", make_range(self.bounds.low, self.bounds.high))

    def geometry(self, name: str) -> Geometry:
        """Return the named sets of points and loss vectors in this dimension."""
        return geometry(name, self.arms, self.bounds)


@dataclass(frozen=True, kw_only=True)
class Instance:
    """An algorithm with all its numbers filled in, before the first round."""

    private: Private
    parameters: Mapping[str, float | int | str]
    regret_bound: float | None  # on the expected regret, in units of the losses; None where none is proved
    bound_source: str

    @property
    def guarantee(self) -> Guarantee:
        """What the channel promises."""
        return self.private.guarantee


Build = Callable[..., Instance]
Kind = Literal["arms", "points", "advice"]
ANY_POINTS = "any"


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A named algorithm; ``build`` derives everything else from a setting and options."""

    name: str
    title: str
    problem: str
    feedback: str
    citation: Citation
    make: Build
    builds_on: tuple[Citation, ...] = ()  # papers of the parts it is made of
    points: str | None = None  # what is played: experts, ball, cube, any of them (an option), or arms (None)
    advised: bool = False  # whether rounds come with expert advice

    @property
    def kind(self) -> Kind:
        """What it is for: arms, points, or arms with advice."""
        return "advice" if self.advised else "arms" if self.points is None else "points"

    def build(self, setting: Setting, **options: Any) -> Instance:
        """Return the algorithm with all its numbers filled in."""
        for key in options:
            if key not in self.options:
                raise unknown_name(f"option of {self.name}", key, [*self.options, "low", "high"])
            _check_choice(key, options[key], self.options[key])
        return self.make(setting, **options)

    def plays(self, options: Mapping[str, Any]) -> str | None:
        """Return which kind of points is played under these options, None for arms."""
        if self.points != ANY_POINTS:
            return self.points
        default = inspect.signature(self.make).parameters["points"].default
        return str(options.get("points", default))

    @property
    def options(self) -> dict[str, Any]:
        """Every option's name and type; None means: derived from the setting."""
        hints = typing.get_type_hints(self.make)
        parameters = inspect.signature(self.make).parameters.values()
        return {p.name: hints[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY}

    def parse(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return options given as text, as on a command line, as values of the right type."""
        return {key: _parse(key, text, self.options[key]) for key, text in texts.items() if key in self.options} | {
            key: text for key, text in texts.items() if key not in self.options
        }


_algorithms: dict[str, Algorithm] = {}


def register(
    *,
    name: str,
    title: str,
    problem: str,
    feedback: str,
    citation: Citation,
    builds_on: tuple[Citation, ...] = (),
    points: str | None = None,
    advised: bool = False,
) -> Callable[[Build], Build]:
    """Declare the named algorithm that the decorated function builds."""

    def keep(make: Build) -> Build:
        _algorithms[name] = Algorithm(
            name=name,
            title=title,
            problem=problem,
            feedback=feedback,
            citation=citation,
            make=make,
            builds_on=builds_on,
            points=points,
            advised=advised,
        )
        return make

    return keep


def algorithms(kind: Kind | None = None) -> dict[str, Algorithm]:
    """Return all named algorithms, or only those for arms, for points, or for arms with advice."""
    return {name: each for name, each in _algorithms.items() if kind in (None, each.kind)}


def algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name, or suggest the nearest.

    >>> algorithm("batched-exp3").title
    'EXP3 on noisy means of batches'
    """
    if not isinstance(name, str) or name not in _algorithms:
        raise unknown_name("algorithm", name, _algorithms)
    return _algorithms[name]


def choices(kind: Any) -> tuple[str, ...]:
    """Return the values that an option can have, if they are few."""
    only, _ = _required(kind)
    return typing.get_args(only) if typing.get_origin(only) is Literal else ("true", "false") if only is bool else ()


def one_size(arms: int | None, dimension: int | None) -> int | None:
    """Return the number of arms, which is the dimension of points: whichever was given."""
    if arms is not None and dimension is not None and arms != dimension:
        raise DiscreetError(f"arms is {arms} and dimension is {dimension}, but they are the same number: give one.")
    return dimension if arms is None else arms


def _check_choice(key: str, value: Any, kind: Any) -> None:
    only, optional = _required(kind)
    if typing.get_origin(only) is Literal and not (optional and value is None) and value not in choices(kind):
        raise DiscreetError(f"{key} is {value!r}, but must be one of {', '.join(choices(kind))}.")


def _parse(key: str, text: str, kind: Any) -> Any:
    kind, _ = _required(kind)
    if typing.get_origin(kind) is Literal:
        return text
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise DiscreetError(f"{key} is '{text}', but must be true or false.")
        return text.lower() == "true"
    try:
        return kind(text)
    except ValueError:
        article = {int: "a whole number", float: "a number"}.get(kind, str(kind))
        raise DiscreetError(f"{key} is '{text}', but must be {article}.") from None


def _required(kind: Any) -> tuple[Any, bool]:
    """Return the type that a value has if there is one, and whether there may be none."""
    if typing.get_origin(kind) not in (Union, UnionType):
        return kind, False
    (only,) = (part for part in typing.get_args(kind) if part is not type(None))
    return only, True
