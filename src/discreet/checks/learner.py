"""The contract of a learner."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

import componentjit
from discreet.checks.failure import all_finite, require, require_kind, same_state
from discreet.contracts import Floats, Generator, Learner, Server

ROUNDS = 300


def check_learner(
    learner: Learner,
    *,
    observation: object = 0,
    releases: Callable[[Generator], float | Floats] | None = None,
) -> None:
    """Check a learner before its first round.

    ``observation`` is what it is shown each round. ``releases`` maps a random generator to a
    released value; the default is a noisy loss far outside [0, 1] now and then, as channels give
    it.
    """
    require_kind("learner", learner, Learner)
    name = type(learner).__name__
    release = releases or (lambda rng: float(rng.random() + rng.laplace(0.0, 1.0)))

    first, second, late = (
        componentjit.copy(learner),
        componentjit.copy(learner),
        componentjit.copy(learner),
    )
    require(
        same_state(learner, first) is None,
        f"{name} does not survive a copy: state must lie in NumPy arrays",
    )
    for round_ in range(ROUNDS):
        seeds = (
            np.random.default_rng(round_),
            np.random.default_rng(round_),
            np.random.default_rng(round_),
        )
        value = release(np.random.default_rng(10_000 + round_))
        action, trace = acted(first, observation, seeds[0])
        again, same_trace = acted(second, observation, seeds[1])
        require(
            np.array_equal(action, again) and same_state((trace,), (same_trace,)) is None,
            f"{name}.act is not a function of its state, the observation and the generator",
        )
        query = first.query(trace)
        parts = query if isinstance(query, tuple) else (query,)
        require(
            all(np.isfinite(part).all() for part in parts),
            f"{name}.query must be finite, and is {query!r}",
        )
        kept = componentjit.copy(same_trace)
        first.learn(trace, value)
        second.learn(kept, value)
        where = same_state(first, second)
        require(
            where is None, f"{name}.learn gives another {where} for a trace that was kept as a copy"
        )
        where = all_finite(first)
        require(where is None, f"{name}.{where} is not finite after {round_ + 1} noisy losses")
    _check_late(late, observation, release)


def acted(learner: Learner, observation: object, rng: Generator) -> tuple[ArrayLike, object]:
    """Let a learner act; a server publishes its model instead, and gets traces that say nothing."""
    return (0, 0) if isinstance(learner, Server) else learner.act(observation, rng)


def _check_late(
    learner: Learner, observation: object, release: Callable[[Generator], float | Floats]
) -> None:
    """Feedback may come after many newer decisions, in any order."""
    name = type(learner).__name__
    rng = np.random.default_rng(0)
    traces = [componentjit.copy(acted(learner, observation, rng)[1]) for _ in range(50)]
    for trace in reversed(traces):
        learner.learn(trace, release(rng))
    acted(learner, observation, rng)
    where = all_finite(learner)
    require(where is None, f"{name}.{where} is not finite after feedback that came late")
