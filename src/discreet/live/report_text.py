"""A study report as text and Markdown, from the numbers of the report."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from discreet.algorithms import algorithm
from discreet.errors import count
from discreet.estimates.table import MeanEstimates
from discreet.estimates.text import shortened, text_table, wrapped
from discreet.guarantee_words import period_words, seconds_words

if TYPE_CHECKING:  # which imports this module
    from discreet.live.study_report import StudyReport

WIDTH = 96  # columns of text
NAME = 60  # letters of a name in a table
UNCHECKED = (
    "The file was read without its key, so it was not checked for tampering; opening the run does "
    "that."
)
Section = tuple[str, list[str]]


def as_text(report: StudyReport) -> str:
    """Return the report as text."""
    parts = [f"Study report: {report.name}"]
    for title, lines in _sections(report, markdown=False):
        parts.append(f"{title}\n{'-' * len(title)}\n" + "\n".join(lines))
    return "\n\n".join(parts)


def as_markdown(report: StudyReport) -> str:
    """Return the report in Markdown."""
    parts = [f"# Study report: {report.name}"]
    for title, lines in _sections(report, markdown=True):
        parts.append(f"## {title}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _sections(report: StudyReport, *, markdown: bool) -> list[Section]:
    facts = _bullets if markdown else _aligned
    words = [*_wrapped(report.in_words), "", *_wrapped(f"Formally: {report.guarantee}.")]
    held_out = [("Hold-out", _held_out(report, markdown=markdown))] if report.holdout else []
    return [
        ("Design", facts(_design(report))),
        ("Privacy", words),
        ("Allocation", _allocation(report, markdown=markdown)),
        *held_out,
        ("Estimates", _estimates(report, markdown=markdown)),
        ("Budget", facts(_budget(report))),
        ("Lost outcomes", [*facts(_lost(report)), "", *_wrapped(UNCHECKED)]),
    ]


def _design(report: StudyReport) -> dict[str, str]:
    design = report.design
    horizon = "any number" if design.horizon is None else f"{design.horizon:,}"
    said = {"decisions": f"{design.decisions:,} of {horizon}", "run": design.problem}
    if report.allocation:
        said["arms"] = ", ".join(str(each.arm) for each in report.allocation)
    said["algorithm"] = f"{design.algorithm} ({algorithm(design.algorithm).title})"
    said["outcomes"] = f"{design.low:g} to {design.high:g}"
    said["outcomes"] += ", clipped to this range" if design.clip else ""
    said |= {"noise": design.noise, "releases": f"{design.releases:,}"}
    if design.first_release is not None and design.last_release is not None:
        first, last = (_minute(each) for each in (design.first_release, design.last_release))
        said["released"] = f"{first} to {last} (UTC)"
    if design.wait_seconds is not None:
        default = ", ".join(f"{each:g}" for each in design.default)
        wait = seconds_words(design.wait_seconds)
        said["wait"] = f"{wait}; then a missing outcome counts as {default}"
    return said


def _allocation(report: StudyReport, *, markdown: bool) -> list[str]:
    if not report.allocation:
        return _wrapped(report.no_allocation)
    rows = [
        (
            shortened(each.arm, NAME) + " (retired)" * each.retired,
            f"{each.rounds:,}",
            f"{100.0 * each.share:.1f} %",
        )
        for each in report.allocation
    ]
    return (_markdown_table if markdown else text_table)(("arm", "rounds", "share"), rows)


def _held_out(report: StudyReport, *, markdown: bool) -> list[str]:
    found = report.holdout
    assert found is not None, "only called if there is a hold-out"
    per_arm = "" if found.rounds_per_arm is None else f", until each arm has {found.rounds_per_arm}"
    said = _wrapped(
        f"A round is held out with probability {found.probability:.4g}{per_arm}. "
        + ("It is released." if found.released else "It is not released yet.")
    )
    rows = [
        (
            shortened(each.arm, NAME),
            f"{each.rounds:,}",
            "" if each.mean is None else f"{each.mean:.4g}",
        )
        for each in found.arms
    ]
    head = ("arm", "rounds", "noisy mean" if found.released else "")
    table = (_markdown_table if markdown else text_table)(head, rows)
    return [*said, "", *table]


def _estimates(report: StudyReport, *, markdown: bool) -> list[str]:
    found: MeanEstimates | None = report.estimates
    if found is None:
        return _wrapped(report.no_estimates)
    notes = [line for note in found.notes for line in _wrapped(note)]
    table = _markdown_table(*found.cells()) if markdown else found.lines(WIDTH)
    return [f"{found.title}.", "", *table, "", *notes]


def _budget(report: StudyReport) -> dict[str, str]:
    cost = report.guarantee
    if not cost.is_private:
        return {"cost": "no guarantee"}
    delta = "" if cost.delta == 0.0 else f", delta {cost.delta:.4g}"
    whose = "each outcome" if cost.rounds == 1 else f"{cost.rounds} outcomes of a user"
    if cost.period is not None:
        whose += f" in one period of {period_words(cost.period)}"
    return {
        "cost": f"epsilon {cost.epsilon:.6g}{delta}, for {whose} and the whole run",
        "estimates": "nothing more: they are computed from releases",
        "charged to a ledger": "yes, before the first decision" if report.ledger else "no",
    }


def _lost(report: StudyReport) -> dict[str, str]:
    lost = report.lost
    why = " (a decision was given up, an arm was retired, an epoch ended, or the run was finished)"
    unused = f" (with {count(lost.unused or 0, 'outcome')} that no release contains yet)"
    late = " (their outcomes may still arrive)"
    if report.design.wait_seconds is not None:
        late = (
            " (their outcomes may still arrive; those after their deadline are counted when the "
            "run is next opened and release_due() or ask is called)"
        )
    return {
        "lost batches": f"{lost.batches:,}" + why * (lost.batches > 0),
        "unfinished batches": f"{lost.unfinished:,}" + unused * bool(lost.unused),
        "open decisions": f"{lost.open_decisions:,}" + late * (lost.open_decisions > 0),
    }


def _minute(moment: str) -> str:
    return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M")


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
    return wrapped(text, WIDTH)


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, tuple("---" for _ in head), *rows]
    safe = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return [f"| {' | '.join(line)} |" for line in safe]
