"""A ledger as a notebook shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.display import facts_html
from discreet.errors import DiscreetError

if TYPE_CHECKING:
    from discreet.ledger.ledger import Ledger
    from discreet.ledger.rules import Cost


def ledger_html(ledger: Ledger, composition: str) -> str:
    """Return the budget, the part spent, and the number of charges."""
    try:
        state = [
            ("spent", _words(ledger.spent)),
            ("remaining", _words(ledger.remaining)),
            ("charges", f"{len(ledger.entries()):,}"),
        ]
    except DiscreetError as error:  # it is closed, or its file cannot be read
        state = [("spent", str(error))]
    limit = ledger.max_rounds_per_user
    users = "no limit" if limit is None else f"at most {limit:,} rounds each"
    facts = [("budget", _words(ledger.budget)), *state, ("composition", composition)]
    return facts_html("Ledger", [*facts, ("users", users)])


def _words(cost: Cost) -> str:
    rho = "" if cost.rho is None else f", ρ = {cost.rho:g}"
    return f"ε = {cost.epsilon:g}, δ = {cost.delta:g}{rho}"
