"""What a live class checks before it takes a run: its key, and its ledger."""

from __future__ import annotations

from discreet.errors import DiscreetError, shorten
from discreet.ledger import Ledger
from discreet.live.run_plan import RunPlan
from discreet.live.store import Store


def check_protection(plan: RunPlan, kept: Store, *, unprotected: bool) -> None:
    """Refuse a run without a key in the place of one with a key."""
    if not kept.durable or kept.has_key:
        return
    if plan.needs_key:
        raise DiscreetError(
            f"{kept.name} was modified by another program: its run is private, but has no key."
        )
    if not unprotected:
        raise DiscreetError(
            f"{kept.name} is a simulation, or a run without privacy, which protects nobody and "
            "has no key: open it with unprotected=True if that is what you expect."
        )


def check_ledger(ledger: object, simulation: bool) -> None:
    """Refuse what is not a ledger, and any ledger in a simulation."""
    if ledger is not None and not isinstance(ledger, Ledger):
        raise DiscreetError(f"ledger is {shorten(ledger)}, but must be a discreet.Ledger.")
    if ledger is not None and simulation:
        raise DiscreetError(
            "ledger is given, but simulation=True draws noise that protects nobody: leave it out."
        )
