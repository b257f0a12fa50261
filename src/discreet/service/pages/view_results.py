"""The page of a run for statisticians: shares of arms, released means, differences, downloads."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from discreet.errors import DiscreetError
from discreet.estimates.table import EstimateKind, MeanEstimate, MeanEstimates, Outcomes
from discreet.live.arm_search import BestArmSearch
from discreet.live.arms import ArmsClient
from discreet.service.pages.charts import COLOURS, Column, Series, Span
from discreet.service.pages.scales import places_for
from discreet.service.pages.source import HostSource
from discreet.service.pages.views import RunView, columns_of, gathered, series_of

LEVELS = ("0.9", "0.95", "0.99")
MOST_PAIRS = 6  # up to this number (that of four arms), all differences are shown
# Computing takes at most this share of the time, however many visitors a page has.
SHARE = 0.05
UNIT = Span(0.0, 1.0)
NO_CHOICES = (
    "Choices follow from a person's own features without noise, so they are not shown. The "
    "guarantee (joint model) covers models and the choices made for others."
)
NO_ARMS = "This problem has no fixed list of choices, so there are no shares."
NO_MEANS = "Means of arms are estimated for bandits and best-arm searches only."


class EstimateOptions(NamedTuple):
    """Which estimates to show."""

    level: str = "0.95"
    kind: EstimateKind = "anytime"
    outcomes: Outcomes = "rewards"
    together: bool = False  # whether all intervals hold together
    versus: int | None = None  # the index of the arm that others are compared with

    @classmethod
    def of(cls, given: Mapping[str, str]) -> EstimateOptions:
        """Return the options of a request; unknown values become the defaults."""
        level, kind = given.get("level", ""), given.get("kind", "")
        versus = given.get("versus", "")
        return cls(
            level=level if level in LEVELS else "0.95",
            kind=cast(EstimateKind, kind if kind in ("holdout", "final") else "anytime"),
            outcomes="losses" if given.get("outcomes") == "losses" else "rewards",
            together=given.get("together") == "yes",
            versus=int(versus)
            if versus.isascii() and versus.isdigit() and len(versus) < 6
            else None,
        )

    @property
    def query(self) -> str:
        """The options as part of an address."""
        versus = "" if self.versus is None else f"&versus={self.versus}"
        together = "&together=yes" if self.together else ""
        return f"level={self.level}&kind={self.kind}&outcomes={self.outcomes}{together}{versus}"


class EstimateRow(NamedTuple):
    """A mean or a difference to show."""

    name: str
    other: str  # the arm that is subtracted
    found: MeanEstimate
    place: int  # of the arm
    colour: int = COLOURS - 1

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 is outside the interval."""
        return self.found.low > 0.0 or self.found.high < 0.0


@dataclass(frozen=True)
class EstimatesView:
    """Means and differences, or the reason why there are none."""

    reason: str
    title: str = ""
    means: tuple[EstimateRow, ...] = ()
    differences: tuple[EstimateRow, ...] = ()
    versus: int | None = None  # the index of the arm compared with; None for all pairs
    span: Span = UNIT
    difference_span: Span = UNIT
    places: int = 3  # decimals
    notes: tuple[str, ...] = ()
    level: float = 0.95  # of each interval

    def coloured(self, colours: Sequence[int]) -> EstimatesView:
        """Return the same, with the colour of each arm."""

        def with_colours(rows: tuple[EstimateRow, ...]) -> tuple[EstimateRow, ...]:
            return tuple(
                row._replace(colour=colours[row.place]) if row.place < len(colours) else row
                for row in rows
            )

        return replace(
            self, means=with_colours(self.means), differences=with_colours(self.differences)
        )


class ShownShare(NamedTuple):
    """How often an arm was chosen."""

    name: str
    colour: int
    overall: float
    latest: float


@dataclass(frozen=True)
class ResultsView:
    """The content of the page."""

    options: EstimateOptions
    kinds: tuple[str, ...]  # of estimates that the run has
    arms: tuple[ShownShare, ...]
    columns: Sequence[Column]
    series: Sequence[Series]
    no_shares: str
    estimates: EstimatesView
    answer: str | None


def results_view(
    host: HostSource, run: RunView, options: EstimateOptions, estimator: EstimatesCache
) -> ResultsView:
    """Return the content of the page."""
    history = host.history(run.name)
    columns = columns_of(history, run)
    hidden = run.hides_choices or not history.labels
    labels: Sequence[Hashable] = () if hidden else history.labels
    series = series_of(labels, columns)
    drawn, named = gathered(columns, series) if labels else ([], [])
    plan = run.live.plan
    kinds = ["anytime"]
    if isinstance(run.live, ArmsClient):
        kinds += ["holdout"] * (plan.holdout is not None) + ["final"] * (plan.final is not None)
    search = run.live if isinstance(run.live, BestArmSearch) else None
    answer = None if search is None or search.answer is None else str(search.answer)
    return ResultsView(
        options=options,
        kinds=tuple(kinds),
        arms=tuple(_shares(run, labels, series, columns)),
        columns=drawn,
        series=named,
        no_shares="" if labels else NO_CHOICES if run.hides_choices else NO_ARMS,
        estimates=estimator.view(run, options, dict(zip(labels, series, strict=True))),
        answer=answer,
    )


def _shares(
    run: RunView,
    labels: Sequence[Hashable],
    series: Sequence[Series],
    columns: Sequence[Column],
) -> list[ShownShare]:
    latest = next((c.counts for c in reversed(columns) if sum(c.counts)), (0,) * len(labels))
    total = sum(latest) or 1
    overall = run.state.shares
    return [
        ShownShare(each.name, each.colour, overall.get(label, 0.0), latest[place] / total)
        for place, (label, each) in enumerate(zip(labels, series, strict=True))
    ]


class EstimatesCache:
    """Computes estimates once for all visitors, and again after a new release.

    A difference takes some milliseconds, for which decisions have to wait. So while a run is busy,
    estimates may be some seconds old: in proportion to the time they took to compute.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], tuple[int, float, EstimatesView]] = {}
        self._lock = threading.Lock()

    def view(
        self, run: RunView, options: EstimateOptions, series: Mapping[Hashable, Series]
    ) -> EstimatesView:
        """Return the estimates of a run, possibly from some moments ago."""
        key, released = (run.name, run.created, options), run.state.released
        with self._lock:
            known = self._kept.get(key)
            if known is None or (known[0] != released and time.monotonic() > known[1]):
                began = time.monotonic()
                found = estimates_view(run, options)
                done = time.monotonic()
                if len(self._kept) >= 256:
                    self._kept.clear()
                known = self._kept[key] = released, done + (done - began) / SHARE, found
        return known[2].coloured([each.colour for each in series.values()])


def estimates_of(run: RunView, options: EstimateOptions) -> MeanEstimates:
    """Return the estimates of a run, or refuse in one sentence."""
    if not isinstance(run.live, ArmsClient):
        raise DiscreetError(NO_MEANS)
    level, clipped = float(options.level), bool(run.spec.get("clip", False))
    given: dict[str, Any] = {"kind": options.kind, "outcomes": options.outcomes}
    found = run.live.estimates(level, clipped=clipped, **given)
    if options.together:  # the union bound: over all arms, and all pairs of them
        arms = len(found.arms)
        level = 1.0 - (1.0 - level) / max(1, arms + arms * (arms - 1) // 2)
        found = run.live.estimates(level, clipped=clipped, **given)
    return found


def estimates_view(run: RunView, options: EstimateOptions) -> EstimatesView:
    """Return means and differences to show, or the reason why there are none."""
    try:
        found = estimates_of(run, options)
    except DiscreetError as refusal:
        return EstimatesView(reason=str(refusal))
    labels = list(found.arms)
    means = [
        EstimateRow(str(label), "", each, place)
        for place, (label, each) in enumerate(found.arms.items())
    ]
    pairs, versus = _pairs(found, options)
    differences = []
    for one, other in pairs:
        apart = found.difference(labels[one], labels[other])
        differences.append(EstimateRow(str(labels[one]), str(labels[other]), apart, one))
    return EstimatesView(
        reason="",
        title=found.title,
        means=tuple(means),
        differences=tuple(differences),
        versus=versus,
        span=_span([row.found for row in means if row.found.releases]),
        difference_span=_span([row.found for row in differences], zero=True),
        places=places_for(row.found.half_width for row in means if row.found.releases),
        notes=found.notes,
        level=found.level,
    )


def _pairs(
    found: MeanEstimates, options: EstimateOptions
) -> tuple[list[tuple[int, int]], int | None]:
    """Return the pairs to compare: all pairs of few arms, or all arms with one."""
    estimates = list(found.arms.values())
    known = [place for place, each in enumerate(estimates) if each.releases]
    every = len(estimates) * (len(estimates) - 1) // 2
    if options.versus is None and every <= MOST_PAIRS:
        return list(itertools.combinations(known, 2)), None
    if options.versus is not None and options.versus < len(estimates):
        versus = options.versus
    else:
        sign = 1.0 if found.outcomes == "rewards" else -1.0
        versus = max(known, key=lambda place: sign * estimates[place].mean, default=0)
    if versus not in known:
        return [], versus
    return [(place, versus) for place in known if place != versus], versus


def _span(found: Sequence[MeanEstimate], *, zero: bool = False) -> Span:
    """Return the range of an axis, a little wider than its values."""
    low = min((each.low for each in found), default=0.0)
    high = max((each.high for each in found), default=1.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.03 * (high - low) or 0.5
    return Span(low - margin, high + margin)
