"""What the pages read from a host: its runs, their history and traffic. Nothing here is raw.

These are protocols, so the pages work with any objects that have these methods. None of them shows
who answered: with ``wait``, the guarantee covers that, and everyone who may see releases may see
every page.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol


class HistoryBucket(Protocol):
    """A time span: decisions by label, all decisions, and releases."""

    @property
    def at(self) -> float:
        """Its beginning, in seconds since 1970."""

    @property
    def decisions(self) -> Sequence[int]:
        """The decisions of each label, in order; empty if choices are not shown."""

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
        """The arms or experts; empty if choices are not shown."""

    @property
    def width(self) -> float:
        """The length of a bucket, in seconds."""

    @property
    def buckets(self) -> Sequence[HistoryBucket]:
        """The buckets, in order; empty ones may be missing."""


class TrafficSource(Protocol):
    """Measurements of asks, and of refused requests."""

    def decisions_per_second(self, run: str) -> float:
        """Return the rate of the last seconds."""

    def latencies(self, run: str) -> tuple[float, float, float] | None:
        """Return median, 99th percentile and maximum of asks, in seconds; None without any."""

    def errors(self) -> Mapping[str, int]:
        """Return the number of refused requests by kind of problem, except outcomes."""


class HostedRun(Protocol):
    """A run of the host."""

    @property
    def live(self) -> Any:  # noqa: ANN401 - any live class
        """The live object."""

    @property
    def problem(self) -> str:
        """The name of its problem in the API."""

    @property
    def spec(self) -> Mapping[str, Any]:
        """The arguments that it was created with."""

    @property
    def created(self) -> float:
        """When it was created, in seconds since 1970."""

    @property
    def closed(self) -> bool:
        """Whether the run has ended and makes no more decisions."""


class HostSource(Protocol):
    """The host of the runs."""

    @property
    def traffic(self) -> TrafficSource:
        """The metrics."""

    def renew(self) -> None:
        """Find runs that other processes have created."""

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
        """Return the label of a run's charge; None if it was not charged."""

    def restores(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Return when a run was continued from a restored copy, and what was lost."""


class TokenSource(Protocol):
    """The rights of tokens."""

    def role_of(self, token: str, run: str) -> str | None:
        """Return the role of a token on a run, or on all runs (``*``)."""

    def runs_of(self, token: str) -> str | None:
        """Return the run of a token, or ``*``; None if the token is unknown."""
