"""Checks before a live class opens a run: its key, its clock and its ledger."""

from __future__ import annotations

from discreet.errors import DiscreetError, check_callable, check_finite, shorten
from discreet.ledger import Ledger
from discreet.live.run_plan import RunPlan
from discreet.live.store import Store


def check_protection(plan: RunPlan, kept: Store, *, unprotected: bool) -> None:
    """Refuse a run without a key in place of one with a key."""
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


def check_clock(clock: object, *, simulation: bool) -> None:
    """Refuse a custom clock in a live run: it would determine what is protected.

    Deadlines hide who answered, and periods limit users, only if time passes by itself.
    """
    if clock is None:
        return
    if not simulation:
        raise DiscreetError(
            "clock is given, but a live run uses the system time, on which its deadlines and "
            "periods depend: only simulation=True takes a clock."
        )
    check_finite("the time that clock returns", check_callable("clock", clock)())


def check_ledger(ledger: object, simulation: bool) -> None:
    """Refuse anything that is not a ledger, and any ledger in a simulation."""
    if ledger is not None and not isinstance(ledger, Ledger):
        raise DiscreetError(f"ledger is {shorten(ledger)}, but must be a discreet.Ledger.")
    if ledger is not None and simulation:
        raise DiscreetError(
            "ledger is given, but simulation=True draws noise that protects nobody: leave it out."
        )


def limit_of(ledger: object) -> list[float] | None:
    """Return the user limit of a ledger, in a recipe's form."""
    if not isinstance(ledger, Ledger) or ledger.max_rounds_per_user is None:
        return None
    seconds = 0.0 if ledger.per is None else ledger.per.total_seconds()
    return [ledger.max_rounds_per_user, seconds]


def check_limit(ledger: Ledger | None, limit: list[float] | None, name: str) -> None:
    """Refuse a ledger whose user limit differs from the one in the run's guarantee."""
    if limit_of(ledger) != limit:
        raise DiscreetError(
            f"the run in {name} was started with a ledger that "
            + ("does not limit users" if limit is None else f"allows {limit[0]:g} rounds per user")
            + ": open it with the same ledger."
        )
