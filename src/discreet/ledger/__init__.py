"""A privacy budget that releases are charged to before they happen, in memory or in a file."""

from discreet.ledger.ledger import BudgetExceeded, Entry, Ledger, UserLimitReached
from discreet.ledger.rules import Cost

__all__ = ["BudgetExceeded", "Cost", "Entry", "Ledger", "UserLimitReached"]
