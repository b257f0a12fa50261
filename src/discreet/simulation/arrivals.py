"""When outcomes arrive: after a delay, in groups, or never."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, cast

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int, check_range, count, shorten
from discreet.guarantee import Json
from discreet.ranges import Range

Delay = int | str | Sequence[int]
MOST_ROUNDS = 2**31  # rounds of a game with its delays
ENTRIES = 2**14  # of the table of delays: quantiles of their distribution, in random order
FORMS = "a number of rounds, 'exponential(MEAN)', 'uniform(LOW,HIGH)', 'geometric(MEAN)' or a list"


class LateArguments(TypedDict, total=False):
    """The arguments for late and missing outcomes."""

    delay: Delay
    missing: float
    default_reward: float | None
    default_loss: float | None
    wait: int | None
    group: int


Quantiles = Callable[[Floats], Floats]


@dataclass(frozen=True, kw_only=True, eq=False)
class Arrivals:
    """The delays of outcomes, as a table that games read in turn.

    >>> arrivals = make_arrivals(delay=100, group=10, bounds=Range(0.0, 1.0))
    >>> print(arrivals)
    outcomes arrive 100 rounds late, in groups of 10
    """

    delay: str  # in words, after "outcomes arrive"
    waits: Integers
    group: int = 1
    missing: float = 0.0
    wait: int | None = None
    absent: Integers | None = None  # 1 where an outcome is missing
    default_loss: float = 0.0

    def __str__(self) -> str:
        return self.in_words(f"a loss of {self.default_loss:g}")

    def in_words(self, default: str) -> str:
        """Return when outcomes arrive; ``default`` says what a missing one counts as."""
        said = f"outcomes arrive {self.delay}"
        if self.wait is not None:
            said = f"every outcome is used after {count(self.wait, 'round')}"
        said += f", in groups of {self.group:,}" if self.group > 1 else ""
        if self.absent is not None:
            share = f"{100.0 * float(self.absent.mean()):.3g} %"
            said += f", and {share} of them are missing and count as {default}"
        return said

    def known_after(self, rounds: int = 1) -> int:
        """Return the earliest round at which the first outcomes can be known."""
        return -(-(rounds + int(self.waits.min())) // self.group) * self.group

    def to_json(self) -> Json:
        """Return the entries of a manifest."""
        return {
            "words": str(self),
            "delay": self.delay,
            "mean_delay": float(self.waits.mean()),
            "group": self.group,
            "missing": self.missing,
            "wait": self.wait,
            "counted_as_default": None if self.absent is None else float(self.absent.mean()),
            "default_loss": None if self.absent is None else self.default_loss,
        }


def make_arrivals(
    *,
    delay: Delay = 0,
    missing: float = 0.0,
    default_reward: float | None = None,
    default_loss: float | None = None,
    wait: int | None = None,
    group: int = 1,
    bounds: Range,
    default_name: str = "default_reward or default_loss",
) -> Arrivals | None:
    """Return when outcomes arrive, or None if all of them arrive at once; refuse bad arguments.

    ``delay`` is the number of rounds before an outcome is known: a number, a distribution in words,
    or a list of delays to draw from. ``group`` decisions are made before any of their outcomes is
    used. A share of ``missing`` outcomes never arrives; they count as the default. With ``wait``,
    every outcome is used after that many rounds, and later ones are missing. ``default_name`` is
    what the caller's users call the default.
    """
    words, waits = _delays(delay)
    together = check_int("group", group, minimum=1, maximum=MOST_ROUNDS // 4)
    share = check_range("missing", missing, 0.0, 1.0)
    deadline = (
        None if wait is None else check_int("wait", wait, minimum=0, maximum=MOST_ROUNDS // 4)
    )
    default = _default(default_reward, default_loss, bounds)
    if share == 0.0 and deadline is None:
        if default is not None:
            raise DiscreetError(
                "a default outcome is given, but no outcome is missing: give missing or wait too."
            )
        if together == 1 and waits.max() == 0:
            return None
        return Arrivals(delay=words, waits=waits, group=together)
    if default is None:
        raise DiscreetError(
            f"{'missing' if share else 'wait'} is {missing if share else wait}, but there is no "
            f"default for missing outcomes: give {default_name}."
        )
    if deadline is None and waits.min() < waits.max():
        raise DiscreetError(
            "missing outcomes with a random delay need wait: after how many rounds does a missing "
            "outcome count as the default?"
        )
    absent = _absent(share, ENTRIES)
    if deadline is not None:
        late = waits > deadline
        waits, absent = np.full(ENTRIES, deadline), np.maximum(absent, late.astype(np.int64))
    return Arrivals(
        delay=words,
        waits=np.broadcast_to(waits, ENTRIES).copy(),
        group=together,
        missing=share,
        wait=deadline,
        absent=absent,
        default_loss=default,
    )


def _default(reward: float | None, loss: float | None, bounds: Range) -> float | None:
    """Return the loss that a missing outcome counts as."""
    if reward is not None and loss is not None:
        raise DiscreetError("default_reward and default_loss are both given, but one is enough.")
    if reward is not None:
        return (
            bounds.low
            + bounds.high
            - check_range("default_reward", reward, bounds.low, bounds.high)
        )
    return None if loss is None else check_range("default_loss", loss, bounds.low, bounds.high)


def _delays(given: object) -> tuple[str, Integers]:
    """Return delays in words, and as a table."""
    if isinstance(given, str):
        return _named(given.strip())
    if isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim == 1):
        listed = list(cast(Any, given))
        if not listed:
            raise DiscreetError(f"delay is empty, but must be {FORMS}.")
        values = np.array([_rounds(each) for each in listed])
        if len(values) == 1:
            return _late(int(values[0])), values
        levels = np.sort(values)[(np.arange(ENTRIES) * len(values)) // ENTRIES]
        return f"{values.mean():,.4g} rounds late on average (from a list)", _shuffled(levels)
    rounds = _rounds(given)
    return _late(rounds), np.array([rounds])


def _late(rounds: int) -> str:
    return f"{count(rounds, 'round')} late" if rounds else "at once"


def _rounds(value: object) -> int:
    try:
        return check_int("delay", value, minimum=0, maximum=MOST_ROUNDS // 4)
    except DiscreetError as error:
        if isinstance(value, int | float | np.number):
            raise
        raise DiscreetError(f"delay is {shorten(value)}, but must be {FORMS}.") from error


def _named(text: str) -> tuple[str, Integers]:
    """Return a distribution by its name."""
    if re.fullmatch(r"\d+", text):
        return _late(_rounds(int(text))), np.array([_rounds(int(text))])
    found = re.fullmatch(r"([a-z]+)\(([^()]*)\)", text)
    numbers = _numbers(found[2]) if found else None
    if found is None or numbers is None:
        raise DiscreetError(f"delay is {shorten(text)}, but must be {FORMS}.")
    name = found[1]
    quantiles: Quantiles
    if name in ("exponential", "geometric") and len(numbers) == 1 and numbers[0] > 0.0:
        mean = numbers[0]
        scale = mean if name == "exponential" else 1.0 / math.log1p(1.0 / mean)
        words = f"{mean:,.4g} rounds late on average ({name})"

        def quantiles(levels: Floats) -> Floats:
            return -scale * np.log1p(-levels)
    elif name == "uniform" and len(numbers) == 2 and 0.0 <= numbers[0] <= numbers[1]:
        low, high = numbers
        words = f"{low:g} to {high:g} rounds late (uniform)"

        def quantiles(levels: Floats) -> Floats:
            return low + (math.floor(high) - math.ceil(low) + 1.0) * levels
    else:
        raise DiscreetError(f"delay is {shorten(text)}, but must be {FORMS}.")
    drawn = quantiles((np.arange(ENTRIES) + 0.5) / ENTRIES)
    rounded = np.floor(drawn + 0.5) if name == "exponential" else np.floor(drawn)
    if rounded.max() > MOST_ROUNDS // 4:
        raise DiscreetError(
            f"delay is {shorten(text)}, which is too long: at most {MOST_ROUNDS // 4:,} rounds."
        )
    return words, _shuffled(rounded.astype(np.int64))


def _numbers(text: str) -> list[float] | None:
    try:
        values = [float(each) for each in text.split(",")]
    except ValueError:
        return None
    return values if all(math.isfinite(each) for each in values) else None


def _shuffled(levels: Integers) -> Integers:
    """Return quantiles in random order, the same every time: games begin anywhere in it."""
    return np.random.default_rng(1).permutation(levels)


def _absent(share: float, size: int) -> Integers:
    """Return flags of which a share is 1, in random order."""
    flags = (np.arange(size) < round(share * size)).astype(np.int64)
    return np.random.default_rng(2).permutation(flags)
