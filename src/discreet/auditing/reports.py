"""A search for single numbers of a report that show more of a record than they should.

The attack made for reports takes the two records that are farthest apart, which may differ in few
of the numbers. So noise that is missing from another number would not be found.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from componentjit import compilable
from discreet.auditing.attacks import SLOW_PIECE, Attack
from discreet.auditing.bounds import quick_bound
from discreet.auditing.rare import ReportedValues
from discreet.auditing.repeated import EveryReport, with_other_records
from discreet.auditing.whole_runs import Statistic
from discreet.contracts import Floats, Protected
from discreet.guarantee import Guarantee

TRIALS = 1 << 15  # of each record
MOST = 64  # numbers of a report to inspect: those whose means differ most
DEVIATIONS = 3.0  # standard deviations of the counts that a bound allows for


def find_report(
    private: Protected, claim: Guarantee, usual: Attack, *, seed: int
) -> ReportedValues | None:
    """Return an attack on one number of a report that seems to refute the claim, or None."""
    if not isinstance(usual, EveryReport):
        return None
    fast = compilable((private.channel, usual.records[0]))
    best, found = claim.epsilon, None
    for attack in (usual, *with_other_records(usual)):
        one, other = (
            attack.reported(private, neighbour, TRIALS if fast else SLOW_PIECE, seed)
            for neighbour in (0, 1)
        )
        apart = np.abs(one.mean(axis=0) - other.mean(axis=0)) / (1e-12 + one.std(axis=0))
        for place in np.argsort(-apart)[:MOST].tolist():
            for words, statistic in _statistics(place, float(np.median(one[:, place]))):
                shown = quick_bound(
                    statistic(one),
                    statistic(other),
                    delta=claim.delta,
                    gaussian=False,
                    deviations=DEVIATIONS,
                )
                if shown > best:
                    text = f"a record is one of two; {words} number {place + 1} of a report"
                    best, found = shown, ReportedValues(attack, statistic, text)
    return found


def _statistics(place: int, middle: float) -> list[tuple[str, Statistic]]:
    def distance(rows: Floats) -> Floats:
        return np.abs(rows[:, place] - middle)

    number: Callable[[Floats], Floats] = lambda rows: rows[:, place]  # noqa: E731
    return [("a threshold on", number), ("the distance from its median of", distance)]
