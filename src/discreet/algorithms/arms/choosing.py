"""Choose a private bandit if none is named: least proved bound, or least measured regret."""

from __future__ import annotations

from typing import Final

from discreet.algorithms.registry import Setting, algorithm
from discreet.problems import Arms

PROVED: Final = "proved"  # the name of the choice by bound, given instead of an algorithm's
BEST: Final = "best"  # the name of the choice by measured regret
REASONS = {
    PROVED: "the least proved bound on regret, for any losses fixed in advance",
    BEST: "the least regret in our simulations, whether or not it is bounded by a proof",
}

# Each round is in one release, live use has exact noise, and a bound holds for any losses. Of equal
# bounds the first wins.
WITH_BOUNDS = (
    "one-bit-tsallis-inf",
    "batched-exp3",
    "batched-htinf",
    "batched-ftpl",
    "noisy-exp2",
    "dp-exp3-lap",
    "dp-lambda-lap",
)  # local-tsallis-inf is one-bit-tsallis-inf with batches of one round

# Which algorithm had the least regret from which epsilon on: 4 arms, 2^17 rounds, the environments
# deterministic, stochastic and random-walk, 24 trials, epsilon from 0.03 to 10.
MEASURED = ((0.0, "tracking-ucb"),)


def least_bound(setting: Setting[Arms]) -> str:
    """Return the algorithm with the least proved bound for these numbers.

    >>> least_bound(Setting(Arms(4), rounds=1 << 18, epsilon=1.0))
    'one-bit-tsallis-inf'
    >>> least_bound(Setting(Arms(4), rounds=1 << 14, epsilon=0.1))
    'batched-exp3'
    """

    def bound(name: str) -> float:
        found = algorithm(name).build(setting).regret_bound
        return float("inf") if found is None else found

    return min(WITH_BOUNDS, key=bound)


def least_measured(setting: Setting[Arms]) -> str:
    """Return the algorithm with the least regret that was measured near these numbers."""
    return next(name for least, name in MEASURED if setting.epsilon >= least)


CHOICES = {PROVED: least_bound, BEST: least_measured}


def chosen(name: str, setting: Setting[Arms]) -> str:
    """Return the algorithm that a name stands for: a choice's, or the one of that name.

    >>> chosen("exp3", Setting(Arms(4)))
    'exp3'
    """
    return CHOICES[name](setting) if isinstance(name, str) and name in CHOICES else name


def reasons(name: str, setting: Setting[Arms]) -> list[str]:
    """Return in words which choices pick this algorithm for these numbers."""
    return [
        f'"{choice}": {REASONS[choice]}'
        for choice, choose in CHOICES.items()
        if choose(setting) == name
    ]
