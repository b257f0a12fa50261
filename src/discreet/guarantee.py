"""A privacy guarantee as a value: stated once, printed everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal, cast, get_args

from discreet.composition import composed
from discreet.curves import KINDS, Approximate, Curve, Pure, added, is_below, round_up
from discreet.errors import (
    DiscreetError,
    check_choice,
    check_int,
    check_range,
    check_text,
    shorten,
)
from discreet.guarantee_facts import FactsInHtml, Json, facts_of, fields_from
from discreet.guarantee_words import (
    RECORD,
    REPORTS,
    SEEN,
    check_period,
    counted,
    pair_words,
    person_words,
    rounds_words,
)

__all__ = ["RECORD", "REPORTS", "Guarantee", "Json", "Model", "Status", "compose", "round_up"]

Model = Literal["central", "local", "joint", "none"]
Status = Literal["proved", "claimed by the paper only", "none"]

# The models that each model implies, for the same ``datum``. A local report is private before
# anything is computed from it. The joint model omits the action of the replaced round, which may
# depend on what was shown there. So it implies neither the central model, in which that action is
# seen, nor the local one.
IMPLIED: dict[str, tuple[str, ...]] = {
    "local": ("local", "central", "joint"),
    "central": ("central", "joint"),
    "joint": ("joint",),
    "none": (),
}
TOO_LARGE = "epsilon is too large to compute with"


@dataclass(frozen=True, kw_only=True)
class Guarantee(FactsInHtml):
    """Differential privacy of everything that is released: (epsilon, delta), for whom, and why.

    Neighbouring inputs differ in the feedback of ``rounds`` rounds, which any other feedback in the
    declared range may replace. For every set S of outputs, ``P(output in S) <= exp(epsilon)
    P'(output in S) + delta``. In the ``local`` model the output is every single noisy report. In
    the ``central`` model it is the sequence of actions and everything else that the learner knows,
    unless ``seen`` names less. In the ``joint`` model it is what everybody else sees: all of that
    except the action of the replaced round, which depends on the person's own data.

    >>> guarantee = Guarantee(
    ...     epsilon=0.5, delta=0.0, model="central", status="proved", source="a theorem"
    ... )
    >>> print(guarantee)
    0.5-differential privacy: replacing the outcome of any one round by any other makes nothing an
    observer sees (every action and the learner's whole state) more than e^0.5 times as likely,
    regardless of what else they know (central model); a person with m rounds has m times this
    epsilon; proved: a theorem
    >>> guarantee.for_user(rounds=4).epsilon
    2.0
    >>> guarantee.repeated(100, delta=1e-6).epsilon < 100 * 0.5
    True

    ``curve`` says more than the pair if more is known, such as the kind of noise. Composition and
    group privacy use it.

    With a ``period``, the replaced rounds are ``rounds`` rounds in one window of that length (in
    each of ``periods`` windows). Windows begin at fixed times. An observer sees everything ever
    released, so ``for_periods(n)`` is the guarantee for a person with rounds in n windows. A
    guarantee without a period implies one with a period, but not vice versa.
    """

    epsilon: float
    delta: float
    model: Model
    status: Status
    source: str
    rounds: int = 1  # the number of rounds of one person that are protected together
    seen: str = ""  # what an observer may see; by default everything that the model covers
    caveat: str = ""  # why it does not fully hold for the object that states it
    datum: str = ""  # which data of a round are replaced; by default its outcome
    curve: Curve | None = None
    period: timedelta | None = None  # the window of the replaced rounds; None: at any time
    periods: int = 1  # the number of such windows

    def __post_init__(self) -> None:
        for name, most in (("epsilon", math.inf), ("delta", 1.0)):
            number = check_range(name, getattr(self, name), 0.0, most)
            object.__setattr__(self, name, _not_below(number, getattr(self, name)))
        for name in ("rounds", "periods"):
            object.__setattr__(self, name, check_int(name, getattr(self, name), minimum=1))
        if self.period is not None:
            check_period("period", self.period)
        elif self.periods > 1:
            raise DiscreetError(f"periods is {self.periods}, but period is None: give both.")
        for name in ("source", "seen", "caveat", "datum"):
            check_text(name, getattr(self, name))
        check_choice("model", self.model, get_args(Model))
        check_choice("status", self.status, get_args(Status))
        if self.curve is not None and not (
            _is_curve(self.curve).epsilon_at(self.delta) <= self.epsilon
        ):
            raise DiscreetError(
                f"epsilon is {self.epsilon!r}, but must be at least the curve's epsilon at this "
                "delta."
            )

    @classmethod
    def none(cls, source: str) -> Guarantee:
        """Return a guarantee that promises nothing, and why."""
        return cls(epsilon=math.inf, delta=0.0, model="none", status="none", source=source)

    @classmethod
    def of(
        cls,
        curve: Curve,
        *,
        delta: float,
        model: Model,
        source: str,
        rounds: int = 1,
        seen: str = "",
        caveat: str = "",
        datum: str = "",
    ) -> Guarantee:
        """Return the proved guarantee of a curve at a delta; epsilon is rounded up."""
        check_range("delta", delta, 0.0, 1.0)
        epsilon = round_up(_is_curve(curve).epsilon_at(float(delta)))
        if not math.isfinite(epsilon):
            return cls.none(
                "no delta is given" if delta <= 0.0 else "there is no epsilon at this delta"
            )
        return cls(
            epsilon=epsilon,
            delta=delta,
            model=model,
            status="proved",
            source=source,
            rounds=rounds,
            seen=seen,
            caveat=caveat,
            datum=datum,
            curve=curve,
        )

    @property
    def is_private(self) -> bool:
        """Whether anything is guaranteed."""
        return math.isfinite(self.epsilon) and self.status != "none"

    @property
    def short(self) -> str:
        """The guarantee in two or three words."""
        if not self.is_private:
            return "no privacy"
        return f"{pair_words(self.epsilon, self.delta)}-differential privacy"

    @property
    def unit(self) -> str:
        """What neighbouring inputs differ in."""
        return f"{rounds_words(self.rounds, self.period, self.periods)} replaced"

    @property
    def tightest_curve(self) -> Curve:
        """The curve, or the pair if no curve is known."""
        if self.curve is not None:
            return self.curve
        return Pure(self.epsilon) if self.delta == 0.0 else Approximate(self.epsilon, self.delta)

    @property
    def rho(self) -> float | None:
        """The parameter of zero-concentrated differential privacy, if one is known."""
        return self.tightest_curve.rho if self.is_private else None

    def at(self, *, delta: float) -> Guarantee:
        """Return the same guarantee at another delta."""
        check_range("delta", delta, 0.0, 1.0)
        if not self.is_private:
            return self
        epsilon = round_up(self.tightest_curve.epsilon_at(delta))
        if not math.isfinite(epsilon):
            raise DiscreetError(
                f"delta is {delta!r}, but this guarantee needs at least {self.delta!r}."
            )
        return replace(self, epsilon=epsilon, delta=delta, curve=self.tightest_curve)

    def for_user(self, *, rounds: int) -> Guarantee:
        """Return the guarantee for a person with up to ``rounds`` rounds (group privacy)."""
        size = check_int("rounds", rounds, minimum=1)
        if not self.is_private or size == 1:
            return self
        curve = self.tightest_curve.for_group(size)
        delta = curve.delta if isinstance(curve, Approximate) else self.delta
        if not math.isfinite(curve.epsilon_at(delta)):
            return Guarantee.none(TOO_LARGE)
        return replace(
            self,
            epsilon=round_up(curve.epsilon_at(delta)),
            delta=delta,
            rounds=size * self.rounds,
            source=f"{self.source}; group privacy for {size} rounds",
            curve=curve,
        )

    def in_period(self, period: timedelta) -> Guarantee:
        """Return the guarantee for all rounds of a person in one period, which is weaker."""
        if not self.is_private or self.period == check_period("period", period):
            return self
        if self.period is not None:
            raise DiscreetError(f"this guarantee already has a period: {self.unit}.")
        return replace(self, period=period)

    def for_periods(self, periods: int) -> Guarantee:
        """Return the guarantee for a person with rounds in several periods (group privacy).

        Any time span as long as a period may overlap two periods: ``for_periods(2)``.
        """
        number = check_int("periods", periods, minimum=1)
        if self.period is None:
            raise DiscreetError("the guarantee has no period: use for_user to cover more rounds.")
        grown = self.for_user(rounds=number)
        if number == 1 or not grown.is_private:
            return grown
        source = f"{self.source}; group privacy for {number} periods"
        return replace(grown, rounds=self.rounds, periods=number * self.periods, source=source)

    def repeated(self, times: int, *, delta: float | None = None) -> Guarantee:
        """Return the guarantee for ``times`` releases about the same data."""
        return compose(self, times=times, delta=delta)

    def implies(self, other: Guarantee) -> bool:
        """Return whether this guarantee implies the other.

        If the other has a curve, the whole curves are compared. If rounding leaves a doubt, the
        answer is False.
        """
        if not _is_guarantee("the other", other).is_private:
            return True
        if not self.is_private or (other.status == "proved" and self.status != "proved"):
            return False
        if other.model not in IMPLIED[self.model] or not self._shows_as_much_as(other):
            return False
        if (self.caveat and self.caveat != other.caveat) or other.datum not in ("", self.datum):
            return False
        if (size := self._parts_of(other)) is None:
            return False
        mine = self.for_user(rounds=size).tightest_curve
        if mine.epsilon_at(other.delta) > other.epsilon:
            return False
        return other.curve is None or is_below(mine, other.curve)

    def _parts_of(self, other: Guarantee) -> int | None:
        """Return how many of this guarantee's groups of rounds cover a group of the other."""
        if self.period is None:
            return -(-other.rounds * other.periods // self.rounds)
        # a window of the other must lie in one of ours; windows of both start in 1970
        if other.period is None or self.period % other.period:
            return None
        together = self.periods if self.period == other.period else 1
        return -(-other.rounds // self.rounds) * -(-other.periods // together)

    def _shows_as_much_as(self, other: Guarantee) -> bool:
        """Return whether this guarantee covers everything that is seen in the other."""
        if self.seen == REPORTS and other.model == "joint":
            return other.seen == ""
        return self.seen in ("", other.seen)

    def __le__(self, other: Guarantee) -> bool:
        """Return whether this implies the other; two guarantees may be incomparable, like sets."""
        return self.implies(other)

    def __ge__(self, other: Guarantee) -> bool:
        """Return whether the other implies this one."""
        return _is_guarantee("the other", other).implies(self)

    def as_dict(self) -> Json:
        """Return the guarantee for JSON; epsilon is None if nothing is guaranteed."""
        return facts_of(vars(self), self.unit)

    @classmethod
    def from_dict(cls, facts: Json) -> Guarantee:
        """Return the guarantee that ``as_dict`` wrote."""
        try:
            return cls(**fields_from(facts))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DiscreetError("this is not a guarantee that as_dict() wrote.") from None

    def __str__(self) -> str:
        if not self.is_private:
            return f"no privacy ({self.source})"
        epsilon = f"{round_up(self.epsilon, digits=10):.10g}"
        plus = "" if self.delta == 0.0 else f", plus {self.delta:.12g}"
        what = self.datum or "outcome"
        number = rounds_words(self.rounds, self.period, self.periods)
        who = f"the {what}{'s' * (self.rounds > 1 or self.periods > 1)} of any {number}"
        person = person_words(self.rounds, self.delta, self.period, self.periods)
        but = f"; but {self.caveat}" if self.caveat else ""
        return (
            f"{self.short}: replacing {who} by any other makes nothing an observer sees "
            f"({self.seen or SEEN[self.model]}) more than e^{epsilon} times as likely{plus}, "
            f"regardless of what else they know ({self.model} model); {person}; {self.status}: "
            f"{self.source}{but}"
        )


def compose(*guarantees: Guarantee, times: int = 1, delta: float | None = None) -> Guarantee:
    """Return the guarantee for several releases about the same data, each made ``times`` times.

    Without ``delta``, epsilons and deltas add up. With it, epsilon is computed tightly at that
    delta: through privacy loss distributions, or in closed form for Gaussian noise and zCDP. The
    guarantees must be fixed in advance; queries may depend on earlier releases.

    >>> half = Guarantee(epsilon=0.5, delta=0.0, model="central", status="proved", source="x")
    >>> compose(half, half).epsilon, compose(half, times=50).epsilon
    (1.0, 25.0)
    >>> round(compose(half, times=50, delta=1e-6).epsilon, 1)
    20.3
    """
    if not guarantees:
        raise DiscreetError("compose needs at least one guarantee.")
    repetitions = check_int("times", times, minimum=1)
    for guarantee in guarantees:
        _is_guarantee("a guarantee", guarantee)
    if len({(guarantee.rounds, guarantee.periods) for guarantee in guarantees}) > 1:
        raise DiscreetError(
            "compose needs guarantees for the same number of rounds: use for_user first."
        )
    open_ones = [guarantee for guarantee in guarantees if not guarantee.is_private]
    if open_ones:
        return open_ones[0]
    # a guarantee without a period implies the same within any period
    lengths = {guarantee.period for guarantee in guarantees if guarantee.period is not None}
    if len(lengths) > 1:
        raise DiscreetError("compose needs guarantees for the same period.")
    curves = [guarantee.tightest_curve for guarantee in guarantees]
    if delta is None:
        total = added(*(guarantee.delta for guarantee in guarantees), times=repetitions)
        epsilon = added(*(guarantee.epsilon for guarantee in guarantees), times=repetitions)
        how = "basic composition"
    else:
        total = delta
        epsilon = composed(curves, delta, times=repetitions)
        how = "tight composition (privacy loss distributions)"
    if not math.isfinite(epsilon):
        needed = added(*(guarantee.delta for guarantee in guarantees), times=repetitions)
        if delta is None or needed <= delta:
            return Guarantee.none(TOO_LARGE)
        raise DiscreetError(f"delta is {delta!r}, but these releases need a larger delta.")
    models = {guarantee.model for guarantee in guarantees}
    seen = {guarantee.seen for guarantee in guarantees}
    words = {
        each.seen or SEEN["joint" if each.model == "joint" else "central"] for each in guarantees
    }
    return Guarantee(
        epsilon=round_up(epsilon),
        delta=min(1.0, total),
        model=models.pop() if len(models) == 1 else "joint" if "joint" in models else "central",
        status="proved"
        if all(guarantee.status == "proved" for guarantee in guarantees)
        else "claimed by the paper only",
        source=f"{how} of {counted([each.source for each in guarantees], repetitions)}",
        rounds=guarantees[0].rounds,
        datum=guarantees[0].datum
        if len({guarantee.datum for guarantee in guarantees}) == 1
        else "",
        seen=seen.pop() if len(seen) == 1 else "; ".join(sorted(words)),
        caveat="; ".join(
            dict.fromkeys(guarantee.caveat for guarantee in guarantees if guarantee.caveat)
        ),
        period=lengths.pop() if lengths else None,
        periods=guarantees[0].periods,
    )


def _is_guarantee(name: str, given: object) -> Guarantee:
    if not isinstance(given, Guarantee):
        raise DiscreetError(f"{name} is {shorten(given)}, but must be a Guarantee.")
    return given


def _is_curve(given: object) -> Curve:
    if not isinstance(given, tuple(KINDS.values())):
        raise DiscreetError(f"curve is {shorten(given)}, but must be a curve such as Pure(1.0).")
    return cast(Curve, given)


def _not_below(number: float, given: float) -> float:
    """Return a number that was converted to a float, rounded up if the conversion made it less."""
    return number if number >= given else math.nextafter(number, math.inf)
