"""A guarantee in words: what an observer sees, who is covered, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from discreet.curves import round_up
from discreet.errors import DiscreetError, shorten

SEEN = {
    "central": "every action and the learner's whole state",
    "local": "every single report",
    "joint": "the learner's whole state, and every action except that of the round in question",
    "none": "anything",
}
RECORD = "whole record (features and outcome)"
REPORTS = (
    "every single report, and all that is computed from reports; not the action, which stays on "
    "the device"
)
LONGEST_PERIOD = timedelta(days=36_525)
SHORTEST_PERIOD = timedelta(minutes=1)  # so numbers of windows fit into 32 bits for 8,000 years
UNITS = (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0))


def pair_words(epsilon: float, delta: float) -> str:
    """Return epsilon, with delta if there is one.

    >>> pair_words(0.5, 0.0), pair_words(0.5, 1e-6)
    ('0.5', '(0.5, 1e-06)')
    """
    shown = f"{round_up(epsilon, digits=10):.10g}"
    return shown if delta == 0.0 else f"({shown}, {delta:.12g})"


def check_period(name: str, given: object) -> timedelta:
    """Return the period for a limit on users' rounds, or refuse it."""
    if not isinstance(given, timedelta) or not SHORTEST_PERIOD <= given <= LONGEST_PERIOD:
        raise DiscreetError(
            f"{name} is {shorten(given)}, but must be a timedelta from a minute to a century, "
            "such as timedelta(days=30)."
        )
    return given


def window_of(now: float, per: timedelta) -> int:
    """Return the number of the window that contains a time; windows are counted from 1970 (UTC).

    >>> window_of(86_400.0 * 59, timedelta(days=30)), window_of(86_400.0 * 60, timedelta(days=30))
    (1, 2)
    """
    return max(0, int(now // per.total_seconds()))


def period_words(period: timedelta) -> str:
    """Return a period in words.

    >>> period_words(timedelta(days=30)), period_words(timedelta(hours=36))
    ('30 days', '36 hours')
    """
    return seconds_words(period.total_seconds())


def seconds_words(seconds: float) -> str:
    """Return a duration in the largest unit that fits exactly.

    >>> seconds_words(7200.0), seconds_words(90.0), seconds_words(1.0)
    ('2 hours', '90 seconds', '1 second')
    """
    unit, size = next((each for each in UNITS if seconds % each[1] == 0.0), ("second", 1.0))
    number = seconds / size
    return f"{number:.12g} {unit}{'s' * (number != 1.0)}"


def rounds_words(rounds: int, period: timedelta | None, periods: int) -> str:
    """Return how many rounds are replaced, and within which period.

    >>> rounds_words(30, timedelta(days=30), 1)
    '30 rounds in one period of 30 days'
    """
    number = "one round" if rounds == 1 else f"{rounds} rounds"
    if period is None:
        return number
    if periods == 1:
        return f"{number} in one period of {period_words(period)}"
    return f"{number} in each of {periods} periods of {period_words(period)}"


def person_words(rounds: int, delta: float, period: timedelta | None, periods: int) -> str:
    """Return the guarantee for a person with several rounds."""
    if period is not None:
        length = period_words(period)
        more = "times this epsilon" if delta == 0.0 else "times this, or more (for_periods)"
        covered = f"one period of {length}" if periods == 1 else f"{periods} periods of {length}"
        each = " in each" * (periods > 1)
        return (
            f"this covers all rounds of a person in {covered}, up to {rounds}{each}, against "
            f"everything ever released; n times as many periods mean n {more}; any {length} may "
            "overlap two periods, because periods begin at fixed times"
        )
    if rounds > 1:
        return f"this covers a person with up to {rounds} rounds"
    if delta > 0.0:
        return "a person with several rounds has a larger epsilon and delta (for_user)"
    return "a person with m rounds has m times this epsilon"


def counted(sources: Sequence[str], times: int) -> str:
    """Return the number of releases and the sources of their privacy."""
    number = len(sources) * times
    return f"{number:,} release{'s' * (number > 1)} ({', '.join(dict.fromkeys(sources))})"
