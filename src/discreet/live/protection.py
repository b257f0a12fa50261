"""What a live class checks before it takes a run: its key, its clock and its ledger."""

from __future__ import annotations

from discreet.errors import DiscreetError, check_callable, check_finite, shorten
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


def check_clock(clock: object, *, simulation: bool) -> None:
    """Refuse another clock than the system's in a live run: it would decide what is protected.

    Deadlines hide who answered, and periods limit users, only if time goes on by itself.
    """
    if clock is None:
        return
    if not simulation:
        raise DiscreetError(
            "clock is given, but a live run uses the time of the system, on which its deadlines "
            "and periods depend: only simulation=True takes a clock."
        )
    check_finite("the time that clock returns", check_callable("clock", clock)())


def check_ledger(ledger: object, simulation: bool) -> None:
    """Refuse what is not a ledger, and any ledger in a simulation."""
    if ledger is not None and not isinstance(ledger, Ledger):
        raise DiscreetError(f"ledger is {shorten(ledger)}, but must be a discreet.Ledger.")
    if ledger is not None and simulation:
        raise DiscreetError(
            "ledger is given, but simulation=True draws noise that protects nobody: leave it out."
        )


def limit_of(ledger: object) -> list[float] | None:
    """Return the limit of users that a ledger has, as a recipe keeps it."""
    if not isinstance(ledger, Ledger) or ledger.max_rounds_per_user is None:
        return None
    seconds = 0.0 if ledger.per is None else ledger.per.total_seconds()
    return [ledger.max_rounds_per_user, seconds]


def check_limit(ledger: Ledger | None, limit: list[float] | None, name: str) -> None:
    """Refuse a ledger with another limit of users than the run has stated its guarantee for."""
    if limit_of(ledger) != limit:
        raise DiscreetError(
            f"the run in {name} was started with a ledger that "
            + ("does not limit users" if limit is None else f"allows {limit[0]:g} rounds per user")
            + ": open it with the same ledger."
        )
