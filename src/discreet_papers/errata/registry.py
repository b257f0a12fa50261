"""What an erratum is, how to register one, and the document about all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from discreet.plugins import load_plugins

BUILT_IN = (
    "agarwal_singh",
    "ene",
    "ene_regret",
    "faster_rates",
    "tossou",
    "zheng",
    "zheng_contexts",
)
WIDTH = 100  # of the document

Verdict = Literal["too small", "false", "slip", "too large"]
MEANING: dict[Verdict, str] = {
    "too small": "with the printed constant the stated privacy does not hold",
    "false": "the claim, or its proof, does not hold as stated",
    "slip": "a misprint or an omitted factor that changes what one would implement",
    "too large": "the paper is right, but wastes noise, rounds, or a factor of its bound",
}
INTRODUCTION = (
    "Where a paper is wrong, or right but could be tighter; what `discreet` uses instead; and the "
    "evidence, measured by the code. Neighbouring inputs differ in one round, which is replaced, "
    "so sensitivities are ranges and diameters. Lower bounds on epsilon are those of `discreet "
    "audit`, with 99 % confidence. None of this diminishes the papers' ideas, on which everything "
    "here is built. `discreet errata` writes this file: do not edit it."
)
PARTS: dict[str, tuple[Verdict, ...]] = {
    "Wrong": ("too small", "false", "slip"),
    "Could be tighter": ("too large",),
}


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One place in a paper; ``measure`` computes the evidence again."""

    paper: str
    place: str
    printed: str
    ours: str
    verdict: Verdict
    measure: Callable[[], str]


_known: dict[tuple[str, str], Erratum] = {}


def register_erratum(
    *, paper: str, place: str, printed: str, ours: str, verdict: Verdict
) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Register an erratum: decorate the function that measures its evidence."""

    def keep(measure: Callable[[], str]) -> Callable[[], str]:
        _known[paper, place] = Erratum(
            paper=paper, place=place, printed=printed, ours=ours, verdict=verdict, measure=measure
        )
        return measure

    return keep


def errata() -> list[Erratum]:
    """Return all errata, paper by paper: ours, and those of plugins."""
    for module in BUILT_IN:
        import_module(f"discreet_papers.errata.{module}")
    load_plugins()
    return sorted(_known.values(), key=lambda each: each.paper)


def write_markdown(measured: Sequence[tuple[Erratum, str]]) -> str:
    """Return the document, from errata with their evidence."""
    lines = ["# Errata", "", *wrap(INTRODUCTION)]
    for part, verdicts in PARTS.items():
        mine = [(each, evidence) for each, evidence in measured if each.verdict in verdicts]
        lines += [
            "",
            f"## {part}",
            "",
            *(f"* *{verdict}*: {MEANING[verdict]}." for verdict in verdicts),
            "",
            "| paper | place | verdict |",
            "|---|---|---|",
            *(f"| {each.paper} | {each.place} | {each.verdict} |" for each, _ in mine),
        ]
        for each, evidence in mine:
            lines += [
                "",
                f"### {each.paper}, {each.place}",
                "",
                *wrap(f"* Printed: {each.printed}"),
                *wrap(f"* Ours: {each.ours}"),
                f"* Verdict: **{each.verdict}**",
                *wrap(f"* Evidence: {evidence}"),
            ]
    return "\n".join(lines) + "\n"


def wrap(text: str) -> Iterator[str]:
    """Yield lines of a paragraph, or of an item; none begins with a sign or a number and a dot.

    Markdown would read such a line as the beginning of a list.

    >>> list(wrap("* " + "x" * 93 + " T - 1"))[1]
    '  T - 1'
    """
    indent = "  " if text.startswith("* ") else ""
    line = ""
    # A sign stays with the word before it, and with the number after it.
    for word in re.findall(r"\S+(?: (?:[-+*/=≤≥<>|#]|\d+[.)])(?= |$)(?: \S+)?)*", text):
        if line and len(line) + 1 + len(word) > WIDTH:
            yield line
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
    yield line
