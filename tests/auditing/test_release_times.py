"""Audits of when a live run releases: right runs show nothing, two kinds of mistakes are caught."""

from __future__ import annotations

import pytest

from discreet import Advisor, Bandit, DiscreetError, Experts, audit_release_times
from discreet.live.run import LiveRun

pytestmark = pytest.mark.long


def bandit(**options):
    usual = {"algorithm": "batched-exp3", "batch_size": 5, "wait": 60.0, "default_loss": 0.0}
    return Bandit(**{"arms": 2, "horizon": 100, "epsilon": 1.0} | usual | options)


class Early(LiveRun):
    """Releases a batch as soon as all of its outcomes have come."""

    def _keep(self, rows, number, feedback, deadline):
        kept = super()._keep(rows, number, feedback, deadline)
        tickets = rows.tickets()
        mates = [
            other
            for ticket in tickets
            if ticket.id == number
            for other in tickets
            if other.group == ticket.group
        ]
        if rows.counters[2] == 0 and all(
            self._plan.is_told(rows.outcomes[other.id]) for other in mates
        ):
            for other in mates:
                self._count(rows, other.id, other.group, self._plan.read(rows.outcomes[other.id]))
        return kept


class WhenTold(LiveRun):
    """Passes deadlines when somebody tells an outcome, too."""

    def tell_by_id(self, number, token, choice, feedback):
        with self._lock:
            self._pass_deadlines(self._committed(), self._clock(), self._wait)
        return super().tell_by_id(number, token, choice, feedback)


class Counting(LiveRun):
    """Shows how many outcomes are still to be told."""

    def state(self):
        told = sum(self._plan.is_told(kept) for kept in self._store.rows.outcomes.values())
        return super().state()._replace(open=len(self._store.rows.open) - told)


@pytest.mark.parametrize(
    "face",
    [
        lambda: bandit(),
        lambda: Bandit(
            arms=2, horizon=100, epsilon=1.0, algorithm="noisy-exp2", wait=60.0, default_loss=0.0
        ),
        lambda: Experts(experts=2, horizon=100, epsilon=1.0, wait=60.0, default_losses=[0.5, 0.5]),
        lambda: Advisor(arms=2, experts=2, horizon=100, epsilon=1.0, wait=60.0, default_loss=0.0),
    ],
    ids=["batch", "every round", "running sum", "advice"],
)
def test_a_right_run_shows_nothing(face):
    """What is shown does not depend on the world at all, so there are no false alarms."""
    found = audit_release_times(face(), trials=100)
    assert found.lower_bound == 0.0
    assert not found.violated
    assert found.reach > 1.0, "a violation would be seen"


@pytest.mark.parametrize("mistake", [Early, WhenTold, Counting])
def test_mistakes_are_caught(mistake):
    found = audit_release_times(bandit(), trials=100, kind=mistake)
    assert found.violated
    assert "one person answers with the default, or stays silent" in found.attack


def test_without_a_wait_time_nothing_is_claimed():
    with pytest.raises(DiscreetError, match="no wait=, so arrival times are public"):
        audit_release_times(Bandit(arms=2, horizon=10, epsilon=1.0))
    with pytest.raises(
        DiscreetError,
        match="a batch has 5000 rounds, but this audit is for batches of at most 2000",
    ):
        audit_release_times(bandit(horizon=100_000, batch_size=5000))
    with pytest.raises(DiscreetError, match="must be a live run"):
        audit_release_times("exp3")
