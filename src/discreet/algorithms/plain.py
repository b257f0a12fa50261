"""A guarantee in plain words, for study protocols and ethics boards."""

from __future__ import annotations

import math

from discreet.algorithms.registry import Instance, Setting
from discreet.errors import count
from discreet.guarantee import Guarantee, round_up
from discreet.guarantee_words import period_words
from discreet.problems import Problem

MEANINGLESS = 10.0  # from this epsilon on, a factor of e^epsilon gives almost no protection

SEEN_PLAINLY = {
    "central": "every decision, and everything that the method has learned",
    "local": "every single outcome with its noise, every decision, and everything that the "
    "method has learned",
    "joint": "everything that the method has learned, and every decision except the one about "
    "the person concerned",
}


def plain_words(
    instance: Instance,
    setting: Setting[Problem],
    *,
    outcomes: str | None = None,
    rounds_per_user: int = 2,
    guarantee: Guarantee | None = None,
) -> str:
    """Return one paragraph: what the method does, what observers can infer, what is not covered.

    ``outcomes`` describes the outcomes, instead of the range of losses. The paragraph also states
    the bound for a person with ``rounds_per_user`` outcomes. ``guarantee`` replaces that of the
    algorithm, if a run releases more or limits users.
    """
    return words_about(
        instance.guarantee if guarantee is None else guarantee,
        decisions=_decisions(setting),
        outcomes=outcomes or setting.problem.range_words(setting.bounds),
        has_noise=bool(instance.private.channel.noise_scales),
        rounds_per_user=rounds_per_user,
    )


def words_about(
    guarantee: Guarantee,
    *,
    decisions: str,
    outcomes: str,
    has_noise: bool,
    rounds_per_user: int = 2,
) -> str:
    """Return the paragraph for any guarantee, such as that of a live run that limits users."""
    if not guarantee.is_private:
        return (
            "This method has no privacy protection. Anyone who sees its decisions may be able to "
            "infer the outcome of a single person, and no limit on that can be stated."
        )
    return " ".join(
        [
            f"The method makes {decisions} one after the other and learns from the outcome of each "
            f"({outcomes}).",
            *_how(guarantee, has_noise=has_noise),
            *_what(guarantee),
            *_several(guarantee, max(2, rounds_per_user)),
            "The protection does not cover whether and when a person takes part, or facts about "
            "people in general, which the method is meant to learn. It holds regardless of what "
            "else an observer knows, now or later, provided that the outcomes are used for nothing "
            "else; the effects of several uses add up.",
            _why(guarantee),
        ]
    )


def _decisions(setting: Setting[Problem]) -> str:
    """Return the number of decisions in words."""
    if setting.unknown_horizon:
        return "any number of decisions"
    return "at most " * setting.problem.stops + count(setting.rounds, "decision")


def _how(guarantee: Guarantee, *, has_noise: bool) -> list[str]:
    if not has_noise:
        return []
    if guarantee.model == "local":
        return ["Random noise is added to every single outcome before it is stored or used."]
    return [
        "Outcomes are combined, and random noise is added to the result before the method learns "
        "from it."
    ]


def _what(guarantee: Guarantee) -> list[str]:
    """Return the bound on what is visible, and for pure guarantees what an observer can infer."""
    if guarantee.epsilon == 0.0 and guarantee.delta == 0.0:
        return [
            "Nothing that an observer sees depends on any outcome: the method does not use them."
        ]
    seen = guarantee.seen or SEEN_PLAINLY[guarantee.model]
    what = guarantee.datum or "outcome"
    people = f"one person's {what}"
    if guarantee.rounds > 1:
        people = f"the {what}s of {guarantee.rounds} rounds of one person"
        if guarantee.period is not None:
            people += f" in one period of {period_words(guarantee.period)}"
    said = [
        f"Suppose an observer sees all of this: {seen}. If {people} had been different, anything "
        f"an observer sees would have been at most {_times(guarantee)} more or less "
        f"likely{_plus(guarantee)}."
    ]
    if guarantee.epsilon >= MEANINGLESS:
        said.append("A factor that large gives almost no protection.")
    elif guarantee.delta == 0.0 and guarantee.epsilon > 0.0:
        odds = math.exp(guarantee.epsilon)
        high = math.ceil(1000.0 * odds / (1.0 + odds)) / 10.0
        # The decision about the person concerned is not covered in the joint model and on devices.
        covers_all = guarantee.model != "joint" and not guarantee.seen
        shown = "all decisions" if covers_all else "all of this"
        unknown, cases = "one outcome", "good and bad"
        if guarantee.rounds > 1:
            unknown, cases = "these outcomes of one person", "two versions of them"
        said.append(
            f"For example, suppose an observer knows everything except {unknown} and considers "
            f"{cases} equally likely. After seeing {shown}, they can be at most {high:g} % "
            "sure of either (50 % would mean they learned nothing)."
        )
    return said


def _several(guarantee: Guarantee, rounds: int) -> list[str]:
    if guarantee.rounds > 1 or guarantee.epsilon == 0.0:
        return []
    together = guarantee.for_user(rounds=rounds)
    number = "two" if rounds == 2 else f"{rounds:,}"
    return [
        f"A person with several outcomes is protected less: with {number} of them, the bound "
        f"rises to {_times(together)}{_plus(together)}."
    ]


def _why(guarantee: Guarantee) -> str:
    if guarantee.status == "proved":
        return (
            f"This is a mathematical theorem ({guarantee.short}, {guarantee.model} model), not a "
            "measurement."
        )
    return (
        f"This is only claimed by the authors of the method ({guarantee.short}); discreet has no "
        "proof of it."
    )


def _times(guarantee: Guarantee) -> str:
    """Return e^epsilon in words, rounded up."""
    if guarantee.epsilon > 30.0:
        return "more than ten million million times"
    factor = round_up(math.exp(guarantee.epsilon), digits=3)
    return f"{factor:,.0f} times" if factor >= 100.0 else f"{factor:g} times"


def _plus(guarantee: Guarantee) -> str:
    return "" if guarantee.delta == 0.0 else f", plus a probability of at most {guarantee.delta:g}"
