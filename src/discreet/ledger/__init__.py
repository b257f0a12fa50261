"""A privacy budget that releases are charged to before they happen, in memory or in a file."""

from discreet.ledger.ledger import BudgetExceeded, Ledger, LedgerEntry, UserLimitReached
from discreet.ledger.rules import Cost

__all__ = ["BudgetExceeded", "Cost", "Ledger", "LedgerEntry", "UserLimitReached"]
