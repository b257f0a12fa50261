"""A guarantee for readers who do not know the field: what a protocol or an ethics board is told."""

from __future__ import annotations

import math

from discreet.algorithms.registry import Instance, Setting
from discreet.errors import count
from discreet.guarantee import Guarantee, round_up
from discreet.problems import Problem

MEANINGLESS = 10.0  # from this epsilon on a factor of e^epsilon protects practically nobody

SEEN_PLAINLY = {
    "central": "every decision, and everything that the method has learned",
    "local": "every single outcome with its noise, every "
    "decision, and "
    "everything "
    "that the "
    "method "
    "has learned",
    "joint": "everything that the method has learned, and "
    "every "
    "decision but "
    "the one "
    "about the "
    "person concerned",
}


def plain_words(
    instance: Instance,
    setting: Setting[Problem],
    *,
    outcomes: str | None = None,
    rounds_per_user: int = 2,
) -> str:
    """Return one paragraph: what is done, what an observer may learn at most, for whom, and what is not covered.

    ``outcomes`` says what they are, in place of the range of losses, and ``rounds_per_user`` how
    many of them one person may have for whom the bound is told too.
    """
    guarantee = instance.guarantee
    if not guarantee.is_private:
        return (
            "This method has no privacy protection. "
            "Anyone who "
            "sees its "
            "decisions "
            "may be "
            "able to "
            "find out the outcome "
            "of a single person, and no statement about that is possible."
        )
    return " ".join(
        [
            f"The method makes {_decisions(setting)} one "
            "after the "
            "other and "
            "learns "
            "from the "
            "outcome of "
            f"each ({outcomes or setting.problem.range_words(setting.bounds)}).",
            *_how(instance),
            *_what(guarantee),
            *_several(guarantee, max(2, rounds_per_user)),
            "Not protected are whether and when a person "
            "takes "
            "part, and "
            "what is "
            "true of "
            "people in "
            "general, which is "
            "what the method is meant to learn. The "
            "statement "
            "holds "
            "whatever "
            "else an "
            "observer "
            "knows, now or later, if "
            "the outcomes are used by nothing else; other uses of the same outcomes add up.",
            _why(guarantee),
        ]
    )


def _decisions(setting: Setting[Problem]) -> str:
    """Return how many there are."""
    if setting.unknown_horizon:
        return "any number of decisions"
    return "at most " * setting.problem.stops + count(setting.rounds, "decision")


def _how(instance: Instance) -> list[str]:
    if not instance.private.channel.noise_scales:
        return []
    if instance.guarantee.model == "local":
        return ["Random noise is added to every single outcome, before it is stored or used."]
    return [
        "Outcomes are combined, and random noise is added "
        "to the "
        "result "
        "before the "
        "method "
        "learns "
        "from it."
    ]


def _what(guarantee: Guarantee) -> list[str]:
    """Return the bound on what is seen, and for pure guarantees what it means for a suspicion."""
    if guarantee.epsilon == 0.0 and guarantee.delta == 0.0:
        return ["Nothing that anybody sees depends on any outcome: the method does not use them."]
    seen = guarantee.seen or SEEN_PLAINLY[guarantee.model]
    what = guarantee.datum or "outcome"
    people = f"one {what}" if guarantee.rounds == 1 else f"the {what}s of {guarantee.rounds} rounds"
    said = [
        "Suppose that somebody sees all of this: "
        f"{seen}. Had "
        f"{people} "
        "been "
        "different, "
        "whatever "
        "they see would have been "
        f"at most {_times(guarantee)} as likely{_plus(guarantee)}."
    ]
    if guarantee.epsilon >= MEANINGLESS:
        said.append("A factor that large protects practically nobody.")
    elif guarantee.delta == 0.0 and guarantee.epsilon > 0.0:
        odds = math.exp(guarantee.epsilon)
        high = math.ceil(1000.0 * odds / (1.0 + odds)) / 10.0
        said.append(
            "For example, somebody who knows everything "
            "but one "
            "outcome, and "
            "believes "
            "that "
            "it is "
            "as likely to have been "
            "good as bad, will afterwards hold one of "
            "the two "
            "for at "
            "most "
            f"{high:g} % "
            "likely "
            "(50 % "
            "would be no change)."
        )
    return said


def _several(guarantee: Guarantee, rounds: int) -> list[str]:
    if guarantee.rounds > 1 or guarantee.epsilon == 0.0:
        return []
    together = guarantee.for_user(rounds=rounds)
    number = "two" if rounds == 2 else f"{rounds:,}"
    return [
        f"A person with several outcomes is protected less: with {number} of them, the bound is "
        f"{_times(together)}{_plus(together)}."
    ]


def _why(guarantee: Guarantee) -> str:
    if guarantee.status == "proved":
        return (
            "This is a mathematical theorem "
            f"({guarantee.short}, "
            f"{guarantee.model} "
            "model), not "
            "a measurement."
        )
    return (
        "This is claimed by the authors of the method "
        "only "
        f"({guarantee.short}), and "
        "discreet "
        "has no proof of it."
    )


def _times(guarantee: Guarantee) -> str:
    """Return e^ε in words, rounded up."""
    if guarantee.epsilon > 30.0:
        return "more than ten million million times"
    factor = round_up(math.exp(guarantee.epsilon), digits=3)
    return f"{factor:,.0f} times" if factor >= 100.0 else f"{factor:g} times"


def _plus(guarantee: Guarantee) -> str:
    return "" if guarantee.delta == 0.0 else f", plus a probability of at most {guarantee.delta:g}"
