"""What an erratum is, and where all of them are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["too small", "too large", "false", "slip"]
Evidence = Callable[[], str]


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One place in a paper; ``measure`` computes the evidence again."""

    paper: str
    place: str
    printed: str
    ours: str
    verdict: Verdict
    measure: Evidence


_known: list[Erratum] = []


def erratum(
    *, paper: str, place: str, printed: str, ours: str, verdict: Verdict
) -> Callable[[Evidence], Evidence]:
    """Declare the erratum whose evidence the decorated function measures."""

    def keep(measure: Evidence) -> Evidence:
        _known.append(
            Erratum(
                paper=paper,
                place=place,
                printed=printed,
                ours=ours,
                verdict=verdict,
                measure=measure,
            )
        )
        return measure

    return keep


def errata() -> list[Erratum]:
    """Return all errata, paper by paper."""
    return sorted(_known, key=lambda each: each.paper)
