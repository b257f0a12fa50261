"""A privacy budget that releases are charged to before they happen, in memory or in a file."""

from discreet.ledger.ledger import BudgetExceeded, Cost, Entry, Ledger, UserLimitReached

__all__ = ["BudgetExceeded", "Cost", "Entry", "Ledger", "UserLimitReached"]
