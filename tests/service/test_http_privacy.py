"""Nothing that a service shows tells who answered, or when; services that do are caught."""

from __future__ import annotations

import pytest
from http_audit import BY_HAND, EPSILON, attack
from serving import serving

from discreet.errors import AlreadyTold, DiscreetError, TooLate
from discreet.service import groups, hot
from discreet.service.logs import log_event
from discreet.service.timers import Timers


def test_nothing_shows_who_answered_or_when(tmp_path):
    with serving(tmp_path, BY_HAND) as client:
        assert attack(client) == (False, 0.0)


def repeated_differently(client, monkeypatch):
    """A repeated outcome gets another answer than the first."""

    def told(result, hosted):
        if isinstance(result, AlreadyTold):
            return False
        return result if isinstance(result, DiscreetError) else True

    monkeypatch.setattr(groups, "_told", told)


def late_refused(client, monkeypatch):
    """A late outcome is refused."""

    def told(result, hosted):
        return TooLate("the outcome is late.") if result is False else True

    monkeypatch.setattr(groups, "_told", told)


def released_early(client, monkeypatch):
    """A batch is released as soon as all of it is told."""

    def release(self, name):
        found = self._host.get(name)
        run = found.live._run
        rows, clock = run._store.rows, run._clock
        told = [run.plan.is_told(rows.outcomes[each.id]) for each in found.live.open_decisions]
        if told[:2] == [True, True]:
            run._clock = lambda: clock() + found.wait
        found.live.release_due()
        run._clock = clock
        self._host.count_releases(found)

    monkeypatch.setattr(Timers, "_release", release)


def counted(client, monkeypatch):
    """Outcomes are counted in the metrics."""
    honest = groups._told

    def told(result, hosted):
        client.service.host.traffic.refused("outcomes")
        return honest(result, hosted)

    monkeypatch.setattr(groups, "_told", told)


def logged(client, monkeypatch):
    """Outcomes are logged."""
    honest = hot.HotRoutes._told

    async def told(self, *arguments):
        log_event("outcome")
        await honest(self, *arguments)

    monkeypatch.setattr(hot.HotRoutes, "_told", told)


FULL = pytest.mark.full
MUTANTS = [
    late_refused,
    released_early,
    pytest.param(repeated_differently, marks=FULL),
    pytest.param(counted, marks=FULL),
    pytest.param(logged, marks=FULL),
]


@pytest.mark.long
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_service_that_shows_it_is_caught(tmp_path, monkeypatch, mutant):
    with serving(tmp_path, BY_HAND) as client:
        mutant(client, monkeypatch)
        differs, bound = attack(client)
        assert differs
        assert bound > EPSILON
