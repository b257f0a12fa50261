"""The page of a run for engineers: rate, open decisions, deadlines, losses, latency, errors.

With ``wait``, nothing here depends on who has answered: a decision is open until its deadline,
answered or not, and only asks are timed and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.service.pages.charts import Column
from discreet.service.pages.source import HostSource
from discreet.service.pages.views import RunView, columns_of


@dataclass(frozen=True)
class OperationsView:
    """The content of the page."""

    rate: float
    peak: float  # of a bucket of the history
    deadline: float | None  # seconds from now; negative if it has passed
    latencies: tuple[tuple[str, float], ...]
    errors: tuple[tuple[str, int], ...] | None  # None if the visitor may not see them
    columns: Sequence[Column]
    left: float | None  # seconds to the horizon, at the current rate

    @property
    def worst(self) -> int:
        """The largest number of errors of one kind."""
        return max((number for _, number in self.errors or ()), default=0)


def operations_view(host: HostSource, run: RunView, *, whole: bool) -> OperationsView:
    """Return the content; errors cover all runs, and need a token for all runs."""
    rate = host.traffic.decisions_per_second(run.name)
    columns = totals(columns_of(host.history(run.name), run))
    measured = host.traffic.latencies(run.name)
    state, left = run.state, None
    if state.horizon is not None and rate > 0.0 and run.status.tone == "on":
        left = (state.horizon - state.round) / rate
    counted = host.traffic.errors() if whole else {}
    errors = sorted(counted.items(), key=lambda each: (-each[1], each[0]))
    return OperationsView(
        rate=rate,
        peak=max(
            (c.counts[0] / (c.end - c.start) for c in columns if c.end > c.start), default=0.0
        ),
        deadline=_next_deadline(run),
        latencies=()
        if measured is None
        else tuple(zip(("median", "99 %", "maximum"), measured, strict=True)),
        errors=tuple(errors) if whole else None,
        columns=columns,
        left=left,
    )


def totals(columns: Sequence[Column]) -> list[Column]:
    """Return columns with all decisions together."""
    return [Column(start, end, (sum(counts),)) for start, end, counts in columns]


def _next_deadline(run: RunView) -> float | None:
    """Return the seconds until the deadline of the oldest open decision."""
    if run.wait is None:
        return None
    oldest = run.live.open_decisions.page(limit=1)
    return run.wait - oldest[0].age if oldest else None
