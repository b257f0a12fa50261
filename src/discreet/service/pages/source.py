"""What the pages read: of a host, its runs, their history and traffic. Nothing here is raw.

These are protocols, so the pages can be shown over anything that has the same methods. None of them
says who answered: with ``wait`` the guarantee covers that, and every page may be seen by anyone who
may see releases.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol


class HistoryBucket(Protocol):
    """A stretch of time: decisions by label, all of them, and releases."""

    @property
    def at(self) -> float:
        """When it begins, in seconds since 1970."""

    @property
    def decisions(self) -> Sequence[int]:
        """Those of each label, in their order; empty where choices are not shown."""

    @property
    def total(self) -> int:
        """All decisions."""

    @property
    def releases(self) -> int:
        """Releases."""


class HistorySource(Protocol):
    """Decisions and releases over time, in buckets of equal width."""

    @property
    def labels(self) -> Sequence[Hashable]:
        """The arms or experts; empty where choices are not shown."""

    @property
    def width(self) -> float:
        """How long a bucket is, in seconds."""

    @property
    def buckets(self) -> Sequence[HistoryBucket]:
        """The buckets, in order; some may be missing where nothing happened."""


class TrafficSource(Protocol):
    """What was measured of asks, and of refused requests."""

    def decisions_per_second(self, run: str) -> float:
        """Return the rate of the last seconds."""

    def latencies(self, run: str) -> tuple[float, float, float] | None:
        """Return median, 99th percentile and maximum of asks, in seconds; None without any."""

    def errors(self) -> Mapping[str, int]:
        """Return how many requests were refused, by the kind of problem; no outcomes."""


class HostedRun(Protocol):
    """A run of the host."""

    @property
    def live(self) -> Any:  # noqa: ANN401 - any live class
        """The live object."""

    @property
    def problem(self) -> str:
        """Which problem it is, in the words of the API."""

    @property
    def spec(self) -> Mapping[str, Any]:
        """The arguments that it was created with."""

    @property
    def created(self) -> float:
        """When it was created, in seconds since 1970."""

    @property
    def closed(self) -> bool:
        """Whether no more decisions are given."""


class HostSource(Protocol):
    """Who has the runs."""

    @property
    def traffic(self) -> TrafficSource:
        """What was measured."""

    def renew(self) -> None:
        """Take note of runs that other processes have created."""

    def names(self) -> Sequence[str]:
        """Return the names of all runs."""

    def refused(self) -> Mapping[str, str]:
        """Return runs that could not be opened, and why."""

    def get(self, name: str) -> HostedRun:
        """Return a run."""

    def history(self, name: str) -> HistorySource:
        """Return decisions and releases of a run over time."""

    def releases(self, name: str) -> Iterable[Mapping[str, Any]]:
        """Return all releases of a run, as the API shows them."""

    def budget(self) -> Mapping[str, Any] | None:
        """Return the ledger as the API shows it; None if there is none."""

    def charge_label(self, name: str) -> str | None:
        """Return the label under which a run was charged; None if it was not."""

    def restores(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Return when a run was continued from a restored copy, and what was lost."""


class TokenSource(Protocol):
    """Who may read what."""

    def role_of(self, token: str, run: str) -> str | None:
        """Return the role of a token on a run, or on all of them (``*``)."""

    def runs_of(self, token: str) -> str | None:
        """Return the run that a token is for, or ``*``; None if it is not known."""
