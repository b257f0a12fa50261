"""Choose a private bandit if none is named: by its proved bound, by measured regret, or by both."""

from __future__ import annotations

from typing import Final

from discreet.algorithms.registry import Setting, algorithm
from discreet.problems import Arms

BOUNDED: Final = "bounded"  # the name of the choice by both: the default of Bandit
PROVED: Final = "proved"  # the name of the choice by bound, in place of an algorithm's name
BEST: Final = "best"  # the name of the choice by measured regret
REASONS = {
    BOUNDED: "the default: the least regret in our simulations among those whose proved bound, for "
    'any losses fixed in advance, is below the regret of uniform play ("proved" is the least bound '
    "itself, which is smaller, but has more regret in most games)",
    PROVED: "the least proved bound on regret, for any losses fixed in advance",
    BEST: "the least regret in our simulations, whether or not it is bounded by a proof",
}

# Each round is in one release, live use has exact noise, and a bound holds for any losses. Of equal
# bounds the first wins.
WITH_BOUNDS = (
    "one-bit-tsallis-inf",
    "moved-tsallis-inf",
    "batched-exp3",
    "batched-htinf",
    "batched-ftpl",
    "noisy-exp2",
    "dp-exp3-lap",
    "dp-lambda-lap",
    "guarded-ucb",
)  # local-tsallis-inf is one-bit-tsallis-inf with batches of one round

# The algorithm with the least regret from each epsilon on: 4 arms, 2^17 rounds, the environments
# deterministic, stochastic and random-walk, 24 trials, epsilon from 0.03 to 10.
MEASURED = ((0.0, "tracking-ucb"),)
# The same among those with bounds, on environments that were not used for tuning (docs/default.md).
LEAST_OF_BOUNDED = "guarded-ucb"
WITH_PROOF = (BOUNDED, PROVED)  # choices for a bound, which holds only if all arms are available


def least_bound(setting: Setting[Arms]) -> str:
    """Return the algorithm with the least proved bound for these numbers.

    >>> least_bound(Setting(Arms(4), rounds=1 << 18, epsilon=1.0))
    'one-bit-tsallis-inf'
    >>> least_bound(Setting(Arms(4), rounds=1 << 14, epsilon=0.1))
    'moved-tsallis-inf'
    """

    def bound(name: str) -> float:
        found = algorithm(name).build(setting).regret_bound
        return float("inf") if found is None else found

    return min(WITH_BOUNDS, key=bound)


def least_measured(setting: Setting[Arms]) -> str:
    """Return the algorithm with the least measured regret near these numbers."""
    return next(name for least, name in MEASURED if setting.epsilon >= least)


def least_measured_with_bound(setting: Setting[Arms]) -> str:
    """Return the algorithm with the least measured regret among those with a useful bound.

    A useful bound is below the regret of uniform play, which can be up to (1 - 1 / K) T. If none of
    the measured algorithms has one, the result is the algorithm with the least bound.
    (docs/default.md has the measurements: of all algorithms with a bound, ``guarded-ucb`` had the
    least regret.)

    >>> least_measured_with_bound(Setting(Arms(4), rounds=1 << 18, epsilon=0.1))
    'guarded-ucb'
    >>> least_measured_with_bound(Setting(Arms(4), rounds=100, epsilon=0.1))
    'one-bit-tsallis-inf'
    """
    uniform = setting.rounds * setting.problem.blind_regret(setting.bounds)
    found = algorithm(LEAST_OF_BOUNDED).build(setting).regret_bound
    return LEAST_OF_BOUNDED if found is not None and found < uniform else least_bound(setting)


CHOICES = {BOUNDED: least_measured_with_bound, PROVED: least_bound, BEST: least_measured}


def chosen(name: str, setting: Setting[Arms]) -> str:
    """Return the name of the algorithm that a choice makes; other names are returned unchanged.

    >>> chosen("exp3", Setting(Arms(4)))
    'exp3'
    """
    return CHOICES[name](setting) if isinstance(name, str) and name in CHOICES else name


def reasons(name: str, setting: Setting[Arms]) -> list[str]:
    """Describe which choices pick this algorithm for these numbers."""
    return [
        f'"{choice}": {REASONS[choice]}'
        for choice, choose in CHOICES.items()
        if choose(setting) == name
    ]
