"""Options of other problems, which plans do not cover, and what to do instead."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.errors import DiscreetError, shorten

SLATES = "plans do not cover slates: simulate them, for example with"
ELSEWHERE = {
    "experts": "the value of advice depends on what the experts say: simulate your own advice, or "
    "plan with dimension= if you see the outcomes of all options",
    "domain": "plans do not cover slates, rankings and points of a set: simulate them, for example "
    "with discreet simulate private-linear-oracle --domain 'k-sets(10,3)' --delta 1e-6",
    "items": f"{SLATES} discreet simulate private-slate-ftrl --items 10 --shown 3",
    "shown": f"{SLATES} discreet simulate private-slate-ftrl --items 10 --shown 3",
    "features": "the value of features depends on how outcomes follow from them: simulate, for "
    "example with discreet simulate joint-linucb --arms 4 --dimension 10 --delta 1e-6",
}


def refuse_elsewhere(given: Mapping[str, object]) -> None:
    """Refuse options of problems that plans do not cover, and say what to do instead."""
    for name, value in given.items():
        if value is not None:
            raise DiscreetError(f"{name} is {shorten(value)}, but {ELSEWHERE[name]}.")
