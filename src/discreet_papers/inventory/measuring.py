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
    """An algorithm with its options, in a setting and an environment; all of it is fixed."""

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

    @property
    def setting(self) -> Setting[Problem]:
        """The setting that the algorithm is built for."""
        return Setting(
            self.problem,
            rounds=self.rounds,
            epsilon=self.epsilon,
            delta=self.delta,
            bounds=make_range(self.low, self.high),
        )

    def with_options(self, **options: object) -> Case:
        """Return the case with options of its algorithm."""
        return self._replace(options=(*self.options, *options.items()))

    def build(self) -> Instance:
        """Return the algorithm with all its numbers."""
        return algorithm(self.name).build(self.setting, **dict(self.options))

    def bound(self) -> float:
        """Return the proved bound on its expected regret, if need be for losses of fixed means."""
        built = self.build()
        found = built.stationary_bound if built.regret_bound is None else built.regret_bound
        assert found is not None, f"{self.name} has no bound here"
        return found

    def regret(self) -> float:
        """Return its mean regret over the trials."""
        return _measure_regret(self)

    def epsilon_proved(self) -> float:
        """Return the epsilon of its guarantee."""
        return self.build().guarantee.epsilon

    def epsilon_found(self) -> float:
        """Return the epsilon that an audit finds at least, with 99 % confidence."""
        return _attack(self)

    def parameter(self, name: str) -> float:
        """Return a parameter of the algorithm."""
        return float(self.build().parameters[name])

    def noise_scale(self) -> float:
        """Return the largest scale of its noise, in units of the loss."""
        return max(each.scale for each in self.build().private.channel.noise_scales)

    def samples(self) -> float:
        """Return the mean number of samples of a search."""
        return _measure_samples(self)


def regret_of(
    case: Case, at: str, there: Number | None = None, *, what: str = "regret", order: bool = False
) -> Compared:
    """Return the printed bound on a regret beside the proved one and what is measured."""
    return Compared(
        what=what, at=at, there=there, here=case.bound, measured=case.regret, order=order
    )


def epsilon_of(case: Case, at: str, there: Number, *, what: str = "epsilon") -> Compared:
    """Return the claimed epsilon beside the proved one and what an audit finds."""
    return Compared(
        what=what, at=at, there=there, here=case.epsilon_proved, measured=case.epsilon_found
    )


@functools.cache
def _measure_regret(case: Case) -> float:
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
    return float(results.regret[0, :, -1].mean())


@functools.cache
def _attack(case: Case) -> float:
    return audit(case.name, setting=case.setting, **dict(case.options)).lower_bound


@functools.cache
def _measure_samples(case: Case) -> float:
    player = Contender.named(case.name, case.setting, **dict(case.options))
    game = environment(
        case.environment or case.problem.default_environment,
        case.problem,
        rounds=case.rounds,
        **dict(case.scene),
    )
    found = search([player], environment=game, rounds=case.rounds, trials=case.trials, seed=SEED)
    mean = found.summary()[0]["samples_mean"]
    assert mean is not None, f"{case.name} was cut off"
    return mean


@functools.cache
def noise_range(dimension: int, scale: float, draws: int) -> float:
    """Return E[max - min] over coordinates of sums of Laplace noise, from 4,000 draws."""
    rng = np.random.default_rng(SEED)
    total: Floats = rng.laplace(0.0, scale, (4000, draws, dimension)).sum(axis=1)
    return float((total.max(axis=1) - total.min(axis=1)).mean())


def log2_ceil(value: float) -> int:
    """Return the number of levels of a tree."""
    return math.ceil(math.log2(value))
