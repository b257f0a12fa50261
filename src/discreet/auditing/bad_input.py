"""An attack with NaN, infinities and huge numbers: a guarantee must not depend on valid input.

A declared range clamps values outside it, and maps NaN to its lower end. If a range lets one of
them pass, then one of the inputs leads to releases that are not finite or huge (also where NaN was
converted to a whole number), and the other input never does.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.auditing.attacks import GameFacts
from discreet.auditing.bounds import INFINITE, NAN
from discreet.auditing.runs import Pair, Runs, probe_query, stage_for
from discreet.auditing.whole_runs import JointReleases, Statistic
from discreet.channels.moments import MomentShape
from discreet.channels.residuals import Reporting
from discreet.contracts import Floats, Protected

NO_NUMBERS = {"NaN": math.nan, "infinite": math.inf, "minus infinite": -math.inf}
FAR = {"far above the range": 1e6, "far below the range": -1e6}  # times the size of a usual loss
BATCHES = 2  # to play
TRIED = 8  # runs for each value
HUGE = 1e3  # times the largest release with an ordinary loss


def find_no_numbers(private: Protected, facts: GameFacts, *, seed: int) -> JointReleases | None:
    """Return an attack with such a loss, if it shows in releases."""
    channel = private.channel
    # The latter take records; a channel that is not private by itself relies on the learner.
    if not channel.guarantee.is_private or isinstance(channel, MomentShape | Reporting):
        return None
    rounds = BATCHES * channel.hold()
    runs, stage = (
        Runs.of(channel, probe_query(channel), rounds=rounds),
        stage_for(channel, facts, rounds),
    )
    runs = runs._replace(is_fast=runs.compiles(stage.example))
    columns = np.arange(runs.places * max(1, runs.size))
    others, usual = "in the middle", stage.example
    size = 1.0 + float(np.abs(usual).max())
    for name, value in (NO_NUMBERS | {name: times * size for name, times in FAR.items()}).items():
        pair = Pair(f"ordinary or {name}", usual, np.full_like(usual, value))
        one, other = (stage.inputs(others, pair, 0, neighbour) for neighbour in (0, 1))
        try:
            seen = [
                runs.play(each, TRIED, np.random.default_rng([seed, 5]))[:, columns]
                for each in (one, other)
            ]
        except (ArithmeticError, ValueError):  # refused; check_channel decides whether that is fine
            continue
        statistic = _beyond(HUGE * (1.0 + float(np.abs(seen[0]).max())))
        if not statistic(seen[0]).any() and statistic(seen[1]).any():
            text = (
                f"fresh runs; the first loss is {pair.text}, all others are {others}; how many "
                "releases are NaN, infinite or huge"
            )
            return JointReleases(runs, one, other, columns, statistic, text)
    return None


def _beyond(limit: float) -> Statistic:
    """Return a statistic: how many columns of each row are NaN, infinite or beyond a limit."""

    def odd(rows: Floats) -> Floats:
        size = np.abs(rows)
        beyond = (size > limit) | np.isin(size, (NAN, INFINITE))
        found: Floats = np.count_nonzero(beyond, axis=1).astype(np.float64)
        return found

    return odd
