"""What tests of the ledger share: promises to charge, the key of users, and exact numbers."""

from __future__ import annotations

import contextlib
from fractions import Fraction

from discreet.guarantee import Guarantee
from discreet.ledger import BudgetExceeded

KEY = bytes(range(100, 132))


def promise(epsilon=0.1, delta=0.0, **changes):
    facts = {"model": "central", "status": "proved", "source": "a theorem", "rounds": 30} | changes
    return Guarantee(epsilon=epsilon, delta=delta, **facts)


def charge_until_refused(ledger, one, **more):
    accepted = 0
    with contextlib.suppress(BudgetExceeded):
        while True:
            ledger.charge(one, **more)
            accepted += 1
    return accepted


def exact(number):
    return Fraction(repr(float(number)))
