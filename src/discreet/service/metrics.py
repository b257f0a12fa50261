"""Metrics of the service, for Prometheus and the dashboard: decisions and releases only.

With ``wait``, the guarantee covers who answers and when. So nothing here depends on outcomes: they
are not counted, their requests have no latencies, and their refusals are in no counter. Nor is
there a counter of processor time or memory, which would grow with them.
"""

from __future__ import annotations

import bisect
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from importlib.metadata import version

LATENCIES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)  # seconds
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
RECENT = 1024  # latencies from which quantiles are computed
SECONDS = 60  # over which decisions per second are averaged


class Histogram:
    """Counts of numbers up to some bounds, and their sum."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds, self.counts, self.sum = bounds, [0] * (len(bounds) + 1), 0.0

    def add(self, value: float) -> None:
        """Count a number."""
        self.counts[bisect.bisect_left(self.bounds, value)] += 1
        self.sum += value

    def lines(self, name: str, labels: str) -> Iterable[str]:
        """Return it in Prometheus' text format."""
        total = 0
        before = f"{labels}," if labels else ""
        for bound, count in zip((*self.bounds, math.inf), self.counts, strict=True):
            total += count
            edge = "+Inf" if bound == math.inf else f"{bound:g}"
            yield f'{name}_bucket{{{before}le="{edge}"}} {total}'
        after = f"{{{labels}}}" if labels else ""
        yield f"{name}_sum{after} {self.sum:.9g}"
        yield f"{name}_count{after} {total}"


class RunTraffic:
    """The counts of one run."""

    def __init__(self) -> None:
        self.decisions = self.releases = 0
        self.latency = Histogram(LATENCIES)
        self.recent: deque[float] = deque(maxlen=RECENT)
        self.by_second: deque[tuple[int, int]] = deque(maxlen=SECONDS)  # second, decisions


class Traffic:
    """Decisions and releases by run, latencies of asks, sizes of groups, refusals by kind."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._runs: dict[str, RunTraffic] = {}
        self._sizes = Histogram(SIZES)
        self._errors: Counter[str] = Counter()

    def _of(self, run: str) -> RunTraffic:
        return self._runs.setdefault(run, RunTraffic())

    def asked(self, run: str, latencies: list[float]) -> None:
        """Count the decisions of one group, with the seconds each took."""
        if not latencies:
            return
        now = int(self._clock())
        with self._lock:
            found = self._of(run)
            found.decisions += len(latencies)
            found.recent.extend(latencies)
            for each in latencies:
                found.latency.add(each)
            self._sizes.add(len(latencies))
            if found.by_second and found.by_second[-1][0] == now:
                now, before = found.by_second.pop()
                found.by_second.append((now, before + len(latencies)))
            else:
                found.by_second.append((now, len(latencies)))

    def released(self, run: str, number: int) -> None:
        """Count releases."""
        with self._lock:
            self._of(run).releases += number

    def refused(self, kind: str) -> None:
        """Count a refusal, except those of outcomes."""
        with self._lock:
            self._errors[kind] += 1

    def decisions_per_second(self, run: str) -> float:
        """Return the decisions per second of a run, over the last minute."""
        now = int(self._clock())
        with self._lock:
            counts = list(self._runs[run].by_second) if run in self._runs else []
        return sum(count for at, count in counts if now - at <= SECONDS) / SECONDS

    def latencies(self, run: str) -> tuple[float, float, float] | None:
        """Return the median, the 99 % quantile and the maximum of recent asks, in seconds."""
        with self._lock:
            recent = sorted(self._runs[run].recent) if run in self._runs else []
        if not recent:
            return None
        last = len(recent) - 1
        return recent[last // 2], recent[math.ceil(0.99 * last)], recent[last]

    def errors(self) -> dict[str, int]:
        """Return the number of refused requests by kind, except outcomes."""
        with self._lock:
            return dict(self._errors)

    def groups(self) -> list[tuple[float, int]]:
        """Return how many groups had at most each number of asks; the last bound is infinity."""
        with self._lock:
            return list(zip((*map(float, SIZES), math.inf), self._sizes.counts, strict=True))

    def text(self, runs: int) -> str:
        """Return everything in Prometheus' text format."""
        with self._lock:
            lines = [
                "# HELP discreet_build_info The version of the service.",
                "# TYPE discreet_build_info gauge",
                f'discreet_build_info{{version="{version("discreet")}"}} 1',
                "# HELP discreet_runs Runs that the service has open.",
                "# TYPE discreet_runs gauge",
                f"discreet_runs {runs}",
                "# HELP discreet_decisions_total Decisions made since the service started.",
                "# TYPE discreet_decisions_total counter",
            ]
            known = sorted(self._runs.items())
            lines += [f'discreet_decisions_total{{run="{n}"}} {t.decisions}' for n, t in known]
            lines += [
                "# HELP discreet_releases_total Releases made since the service started.",
                "# TYPE discreet_releases_total counter",
            ]
            lines += [f'discreet_releases_total{{run="{n}"}} {t.releases}' for n, t in known]
            lines += [
                "# HELP discreet_ask_seconds From the request of a decision to its commit.",
                "# TYPE discreet_ask_seconds histogram",
            ]
            for name, found in known:
                lines += found.latency.lines("discreet_ask_seconds", f'run="{name}"')
            lines += [
                "# HELP discreet_asks_per_group Decisions that were committed together.",
                "# TYPE discreet_asks_per_group histogram",
                *self._sizes.lines("discreet_asks_per_group", ""),
                "# HELP discreet_problems_total Refused requests by kind, except outcomes.",
                "# TYPE discreet_problems_total counter",
            ]
            kinds = sorted(self._errors.items())
            lines += [f'discreet_problems_total{{kind="{kind}"}} {n}' for kind, n in kinds]
            return "\n".join(lines) + "\n"
