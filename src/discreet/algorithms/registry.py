"""Named algorithms, and the registry of all of them and their calibrations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar, cast

from discreet.algorithms import registering
from discreet.algorithms.confident import FACTORS, ConfidentBound
from discreet.algorithms.growth import ROOT as ROOT
from discreet.algorithms.growth import Growth as Growth
from discreet.algorithms.references import NO_CITATION, Citation, reference
from discreet.algorithms.shown import AlgorithmInHtml, InstanceInHtml
from discreet.channels import Responses
from discreet.contracts import Protected
from discreet.errors import (
    DiscreetError,
    check_int,
    check_name,
    check_positive,
    check_range,
    check_text,
    join_words,
    shorten,
    unknown_name,
)
from discreet.guarantee import Guarantee
from discreet.options import Option, defined_as, options_of
from discreet.plugins import load_plugins
from discreet.private import Private
from discreet.problems import Problem
from discreet.ranges import Range, check_bounds, make_range

P = TypeVar("P", bound=Problem, covariant=True)


@dataclass(frozen=True)
class Setting(Generic[P]):
    """The problem and the public numbers that an algorithm's parameters are derived from.

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
    live: bool = False  # whether noise must be exact
    unknown_horizon: bool = False  # if true, only the stated bound may depend on ``rounds``

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            raise DiscreetError(
                f"problem is {shorten(self.problem)}, but must be a problem such as Arms(4)."
            )
        object.__setattr__(self, "rounds", check_int("rounds", self.rounds, minimum=2))
        check_positive("epsilon", self.epsilon)
        epsilon = check_range("epsilon", self.epsilon, 1e-12, 1e12)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", check_range("delta", self.delta, 0.0, 1.0))
        object.__setattr__(self, "bounds", check_bounds(self.bounds))


@dataclass(frozen=True, kw_only=True)
class Instance(InstanceInHtml):
    """An algorithm with all its numbers filled in, before the first round."""

    private: Protected
    parameters: Mapping[str, float | int | str]
    # on the expected regret in units of the losses, for losses fixed in advance; None if not proved
    regret_bound: float | None
    bound_source: str
    # earlier actions that losses may depend on: then the bound is on the policy regret
    memory: int = 0
    # the same, only for independent losses with fixed means
    stationary_bound: float | None = None
    # a bound that holds with a stated probability
    confident_bound: ConfidentBound | None = None
    # the claim of the calibration's authors if it differs from discreet's proof; audits attack it
    claim: Guarantee | None = None
    # what parameters are, where their names do not say it
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the channel."""
        return self.private.guarantee

    def respond(self, setting: Setting[Problem]) -> Instance:
        """Return the same learner in the local model: it learns from one randomised bit per loss.

        A bound for any losses in [0, 1] grows by the factor coth(ε / 2), one that depends on gaps
        by its square. If a problem's bounds do not hold for bits (``Problem.carries_bits``), none
        is stated.
        """
        channel = Responses.calibrated(bounds=setting.bounds, epsilon=setting.epsilon)
        holds, worst = setting.problem.carries_bits, setting.rounds * setting.bounds.width
        source = "no bound proved on responses to functions: local algorithms have one"
        if holds:
            source = f"{self.bound_source}{FACTORS[self.regret_bound is None]}"
        confident = self.confident_bound if holds else None

        def scale(bound: float | None) -> float | None:
            return min(bound / channel.contrast, worst) if holds and bound is not None else None

        return replace(
            self,
            private=cast(Private, self.private)._replace(channel=channel),
            parameters={**self.parameters, "contrast": channel.contrast},
            regret_bound=scale(self.regret_bound),
            stationary_bound=scale(self.stationary_bound),
            confident_bound=confident
            and confident.on_responses(channel.contrast, setting.rounds, setting.bounds.width),
            bound_source=source,
        )


TIGHT = "tight"  # the calibration of discreet itself, which every algorithm has
RESPONSE = Option("noise", Literal["response"] | None, None)

Build = Callable[..., Instance]


@dataclass(frozen=True, kw_only=True)
class Algorithm(AlgorithmInHtml):
    """A named algorithm; ``build`` derives everything else from a setting and options."""

    name: str
    title: str
    # an example of what it plays; other parameters are possible unless they are ``fixed``
    problem: Problem
    fixed: tuple[str, ...] = ()
    cites: tuple[str | Citation, ...]  # its own paper, then the papers of its parts
    make: Build
    twin: str = ""  # the algorithm without privacy that its regret is compared with
    stochastic: bool = False  # whether regret is bounded only for losses that do not change
    growth: Growth | None = None  # of regret against any losses that are fixed in advance
    anytime: bool = False  # whether it can be built without knowing the number of rounds
    one_point: bool = False  # whether it learns from one loss per round: allows noise=response

    @property
    def citation(self) -> Citation:
        """The paper that introduced it."""
        return _resolve(self.cites[0])

    @property
    def builds_on(self) -> tuple[Citation, ...]:
        """The papers of its parts."""
        return tuple(map(_resolve, self.cites[1:]))

    def credit(self, *, whole: bool = False) -> str:
        """Return its origin, as short or full citations.

        Without a paper of its own it is ours.

        >>> algorithm("exp3").credit(), algorithm("batched-tsallis-inf").credit()
        ('Auer et al. 2002', 'ours, based on Zimmert & Seldin 2021 and Asi et al. 2025')
        >>> algorithm("tracking-ucb").credit(), algorithm("uniform").credit()
        ('ours', '-')
        """
        texts = [each.text if whole else each.short for each in (self.citation, *self.builds_on)]
        if self.citation.bibtex or not (self.twin or self.builds_on):
            return texts[0]
        if not self.builds_on:
            return "ours"
        return f"ours, based on {' and '.join(text.rstrip('.') for text in texts[1:])}"

    def problem_with(self, **parameters: object) -> Problem:
        """Return the problem with these parameters, and defaults for the others."""
        known = self.problem.parameters()
        for name, value in parameters.items():
            if name not in known:
                raise DiscreetError(
                    f"{name} is not a parameter of the game of {self.name}, which has "
                    f"{join_words(list(known))}."
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
        """Return a setting from numbers: ``algorithm("exp3").setting(arms=10, rounds=1000)``."""
        return Setting(
            self.problem_with(**parameters),
            rounds=rounds,
            epsilon=epsilon,
            delta=delta,
            bounds=make_range(low, high),
            unknown_horizon=unknown_horizon,
        )

    def plays(self, problem: Problem) -> bool:
        """Return whether the algorithm plays this problem."""
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
                name for name, each in list_algorithms(type(self.problem)).items() if each.anytime
            )
            instead = f", or use one of: {able}" if able else ""
            raise DiscreetError(
                f"rounds is unknown, but {self.name} is tuned to it: give a number{instead}."
            )
        make, accepted = self._accept(options)
        responds = self.one_point and accepted.pop("noise", None) is not None
        found = registering.as_instance(self.name, make(setting, **accepted), Instance)
        return found.respond(setting) if responds else found

    def _accept(self, options: dict[str, object]) -> tuple[Build, dict[str, object]]:
        """Return the build of the requested calibration and its options, all checked."""
        known = self._options_of(self.make)
        if not options.keys() <= known.keys():
            known = self.options  # plugins may have more
        for key in options:
            if key not in known:
                raise registering.unknown_option(self.name, key, list(known))
        calibration = TIGHT
        if "calibration" in options:
            calibration = str(known["calibration"].check(options.pop("calibration")))
        make = self.calibrations[calibration]
        mine = self._options_of(make)
        accepted = {key: mine[key].check_type(options[key]) for key in options if key in mine}
        for key, value in options.items():
            if key not in mine and known[key].check(value) != known[key].default:
                raise DiscreetError(
                    f"{key} is {shorten(value)}, but calibration={calibration!r} has no such "
                    "option."
                )
        return make, accepted

    @property
    def calibrations(self) -> dict[str, Build]:
        """The registered builds, by calibration; the first is discreet's own."""
        return {TIGHT: self.make} | _calibrations.get(self.name, {})

    @property
    def options(self) -> dict[str, Option]:
        """Every option by its name; a default of None means: derived from the setting."""
        load_plugins()
        found = self._options_of(self.make)
        for make in self.calibrations.values():
            found |= {key: each for key, each in options_of(make).items() if key not in found}
        if len(self.calibrations) == 1:
            return found
        choices: Any = Literal  # of names known only at run time
        kind = choices[tuple(self.calibrations)]
        return {"calibration": Option("calibration", kind, TIGHT)} | found

    def _options_of(self, make: Build) -> dict[str, Option]:
        return options_of(make) | ({RESPONSE.name: RESPONSE} if self.one_point else {})

    @property
    def field(self) -> str:
        """The name of the problem, for tables."""
        where_fixed = self.problem.stochastic_title if self.stochastic else None
        return where_fixed or self.problem.title


_algorithms: dict[str, Algorithm] = {}
_calibrations: dict[str, dict[str, Build]] = {}  # by algorithm, then by name


def _resolve(cited: str | Citation) -> Citation:
    return reference(cited) if isinstance(cited, str) else cited


def register_algorithm(
    *positional: object,
    name: str | None = None,
    title: str | None = None,
    problem: Problem | type[Problem] | None = None,
    twin: str = "",
    citation: str | Citation = NO_CITATION,
    builds_on: tuple[str | Citation, ...] = (),
    fixed: tuple[str, ...] = (),
    stochastic: bool = False,
    growth: Growth | None = None,
    anytime: bool = False,
    one_point: bool = False,
) -> Callable[[Build], Build]:
    """Register the decorated function as a named algorithm; its keyword-only arguments are options.

    The function takes a setting and returns a Private, an OnDevice or, with a bound, an Instance.
    ``problem`` is a problem or its class. ``citation`` and ``builds_on`` are keys of
    references.bib, or Citations such as those that ``read_bibtex`` returns.
    """
    registering.check_given(positional, name=name, title=title, problem=problem)
    called, titled = check_name("name", name), check_text("title", title)
    check_text("twin", twin)
    plays = registering.as_problem(problem)
    registering.check_tuples(builds_on=builds_on, fixed=fixed)
    registering.check_flags(stochastic=stochastic, anytime=anytime, one_point=one_point)

    def register(make: Build) -> Build:
        registering.check_build(called, make)
        known = _algorithms.get(called)
        if known is not None and defined_as(known.make) != defined_as(make):
            raise DiscreetError(
                f"name is {shorten(called)}, but an algorithm of that name is registered already: "
                "use another."
            )
        _algorithms[called] = Algorithm(
            name=called,
            title=titled,
            problem=plays,
            fixed=fixed,
            twin=twin,
            cites=(citation, *builds_on),
            make=make,
            stochastic=stochastic,
            growth=growth,
            anytime=anytime,
            one_point=one_point,
        )
        return make

    return register


def register_calibration(name: str, calibration: str) -> Callable[[Build], Build]:
    """Register the decorated function as another build of the algorithm of that name.

    Like the build of an algorithm, it takes a setting and keyword-only options and returns an
    Instance. Users choose it with the option ``calibration``. If its claimed guarantee differs from
    that of its channel, it sets ``Instance.claim``.
    """

    def register(make: Build) -> Build:
        if name not in _algorithms:
            raise unknown_name("algorithm", name, _algorithms)
        known = algorithm(name).calibrations.get(calibration)
        if known is not None and defined_as(known) != defined_as(make):
            raise DiscreetError(
                f"calibration is '{calibration}', but {name} has a calibration of that name "
                "already: use another."
            )
        _calibrations.setdefault(name, {})[calibration] = make
        return make

    return register


def list_algorithms(problem: type[Problem] | None = None) -> dict[str, Algorithm]:
    """Return all named algorithms, including those of plugins, or those for one kind of problem."""
    if problem is not None and not (isinstance(problem, type) and issubclass(problem, Problem)):
        raise DiscreetError(f"problem is {shorten(problem)}, but must be a class such as Arms.")
    load_plugins()
    return {
        name: each
        for name, each in _algorithms.items()
        if problem is None or problem is type(each.problem)
    }


def algorithm(name: str, like: type[Problem] | None = None) -> Algorithm:
    """Return the algorithm of that name (for one kind of problem, if given), or suggest one.

    >>> algorithm("batched-exp3").title
    'EXP3 on noisy means of batches'
    """
    if isinstance(name, str) and name not in _algorithms:
        load_plugins()  # it may be a plugin's
    if not isinstance(name, str) or name not in _algorithms:
        raise unknown_name("algorithm", name, list_algorithms(like))
    return _algorithms[name]
