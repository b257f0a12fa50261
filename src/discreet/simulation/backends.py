"""Backends for trials: plain Python, compiled, or side by side in one loop for many trials.

All backends give the same numbers, so the one that should finish first is used. Lanes pay off for
long runs, and for short ones because they compile faster; very short runs are not compiled.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Sequence

import numpy as np

from componentjit import type_signature
from componentjit.lanes import LANES, NotVectorizable, Program
from discreet.contracts import Integers, Protected
from discreet.problems import Environment
from discreet.randomness import streams
from discreet.ranges import Range
from discreet.simulation.dealing import Dealer, deal, stretches
from discreet.simulation.loop import Player, Prototype
from discreet.simulation.rehearsing import rehearse
from discreet.simulation.side_by_side import TrialGroup, Way, Ways, lanes_of, prototype_of
from discreet.simulation.trial import TrialOutcome, run_in_turn

# Costs, in rounds of one compiled trial played by itself (50 ns each). Compiling a loop for single
# trials takes 1 to 3 s, unless it is in the cache.
COMPILING = 2**25
LOADING = 2**23  # a cached loop for single trials, if Numba is not imported yet: 0.4 s
WRITING = 2**23  # a loop for lanes, written and compiled: 0.3 to 0.5 s
FASTEST = 2**7  # a round in plain Python takes at least this; the real time is measured
TURN = 4  # a round in all lanes
LONG_TURN = 24  # the same in a loop so long that lanes often diverge
# Plain Python is measured: PROBE rounds are played, ROUND is what one takes when compiled, in
# seconds, and later rounds may take DOUBT times as long as the first.
PROBE, ROUND, DOUBT = 16, 5e-8, 2.0
SHORT = 2**14  # rounds that a thread gets at once if trials are shorter: about a millisecond
# Short games are dealt together: at most this many trials, with at most this many numbers (2 MB),
# so that they stay in the cache of a core.
TOGETHER, NUMBERS = 64, 2**18

# Plain Python play in this process so far, in those rounds, by player.
_plain_so_far: dict[object, float] = {}


def choose_backend(
    private: Protected,
    environment: Environment,
    rounds: int,
    trials: int,
    bounds: Range,
    *,
    clip: bool,
    threads: int,
) -> Way:
    """Return the backend that should finish some trials first, compiled if necessary.

    For short runs, compiling takes longer than playing. Earlier plain Python play counts as well,
    so that a process with many short runs does not spend much more time on them than compiling
    would have taken.
    """
    whole = Prototype(private)
    if not whole.compiled:
        return whole
    rehearse(private, environment, rounds, bounds, clip=clip)
    few = min(PROBE, rounds)
    game, _ = deal(environment, 0, few, streams(0).environment, bounds, clip=clip)
    loading = 0 if "numba" in sys.modules else LOADING
    singly = rounds * -(-trials // threads) + (
        loading if Player(whole, streams(0)).is_kept(game) else COMPILING
    )
    key = type_signature((private, game))
    plainly = _plain_so_far.get(key, 0.0) + rounds * trials * FASTEST
    plain = None
    if plainly < singly:
        plain = Prototype(private, compiled=False)
        before = time.perf_counter()
        Player(plain, streams(0)).play(game, np.array([few]))
        taken = (time.perf_counter() - before) / few / ROUND
        plainly = _plain_so_far.get(key, 0.0) + rounds * trials * max(FASTEST, DOUBT * taken)
    program = _faster_program(
        private, environment, rounds, trials, bounds, threads=threads, than=min(singly, plainly)
    )
    if program or not plain or plainly >= singly:
        return program or whole
    _plain_so_far[key] = plainly
    return plain


def _faster_program(
    private: Protected,
    environment: Environment,
    rounds: int,
    trials: int,
    bounds: Range,
    *,
    threads: int,
    than: float,
) -> Program | None:
    """Return the compiled loop for lanes, if there is one and it should finish first."""
    turns = rounds * -(-trials // (LANES * threads))
    if TURN * turns >= than:
        return None
    try:
        program = lanes_of(private, environment, bounds)
        turn = LONG_TURN if program.sheet.is_long else TURN
        if turn * turns + (0 if program.is_compiled() else WRITING) >= than:
            return None
        program.compile()
    except NotVectorizable:
        return None
    return program


def trials_at_once(ways: Ways, rounds: int, trials: int, *, threads: int) -> int:
    """Return how many trials a thread gets: as many as there are lanes, or a few short ones."""
    if _uses_lanes(ways):
        return -(-trials // -(-trials // LANES))  # groups of almost the same size
    return max(1, min(SHORT // rounds, trials // (4 * threads)))


def run_trials(
    privates: Sequence[Protected],
    environment: Environment,
    marks: Integers,
    *,
    seed: int,
    trials: Sequence[int],
    bounds: Range,
    clip: bool,
    stop: threading.Event,
    ways: Ways = (),
) -> list[TrialOutcome] | None:
    """Play some trials, each algorithm with its backend; return None if told to stop early."""
    dealer, found = Dealer(environment, bounds, clip=clip), list[TrialOutcome]()
    if _uses_lanes(ways):
        for first in range(0, len(trials), LANES):
            group = TrialGroup(privates, marks, seed, trials[first : first + LANES], ways)
            outcomes = group.play(dealer, stop)
            if outcomes is None:
                return None
            found += outcomes
        return found
    shared = [prototype_of(way, each) for way, each in itertools.zip_longest(ways, privates)]
    parts = stretches(environment, marks)
    size = (
        1
        if len(parts) > 1
        else max(1, min(TOGETHER, NUMBERS // (int(marks[-1]) * dealer.problem.actions)))
    )
    for first in range(0, len(trials), size):
        outcomes = run_in_turn(
            shared, dealer, marks, parts, seed=seed, trials=trials[first : first + size], stop=stop
        )
        if outcomes is None:
            return None
        found += outcomes
    return found


def _uses_lanes(ways: Ways) -> bool:
    return any(isinstance(way, Program) for way in ways)
