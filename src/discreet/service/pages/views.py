"""The facts on every page of a run, and the list of all runs: plain values, nothing raw."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.algorithms import algorithm
from discreet.algorithms.plain import MEANINGLESS
from discreet.errors import DiscreetError, count
from discreet.guarantee import Guarantee
from discreet.guarantee_words import period_words
from discreet.live.arm_search import BestArmSearch
from discreet.live.client import LiveClient
from discreet.live.progress import Progress
from discreet.service.pages.charts import COLOURS, Column, Series
from discreet.service.pages.scales import short, small
from discreet.service.pages.source import HistorySource, HostedRun, HostSource

COLUMNS, FEWEST = 120, 12  # time spans in a chart
EACH = 12  # decisions per time span, if there are not many
PROBLEMS = {
    "bandit": "Bandit",
    "best-arm": "Best-arm search",
    "experts": "Experts",
    "optimizer": "Optimizer",
    "vector-optimizer": "Vector optimizer",
    "slates": "Slates",
    "advice": "Expert advice",
    "contexts": "Contextual bandit",
}


@dataclass(frozen=True)
class RunStatus:
    """Whether a run is active."""

    words: str
    tone: str  # "on", "off" or "done"


@dataclass(frozen=True)
class RunView:
    """A run as every page shows it."""

    name: str
    problem: str  # in words
    size: str
    algorithm: str
    title: str  # of the algorithm
    created: float
    status: RunStatus
    state: Progress
    guarantee: Guarantee
    badge: str  # the guarantee in a few characters
    whom: str  # whom it is for
    wait: float | None
    warnings: tuple[str, ...]
    live: LiveClient
    spec: Mapping[str, Any]
    now: float

    @property
    def progress(self) -> float | None:
        """The used share of the horizon; None without a horizon."""
        horizon = self.state.horizon
        return None if not horizon else min(1.0, self.state.round / horizon)

    @property
    def hides_choices(self) -> bool:
        """Whether choices are private to the person they are for (joint model)."""
        return self.guarantee.model == "joint"


@dataclass(frozen=True)
class RunLine:
    """A run in the list of runs."""

    run: RunView
    rate: float
    columns: Sequence[Column]


def run_view(host: HostSource, name: str, now: float | None = None) -> RunView:
    """Return the facts on every page of a run."""
    hosted = host.get(name)
    live = hosted.live
    state, guarantee = live.state(), live.guarantee
    return RunView(
        name=name,
        problem=PROBLEMS.get(hosted.problem, hosted.problem),
        size=size_words(hosted.problem, hosted.spec),
        algorithm=live.algorithm,
        title=algorithm(live.algorithm).title,
        created=hosted.created,
        status=_status(hosted, state),
        state=state,
        guarantee=guarantee,
        badge=badge_of(guarantee),
        whom=whom(guarantee),
        wait=live.plan.wait,
        warnings=tuple(_warnings(live.plan.simulation, guarantee)),
        live=live,
        spec=hosted.spec,
        now=time.time() if now is None else now,
    )


def run_lines(
    host: HostSource, names: Sequence[str], now: float | None = None
) -> tuple[list[RunLine], dict[str, str]]:
    """Return the list of runs, active ones first, and those that cannot be read, with reasons."""
    lines, refused = [], {}
    for name in names:
        try:
            view = run_view(host, name, now)
            columns = columns_of(host.history(name), view)
        except DiscreetError as reason:
            refused[name] = str(reason)
        else:
            lines.append(RunLine(view, host.traffic.decisions_per_second(name), columns))
    lines.sort(key=lambda line: (line.run.status.tone != "on", line.run.name.lower()))
    return lines, refused


def _status(hosted: HostedRun, state: Progress) -> RunStatus:
    live = hosted.live
    if isinstance(live, BestArmSearch) and live.finished:
        return RunStatus("Answer found", "done")
    if hosted.closed:
        return RunStatus("Closed", "off")
    if state.horizon is not None and state.round >= state.horizon:
        return RunStatus("All rounds used", "off")
    return RunStatus("Running" if state.round else "No decision yet", "on")


def _warnings(simulation: bool, guarantee: Guarantee) -> list[str]:
    """Return the warnings that a reader must not overlook."""
    found = []
    if not guarantee.is_private:
        found.append("This run has no privacy protection: nothing limits what it reveals.")
    elif guarantee.epsilon >= MEANINGLESS:
        found.append(
            f"Epsilon is {guarantee.epsilon:.4g}: a bound that large gives almost no protection."
        )
    elif guarantee.status != "proved":
        found.append("The guarantee is claimed by a paper only; it is not proved here.")
    if simulation:
        found.append("This is a simulation: its noise protects nobody.")
    return found


def badge_of(guarantee: Guarantee) -> str:
    """Return a guarantee in a few characters."""
    if not guarantee.is_private:
        return "no privacy"
    delta = "" if guarantee.delta == 0.0 else f", δ = {small(guarantee.delta)}"
    return f"ε = {guarantee.epsilon:.4g}{delta}"


def whom(guarantee: Guarantee) -> str:
    """Return whom a guarantee is for."""
    if not guarantee.is_private:
        return ""
    if guarantee.rounds == 1 and guarantee.period is None:
        return "for each round"
    period = guarantee.period
    within = "" if period is None else f" in one period of {period_words(period)}"
    return f"for up to {count(guarantee.rounds, 'round')} of a person{within}"


def size_words(problem: str, spec: Mapping[str, Any]) -> str:
    """Return the size of a problem in words."""
    arms = _number(spec.get("arms"))
    if problem == "experts":
        return f"{_number(spec.get('experts'))} experts"
    if problem == "advice":
        return f"{arms} arms, {_number(spec.get('experts'))} experts"
    if problem == "slates":
        return f"{spec.get('shown', '?')} of {_number(spec.get('items'))} items"
    if problem in ("optimizer", "vector-optimizer"):
        named = f"{spec.get('geometry', 'points')}, dimension {spec.get('dimension', '?')}"
        return str(spec.get("domain") or named)
    if problem == "contexts":
        features = spec.get("features")
        given = features if isinstance(features, Mapping) else {}
        return f"{_number(given.get('arms'))} arms with features"
    return f"{arms} arms"


def _number(given: object) -> str:
    if isinstance(given, int):
        return f"{given:,}"
    return f"{len(given):,}" if isinstance(given, Sequence | Mapping) else "?"


def columns_of(history: HistorySource, run: RunView) -> list[Column]:
    """Return the history in time spans of equal length, up to now if the run is active.

    A time span joins several buckets, so that there are few of them and most have some decisions:
    shares of two or three decisions would be noise.
    """
    buckets, wide = history.buckets, max(1, len(history.labels))
    if not buckets:
        return []
    total = sum(bucket.total for bucket in buckets)
    most = min(COLUMNS, max(FEWEST, total // EACH))
    last = buckets[-1].at + 0.5 * history.width
    if run.status.tone == "on":
        last = max(last, run.now)
    length = history.width
    while math.floor(last / length) - math.floor(buckets[0].at / length) >= most:
        length *= 2.0
    first = math.floor((buckets[0].at + 0.5 * history.width) / length)
    counts = [[0] * wide for _ in range(math.floor(last / length) - first + 1)]
    for bucket in buckets:
        place = counts[math.floor((bucket.at + 0.5 * history.width) / length) - first]
        for index, number in enumerate(bucket.decisions if history.labels else (bucket.total,)):
            place[index] += number
    columns = [
        Column(length * (first + place), length * (first + place + 1), tuple(each))
        for place, each in enumerate(counts)
    ]
    return _trimmed(columns, run)


def _trimmed(columns: list[Column], run: RunView) -> list[Column]:
    """Return the columns, the first starting with the run and the last ending now."""
    start, end, counts = columns[0]
    if start < run.created < end:
        columns[0] = Column(run.created, end, counts)
    start, end, counts = columns[-1]
    if start <= run.now < end:
        columns[-1] = Column(start, run.now, counts)
    if len(columns) > 1 and 2.0 * (columns[-1].end - columns[-1].start) < end - start:
        # too short for its own rate
        last, before = columns.pop(), columns[-1]
        both = tuple(a + b for a, b in zip(before.counts, last.counts, strict=True))
        columns[-1] = Column(before.start, last.end, both)
    return columns


def series_of(labels: Sequence[Hashable], columns: Sequence[Column]) -> tuple[Series, ...]:
    """Return a name and a colour for each label; the most frequent have their own colours."""
    most = COLOURS - 1
    totals = [sum(column.counts[place] for column in columns) for place in range(len(labels))]
    ranked = sorted(range(len(labels)), key=lambda place: (-totals[place], place))
    own = set(ranked[:most] if len(labels) > most else ranked)
    colours = iter(range(most))
    return tuple(
        Series(str(label), next(colours) if place in own else most)
        for place, label in enumerate(labels)
    )


def gathered(
    columns: Sequence[Column], series: Sequence[Series]
) -> tuple[list[Column], list[Series]]:
    """Return columns in which all series without their own colour are combined."""
    most = COLOURS - 1
    own = [place for place, each in enumerate(series) if each.colour < most]
    rest = [place for place, each in enumerate(series) if each.colour == most]
    if not rest:
        return list(columns), list(series)
    together = [
        Column(
            start, end, (*(counts[place] for place in own), sum(counts[place] for place in rest))
        )
        for start, end, counts in columns
    ]
    named = Series(f"{short(len(rest))} other arms", most)
    return together, [*(series[place] for place in own), named]
