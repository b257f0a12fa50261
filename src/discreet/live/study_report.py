"""A study report from a run's file: design, guarantee, allocation, estimates, budget, losses."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, get_args

from discreet.algorithms import Setting, algorithm
from discreet.algorithms.plain import plain_words
from discreet.display import facts_html
from discreet.errors import DiscreetError, check_choice, check_share
from discreet.estimates.table import EstimateKind, MeanEstimates, Outcomes
from discreet.guarantee import Guarantee
from discreet.live import file_access
from discreet.live.arm_estimates import StudyFacts, estimates_of
from discreet.live.arm_search import BestArmSearch
from discreet.live.arms import ArmsClient, Bandit
from discreet.live.client import LiveClient
from discreet.live.contextual import ContextualBandit
from discreet.live.experts import Advisor, Experts
from discreet.live.naming import with_own_set
from discreet.live.no_estimates import no_estimates
from discreet.live.optimizers import Optimizer, VectorOptimizer
from discreet.live.report_text import as_markdown, as_text
from discreet.live.rows import Recipe
from discreet.live.run_plan import RunPlan, run_guarantee
from discreet.live.run_reader import RunFacts, read_run
from discreet.live.slates import SlateBandit
from discreet.ranges import make_range
from discreet.sets import LinearOracle

__all__ = ["StudyReport", "report_on"]

CLIENTS: dict[str, type[LiveClient[Any]]] = {
    each.__name__: each
    for each in (
        Bandit,
        BestArmSearch,
        Experts,
        Advisor,
        Optimizer,
        VectorOptimizer,
        SlateBandit,
        ContextualBandit,
    )
}
NO_COUNTS = "A decision of {} is a slate or a point; the run does not count them."
OWN_CHOICES = (
    "The run shows no choices: each follows from a person's features without noise, and the "
    "guarantee does not cover it."
)
SIMULATED = (
    "This is a simulation: its noise protects nobody. A live run with the same arguments would "
    "guarantee the following."
)


class StudyDesign(NamedTuple):
    """The declared design, and the progress of the run."""

    client: str
    problem: str  # in words
    decisions: int
    horizon: int | None
    algorithm: str
    epsilon: float  # of one release; the report's guarantee is that of the whole run
    delta: float
    low: float
    high: float
    clip: bool
    noise: str  # in words
    simulation: bool
    releases: int
    first_release: str | None  # times in ISO format, UTC
    last_release: str | None
    wait_seconds: float | None
    default: list[float]  # the value of a missing outcome: one number, or one per entry


class ArmShare(NamedTuple):
    """How often an arm, or an expert, was chosen."""

    arm: Hashable
    rounds: int
    share: float
    retired: bool


class HeldOutMean(NamedTuple):
    """Held-out rounds of an arm, and their noisy mean once released."""

    arm: Hashable
    rounds: int
    mean: float | None


class HoldOutFacts(NamedTuple):
    """The hold-out of a run."""

    probability: float
    rounds_per_arm: int | None
    released: bool
    arms: tuple[HeldOutMean, ...]


class LostOutcomes(NamedTuple):
    """Decisions and batches that the run did not learn from."""

    batches: int
    unfinished: int
    open_decisions: int
    unused: int | None  # outcomes in unfinished batches; None with a wait, which hides who answered


@dataclass(frozen=True)
class StudyReport:
    """What a study did and found, from public facts and releases; it contains nothing raw."""

    name: str
    design: StudyDesign
    guarantee: Guarantee
    in_words: str
    allocation: tuple[ArmShare, ...]
    no_allocation: str  # why there is none
    holdout: HoldOutFacts | None
    estimates: MeanEstimates | None
    no_estimates: str  # why there are none
    ledger: bool  # whether a budget was charged
    lost: LostOutcomes

    def as_dict(self) -> dict[str, object]:
        """Return the report for JSON: numbers as numbers, unknown values as None."""
        found, cost, held = self.estimates, self.guarantee, self.holdout
        period = None if cost.period is None else cost.period.total_seconds()
        return {
            "run": self.name,
            "design": self.design._asdict(),
            "guarantee": {**cost.as_dict(), "in_words": self.in_words},
            "allocation": [{**each._asdict(), "arm": str(each.arm)} for each in self.allocation],
            "holdout": None
            if held is None
            else {
                **held._asdict(),
                "arms": [{**each._asdict(), "arm": str(each.arm)} for each in held.arms],
            },
            "estimates": None if found is None else found.as_dict(),
            "no_estimates": self.no_estimates or None,
            "budget": {
                "epsilon": cost.epsilon if cost.is_private else None,
                "delta": cost.delta if cost.is_private else None,
                "rounds_per_user": cost.rounds,
                "period_seconds": period,
                "charged_to_a_ledger": self.ledger,
            },
            "lost": self.lost._asdict(),
        }

    def _repr_html_(self) -> str:
        design, found = self.design, self.estimates
        facts = [
            ("run", f"{design.client}, {design.problem}"),
            ("decisions", f"{design.decisions:,}"),
            ("algorithm", design.algorithm),
            ("guarantee", str(self.guarantee)),
        ]
        shown = facts_html(f"Study report: {self.name}", facts)
        return f"<div>{shown}{'' if found is None else found._repr_html_()}</div>"

    def text(self) -> str:
        """Return the report as text."""
        return as_text(self)

    def markdown(self) -> str:
        """Return the report in Markdown."""
        return as_markdown(self)


def report_on(
    path: str | os.PathLike[str],
    *,
    level: float = 0.95,
    kind: EstimateKind = "anytime",
    outcomes: Outcomes = "rewards",
    clipped: bool = False,
    control: Hashable | None = None,
    domain: LinearOracle | None = None,
) -> StudyReport:
    """Return the report on a run in a file, which another process may have open.

    A ``kind`` of estimates that the run does not have is refused. If the run has no anytime
    estimates, the report gives the reason. With a ``control`` (an arm, or its label as text),
    differences are relative to it. A run on your own set needs that set, as ``domain``.
    """
    check_share("level", level)
    check_choice("outcomes", outcomes, get_args(Outcomes))
    check_choice("kind", kind, get_args(EstimateKind))
    with file_access.reading(str(Path(path))):
        facts, name = read_run(path), str(Path(path))
        recipe = with_own_set(facts.recipe, domain, name)
        client = CLIENTS[recipe["client"]]
        plan = client._plan(recipe)
        found, reason = None, ""
        try:
            if not issubclass(client, ArmsClient):
                raise no_estimates(client.__name__)
            bounds = make_range(recipe["low"], recipe["high"])
            study = StudyFacts(recipe, plan, facts.labels, bounds)
            found = estimates_of(
                study, facts, kind=kind, level=level, outcomes=outcomes, clipped=clipped
            )
        except DiscreetError as refusal:
            if kind != "anytime":
                raise
            reason = str(refusal)
        if found is not None and control is not None:
            written = {str(arm): arm for arm in found.arms}
            known = control in found.arms
            found = found.against(control if known else written.get(str(control), control))
        return StudyReport(
            name=Path(path).name,
            design=_design(recipe, plan, facts, outcomes),
            guarantee=_guarantee(recipe, plan),
            in_words=_in_words(recipe, plan),
            allocation=_allocation(recipe, plan, facts),
            no_allocation=OWN_CHOICES
            if plan.records is not None
            else NO_COUNTS.format(client.__name__),
            holdout=_holdout(recipe, plan, facts, outcomes),
            estimates=found,
            no_estimates=reason,
            ledger=recipe["ledger"],
            lost=_lost(recipe, facts),
        )


def _design(recipe: Recipe, plan: RunPlan, facts: RunFacts, outcomes: Outcomes) -> StudyDesign:
    low, high, given = recipe["low"], recipe["high"], recipe["default"]
    losses = given if isinstance(given, list) else [] if given is None else [given]
    # A default is stored as a loss; loss vectors have no rewards.
    as_rewards = outcomes == "rewards" and recipe["client"] != VectorOptimizer.__name__
    return StudyDesign(
        client=recipe["client"],
        problem=f"{recipe['client']}, {'' if plan.problem is None else plan.problem.sizes}",
        decisions=facts.asked,
        horizon=plan.horizon,
        algorithm=plan.algorithm,
        epsilon=recipe["epsilon"],
        delta=recipe["delta"],
        low=low,
        high=high,
        clip=recipe["clip"],
        noise=plan.noise_words,
        simulation=plan.simulation,
        releases=facts.released,
        first_release=None if facts.first is None else _moment(facts.first),
        last_release=None if facts.last is None else _moment(facts.last),
        wait_seconds=recipe["wait"],
        default=[low + high - each if as_rewards else float(each) for each in losses],
    )


def _allocation(recipe: Recipe, plan: RunPlan, facts: RunFacts) -> tuple[ArmShare, ...]:
    """Return how often each arm or expert was chosen; nothing if the run does not count this."""
    client = CLIENTS[recipe["client"]]
    if not client._chosen:
        return ()
    labels = tuple(recipe["experts"]) if client is Experts else facts.labels
    rounds = [facts.choices.get(i, 0) for i in range(len(labels))]
    total = max(1, sum(rounds))
    return tuple(
        ArmShare(label, times, times / total, i in facts.retired)
        for i, (label, times) in enumerate(zip(labels, rounds, strict=True))
    )


def _holdout(
    recipe: Recipe, plan: RunPlan, facts: RunFacts, outcomes: Outcomes
) -> HoldOutFacts | None:
    if plan.holdout is None or facts.held is None:
        return None
    low, high, found = recipe["low"], recipe["high"], []
    totals = {arm: (n, total) for arm, n, total in facts.aside or ()}
    for arm, asked in enumerate(facts.held):
        rounds, total = totals.get(arm, (asked, 0.0))
        mean = low + (high - low) * total / rounds if arm in totals and rounds else None
        if mean is not None and outcomes == "rewards":
            mean = low + high - mean
        found.append(HeldOutMean(facts.labels[arm], rounds, mean))
    return HoldOutFacts(
        plan.holdout.coin, plan.holdout.rounds, facts.aside is not None, tuple(found)
    )


def _lost(recipe: Recipe, facts: RunFacts) -> LostOutcomes:
    unused = facts.unused if recipe["wait"] is None else None
    return LostOutcomes(facts.lost, facts.waiting, facts.open, unused)


def _guarantee(recipe: Recipe, plan: RunPlan) -> Guarantee:
    """Return the guarantee for the maximum number of rounds of a user."""
    found, limit = run_guarantee(plan), recipe["ledger_limit"]
    if recipe["max_rounds_per_user"] is not None:
        limit = [recipe["max_rounds_per_user"], recipe["per"] or 0.0]
    if limit is None:
        return found
    mine = found.for_user(rounds=int(limit[0]))
    return mine.in_period(timedelta(seconds=limit[1])) if limit[1] else mine


def _in_words(recipe: Recipe, plan: RunPlan) -> str:
    assert plan.problem is not None, "runs in files are built from recipes"
    setting = Setting(
        plan.problem,
        rounds=plan.rounds_of(0),
        unknown_horizon=plan.horizon is None,
        epsilon=recipe["epsilon"],
        delta=recipe["delta"],
        bounds=make_range(recipe["low"], recipe["high"]),
    )
    built = algorithm(plan.algorithm).build(setting, **recipe["options"])
    # A run may have been told rewards, so its outcomes are numbers rather than losses.
    outcomes = plan.problem.range_words(setting.bounds, "numbers")
    said = plain_words(built, setting, outcomes=outcomes, guarantee=_guarantee(recipe, plan))
    return f"{SIMULATED} {said}" if plan.simulation else said


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
