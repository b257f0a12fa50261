"""The cost of one round with 10,000 experts and 10 arms, for every algorithm with expert advice."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import numpy as np
from measuring import LEAST_TURNS, Row

from discreet import Setting, algorithm, list_algorithms
from discreet.environments import AdviceRandom
from discreet.problems import Advice
from discreet.randomness import streams
from discreet.simulation.loop import Player

EXPERTS, ARMS, ROUNDS = 10_000, 10, 2_000
MOST = 100.0  # microseconds of processor time per round
# reads the advice for all arms, not only for the one that is played, so it has no target
READS_ALL = "exp4-p"


def microseconds(name: str, game: object, options: dict[str, int]) -> float:
    """Return what a round costs, after a short game that compiles."""
    setting = Setting(Advice(ARMS, EXPERTS), rounds=100_000, delta=1e-6)
    player = Player(algorithm(name).build(setting, **options).private, streams(1))
    player.play(game, np.array([20]))
    start = time.thread_time()
    player.play(game, np.array([ROUNDS]))
    return (time.thread_time() - start) / ROUNDS * 1e6


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for every algorithm."""
    game = AdviceRandom(ARMS, EXPERTS).deal(0, ROUNDS, np.random.default_rng(1))
    cases = [
        (name, options) for name in list_algorithms(Advice) for options in ({}, {"batch_size": 100})
    ]
    for name, options in cases:
        if options and "batch_size" not in algorithm(name).options:
            continue
        cost = statistics.median(microseconds(name, game, options) for _ in range(turns))
        what = f"{name}, {EXPERTS:,} experts, {ARMS} arms{', batches of 100' if options else ''}"
        yield Row(what, f"{cost:.1f} µs", "", cost, "µs", most=None if name == READS_ALL else MOST)
