"""Contexts: fitting a linear model, compiled and live, and long games with many features."""

from __future__ import annotations

import threading

import numpy as np
from measuring import Row, in_turns

from componentjit import compile_for
from discreet import ContextualBandit, Features, Range, Setting, algorithm
from discreet.environments import environment
from discreet.least_squares import _factorise, _invert, _publish
from discreet.problems import Contexts
from discreet.simulation.trial import run_trial

FITS = 50  # in one measurement
MANY, ROUNDS = Contexts(7, 168), 5_000


def rows(turns: int) -> list[Row]:
    """Return all rows about contexts."""
    found = [fit_row(50, 60.0, turns), fit_row(168, 2_000.0, turns)]
    refit = live_refit(turns)
    (game,) = in_turns(lambda: lambda: play_many(), turns=turns)
    ask = live_ask(turns)
    return [
        *found,
        Row("live refit, 50 features", f"{1e3 * refit:.2f} ms", "", 1e3 * refit, "ms", most=2.0),
        Row("live ask, 8 arms, 168 features", f"{1e3 * ask:.2f} ms", "", 1e3 * ask, "ms"),
        Row(f"linucb, {ROUNDS:,} rounds, 168 features", f"{game:.2f} s", "", game, "s", most=8.0),
    ]


def fit_row(size: int, most: float, turns: int) -> Row:
    """Return how long a compiled fit takes."""
    factorise, invert, publish = (compile_for(each) for each in (_factorise, _invert, _publish))
    half = np.random.default_rng(1).standard_normal((2 * size, size))
    matrix, vector, estimate = half.T @ half, half[0].copy(), np.zeros(size)
    upper, inverse, spread = (np.zeros((size, size)) for _ in range(3))

    def fit() -> None:
        for _ in range(FITS):
            factorise(matrix, 1.0, upper)
            invert(upper, inverse)
            publish(inverse, vector, 1.0, 0.0, estimate, spread)

    (spent,) = in_turns(lambda: fit, turns=turns)
    each = 1e6 * spent / FITS
    return Row(f"linear fit, {size} features, compiled", f"{each:,.0f} μs", "", each, "μs", most)


def live_refit(turns: int) -> float:
    """Return the seconds of a refit in a live run, in plain Python."""
    server = bandit(Features(2, context=24)).plan.private.learner

    def refit() -> None:
        server.refit(10.0, 1.0, 0.0)

    (spent,) = in_turns(lambda: refit, turns=turns)
    return spent


def live_ask(turns: int) -> float:
    """Return the seconds of a decision for one of 8 arms with 20 features, in memory."""
    run, context = bandit(Features(8, context=20)), np.linspace(-1.0, 1.0, 20)

    def ask() -> None:
        for _ in range(FITS):
            run.ask(context)

    (spent,) = in_turns(lambda: ask, turns=turns)
    return spent / FITS


def bandit(features: Features) -> ContextualBandit:
    return ContextualBandit(features, 100_000, 1.0, delta=1e-6)


def play_many() -> None:
    """Play LinUCB with many features."""
    bounds = Range(0.0, 1.0)
    built = algorithm("linucb").build(Setting(MANY, rounds=ROUNDS, bounds=bounds))
    run_trial(
        [built.private],
        environment("contexts-gaussian", MANY),
        np.array([ROUNDS]),
        seed=1,
        trial=0,
        bounds=bounds,
        clip=False,
        stop=threading.Event(),
        compiled=True,
    )


if __name__ == "__main__":
    for row in rows(5):
        print(*row.cells, sep="  ")
