"""A plan in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.algorithms import algorithm
from discreet.algorithms.plain import MEANINGLESS, plain_words
from discreet.errors import count
from discreet.planning.formatting import aligned, fill, number, percent, share_words, spread_words
from discreet.planning.least import Least
from discreet.planning.measures import Row
from discreet.planning.question import Question
from discreet.simulation.statistics import mean_interval

if TYPE_CHECKING:  # findings are told in these words
    from discreet.planning.findings import Plan, Scene

ALMOST_NOTHING = 0.15  # of the gain
HEAD = ("", "cost a round", "mean outcome", "best arm played", "most played is best", "gain kept")


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
        fill(f"Simulated: {model(question)}"),
    ]
    parts += [table(plan, scene) for scene in plan.scenes]
    parts += [
        fill(meaning(plan)),
        fill(f"Least epsilon: {epsilon_words(plan)}"),
        fill(f"Least number of rounds: {rounds_words(plan)}"),
        fill(f"Guarantee: {guarantee_words(plan)}"),
        fill(f"To run it: {code(plan)}", whole_words=True),
        fill(f"For an ethics board: {plan.ethics}"),
    ]
    return "\n\n".join(parts)


def headline(plan: Plan) -> str:
    """Return the answer in one or two sentences: what the least epsilon does, and what is needed."""
    question, scene = plan.question, plan.unchanging
    begin = f"With {question.rounds:,} rounds"
    if scene.ordinary.share_of_gain is None:
        return (
            f"{begin} nobody learns: even without privacy the outcome is not surely better than "
            "with guessing. Plan more rounds, or look for larger differences only."
        )
    least = plan.least_epsilon.value
    wanted = share_words(question.share)
    end = f"no epsilon up to {plan.least_epsilon.most:g} would keep {wanted} of the gain."
    if least is not None:
        end = f"an epsilon of about {least:.2g} would keep {wanted} of the gain."
        if least <= plan.least_epsilon.fewest:
            end = f"epsilon {least:.2g}, or less, keeps {wanted} of the gain."
    first = scene.private[0]
    return f"{begin} epsilon {first.player.epsilon:g} {verdict(first)}; {end}"


def verdict(row: Row) -> str:
    """Return what an epsilon achieves, as the rest of a sentence."""
    share = row.share_of_gain
    if not row.beats_guessing or share is None:
        return "learns nothing that could be told from guessing"
    kept = f"{percent(share.value)} of the gain"
    return f"learns almost nothing ({kept})" if share.value < ALMOST_NOTHING else f"keeps {kept}"


def why(plan: Plan) -> str:
    """Return which algorithm is recommended, at which epsilon, and what speaks for and against it."""
    question, name = plan.question, plan.recommended
    number = len(
        {label.split(" at ")[0] for label in plan.choosing["unchanging"] if " at " in label}
    )
    said = [
        f"{name} ({algorithm(name).title}) at epsilon {plan.epsilon:g}"
        + (
            f", the least of those asked for that keeps {share_words(question.share)} of the gain."
            if plan.enough
            else f", the largest asked for: none keeps {share_words(question.share)} of the gain."
        ),
        f"Of {count(number, 'private algorithm')} it cost least, over all epsilons,"
        + (
            " on outcomes that do not change and on outcomes that drift,"
            if question.may_drift
            else ""
        )
        + f" in {plan.choosing_trials} simulated trials that are used for nothing else."
        if number > 1
        else "It is the one private algorithm for this.",
    ]
    instance = plan.instance(plan.epsilon)
    if plan.has_bound:
        said.append("Its privacy is proved, and so is a bound on its regret.")
        return " ".join(said)
    said.append(
        "Its privacy is proved. How much it costs is only known from simulations: no bound on its "
        "regret is proved."
        if not algorithm(name).stochastic
        else f"Its privacy is proved. Its regret is {instance.bound_source.split(' (docs')[0]}."
    )
    said += _alternative(plan)
    return " ".join(said)


def _alternative(plan: Plan) -> list[str]:
    """Return what the best algorithm with a proved bound would cost."""
    for mine, other in zip(plan.unchanging.private, plan.unchanging.proved, strict=False):
        if mine.player.epsilon == plan.epsilon:
            return [
                f"With a proved bound: {other.player.algorithm}, which costs "
                f"{number(other.cost.value)} a round in place of {number(mine.cost.value)}."
            ]
    return []


def model(question: Question) -> str:
    """Return what outcomes were simulated."""
    past = question.outcomes
    if past is not None:
        means = "; ".join(
            f"{label} {spread_words(mean_interval(values))} ({count(values.size, 'outcome')})"
            for label, values in zip(past.labels, past.values, strict=True)
        )
        said = (
            f"outcomes drawn at random, with replacement, from those of the past in {past.source}. "
            f"Their means with 95 % intervals: {means}. Differences between few outcomes look "
            "larger than they are; this plan takes them as they are. It is computed from past "
            "outcomes without privacy: show it to nobody who may not see them."
        )
    else:
        best, other = float(question.means[0]), float(question.means[1])
        others = "all others" if question.arms > 2 else "the other one"
        shape = (
            "is one of the two ends of the range (such as 0/1 outcomes: the widest spread that "
            "there can be)"
        )
        if question.spread is not None:
            shape = (
                f"has a standard deviation of {question.spread:g} (a beta distribution on the "
                "range)"
            )
        said = (
            f"one arm has a mean outcome of {best:.4g}, {others} of {other:.4g}. An outcome "
            f"{shape}."
        )
    said += " Which arm is which is drawn again for every trial."
    if question.may_drift:
        said += (
            " Where outcomes drift, every arm takes the place of the next one after a third of the "
            "rounds, and again"
        )
        said += " after two thirds."
    return said


def table(plan: Plan, scene: Scene) -> str:
    """Return the figures as a table: guessing, every epsilon, and no privacy."""
    question = plan.question
    top = question.means.max() if question.better == "higher" else question.means.min()
    guess = (
        top - question.guessing_cost
        if question.better == "higher"
        else top + question.guessing_cost
    )
    each = percent(1.0 / question.arms)
    lines = [["guessing", number(question.guessing_cost), number(float(guess)), each, each, "0 %"]]
    lines += [_line(f"epsilon {row.player.epsilon:g}", row) for row in scene.private]
    lines.append(_line("no privacy", scene.ordinary))
    which = "drift" if scene.drifting else "do not change"
    title = (
        f"If outcomes {which} ({scene.trials} trials, {plan.recommended}; no privacy: "
        f"{scene.reference.label})"
    )
    return f"{title}\n{aligned([list(HEAD), *lines])}"


def kind(scene: Scene) -> str:
    """Return what kind of outcomes was played."""
    return "drifting" if scene.drifting else "unchanging"


def _line(name: str, row: Row) -> list[str]:
    kept = "-" if row.share_of_gain is None else spread_words(row.share_of_gain, percent=True)
    if not row.beats_guessing:
        kept += " *"
    return [
        name,
        spread_words(row.cost),
        number(row.outcome.value),
        spread_words(row.best_arm, percent=True),
        spread_words(row.most_played, percent=True),
        "100 %" if name == "no privacy" and row.share_of_gain is not None else kept,
    ]


def meaning(plan: Plan) -> str:
    """Return what the columns mean."""
    share = plan.unchanging.ordinary.gain.value
    drift = " at the time, and most played in the last third" if plan.question.may_drift else ""
    return (
        "Cost: how much worse the outcome of a round is, on average, than with the best arm in "
        "every round. Gain: how much better than guessing, which plays all arms alike; without "
        f"privacy it is {number(share)} a round if outcomes do not change. Best arm: the best "
        f"one{drift}. In brackets: 95 % intervals over trials. An asterisk: not surely better than "
        "guessing."
    )


def epsilon_words(plan: Plan) -> str:
    """Return which epsilon keeps the wanted share of the gain, and how precisely that is known."""
    least, wanted = plan.least_epsilon, share_words(plan.question.share)
    if not least.shares:
        return f"none keeps {wanted} of the gain, for there is none without privacy either."
    if least.value is None:
        return f"none up to {least.most:g} keeps {wanted} of the gain."
    if least.value <= least.fewest:
        return f"{least.value:g} keeps {wanted} of the gain already, and less was not tried."
    return (
        f"about {least.value:.2g} keeps {wanted} of the gain ({_ends(least, '.2g')}), with "
        f"{plan.question.rounds:,} rounds and if outcomes do not change."
    )


def rounds_words(plan: Plan) -> str:
    """Return how many rounds the wanted epsilon needs, and how precisely that is known."""
    least, question = plan.least_rounds, plan.question
    begin, wanted = f"at epsilon {question.epsilon_for_rounds:g}", share_words(question.share)
    if not least.shares:
        return f"{begin} nothing can be said, for nothing is gained without privacy either."
    if least.value is None:
        return (
            f"{begin} {least.most:,.0f} rounds do not keep {wanted} of the gain yet, and more were "
            "not tried."
        )
    if least.value <= least.fewest:
        return (
            f"{begin} {least.value:,.0f} rounds keep {wanted} of the gain already, and fewer were "
            "not tried."
        )
    rounded = float(f"{least.value:.2g}")
    return (
        f"{begin} about {rounded:,.0f} keep {wanted} of the gain "
        f"({_ends(least, ',.0f', digits=2)})."
    )


def _ends(least: Least, form: str, *, digits: int = 12) -> str:
    low, high = (
        None if end is None else float(f"{end:.{digits}g}") for end in (least.low, least.high)
    )
    if high is None:
        return f"95 % interval from {low or least.fewest:{form}}, open above"
    return f"95 % interval {low or least.fewest:{form}} to {high:{form}}"


def guarantee_words(plan: Plan) -> str:
    """Return what is promised for one round and for a user."""
    question, epsilon = plan.question, plan.epsilon
    one = plan.guarantee(epsilon)
    said = [f"{one.short} for the outcome of any one round ({one.status}, {one.model} model)."]
    many = question.rounds_per_user
    if many == 1:
        more = "more than this" if one.delta else "m times this epsilon"
        said.append(
            f"So for a person if everybody has one round only; who has m rounds has {more}."
        )
    else:
        user = plan.guarantee(epsilon, user=True)
        said.append(
            f"For a person with up to {many:,} rounds it is {user.short}, of all of them together; "
            f"to promise a person epsilon {epsilon:g} in all, plan with epsilon "
            f"{epsilon / many:.3g} a round."
        )
        if user.epsilon >= MEANINGLESS:
            said.append(
                f"An epsilon of {MEANINGLESS:g} or more protects a person practically not at all."
            )
    return " ".join(said)


def code(plan: Plan) -> str:
    """Return the line of Python that starts what is recommended."""
    question = plan.question
    face, options = ("Experts", "experts") if question.sees_all else ("Bandit", "arms")
    names = question.arms if question.outcomes is None else list(question.outcomes.labels)
    delta = f", delta={question.delta:g}" if question.delta else ""
    return (
        f"discreet.{face}({options}={names}, horizon={question.rounds}, "
        f"epsilon={plan.epsilon:g}{delta}, low={question.low:g}, high={question.high:g}, "
        f'algorithm="{plan.recommended}")'
    )


def ethics(plan: Plan) -> str:
    """Return one paragraph for an ethics board: the guarantee at the recommended epsilon, and what it costs."""
    question, scene = plan.question, plan.unchanging
    other = scene.ordinary
    mine = next(row for row in scene.private if row.player.epsilon == plan.epsilon)
    outcomes = f"a number from {question.low:g} to {question.high:g}; {question.better} is better"
    promised = plain_words(
        plan.instance(plan.epsilon),
        question.setting(plan.epsilon),
        outcomes=outcomes,
        rounds_per_user=question.rounds_per_user,
    )
    return (
        f"{promised} What protection costs was simulated in advance, for outcomes as they are "
        f"expected if they do not change. The best of {question.arms} options would be chosen in "
        f"{percent(mine.best_arm.value)} of all decisions on average, in "
        f"{percent(other.best_arm.value)} without protection, and in "
        f"{percent(1.0 / question.arms)} by drawing lots; the mean outcome of a decision would be "
        f"{number(mine.outcome.value)}, and {number(other.outcome.value)} without protection."
    )


def options_words(question: Question) -> str:
    """Return how many options there are, and what is seen of them."""
    return (
        f"{question.arms} options that are all seen"
        if question.sees_all
        else count(question.arms, "arm")
    )
