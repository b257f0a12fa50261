"""Composition of charges: exact sums of decimals, and their epsilon and delta."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from typing import NamedTuple

from discreet.errors import DiscreetError, check_range
from discreet.guarantee import Guarantee

# Charges are decimals of up to 17 digits between 1e-324 and 1e309: sums have under 700 digits.
EXACT = Context(prec=1000, rounding=ROUND_CEILING)
FINE = Context(prec=60)  # for roots and logarithms
MARGIN = Decimal("1e-40")  # far above the relative rounding errors of FINE


class Cost(NamedTuple):
    """An amount of privacy loss; ``rho`` is None unless the ledger composes by zCDP."""

    epsilon: float
    delta: float
    rho: float | None = None


class BasicRule:
    """Epsilons and deltas add up."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.limit: tuple[Decimal, ...] = (exact(epsilon), exact(delta))

    def price(self, guarantee: Guarantee) -> tuple[Decimal, ...]:
        """Return what a charge adds."""
        return exact(guarantee.epsilon), exact(guarantee.delta)

    def cost(self, total: tuple[Decimal, ...]) -> Cost:
        """Return the cost of a sum of charges."""
        return Cost(*map(round_up, total))

    def room(self, total: tuple[Decimal, ...], *, charges: int = 1) -> Decimal:
        """Return the largest epsilon that each of ``charges`` pure charges can still have."""
        return EXACT.subtract(self.limit[0], total[0]) / charges

    def offer(self, total: tuple[Decimal, ...], guarantee: Guarantee) -> str:
        """Return what would fit instead of a guarantee."""
        if guarantee.delta == 0.0:
            return pure_offer(self.room(total), guarantee.rounds)
        if not self.limit[1]:
            return (
                f"the budget has no delta, but this charge needs {guarantee.delta!r}: give the "
                "ledger a delta, or use an algorithm with pure privacy"
            )
        most = [
            round_down(EXACT.subtract(limit, spent))
            for limit, spent in zip(self.limit, total, strict=True)
        ]
        if 0.0 in most:
            return "nothing more fits"
        return f"epsilon at most {most[0]!r} with delta at most {most[1]!r} would fit"


class ZcdpRule:
    """The rho of zCDP add up.

    Their limit solves rho + 2 sqrt(rho ln(1/delta)) = epsilon, rounded down.
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        if not 0.0 < delta < 1.0:
            raise DiscreetError(
                f"delta is {delta!r}, but composition 'zcdp' needs delta above 0 and below 1."
            )
        self.delta = delta
        with localcontext(FINE):
            self.log = -exact(delta).ln()
            root = exact(epsilon) / (self.log.sqrt() + (self.log + exact(epsilon)).sqrt())
            # 9: the rounding errors of the square, the two roots and the logarithm, with room
            self.limit: tuple[Decimal, ...] = (root * root * (1 - 9 * MARGIN),)

    def price(self, guarantee: Guarantee) -> tuple[Decimal, ...]:
        """Return what a charge adds."""
        if guarantee.rho is None:
            raise DiscreetError(
                f"guarantee is {guarantee.short}, whose rho is unknown, but composition 'zcdp' "
                "needs it."
            )
        return (exact(check_range("rho", guarantee.rho, 0.0, 1e300)),)

    def cost(self, total: tuple[Decimal, ...]) -> Cost:
        """Return the cost of a sum of charges."""
        (rho,) = total
        with localcontext(FINE):
            epsilon = (rho + 2 * (rho * self.log).sqrt()) * (1 + MARGIN)
        return Cost(round_up(epsilon), self.delta if rho else 0.0, round_up(rho))

    def room(self, total: tuple[Decimal, ...], *, charges: int = 1) -> Decimal:
        """Return the largest epsilon that each of ``charges`` pure charges can still have.

        Their rho is ε tanh(ε / 2).
        """
        rho = float(max(self.limit[0] - total[0], Decimal(0)) / charges)
        # slightly below the limit, because a charge's rho is rounded up
        return exact(_pure_epsilon(rho)) * (1 - Decimal("1e-12"))

    def offer(self, total: tuple[Decimal, ...], guarantee: Guarantee) -> str:
        """Return what would fit instead of a guarantee."""
        if guarantee.delta == 0.0:
            return pure_offer(self.room(total), guarantee.rounds)
        rho = round_down(EXACT.subtract(self.limit[0], total[0]))
        return f"a guarantee of rho at most {rho!r} would fit" if rho else "nothing more fits"


def _pure_epsilon(rho: float) -> float:
    """Return the ε with ε tanh(ε / 2) = rho, by Newton's method from above, where it is convex.

    >>> round(_pure_epsilon(0.5 * math.tanh(0.25)), 12)
    0.5
    """
    if rho < 1e-12:  # ε tanh(ε / 2) = ε² / 2, up to 1e-13 of it
        return math.sqrt(2.0 * rho)
    epsilon = 2.0 * math.sqrt(rho) + 1.4 * rho
    for _ in range(60):
        bend = math.tanh(epsilon / 2.0)
        step = (epsilon * bend - rho) / (bend + epsilon * (1.0 - bend * bend) / 2.0)
        epsilon -= step
        if abs(step) <= 1e-15 * epsilon:
            break
    return epsilon


RULES: dict[str, type[BasicRule] | type[ZcdpRule]] = {"basic": BasicRule, "zcdp": ZcdpRule}


def exact(number: float) -> Decimal:
    """Return the decimal that a float prints as."""
    return Decimal(repr(float(number)))


def round_up(number: Decimal) -> float:
    """Return the smallest float that does not print as less."""
    close = float(number)
    return close if exact(close) >= number else math.nextafter(close, math.inf)


def round_down(number: Decimal, *, digits: int = 12) -> float:
    """Return a number with few digits that is not above the given one, and at least 0.

    >>> round_down(Decimal(1) / 3), round_down(Decimal(-1))
    (0.333333333333, 0.0)
    """
    return max(0.0, float(Context(prec=digits, rounding=ROUND_FLOOR).plus(number)))


def share(room: Decimal, rounds: int) -> float:
    """Return the epsilon of one round for which that of several, rounded up, still fits."""
    return round_down(exact(round_down(room)) / rounds)


def less(limit: Decimal, part: float) -> float:
    """Return the difference, rounded down, at least 0."""
    return max(0.0, -round_up(EXACT.subtract(exact(part), limit)))


def pure_offer(room: Decimal, rounds: int) -> str:
    """Return which epsilon would fit, for a pure guarantee about this number of rounds."""
    if (most := round_down(room)) == 0.0:
        return "nothing more fits"
    each = f", which is {share(room, rounds)!r} per round," if rounds > 1 else ""
    return f"a pure guarantee of epsilon at most {most!r}{each} would fit"


def same_charge(known: tuple[int, float, float], facts: tuple[object, ...]) -> int:
    """Return the number of an entry; refuse it if it is another charge."""
    number, epsilon, delta = known
    label, now_epsilon, now_delta, *_ = facts
    if (epsilon, delta) != (now_epsilon, now_delta):
        raise DiscreetError(
            f"label is {label!r}, which was charged with epsilon {epsilon!r} and delta {delta!r}, "
            f"but the guarantee has {now_epsilon!r} and {now_delta!r}."
        )
    return number
