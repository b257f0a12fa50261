"""Regret against a comparator that may switch: the best sequence with at most S switches.

Losses of a player do not depend on the comparator, and the same seed deals the same games. So the
games are dealt once more, and only the comparator is computed anew.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from componentjit import compile_if_worth
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int
from discreet.problems import Arms, Points, Problem, TableGame
from discreet.randomness import streams_of
from discreet.simulation.dealing import Dealer, stretches

MOST = 1000  # switches: each is as much work as the game


def check_switches(switches: object) -> int:
    """Return a number of switches, or refuse it."""
    return check_int("switches", switches, minimum=0, maximum=MOST)


def check_switching(dealer: Dealer | None) -> Dealer:
    """Return the dealer of the games, or refuse games without switching."""
    if dealer is None:
        raise DiscreetError("these results have no games to compare with: use those of simulate.")
    problem = dealer.problem
    single = isinstance(problem, Arms) or (
        isinstance(problem, Points) and problem.geometry == "experts"
    )
    if not single or not dealer.usual:
        raise DiscreetError(
            f"switches is for arms and for experts, but {dealer.environment.source} is for "
            f"{problem}."
        )
    if dealer.environment.answers or dealer.environment.reacts:
        raise DiscreetError(
            f"switches needs losses that do not depend on actions, but those of "
            f"{dealer.environment.source} do."
        )
    return dealer


def switched_words(problem: Problem) -> str:
    """Return between what a sequence switches: "4 arms", or "4 experts" (see above)."""
    return f"{problem.actions:,} {'arms' if isinstance(problem, Arms) else 'experts'}"


def best_sequences(
    dealer: Dealer, marks: Integers, *, switches: int, seed: int, trials: Iterable[int]
) -> Floats:
    """Return the loss of the best sequence so far: trial, mark."""
    numbers = [int(trial) for trial in trials]
    parts = stretches(dealer.environment, marks)
    found = np.empty((len(numbers), marks.size))
    steps = len(numbers) * int(marks[-1]) * dealer.problem.actions * (switches + 1)
    follow = compile_if_worth(best_so_far, numbers=steps)
    for row, own in zip(found, streams_of(seed, numbers), strict=True):
        least = np.zeros((switches + 1, dealer.problem.actions))
        for part in parts:
            game, _ = dealer.deal(part.start, part.end, own.environment)
            if not isinstance(game, TableGame):
                raise DiscreetError(
                    f"switches is for at most 128 arms here, but there are "
                    f"{dealer.problem.actions:,}."
                )
            at_stops = np.empty(part.stops.size)
            follow(np.ascontiguousarray(game.losses), part.stops, least, at_stops)
            row[part.inside] = at_stops[part.at_marks]
    return found


def best_so_far(losses: Floats, stops: Integers, least: Floats, found: Floats) -> None:
    """Continue for some rounds; write the loss of the best sequence at every stop.

    ``least[s, i]`` is the least loss so far of a sequence that ends with action i and has at most s
    switches: L_t(s, i) = l_t(i) + min(L_{t-1}(s, i), min_j L_{t-1}(s - 1, j)).

    >>> losses, found = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.empty(2)
    >>> best_so_far(losses, np.array([2, 3]), np.zeros((2, 2)), found)
    >>> found.tolist()
    [0.0, 0.0]
    """
    t = 0
    last = least.shape[0] - 1
    for stop in range(stops.size):
        while t < stops[stop]:
            for s in range(last, -1, -1):  # downwards: s - 1 is still that of the round before
                switched = np.inf
                if s > 0:
                    for arm in range(losses.shape[1]):
                        switched = min(switched, least[s - 1, arm])
                for arm in range(losses.shape[1]):
                    least[s, arm] = min(least[s, arm], switched) + losses[t, arm]
            t += 1
        best = least[last, 0]
        for arm in range(1, losses.shape[1]):
            best = min(best, least[last, arm])
        found[stop] = best
