"""What a named algorithm is, and where all of them are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

from discreet.algorithms.papers import NONE, Citation
from discreet.channels import Responses
from discreet.contracts import Protected
from discreet.errors import (
    DiscreetError,
    check_int,
    check_positive,
    check_range,
    shorten,
    unknown_name,
)
from discreet.guarantee import Guarantee
from discreet.options import Option, defined_as, options_of
from discreet.private import Private
from discreet.problems import Functions, Problem
from discreet.ranges import Range, check_bounds, make_range

P = TypeVar("P", bound=Problem, covariant=True)


@dataclass(frozen=True)
class Setting(Generic[P]):
    """The problem and the numbers that an algorithm's parameters are derived from. All of them are public.

    >>> from discreet.problems import Arms
    >>> Setting(Arms(10), rounds=1000, epsilon=0.5).problem.arms
    10
    """

    problem: P
    _: KW_ONLY
    rounds: int = 100_000
    epsilon: float = 1.0
    delta: float = 0.0
    bounds: Range = field(default_factory=make_range)
    live: bool = False  # whether noise must be of a kind that can be drawn exactly
    unknown_horizon: bool = False  # then nothing but the stated bound may depend on ``rounds``

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            raise DiscreetError(
                f"problem is {self.problem!r}, but must be a problem such as Arms(4)."
            )
        object.__setattr__(self, "rounds", check_int("rounds", self.rounds, least=2))
        check_positive("epsilon", self.epsilon)
        check_range("epsilon", self.epsilon, 1e-12, 1e12)
        check_range("delta", self.delta, 0.0, 1.0)
        object.__setattr__(self, "bounds", check_bounds(self.bounds))


@dataclass(frozen=True, kw_only=True)
class Instance:
    """An algorithm with all its numbers filled in, before the first round."""

    private: Protected
    parameters: Mapping[str, float | int | str]
    regret_bound: (
        float | None
    )  # on the expected regret, for losses fixed in advance, in their units; None if not proved
    bound_source: str
    stationary_bound: float | None = (
        None  # the same, for independent losses whose means do not change, and no others
    )

    @property
    def guarantee(self) -> Guarantee:
        """What the channel promises."""
        return self.private.guarantee

    def responding(self, setting: Setting[Problem]) -> Instance:
        """Return the same learner in the local model: it hears a randomised bit in the place of every loss.

        A bound for any losses in [0, 1] grows by the factor coth(ε / 2). On functions nothing is
        carried over: bits are the values of no convex function, and steps should be tuned to them,
        as local algorithms on functions do.
        """
        channel = Responses.calibrated(bounds=setting.bounds, epsilon=setting.epsilon)
        carried = not isinstance(setting.problem, Functions)

        def larger(bound: float | None) -> float | None:
            return None if bound is None or not carried else min(bound / channel.contrast, worst)

        worst = setting.rounds * setting.bounds.width
        source = f"{self.bound_source}, times coth(ε / 2) (docs/regret.md: Responses)"
        return replace(
            self,
            private=cast(Private, self.private)._replace(channel=channel),
            parameters={**self.parameters, "contrast": channel.contrast},
            regret_bound=larger(self.regret_bound),
            stationary_bound=larger(self.stationary_bound),
            bound_source=source
            if carried
            else "no bound proved on responses to functions: local algorithms have one",
        )


class Growth(NamedTuple):
    """How regret grows with the number of rounds T, at the latest: like T^exponent, up to logarithms.

    Where noise hides it for long, it shows below a million rounds for epsilons from ``shows_at``
    on.
    """

    exponent: float
    shows_at: float = 1.0


ROOT = Growth(0.5)
RESPONSE = Option("noise", Literal["response"] | None, None)

Build = Callable[..., Instance]


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """A named algorithm; ``build`` derives everything else from a setting and options."""

    name: str
    title: str
    # what it plays: an example, whose parameters may be others unless they are ``fixed``
    problem: Problem
    fixed: tuple[str, ...] = ()
    citation: Citation
    make: Build
    # the name of the algorithm without privacy that its price is measured against, if there is one
    twin: str = ""
    builds_on: tuple[Citation, ...] = ()  # papers of the parts it is made of
    stochastic: bool = False  # whether regret is bounded for losses that do not change only
    growth: Growth | None = None  # of regret against any losses that are fixed in advance
    anytime: bool = False  # whether it can be built without knowing the number of rounds
    # whether it hears one loss a round as it is, and so can hear responses: noise=response
    one_point: bool = False

    def problem_with(self, **parameters: object) -> Problem:
        """Return the problem with these parameters, and the usual ones elsewhere."""
        known = self.problem.parameters()
        for name, value in parameters.items():
            if name not in known:
                raise DiscreetError(
                    f"{name} is given, but {self.name} plays {self.problem}, which has no {name}: "
                    f"it has {' and '.join(known)}."
                )
            if name in self.fixed and value != known[name]:
                raise DiscreetError(
                    f"{name} is {value!r}, but {self.name} is for {known[name]} only."
                )
        return cast(Problem, replace(cast(Any, self.problem), **parameters))

    def setting(
        self,
        *,
        rounds: int = Setting.rounds,
        epsilon: float = Setting.epsilon,
        delta: float = Setting.delta,
        low: float = 0.0,
        high: float = 1.0,
        unknown_horizon: bool = False,
        **parameters: object,
    ) -> Setting[Problem]:
        """Return a setting from plain numbers: ``algorithm("exp3").setting(arms=10, rounds=1000)``."""
        return Setting(
            self.problem_with(**parameters),
            rounds=rounds,
            epsilon=epsilon,
            delta=delta,
            bounds=make_range(low, high),
            unknown_horizon=unknown_horizon,
        )

    def plays(self, problem: Problem) -> bool:
        """Return whether this is a problem that the algorithm plays."""
        mine, other = self.problem.parameters(), problem.parameters()
        return type(problem) is type(self.problem) and all(
            mine[name] == other[name] for name in self.fixed
        )

    def build(self, setting: Setting[Problem] | None = None, **options: object) -> Instance:
        """Return the algorithm with all its numbers filled in."""
        setting = self.setting() if setting is None else setting
        if not isinstance(setting, Setting):
            raise DiscreetError(
                f"setting is {shorten(setting)}, but must be a Setting: use {self.name}'s "
                "setting(...)."
            )
        if not self.plays(setting.problem):
            raise DiscreetError(
                f"{self.name} plays {self.problem}, but the problem is {setting.problem!r}."
            )
        if setting.unknown_horizon and not self.anytime:
            able = ", ".join(
                name for name, each in algorithms(type(self.problem)).items() if each.anytime
            )
            instead = f", or use one of: {able}" if able else ""
            raise DiscreetError(
                f"rounds is unknown, but {self.name} is tuned to their number: give it{instead}."
            )
        for key, value in options.items():
            if key not in self.options:
                raise unknown_name(f"option of {self.name}", key, [*self.options, "low", "high"])
            self.options[key].check(value)
        responds = self.one_point and options.pop("noise", None) is not None
        found = self.make(setting, **options)
        return found.responding(setting) if responds else found

    @property
    def options(self) -> dict[str, Option]:
        """Every option by its name; a default of None means: derived from the setting."""
        return options_of(self.make) | ({RESPONSE.name: RESPONSE} if self.one_point else {})

    @property
    def field(self) -> str:
        """What the problem is called, for tables."""
        return (
            self.problem.title.replace("adversarial", "stochastic")
            if self.stochastic
            else self.problem.title
        )


_algorithms: dict[str, Algorithm] = {}


def register_algorithm(
    *,
    name: str,
    title: str,
    problem: Problem,
    twin: str = "",
    citation: Citation = NONE,
    builds_on: tuple[Citation, ...] = (),
    fixed: tuple[str, ...] = (),
    stochastic: bool = False,
    growth: Growth | None = None,
    anytime: bool = False,
    one_point: bool = False,
) -> Callable[[Build], Build]:
    """Declare the named algorithm that the decorated function builds; its keyword-only arguments are its options."""

    def keep(make: Build) -> Build:
        known = _algorithms.get(name)
        if known is not None and defined_as(known.make) != defined_as(make):
            raise DiscreetError(
                f"name is '{name}', but an algorithm of that name is registered already: use "
                "another."
            )
        _algorithms[name] = Algorithm(
            name=name,
            title=title,
            problem=problem,
            fixed=fixed,
            twin=twin,
            citation=citation,
            make=make,
            builds_on=builds_on,
            stochastic=stochastic,
            growth=growth,
            anytime=anytime,
            one_point=one_point,
        )
        return make

    return keep


def algorithms(problem: type[Problem] | None = None) -> dict[str, Algorithm]:
    """Return all named algorithms, or those for one kind of problem."""
    return {
        name: each for name, each in _algorithms.items() if problem in (None, type(each.problem))
    }


def algorithm(name: str) -> Algorithm:
    """Return the algorithm of that name, or suggest the nearest.

    >>> algorithm("batched-exp3").title
    'EXP3 on noisy means of batches'
    """
    if not isinstance(name, str) or name not in _algorithms:
        raise unknown_name("algorithm", name, _algorithms)
    return _algorithms[name]
