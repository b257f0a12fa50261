"""A budget that cannot fit is refused before there is a run."""

from __future__ import annotations

import pytest
from makers import every_kind, make

from discreet import Bandit, Ledger
from discreet.ledger.ledger import BudgetExceeded


@every_kind
def test_a_run_that_cannot_be_charged_is_not_made(kind, tmp_path):
    path, ledger = tmp_path / "run.db", Ledger(epsilon=0.5, delta=1e-6)
    with pytest.raises(BudgetExceeded, match=r"but the budget is epsilon 0\.5"):
        make(kind, ledger=ledger, path=path)
    assert list(tmp_path.iterdir()) == []
    assert ledger.entries() == []


def test_the_rounds_of_a_user_count():
    made = {"arms": 2, "horizon": 100, "epsilon": 1.0}
    with pytest.raises(BudgetExceeded, match="3-differential privacy"):
        Bandit(**made, ledger=Ledger(epsilon=2.0), max_rounds_per_user=3)
    with pytest.raises(BudgetExceeded, match=r"which is 0\.666666666666 per round"):
        Bandit(**made, ledger=Ledger(epsilon=2.0, max_rounds_per_user=3))


def test_a_run_is_charged_at_its_first_decision_only():
    ledger = Ledger(epsilon=1.0)
    made = {"arms": 2, "horizon": 100, "epsilon": 1.0, "ledger": ledger}
    first, second = Bandit(**made), Bandit(**made)
    assert ledger.entries() == []
    first.ask()
    with pytest.raises(BudgetExceeded, match="nothing more fits"):
        second.ask()


def test_a_run_that_has_been_charged_is_opened_again(tmp_path):
    path, ledger = tmp_path / "run.db", Ledger(epsilon=1.0)
    bandit = Bandit(arms=2, horizon=100, epsilon=1.0, ledger=ledger, path=path)
    bandit.ask()
    bandit.close()
    with Bandit.open(path, ledger=ledger) as again:
        again.ask()
    assert ledger.spent.epsilon == 1.0
