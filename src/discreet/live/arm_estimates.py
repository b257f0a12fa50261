"""Estimates of a live run on arms from its releases, and refusals where there are none."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol, get_args

from discreet.algorithms import algorithm
from discreet.channels import FinalSums
from discreet.errors import DiscreetError, check_choice, check_flag
from discreet.estimates import Design, ReleaseSum, SumAtEnd, anytime, final, holdout
from discreet.estimates.table import EstimateKind, MeanEstimates, Outcomes
from discreet.live.rows import Recipe
from discreet.live.run_plan import RunPlan
from discreet.problems import BestArm
from discreet.ranges import Range

SIMULATED = "This is a simulation: its noise protects nobody."
CLIPPED = "These are means of outcomes clipped to the declared range."


class Released(Protocol):
    """A source of releases: a run, or a file opened for reading."""

    def release_sums(self) -> list[ReleaseSum]:
        """Return the sums of everything released."""

    def held_out(self) -> list[tuple[int, int, float]] | None:
        """Return the released sums of held-out rounds."""

    def final_sums(self) -> list[SumAtEnd] | None:
        """Return the sums of the final release; None before it, or if there is none."""


class StudyFacts(NamedTuple):
    """What was declared before the first round."""

    recipe: Recipe
    plan: RunPlan
    labels: tuple[Hashable, ...]
    bounds: Range


def estimates_of(
    facts: StudyFacts,
    released: Released,
    *,
    kind: EstimateKind,
    level: float,
    outcomes: Outcomes,
    clipped: bool,
) -> MeanEstimates:
    """Return the estimates of a run, or refuse in one sentence."""
    recipe, plan, labels, bounds = facts
    check_choice("kind", kind, get_args(EstimateKind))
    if recipe["clip"] and not check_flag("clipped", clipped):
        raise DiscreetError(
            "the run has clip=True, so only the mean of clipped outcomes can be estimated: pass "
            "clipped=True to confirm this."
        )
    if kind == "holdout":
        return _held_out(facts, released, level, outcomes)
    if kind == "final":
        return _final(facts, released, level, outcomes)
        # A search stops by itself: its horizon does not tell how long it takes.
    stops = isinstance(algorithm(plan.algorithm).problem, BestArm)
    # Arms may have been added since; the tuning of the evidence was fixed before.
    arms = recipe.get("capacity") or len(recipe["arms"])
    design = Design(plan.private, arms=arms, rounds=None if stops else plan.horizon)
    return anytime(
        design,
        released.release_sums(),
        labels=labels,
        bounds=bounds,
        level=level,
        outcomes=outcomes,
        notes=notes_of(recipe),
    )


def _held_out(
    facts: StudyFacts, released: Released, level: float, outcomes: Outcomes
) -> MeanEstimates:
    """Return estimates from the hold-out, once it is released."""
    recipe, plan, labels, bounds = facts
    sums = released.held_out()
    if plan.holdout is None:
        raise DiscreetError(
            "kind is holdout, but this run has no hold-out: start it with explore or holdout."
        )
    if sums is None:
        raise DiscreetError(
            "kind is holdout, but the hold-out is not released yet: this happens when it has ended "
            "(at the horizon, or by finish_holdout()) and all its outcomes have arrived."
        )
    channel: Any = plan.holdout.private.channel
    return holdout(
        channel.noise,
        [SumAtEnd(*each) for each in sums],
        labels=labels,
        bounds=bounds,
        level=level,
        outcomes=outcomes,
        notes=notes_of(recipe),
    )


def _final(
    facts: StudyFacts, released: Released, level: float, outcomes: Outcomes
) -> MeanEstimates:
    recipe, plan, labels, bounds = facts
    sums = released.final_sums()
    if plan.final is None or plan.horizon is None:
        raise DiscreetError(
            "kind is final, but this run has no final release: start the run with final=."
        )
    if sums is None:
        raise DiscreetError("kind is final, but there is no final release yet: call finish().")
    channel = plan.final.channel
    assert isinstance(channel, FinalSums), "only FinalSums holds the sums"
    return final(
        channel.noise,
        sums,
        rounds=plan.horizon / (recipe.get("capacity") or len(recipe["arms"])),
        labels=labels,
        bounds=bounds,
        level=level,
        outcomes=outcomes,
        notes=notes_of(recipe),
    )


def notes_of(recipe: Recipe) -> tuple[str, ...]:
    """Return the notes that a reader of the estimates needs."""
    notes = []
    if recipe["wait"] is not None:
        notes.append(
            "A missing outcome counts as the default: these are means with defaults in place of "
            "missing outcomes."
        )
    if recipe["clip"]:
        notes.append(CLIPPED)
    if recipe["simulation"]:
        notes.append(SIMULATED)
    return tuple(notes)
