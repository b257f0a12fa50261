"""Numbers of the inventory: proved bounds, and short simulations and audits with fixed seeds."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from discreet.algorithms import Instance, Setting, algorithm
from discreet.auditing import audit
from discreet.contracts import Floats
from discreet.environments import environment
from discreet.problems import Problem
from discreet.ranges import make_range
from discreet.simulation import Contender, search, simulate
from discreet_papers.inventory.registry import Compared, Number

TRIALS, SEED = 8, 1


class Case(NamedTuple):
    """An algorithm with its options, in a setting and an environment; everything is fixed."""

    name: str
    problem: Problem
    rounds: int = 1 << 16
    epsilon: float = 1.0
    delta: float = 0.0
    low: float = 0.0
    high: float = 1.0
    environment: str = ""  # the default one of the problem
    trials: int = TRIALS
    options: tuple[tuple[str, Any], ...] = ()
    scene: tuple[tuple[str, Any], ...] = ()  # options of the environment
    unknown_horizon: bool = False

    @property
    def setting(self) -> Setting[Problem]:
        """The setting that the algorithm is built for."""
        return Setting(
            self.problem,
            rounds=self.rounds,
            epsilon=self.epsilon,
            delta=self.delta,
            bounds=make_range(self.low, self.high),
            unknown_horizon=self.unknown_horizon,
        )

    def with_options(self, **options: object) -> Case:
        """Return the case with options of its algorithm."""
        return self._replace(options=(*self.options, *options.items()))

    def build(self) -> Instance:
        """Return the algorithm with all its numbers."""
        return algorithm(self.name).build(self.setting, **dict(self.options))

    def bound(self) -> float:
        """Return the bound on its expected regret, or else that for losses with fixed means."""
        built = self.build()
        found = built.stationary_bound if built.regret_bound is None else built.regret_bound
        assert found is not None, f"{self.name} has no bound here"
        return found

    def confident_bound(self) -> float:
        """Return its bound on regret that holds with probability 0.95."""
        found = self.build().confident_bound
        assert found is not None, f"{self.name} has no such bound here"
        assert found.failure == 0.05
        return found.regret

    def regret(self) -> float:
        """Return its mean regret over the trials."""
        return _play(self).regret

    def oracle_calls(self) -> float:
        """Return how often it calls a linear oracle per round."""
        return _play(self).calls

    def epsilon_proved(self) -> float:
        """Return the epsilon of its guarantee."""
        return self.build().guarantee.epsilon

    def epsilon_found(self) -> float:
        """Return the lower bound on epsilon that an audit finds, with 99 % confidence."""
        return _attack(self)

    def parameter(self, name: str) -> float:
        """Return a parameter of the algorithm."""
        return float(self.build().parameters[name])

    def noise_scale(self) -> float:
        """Return the largest scale of its noise, in units of the loss."""
        return max(each.scale for each in self.build().private.channel.noise_scales)

    def samples(self) -> float:
        """Return the mean number of samples of a search."""
        return _search(self).samples

    def wrong(self) -> float:
        """Return the share of searches with a wrong answer."""
        return _search(self).wrong


def regret_of(
    case: Case, at: str, there: Number | None = None, *, what: str = "regret", order: bool = False
) -> Compared:
    """Return the printed bound on a regret, the proved one, and the measured regret."""
    return Compared(
        what=what, at=at, there=there, here=case.bound, measured=case.regret, order=order
    )


def epsilon_of(case: Case, at: str, there: Number, *, what: str = "epsilon") -> Compared:
    """Return the claimed epsilon, the proved one, and the lower bound that an audit finds."""
    return Compared(
        what=what, at=at, there=there, here=case.epsilon_proved, measured=case.epsilon_found
    )


class Played(NamedTuple):
    """Means over the trials of a case."""

    regret: float
    calls: float  # of a linear oracle, per round


@functools.cache
def _play(case: Case) -> Played:
    player = Contender.named(case.name, case.setting, **dict(case.options))
    game = environment(
        case.environment or case.problem.default_environment,
        case.problem,
        rounds=case.rounds,
        bounds=case.setting.bounds,
        **dict(case.scene),
    )
    results = simulate(
        [player],
        environment=game,
        rounds=case.rounds,
        low=case.low,
        high=case.high,
        trials=case.trials,
        seed=SEED,
    )
    calls = results.summary()[0]["oracle_calls_per_round"]
    return Played(float(results.regret[0, :, -1].mean()), math.nan if calls is None else calls)


@functools.cache
def _attack(case: Case) -> float:
    return audit(case.name, setting=case.setting, **dict(case.options)).lower_bound


class Searched(NamedTuple):
    """Means over the searches of a case."""

    samples: float
    wrong: float


@functools.cache
def _search(case: Case) -> Searched:
    player = Contender.named(case.name, case.setting, **dict(case.options))
    game = environment(
        case.environment or case.problem.default_environment,
        case.problem,
        rounds=case.rounds,
        **dict(case.scene),
    )
    found = search([player], environment=game, rounds=case.rounds, trials=case.trials, seed=SEED)
    row = found.summary()[0]
    mean = row["samples_mean"]
    assert mean is not None, f"{case.name} was cut off"
    return Searched(mean, row["wrong"] / case.trials)


@functools.cache
def noise_range(dimension: int, scale: float, draws: int) -> float:
    """Return E[max - min] over coordinates of sums of Laplace noise, from 4,000 draws."""
    rng = np.random.default_rng(SEED)
    total: Floats = rng.laplace(0.0, scale, (4000, draws, dimension)).sum(axis=1)
    return float((total.max(axis=1) - total.min(axis=1)).mean())


def log2_ceil(value: float) -> int:
    """Return the number of levels of a tree."""
    return math.ceil(math.log2(value))
