"""A plan in words: numbers, tables and paragraphs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from discreet.algorithms import algorithm
from discreet.algorithms.plain import MEANINGLESS, plain_words
from discreet.errors import count
from discreet.planning.measures import Performance, Threshold
from discreet.planning.numbers import align, in_percent, number, share_words, spread_words
from discreet.planning.precision import precision_words
from discreet.planning.program import program_words
from discreet.planning.question import Question
from discreet.planning.remarks import (
    bound_words,
    late_cause,
    late_guarantee,
    late_words,
    naming_words,
    prediction_words,
)
from discreet.planning.sweeps import learns_something
from discreet.simulation.statistics import mean_interval

if TYPE_CHECKING:  # findings.py imports this module
    from discreet.planning.findings import Plan, Scene


WIDTH = 100  # columns of a paragraph


def fill(paragraph: str, *, whole_words: bool = False) -> str:
    """Return a paragraph wrapped at a readable width."""
    return textwrap.fill(paragraph, WIDTH, break_long_words=not whole_words, break_on_hyphens=False)


ALMOST_NOTHING = 0.15  # share of the gain below which a plan says that almost nothing is learned
HEAD = (
    "",
    "cost per round",
    "mean outcome",
    "best arm played",
    "most played is best",
    "gain kept",
)


def text(plan: Plan) -> str:
    """Return the whole plan."""
    question = plan.question
    title = (
        f"Plan for {options_words(question)} and {question.rounds:,} rounds, outcomes from "
        f"{question.low:g} to {question.high:g}, {question.better} is better"
    )
    parts = [
        title,
        fill(headline(plan)),
        fill(f"Recommended: {why(plan)}"),
        fill(f"Simulated: {model(question)}{late_words(plan)}"),
    ]
    parts += [table(plan, scene) for scene in plan.scenes]
    parts += [
        fill(meaning(plan)),
        fill(f"Smallest epsilon: {epsilon_words(plan)}"),
        fill(f"Smallest number of rounds: {rounds_words(plan)}"),
        *([fill(f"To find the best arm: {naming_words(plan)}")] if plan.naming else []),
        *([] if question.sees_all else [fill(f"Prediction: {prediction_words(plan)}")]),
        *([fill(f"Precision: {precise}")] if (precise := precision_words(plan)) else []),
        fill(f"Guarantee: {guarantee_words(plan)}"),
        program_words(plan),
        fill(f"For an ethics board: {plan.ethics}"),
    ]
    return "\n\n".join(parts)


def headline(plan: Plan) -> str:
    """Return the answer in two sentences: what the smallest epsilon achieves, and what it takes."""
    question, scene = plan.question, plan.unchanging
    begin = f"With {question.rounds:,} rounds,"
    if scene.ordinary.share_of_gain is None:
        return (
            f"{begin} nothing can be learned{late_cause(question)}: even without privacy, outcomes "
            "are not significantly better than with equal randomisation. Plan more rounds, or aim "
            "for larger differences only."
        )
    least = plan.least_epsilon
    wanted = share_words(question.share)
    if least.value is None:
        end = f"No epsilon up to {least.largest:g} would keep {wanted} of the gain."
    elif least.value <= least.smallest:
        end = f"Epsilon {least.value:.2g}, or less, keeps {wanted} of the gain."
    else:
        end = f"An epsilon of about {least.value:.2g} would keep {wanted} of the gain."
    first = scene.private[0]
    return f"{begin} epsilon {first.variant.epsilon:g} {verdict(first)}. {end}"


def verdict(row: Performance) -> str:
    """Return what an epsilon achieves, as the rest of a sentence."""
    share = row.share_of_gain
    if row.is_worse:
        return "does worse than equal randomisation"
    if not row.beats_guessing or share is None:
        return "learns nothing measurable (not significantly better than equal randomisation)"
    kept = f"{in_percent(share.value)} of the gain"
    return f"learns almost nothing ({kept})" if share.value < ALMOST_NOTHING else f"keeps {kept}"


def why(plan: Plan) -> str:
    """Return which algorithm is recommended, at which epsilon, and why."""
    question, name = plan.question, plan.recommended
    wanted = share_words(question.share)
    rank = (
        f"the smallest given epsilon that keeps {wanted} of the gain"
        if plan.enough
        else f"the largest given epsilon; none keeps {wanted} of the gain"
    )
    candidates = {each.algorithm for each in plan.choosing["unchanging"] if each.is_private}
    choice = "It is the only private algorithm for this problem."
    if len(candidates) > 1:
        games = ", on outcomes that do not change and on outcomes that drift" * question.may_drift
        choice = (
            f"Of {len(candidates)} private algorithms, it had the smallest cost over all "
            f"epsilons{games}, in {plan.choosing_trials} simulations made only for this choice."
        )
    said = [f"{name} ({algorithm(name).title}) at epsilon {plan.epsilon:g}, {rank}.", choice]
    said += _drift_warning(plan)
    if not learns_something(question, name):
        said = [
            f"none. No private algorithm releases anything before the last decision"
            f"{late_cause(question)}. Use equal allocation with one release at the end (below), "
            f"or plan more rounds. All figures are for {name} at epsilon {plan.epsilon:g}."
        ]
    if question.arrivals is not None:
        said.append(bound_words(plan))
    elif plan.has_bound:
        said.append("Its privacy is proved, and so is a bound on its regret.")
    elif algorithm(name).stochastic:
        regret = plan.instance(plan.epsilon).bound_source
        said += [f"Its privacy is proved. Its regret is {regret}.", *_alternative(plan)]
    else:
        said.append(
            "Its privacy is proved. Its cost is known only from simulations, because its regret "
            "has no proved bound."
        )
        said += _alternative(plan)
    return " ".join(said)


def _drift_warning(plan: Plan) -> list[str]:
    """Return a sentence if the recommendation does not beat equal randomisation under drift."""
    for scene in plan.scenes:
        row = next(row for row in scene.private if row.variant.epsilon == plan.epsilon)
        if scene.drifting and not row.beats_guessing:
            how = "worse" if row.is_worse else "not significantly better"
            return [f"If outcomes drift as simulated below, it is {how} than equal randomisation."]
    return []


def _alternative(plan: Plan) -> list[str]:
    """Return the cost of the best algorithm with a proved bound."""
    for mine, other in zip(plan.unchanging.private, plan.unchanging.proved, strict=False):
        if mine.variant.epsilon == plan.epsilon:
            return [
                f"An algorithm with a proved bound, {other.variant.algorithm}, costs "
                f"{number(other.cost.value)} per round instead of {number(mine.cost.value)}."
            ]
    return []


def model(question: Question) -> str:
    """Return which outcomes were simulated."""
    past = question.outcomes
    if past is not None:
        means = "; ".join(
            f"{label} {spread_words(mean_interval(values))} ({count(values.size, 'outcome')})"
            for label, values in zip(past.labels, past.values, strict=True)
        )
        said = (
            "outcomes drawn at random, with replacement, from the past outcomes in "
            f"{past.source}. Their means with 95 % intervals: {means}. With few outcomes, "
            "differences look larger than they are, and the plan takes them at face value. The "
            "plan is computed from past outcomes without privacy: show it only to people who may "
            "see them."
        )
    else:
        best, other = float(question.means[0]), float(question.means[1])
        others = "all others" if question.arms > 2 else "the other"
        shape = (
            "are at the two ends of the range (such as 0/1 outcomes, the widest possible spread)"
        )
        if question.spread is not None:
            shape = (
                f"have a standard deviation of {question.spread:g} (a beta distribution on the "
                "range)"
            )
        said = f"one arm has a mean outcome of {best:.4g}, {others} {other:.4g}. Outcomes {shape}."
    said += " Every simulation assigns the means to the arms at random."
    if question.may_drift:
        said += (
            " If outcomes drift, every arm takes over the mean of the next one after a third of "
            "the rounds, and again after two thirds."
        )
    return said


def table(plan: Plan, scene: Scene) -> str:
    """Return the figures as a table: equal randomisation, every epsilon, and no privacy."""
    question = plan.question
    top = question.means.max() if question.better == "higher" else question.means.min()
    uniform = (
        top - question.guessing_cost
        if question.better == "higher"
        else top + question.guessing_cost
    )
    each = in_percent(1.0 / question.arms)
    cost = number(question.guessing_cost)
    lines = [["equal randomisation", cost, number(float(uniform)), each, each, "0 %"]]
    lines += [_line(f"epsilon {row.variant.epsilon:g}", row) for row in scene.private]
    kept = "-" if scene.ordinary.share_of_gain is None else "100 %"
    lines.append([*_line("no privacy", scene.ordinary)[:-1], kept])
    which = "drift" if scene.drifting else "do not change"
    title = (
        f"If outcomes {which} ({scene.trials} simulations of {plan.recommended}; no privacy: "
        f"{scene.reference.label})"
    )
    return f"{title}\n{align([list(HEAD), *lines])}"


def kind(scene: Scene) -> str:
    """Return the kind of outcomes."""
    return "drifting" if scene.drifting else "unchanging"


def _line(name: str, row: Performance) -> list[str]:
    kept = "-" if row.share_of_gain is None else spread_words(row.share_of_gain, percent=True)
    mark = "" if row.beats_guessing else " **" if row.is_worse else " *"
    return [
        name,
        spread_words(row.cost),
        number(row.outcome.value),
        spread_words(row.best_arm, percent=True),
        spread_words(row.most_played, percent=True),
        f"{kept}{mark}",
    ]


def meaning(plan: Plan) -> str:
    """Return what the columns mean."""
    gain = number(plan.unchanging.ordinary.gain.value)
    best = (
        " Best arm means the arm that is best at that time; most played refers to the last third "
        "of the rounds." * plan.question.may_drift
    )
    return (
        "Cost: how much worse the average outcome is than with the best arm in every round. Gain: "
        "how much better it is than with equal randomisation; without privacy, the gain is "
        f"{gain} per round if outcomes do not change.{best} In brackets: 95 % intervals over "
        "simulations. * not significantly better than equal randomisation. ** worse than equal "
        "randomisation."
    )


def epsilon_words(plan: Plan) -> str:
    """Return which epsilon keeps the wanted share of the gain, and how precisely that is known."""
    least, wanted = plan.least_epsilon, share_words(plan.question.share)
    if not least.shares:
        return f"none keeps {wanted} of the gain, because there is no gain without privacy either."
    if least.value is None:
        return f"none up to {least.largest:g} keeps {wanted} of the gain."
    if least.value <= least.smallest:
        return f"{least.value:g} already keeps {wanted} of the gain; smaller values were not tried."
    return (
        f"about {least.value:.2g} keeps {wanted} of the gain ({_ends(least, '.2g')}), with "
        f"{plan.question.rounds:,} rounds and outcomes that do not change."
    )


def rounds_words(plan: Plan) -> str:
    """Return how many rounds the wanted epsilon needs, and how precisely that is known."""
    least, question = plan.least_rounds, plan.question
    begin, wanted = f"at epsilon {question.epsilon_for_rounds:g},", share_words(question.share)
    if not least.shares:
        return f"{begin} unknown, because there is no gain without privacy either."
    if least.value is None:
        return (
            f"{begin} {least.largest:,.0f} rounds do not keep {wanted} of the gain; more were not "
            "tried."
        )
    if least.value <= least.smallest:
        return (
            f"{begin} {least.value:,.0f} rounds already keep {wanted} of the gain; fewer were not "
            "tried."
        )
    rounded = float(f"{least.value:.2g}")
    return (
        f"{begin} about {rounded:,.0f} rounds keep {wanted} of the gain "
        f"({_ends(least, ',.0f', digits=2)})."
    )


def _ends(least: Threshold, form: str, *, digits: int = 12) -> str:
    low, high = (
        None if end is None else float(f"{end:.{digits}g}") for end in (least.low, least.high)
    )
    if high is None:
        return f"95 % interval from {low or least.smallest:{form}}, open above"
    return f"95 % interval {low or least.smallest:{form}} to {high:{form}}"


def guarantee_words(plan: Plan) -> str:
    """Return the guarantee for one round and for a user."""
    question, epsilon = plan.question, plan.epsilon
    one = plan.guarantee(epsilon)
    said = [f"{one.short} for the outcome of any one round ({one.status}, {one.model} model)."]
    said += late_guarantee(plan)
    many = question.rounds_per_user
    if many == 1:
        more = "a larger epsilon and delta" if one.delta else "m x epsilon"
        said.append(f"A person with m rounds: {more}.")
    else:
        user = plan.guarantee(epsilon, user=True)
        said.append(
            f"A person with up to {many:,} rounds: {user.short} for all of them together. To "
            f"guarantee a person epsilon {epsilon:g} in total, plan with epsilon "
            f"{epsilon / many:.3g} per round."
        )
        if user.epsilon >= MEANINGLESS:
            said.append(f"An epsilon of {MEANINGLESS:g} or more gives almost no protection.")
    return " ".join(said)


def ethics(plan: Plan) -> str:
    """Return one paragraph for an ethics board: the guarantee and its cost."""
    question, scene = plan.question, plan.unchanging
    other = scene.ordinary
    mine = next(row for row in scene.private if row.variant.epsilon == plan.epsilon)
    outcomes = f"a number from {question.low:g} to {question.high:g}; {question.better} is better"
    guaranteed = plain_words(
        plan.instance(plan.epsilon),
        question.setting(plan.epsilon),
        outcomes=outcomes,
        rounds_per_user=question.rounds_per_user,
    )
    return (
        f"{guaranteed} The cost of protection was simulated in advance, for the expected "
        f"outcomes, if they do not change. On average, the best of {question.arms} options would "
        f"be chosen in {in_percent(mine.best_arm.value)} of all decisions "
        f"({in_percent(other.best_arm.value)} without protection, "
        f"{in_percent(1.0 / question.arms)} with equal randomisation). The mean outcome of a "
        "decision would be "
        f"{number(mine.outcome.value)} ({number(other.outcome.value)} without protection)."
    )


def options_words(question: Question) -> str:
    """Return the number of options, and whether all are seen."""
    if question.sees_all:
        return f"{question.arms} options whose outcomes are all seen"
    return count(question.arms, "arm")
