"""The question that a plan answers: the numbers of a study, checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np

from discreet.algorithms import Setting
from discreet.contracts import Floats
from discreet.errors import (
    DiscreetError,
    check_choice,
    check_flag,
    check_int,
    check_positive,
    check_range,
    check_share,
    count,
    repeated,
    shorten,
)
from discreet.guarantee import Json
from discreet.planning.games import Distribution, Listed, expected, widest_spread
from discreet.planning.past import PastOutcomes
from discreet.problems import Arms, Points, Problem
from discreet.ranges import Range, make_range
from discreet.simulation.arrivals import Arrivals, Delay, LateArguments, make_arrivals

Better = Literal["higher", "lower"]
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
MOST_ARMS, MOST_ROUNDS = 1000, 10**8  # larger plans would take too long to simulate

# The default number of simulations lies within these limits. Together, all simulations have at
# most this many outcomes, so that a plan takes about a minute.
FEWEST_TRIALS, MOST_TRIALS, OUTCOMES_IN_ALL = 32, 200, 16_000_000


@dataclass(frozen=True, kw_only=True)
class Question:
    """A study to plan. All numbers about outcomes are in the units of the outcomes.

    >>> Question(arms=3, rounds=2000, high=10.0, difference=1.0, spread=2.0).means.round(3)
    array([6., 5., 5.])
    """

    arms: int
    rounds: int
    low: float = 0.0
    high: float = 1.0
    better: Better = "higher"
    difference: float | None = None  # between the best arm and the others
    spread: float | None = None  # standard deviation of outcomes; None: as large as possible
    typical: float | None = None  # mean of all arms but the best; None: the middle of the range
    outcomes: PastOutcomes | None = None  # instead of the three fields above
    epsilons: tuple[float, ...] = EPSILONS
    delta: float = 0.0
    rounds_per_user: int = 1
    may_drift: bool = True
    sees_all: bool = False  # whether the outcomes of all arms are seen in every round
    share: float = 0.5  # share of the gain without privacy to keep
    wanted_epsilon: float | None = None  # for the number of rounds; None: the smallest epsilon
    delay: Delay = 0  # rounds until an outcome is known
    missing: float = 0.0  # share of outcomes that never arrive
    default_outcome: float | None = None  # what a missing outcome counts as
    wait: int | None = None  # rounds after which every outcome counts
    group: int = 1  # decisions that are made before any of their outcomes is used
    randomised: bool = False  # whether decisions must be drawn at random
    trials: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_int("arms", self.arms, minimum=2, maximum=MOST_ARMS)
        check_int("rounds", self.rounds, minimum=10, maximum=MOST_ROUNDS)
        make_range(self.low, self.high)
        check_choice("better", self.better, get_args(Better))
        for name in ("may_drift", "sees_all", "randomised"):
            check_flag(name, vars(self)[name])
        object.__setattr__(self, "epsilons", _epsilons(self.epsilons))
        check_range("delta", self.delta, 0.0, 0.5)
        check_int("rounds_per_user", self.rounds_per_user, minimum=1, maximum=self.rounds)
        check_share("share", self.share)
        if self.wanted_epsilon is not None:
            check_range("wanted_epsilon", self.wanted_epsilon, 1e-4, 100.0)
        if self.trials is not None:
            check_int("trials", self.trials, minimum=8, maximum=100_000)
        check_int("seed", self.seed, minimum=0)
        if self.default_outcome is not None:
            check_range("default_outcome", self.default_outcome, self.low, self.high)
        self.arrivals  # noqa: B018  (it checks when outcomes arrive)
        self._check_delay()
        if self.outcomes is None:
            self._check_effect()
        else:
            self._check_past(self.outcomes)

    def _check_delay(self) -> None:
        if self.arrivals is None or self.arrivals.known_after() < self.rounds:
            return
        name = "delay" if self.wait is None else "wait"
        name = name if self.group < self.rounds else "group"
        raise DiscreetError(
            f"{name} is {shorten(vars(self)[name])}, but there are only {self.rounds:,} rounds: no "
            "outcome would be known before the last decision, so there is nothing to learn from. "
            "Allocate people equally to all arms, with one release at the end, or plan more "
            "rounds."
        )

    def _check_effect(self) -> None:
        width, middle = self.bounds.width, (self.low + self.high) / 2.0
        if self.difference is None:
            raise DiscreetError(
                "difference is missing: give the smallest difference between the best arm and "
                "the others that matters, or past outcomes."
            )
        check_positive("difference", self.difference)
        if self.difference < 1e-4 * width:
            raise DiscreetError(
                f"difference is {self.difference!r}, but must be at least {1e-4 * width:g}, "
                "1/10,000 of the range."
            )
        typical = (
            middle
            if self.typical is None
            else check_range("typical", self.typical, self.low, self.high)
        )
        best = self._best_mean(typical)
        if not self.low <= best <= self.high:
            raise DiscreetError(
                f"difference is {self.difference!r} and the other arms have mean {typical:g}, so "
                f"the best mean would be {best:g}, outside the range {self.low:g} to "
                f"{self.high:g}: set low, high or typical."
            )
        if self.spread is not None:
            check_positive("spread", self.spread)
            most = width * min(widest_spread((mean - self.low) / width) for mean in (typical, best))
            if self.spread > most * (1.0 + 1e-9):
                raise DiscreetError(
                    f"spread is {self.spread!r}, but outcomes from {self.low:g} to {self.high:g} "
                    f"with a mean of {typical:g} or {best:g} have a standard deviation of at most "
                    f"{most:.4g}."
                )

    def _check_past(self, past: PastOutcomes) -> None:
        for name in ("difference", "spread", "typical"):
            if vars(self)[name] is not None:
                raise DiscreetError(
                    f"{name} is given, but so are past outcomes, which imply it: give one of the "
                    "two."
                )
        if len(past.labels) != self.arms:
            raise DiscreetError(
                f"arms is {self.arms}, but {past.name} has {count(len(past.labels), 'arm')}."
            )
        if len({float(values.mean()) for values in past.values}) == 1:
            raise DiscreetError(
                f"{past.name} has the same mean for all arms, so there is nothing to learn."
            )

    def _best_mean(self, typical: float) -> float:
        assert self.difference is not None
        return typical + self.difference if self.better == "higher" else typical - self.difference

    @property
    def bounds(self) -> Range:
        """The declared range of outcomes."""
        return make_range(self.low, self.high)

    @property
    def lateness(self) -> LateArguments:
        """When outcomes arrive, as arguments of ``simulate``."""
        default = "default_reward" if self.better == "higher" else "default_loss"
        found: LateArguments = {
            "delay": self.delay,
            "missing": self.missing,
            "wait": self.wait,
            "group": self.group,
            default: self.default_outcome,  # type: ignore[misc]
        }
        return found

    @cached_property
    def arrivals(self) -> Arrivals | None:
        """When outcomes arrive; None if every outcome is known before the next decision."""
        return make_arrivals(**self.lateness, bounds=self.bounds, default_name="default_outcome")

    @property
    def problem(self) -> Problem:
        """The problem."""
        return Points("experts", self.arms) if self.sees_all else Arms(self.arms)

    def setting(self, epsilon: float, rounds: int | None = None) -> Setting[Problem]:
        """Return the setting from which an algorithm derives its parameters."""
        length = self.rounds if rounds is None else rounds
        return Setting(
            self.problem,
            rounds=length,
            epsilon=epsilon,
            delta=self.delta,
            bounds=self.bounds,
            live=True,
        )

    @cached_property
    def distributions(self) -> tuple[Distribution, ...]:
        """The losses of every role as fractions of the range; without past outcomes, best first."""
        width = self.bounds.width
        if self.outcomes is not None:
            return tuple(
                Listed(self._as_loss((values - self.low) / width))
                for values in self.outcomes.values
            )
        typical = (self.low + self.high) / 2.0 if self.typical is None else self.typical
        deviation = None if self.spread is None else self.spread / width
        best, other = (
            expected(float(self._as_loss(np.array((mean - self.low) / width))), deviation)
            for mean in (self._best_mean(typical), typical)
        )
        return (best, *[other] * (self.arms - 1))

    def _as_loss(self, fractions: Floats) -> Floats:
        return np.asarray(1.0 - fractions if self.better == "higher" else fractions)

    @cached_property
    def means(self) -> Floats:
        """The mean outcome of every role."""
        fractions = self._as_loss(np.array([each.mean for each in self.distributions]))
        return np.asarray(self.low + self.bounds.width * fractions)

    @cached_property
    def shortfall(self) -> Floats:
        """How much worse each role is than the best, on average."""
        best = self.means.max() if self.better == "higher" else self.means.min()
        return np.asarray(np.abs(best - self.means))

    @property
    def guessing_cost(self) -> float:
        """The cost of equal randomisation per round: the cost of learning nothing."""
        return float(self.shortfall.mean())

    @property
    def epsilon_for_rounds(self) -> float:
        """The epsilon for which to find the number of rounds."""
        return min(self.epsilons) if self.wanted_epsilon is None else self.wanted_epsilon

    def trials_for(self, rounds: int, *, minimum: int = FEWEST_TRIALS) -> int:
        """Return the number of simulations: the given one, or fewer for longer games."""
        if self.trials is not None:
            return self.trials
        return int(np.clip(OUTCOMES_IN_ALL // (rounds * max(4, self.arms)), minimum, MOST_TRIALS))

    def to_json(self) -> Json:
        """Return the question, with only source and fingerprint of past outcomes."""
        facts: Json = {each.name: vars(self)[each.name] for each in dataclasses.fields(self)}
        facts["epsilons"] = list(self.epsilons)
        past = self.outcomes
        facts["outcomes"] = (
            None
            if past is None
            else {
                "source": past.source,
                "columns": past.columns,
                "labels": past.labels,
                "fingerprint": past.digest,
            }
        )
        return facts


def _epsilons(given: float | Sequence[float]) -> tuple[float, ...]:
    several = isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim > 0)
    alone = [cast(Any, given)]
    values = list(cast(Any, given)) if several and not isinstance(given, str) else alone
    if not values or len(values) > 20:
        raise DiscreetError(
            f"epsilon is {shorten(given)}, but must be a number or a list of at most 20."
        )
    for value in values:
        check_positive("epsilon", value)
        check_range("epsilon", value, 1e-4, 100.0)
        if values.count(value) > 1:
            raise repeated(f"epsilon {value:g}", values.count(value))
    return tuple(sorted(float(value) for value in values))
