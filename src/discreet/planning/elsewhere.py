"""What a plan cannot answer, and what to do instead: options of other problems, by name."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.errors import DiscreetError, shorten

SLATES = "slates are not planned: simulate them, for example with"
ELSEWHERE = {
    "experts": "what advice is worth depends on what experts say: play your own advice with "
    "simulate, or plan with dimension= for options whose outcomes are all seen",
    "domain": "slates, rankings and points of a set are not planned: simulate them, for example "
    "with discreet simulate private-linear-oracle --domain 'k-sets(10,3)' --delta 1e-6",
    "items": f"{SLATES} discreet simulate private-slate-ftrl --items 10 --shown 3",
    "shown": f"{SLATES} discreet simulate private-slate-ftrl --items 10 --shown 3",
    "features": "what features are worth depends on how outcomes follow from them: simulate, for "
    "example with discreet simulate joint-linucb --arms 4 --dimension 10 --delta 1e-6",
}


def refuse_elsewhere(given: Mapping[str, object]) -> None:
    """Refuse options of problems that are not planned, and say what to do instead."""
    for name, value in given.items():
        if value is not None:
            raise DiscreetError(f"{name} is {shorten(value)}, but {ELSEWHERE[name]}.")
