"""Own learners play some rounds in plain Python first: compiled code does not check indices."""

from __future__ import annotations

import contextlib
import time
import traceback

import numpy as np

from componentjit import Component
from componentjit.digest import classes_in
from discreet.contracts import Protected
from discreet.errors import DiscreetError
from discreet.problems import Environment
from discreet.randomness import streams
from discreet.ranges import Range
from discreet.simulation.dealing import deal
from discreet.simulation.loop import Player, Prototype

OURS = ("componentjit", "discreet", "discreet_papers")
PIECE, MOST = 50, 2_000  # rounds that are dealt at once, and in all
SECONDS = 0.2  # after which no further piece is played


def rehearse(
    private: Protected, environment: Environment, rounds: int, bounds: Range, *, clip: bool
) -> None:
    """Refuse a learner or channel that is not ours if it uses a wrong index in the first rounds.

    It plays a copy with random numbers of its own.
    """
    if all(each.__module__.partition(".")[0] in OURS for each in _components(private)):
        return
    began, own = time.perf_counter(), streams(0)
    player = Player(Prototype(private, compiled=False), own)
    last = min(MOST, rounds)
    # what compiled code computes without an error, such as a division by zero, is not refused
    with np.errstate(all="ignore"), contextlib.suppress(ArithmeticError):
        for start in range(0, last, PIECE):
            stop = min(start + PIECE, last)
            game, _ = deal(environment, start, stop, own.environment, bounds, clip=clip)
            try:
                player.play(game, np.array([stop - start]))
            except IndexError as error:
                raise wrong_index(error) from error
            if time.perf_counter() - began > SECONDS:
                return


def wrong_index(error: IndexError) -> DiscreetError:
    """Return the error for an index outside an array, with the line that uses it."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return DiscreetError(
        f"{where.name} uses an index outside an array in line {where.lineno} of {where.filename} "
        f"({error}): compiled code would not notice."
    )


def _components(private: Protected) -> list[type]:
    return [each for each in classes_in((private,)) if issubclass(each, Component)]
