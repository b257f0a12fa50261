"""What a run costs, and who may take part in it."""

from __future__ import annotations

from discreet.errors import DiscreetError, count
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.ledger.users import User as User


class Budget:
    """Charges a run to a ledger, before its first decision, and counts its users.

    The label of the charge names the run, and a label is charged once: so a run that was stopped
    after its charge, or goes on in another process, is not charged again. A user is counted before
    the decision is given: a crash in between has counted a round that was not played, never the
    other way round.
    """

    def __init__(self, ledger: Ledger, guarantee: Guarantee, label: str) -> None:
        self._ledger, self._guarantee, self._label = ledger, guarantee, label
        self._limit = ledger.max_rounds_per_user
        self._charged = False

    @property
    def rounds_per_user(self) -> int:
        """How many rounds the guarantee has to cover: those that a user may have."""
        return self._limit or 1

    def admit(self, user: User | None) -> None:
        """Charge the run, if that has not been done, and count a round of the user."""
        if self._limit is not None and user is None:
            raise DiscreetError(
                f"ask needs the user: the ledger allows each at most {count(self._limit, 'round')}."
            )
        if self._limit is None and user is not None:
            raise DiscreetError(
                "user is given, but there is no ledger that limits the rounds of a user."
            )
        self.charge()
        if user is not None:
            self._ledger.admit(user)

    def charge(self) -> None:
        """Charge the run, if that has not been done."""
        if not self._charged:
            guarantee = self._guarantee.for_user(rounds=self.rounds_per_user)
            self._ledger.charge(guarantee, label=self._label, once=True)
            self._charged = True
