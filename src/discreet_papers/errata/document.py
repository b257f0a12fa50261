"""The document that the errata make."""

from __future__ import annotations

from discreet_papers.errata.registry import Erratum, Verdict

MEANING: dict[Verdict, str] = {
    "too small": "with the printed constant the stated privacy does not hold",
    "too large": "the printed constant is safe in the usual range, but wastes noise or rounds",
    "false": "the claim does not hold as it is stated",
    "slip": "a misprint or an omitted factor that changes what one would implement",
}


def markdown(measured: list[tuple[Erratum, str]]) -> str:
    """Return the document."""
    lines = [
        "# Errata",
        "",
        "Where a constant of a paper is too small, too large, or a claim does not hold as "
        "stated; what `discreet` uses",
        "instead; and the evidence, measured by the code. Neighbours replace one round, so "
        "sensitivities are ranges and",
        "diameters. Lower bounds on epsilon are those of `discreet audit`, with 99 % confidence. "
        "None of this takes away",
        "from the papers' ideas, on which everything here is built. `discreet errata` writes "
        "this file: do not edit it.",
        "",
        *(f"* *{verdict}*: {meaning}." for verdict, meaning in MEANING.items()),
        "",
        "| paper | place | verdict |",
        "|---|---|---|",
        *(f"| {each.paper} | {each.place} | {each.verdict} |" for each, _ in measured),
    ]
    for each, evidence in measured:
        lines += [
            "",
            f"## {each.paper}, {each.place}",
            "",
            f"* Printed: {each.printed}",
            f"* Ours: {each.ours}",
            f"* Verdict: **{each.verdict}**",
            f"* Evidence: {evidence}",
        ]
    return "\n".join(lines) + "\n"
