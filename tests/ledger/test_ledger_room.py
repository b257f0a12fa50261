"""What still fits into a budget, and what a refusal offers instead."""

import pytest
from promises import promise

from discreet.errors import DiscreetError
from discreet.ledger import BudgetExceeded, Ledger


@pytest.mark.parametrize(
    ("ledger", "charged", "refused", "words"),
    [
        (
            {"epsilon": 1.0},
            (0.5, 0.0),
            (0.1, 1e-6),
            "the budget has no delta, but this charge",
        ),
        ({"epsilon": 1.0, "delta": 1e-5}, (0.4, 1e-6), (0.9, 1e-6), "0.6 with delta at most 9e-06"),
        ({"epsilon": 1.0, "delta": 1e-6}, (0.4, 1e-6), (0.1, 1e-6), "nothing more fits"),
        ({"epsilon": 1.0, "delta": 1e-6}, (0.4, 1e-6), (0.9, 0.0), "pure guarantee of epsilon at"),
    ],
)
def test_what_would_fit_is_of_the_kind_that_was_asked_for(ledger, charged, refused, words):
    kept = Ledger(**ledger)
    kept.charge(promise(charged[0], delta=charged[1]))
    for attempt in (kept.check_room, kept.charge):
        with pytest.raises(BudgetExceeded, match=words) as refusal:
            attempt(promise(refused[0], delta=refused[1]))
        assert ("pure guarantee" in str(refusal.value)) == (refused[1] == 0.0)
    assert len(kept.entries()) == 1


def test_checking_the_room_charges_nothing():
    ledger = Ledger(1.0)
    for _ in range(3):
        ledger.check_room(promise(1.0))
    assert ledger.entries() == []
    with pytest.raises(DiscreetError, match="only proved guarantees can be charged"):
        ledger.check_room(promise(0.1, status="claimed by the paper only"))
