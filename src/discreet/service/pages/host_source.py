"""The pages of a service: what they read from its host, and where sign-ins are stored."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.routing import BaseRoute

from discreet.service.core import Service
from discreet.service.history import History
from discreet.service.host import Host
from discreet.service.hosted import Hosted
from discreet.service.metrics import Traffic
from discreet.service.pages.routes import routes

RENEW_EVERY = 5.0  # seconds
RESTORED = "restored"  # the kind of a record: a list of {"at", "detail"}, for each run


def service_pages(service: Service) -> list[BaseRoute]:
    """Return the routes of all pages of a service.

    Sign-ins are in its database, so all workers know them. The writer thread writes them, so they
    are in no other transaction.
    """
    host = service.host
    return [*routes(ServiceSource(host), service.tokens, host.records, service.writer.call)]


class ServiceSource:
    """Read-only access of the pages to a host."""

    def __init__(self, host: Host) -> None:
        self._host, self._renewed = host, -math.inf

    @property
    def traffic(self) -> Traffic:
        """The metrics."""
        return self._host.traffic

    def renew(self) -> None:
        """Open runs that other processes have created, at most every few seconds."""
        now = time.monotonic()
        if now - self._renewed < RENEW_EVERY:
            return
        self._renewed = now
        if set(self._host.known()) - set(self._host.names()) - set(self._host.refused):
            self._host.open_all()

    def names(self) -> list[str]:
        """Return the names of all runs."""
        return self._host.names()

    def refused(self) -> Mapping[str, str]:
        """Return runs that could not be opened, and why."""
        return dict(self._host.refused)

    def get(self, name: str) -> Hosted:
        """Return a run."""
        return self._host.get(name)

    def history(self, name: str) -> History:
        """Return decisions and releases of a run over time."""
        return self._host.history(name)

    def releases(self, name: str) -> list[dict[str, Any]]:
        """Return all releases of a run, as the API shows them."""
        return self._host.releases(name)

    def budget(self) -> Mapping[str, Any]:
        """Return the ledger as the API shows it."""
        return self._host.ledger_facts()

    def charge_label(self, name: str) -> str | None:
        """Return the label of a run's charge; None if it was not charged."""
        return self._host.get(name).live.charge_label

    def restores(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Return when a run was continued from a restored copy, and what was lost."""
        content = self._host.records.get(RESTORED, name)
        found: list[Mapping[str, Any]] = [] if content is None else json.loads(content)
        return found
