"""A study report from a run's file: design, guarantee, allocation, estimates, budget, losses."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

from discreet.algorithms import Setting, algorithm
from discreet.algorithms.plain import plain_words
from discreet.errors import DiscreetError, check_choice, check_share
from discreet.estimates.table import Kind, MeanEstimates, Outcomes
from discreet.guarantee import Guarantee
from discreet.live import file_access
from discreet.live.arm_estimates import StudyFacts, estimates_of
from discreet.live.arm_search import BestArmSearch
from discreet.live.arms import ArmsClient, Bandit
from discreet.live.rows import Recipe
from discreet.live.run_plan import RunPlan, run_guarantee
from discreet.live.run_reader import RunFacts, read_run
from discreet.problems import Arms, BestArm
from discreet.ranges import make_range

WIDTH = 96  # columns of text
CLIENTS: dict[str, type[ArmsClient]] = {each.__name__: each for each in (Bandit, BestArmSearch)}
UNCHECKED = (
    "The file was read without its key: whether somebody else has changed it was not checked, and "
    "opening the run does that."
)


@dataclass(frozen=True)
class StudyReport:
    """What a study did and found, from public facts and releases; nothing in it is raw."""

    name: str
    design: dict[str, str]
    guarantee: Guarantee
    in_words: str
    allocation: dict[Hashable, int]
    estimates: MeanEstimates | None
    no_estimates: str  # why there are none
    budget: dict[str, str]
    losses: dict[str, str]

    def as_dict(self) -> dict[str, object]:
        """Return the report for JSON."""
        total = max(1, sum(self.allocation.values()))
        found = self.estimates
        return {
            "run": self.name,
            "design": self.design,
            "guarantee": {**self.guarantee.as_dict(), "in_words": self.in_words},
            "allocation": [
                {"arm": str(arm), "rounds": rounds, "share": rounds / total}
                for arm, rounds in self.allocation.items()
            ],
            "estimates": self.no_estimates if found is None else found.as_dict(),
            "budget": self.budget,
            "losses": self.losses,
        }

    def text(self) -> str:
        """Return the report as text."""
        parts = [f"Study report: {self.name}"]
        for title, lines in self._sections():
            parts.append(f"{title}\n{'-' * len(title)}\n" + "\n".join(lines))
        return "\n\n".join(parts)

    def markdown(self) -> str:
        """Return the report in Markdown."""
        parts = [f"# Study report: {self.name}"]
        for title, lines in self._sections(markdown=True):
            parts.append(f"## {title}\n\n" + "\n".join(lines))
        return "\n\n".join(parts)

    def _sections(self, *, markdown: bool = False) -> list[tuple[str, list[str]]]:
        facts = _bullets if markdown else _aligned
        table = _markdown_table if markdown else _text_table
        total = max(1, sum(self.allocation.values()))
        shares = [
            (str(arm), f"{rounds:,}", f"{100.0 * rounds / total:.1f} %")
            for arm, rounds in self.allocation.items()
        ]
        found = self.estimates
        if found is None:
            estimates = _wrapped(self.no_estimates)
        else:
            rows = [
                (
                    name,
                    f"{each.mean:.4g}",
                    f"{each.low:.4g} to {each.high:.4g}",
                    f"{each.rounds:,}",
                    f"{each.releases:,}",
                )
                for name, each in found.rows()
            ]
            notes = [line for note in found.notes for line in _wrapped(note)]
            head = ("", "mean", "interval", "rounds", "releases")
            estimates = [f"{found.title}.", "", *table(head, rows), "", *notes]
        words = [*_wrapped(self.in_words), "", *_wrapped(f"Formally: {self.guarantee}.")]
        return [
            ("Design", facts(self.design)),
            ("Privacy", words),
            ("Allocation", table(("arm", "rounds", "share"), shares)),
            ("Estimates", estimates),
            ("Budget", facts(self.budget)),
            ("Losses", [*facts(self.losses), "", *_wrapped(UNCHECKED)]),
        ]


def report_on(
    path: str | os.PathLike[str],
    *,
    level: float = 0.95,
    kind: Kind = "anytime",
    outcomes: Outcomes = "rewards",
    clipped: bool = False,
) -> StudyReport:
    """Return the report on a run in a file, which may be open in another process meanwhile."""
    check_share("level", level)
    check_choice("outcomes", outcomes, get_args(Outcomes))
    check_choice("kind", kind, get_args(Kind))
    with file_access.reading(str(Path(path))):
        return _report(path, read_run(path), level, kind, outcomes, clipped=clipped)


def _report(
    path: str | os.PathLike[str],
    facts: RunFacts,
    level: float,
    kind: Kind,
    outcomes: Outcomes,
    *,
    clipped: bool,
) -> StudyReport:
    recipe = facts.recipe
    if recipe["client"] not in CLIENTS:
        raise DiscreetError(
            f"{Path(path)} is a run of {recipe['client']}, but a report is for runs of Bandit and "
            "BestArmSearch."
        )
    plan = CLIENTS[recipe["client"]]._plan(recipe)
    labels, bounds = facts.labels, make_range(recipe["low"], recipe["high"])
    study, found, reason = StudyFacts(recipe, plan, labels, bounds), None, ""
    try:
        found = estimates_of(
            study, facts, kind=kind, level=level, outcomes=outcomes, clipped=clipped
        )
    except DiscreetError as refusal:
        reason = str(refusal)
    return StudyReport(
        name=Path(path).name,
        design=_design(recipe, plan, facts, outcomes),
        guarantee=_guarantee(recipe, plan),
        in_words=_in_words(recipe, plan),
        allocation={label: facts.choices.get(i, 0) for i, label in enumerate(labels)},
        estimates=found,
        no_estimates=reason,
        budget=_budget(recipe, plan),
        losses={
            "lost batches": f"{facts.lost:,} (a decision was given up, or an epoch ended)",
            "unfinished batches": f"{facts.waiting:,}",
            "open decisions": f"{facts.open:,} (their outcome may still come)",
        },
    )


def _design(recipe: Recipe, plan: RunPlan, facts: RunFacts, outcomes: Outcomes) -> dict[str, str]:
    horizon = "any number" if plan.horizon is None else f"{plan.horizon:,}"
    title = algorithm(plan.algorithm).title
    design = {
        "decisions": f"{facts.asked:,} of {horizon}",
        "arms": ", ".join(map(str, facts.labels)),
        "algorithm": f"{plan.algorithm} ({title})",
        "outcomes": f"{recipe['low']:g} to {recipe['high']:g}"
        + (", clipped to this range" if recipe["clip"] else ""),
        "noise": plan.noise_words,
        "releases": f"{facts.released:,}",
    }
    if facts.first is not None and facts.last is not None:
        design["released"] = f"{_date(facts.first)} to {_date(facts.last)} (UTC)"
    if recipe["wait"] is not None:
        default = recipe["default"]
        assert isinstance(default, float | int), "outcomes of arms are numbers"
        if outcomes == "rewards":  # a default is stored as a loss
            default = recipe["low"] + recipe["high"] - default
        design["waiting"] = (
            f"{recipe['wait'] / 86400:g} days for an outcome; then {default:g} counts"
        )
    return design


def _guarantee(recipe: Recipe, plan: RunPlan) -> Guarantee:
    """Return the guarantee for as many rounds as a user may have."""
    found, limit = run_guarantee(plan), recipe["ledger_limit"]
    if recipe["max_rounds_per_user"] is not None:
        limit = [recipe["max_rounds_per_user"], recipe["per"] or 0.0]
    if limit is None:
        return found
    mine = found.for_user(rounds=int(limit[0]))
    return mine.in_period(timedelta(seconds=limit[1])) if limit[1] else mine


def _budget(recipe: Recipe, plan: RunPlan) -> dict[str, str]:
    found = _guarantee(recipe, plan)
    if not found.is_private:
        return {"cost": "no guarantee"}
    delta = "" if found.delta == 0.0 else f", delta {found.delta:.4g}"
    whose = "each outcome" if found.rounds == 1 else f"{found.rounds} outcomes of a user"
    ledger = "yes, before the first decision" if recipe["ledger"] else "no"
    return {
        "cost": f"epsilon {found.epsilon:.6g}{delta}, for {whose} and the whole run",
        "estimates": "nothing more: they are computed from releases",
        "charged to a ledger": ledger,
    }


def _in_words(recipe: Recipe, plan: RunPlan) -> str:
    known, arms = algorithm(plan.algorithm), recipe.get("capacity") or len(recipe["arms"])
    setting = Setting(
        BestArm(arms, recipe["error"]) if isinstance(known.problem, BestArm) else Arms(arms),
        rounds=plan.rounds_of(0),
        unknown_horizon=plan.horizon is None,
        epsilon=recipe["epsilon"],
        delta=recipe["delta"],
        bounds=make_range(recipe["low"], recipe["high"]),
    )
    return plain_words(known.build(setting, **recipe["options"]), setting)


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _aligned(facts: dict[str, str]) -> list[str]:
    width = max(map(len, facts))
    lines = []
    for key, value in facts.items():
        first, *others = textwrap.wrap(value, WIDTH - width - 2) or [""]
        lines += [f"{key:<{width}}  {first}", *(" " * (width + 2) + line for line in others)]
    return lines


def _bullets(facts: dict[str, str]) -> list[str]:
    return [f"* {key}: {value}" for key, value in facts.items()]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


def _text_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]


def _markdown_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [head, tuple("---" for _ in head), *rows]
    safe = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return [f"| {' | '.join(line)} |" for line in safe]
