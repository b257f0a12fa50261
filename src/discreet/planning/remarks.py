"""Remarks of a plan on late outcomes, identifying the best arm, and predictable decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from componentjit import copy
from discreet.errors import count
from discreet.planning.numbers import number, spread_words
from discreet.planning.program import program_waits
from discreet.randomness import streams

if TYPE_CHECKING:  # findings.py imports this module
    from discreet.planning.findings import Plan
    from discreet.planning.question import Question

LATE_SHARE = 0.25  # of all rounds; a delay at least this long is named as a cause
OPEN_TIMES = (
    "With late outcomes, the guarantee holds if an outcome's arrival time does not depend on the "
    "outcome; otherwise set wait= (docs/live.md)."
)
PROTECTED_TIMES = (
    "With wait= in the program, whether and when outcomes arrive is protected too, as long as "
    "decisions are not requested in response to outcomes (docs/live.md)."
)


def late_words(plan: Plan) -> str:
    """Return sentences on how late outcomes are; empty if they are not late."""
    arrivals = plan.question.arrivals
    if arrivals is None:
        return ""
    outcome = plan.question.default_outcome
    return f" In all simulations {arrivals.in_words(f'{0.0 if outcome is None else outcome:g}')}."


def late_guarantee(plan: Plan) -> list[str]:
    """Return a sentence on what arrival times reveal; nothing if outcomes are not late."""
    if plan.question.arrivals is None:
        return []
    return [PROTECTED_TIMES if program_waits(plan) else OPEN_TIMES]


def late_cause(question: Question) -> str:
    """Return a clause if late outcomes are the reason that little is learned; else nothing."""
    late = 0 if question.arrivals is None else question.arrivals.known_after()
    if late < LATE_SHARE * question.rounds:
        return ""
    return f", because the first outcome is known after {late:,} of {question.rounds:,} rounds"


def bound_words(plan: Plan) -> str:
    """Return the sentences that replace a proved bound if outcomes are late."""
    name = plan.recommended
    return (
        f"Its privacy is proved. Its cost with late outcomes is known only from simulations, "
        f"because no proved bound on the regret of {name} covers them."
    )


def naming_words(plan: Plan) -> str:
    """Return whether equal allocation with one release identifies the best arm more often."""
    equal = plan.naming.get(plan.epsilon)
    if equal is None:
        return ""
    mine = next(row for row in plan.unchanging.private if row.variant.epsilon == plan.epsilon)
    said = (
        "equal allocation to all arms, with one release of every arm's noisy mean at the end, "
        f"identifies it in {spread_words(equal, percent=True)} of studies at epsilon "
        f"{plan.epsilon:g}. The arm that {plan.recommended} plays most is the best in "
        f"{spread_words(mine.most_played, percent=True)}."
    )
    costs = (
        f"costs {number(plan.question.guessing_cost)} per round instead of "
        f"{number(mine.cost.value)}"
    )
    dearer = plan.question.guessing_cost > mine.cost.value
    if equal.low > mine.most_played.high and not dearer:
        return f"{said} So use equal allocation: it also {costs}."
    if equal.low > mine.most_played.high:
        return (
            f"{said} So use equal allocation if finding the best arm is the only goal. If outcomes "
            f"during the study matter, do not: it {costs}."
        )
    if equal.high < mine.most_played.low and not dearer:
        return f"{said} So learning identifies it more often, but equal allocation {costs}."
    if equal.high < mine.most_played.low:
        return f"{said} So learning is better in both respects: equal allocation also {costs}."
    return f"{said} The difference is not significant, and equal allocation {costs}."


def prediction_words(plan: Plan) -> str:
    """Return whether decisions are predictable, and what that means for a trial."""
    private = copy(plan.instance(plan.epsilon).private)
    name = plan.recommended
    if private.learner.predictable:
        return (
            f"{name} is predictable. Only details are random (the order of first batches, ties, "
            "when to check an arm again). Otherwise the next decision follows from earlier "
            "releases or, within a batch, from the previous decision. So anyone who sees earlier "
            "decisions can often predict the next one. In a trial this breaks allocation "
            "concealment, unless those who enrol patients see neither earlier allocations nor the "
            "program. To plan with an algorithm that draws its decisions at random, use "
            "--randomised."
        )
    _, trace = private.act(0, streams(0).learner)
    rounds = private.hold_for(trace)
    held = (
        "Every decision is drawn separately, so none can be predicted with certainty."
        if rounds == 1
        else f"An arm is drawn for {count(rounds, 'round')} in a row: the first decision of a "
        "batch cannot be predicted with certainty, and the others repeat it. For allocation "
        "concealment, hide earlier decisions from those who enrol patients."
    )
    return f"{name} draws its decisions at random. {held}"
