"""Coverage and width of the intervals for means of arms, measured in simulations."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypedDict

import numpy as np

from discreet.contracts import Floats, Integers, Protected, Trace
from discreet.errors import DiscreetError, check_int, check_share
from discreet.estimates import Design, ReleaseSum, difference
from discreet.estimates.pairs import largest
from discreet.estimates.paths import Mask, evidence_path
from discreet.learners.wrapping import Wrapping
from discreet.private import Private
from discreet.problems import ArmsEnvironment, Environment
from discreet.randomness import streams_of
from discreet.ranges import Range, make_range
from discreet.simulation.arrivals import Arrivals
from discreet.simulation.contenders import Contender
from discreet.simulation.dealing import Dealer, stretches
from discreet.simulation.late import make_late
from discreet.simulation.loop import Player, Prototype

UNIT = make_range()


class KeepingReleases(Wrapping[int, Trace, float, float, object]):
    """A learner that records its releases and is otherwise unchanged. Traces name their arm."""

    arms: Integers
    sizes: Integers  # 0: the usual one
    values: Floats
    counts: Integers

    def learn(self, trace: Trace, released: float) -> None:
        """Keep the release."""
        place = self.counts[0]
        if place < self.values.size:
            self.arms[place] = trace.arm  # type: ignore[attr-defined]
            self.sizes[place] = self.learner.patience(trace)
            self.values[place] = released
        self.counts[0] = place + 1
        self.learner.learn(trace, released)


class TrialReleases(NamedTuple):
    """The releases of one trial, in their order."""

    arms: Integers
    sizes: Integers
    values: Floats

    def sums(self) -> list[ReleaseSum]:
        """Return the sums of all releases."""
        pairs = sorted(set(zip(self.arms.tolist(), self.sizes.tolist(), strict=True)))
        found = []
        for arm, size in pairs:
            mine = self.values[(self.arms == arm) & (self.sizes == size)]
            found.append(ReleaseSum(arm, size, mine.size, float(mine.sum())))
        return found

    def until(self, time: int) -> TrialReleases:
        """Return the releases up to one of them."""
        return TrialReleases(self.arms[: time + 1], self.sizes[: time + 1], self.values[: time + 1])

    def path(self, design: Design, arm: int, mean: float, limit: float | Mask) -> Floats:
        """Return the log evidence against the mean of an arm after every release of any arm."""
        mine = self.arms == arm
        number = np.cumsum(mine)
        if isinstance(limit, np.ndarray):
            needed = np.zeros(int(mine.sum()) + 1, bool)
            needed[number[limit]] = True
            limit = needed[1:]
        path = evidence_path(design, self.sizes[mine], self.values[mine], mean, limit)
        whole: Floats = np.concatenate([[0.0], path])[number]
        return whole


class CoverageRow(NamedTuple):
    """Intervals of one mean, or of one difference, in many trials."""

    name: str  # "best arm", "next arm", "difference"
    coverage: float  # share of trials in which the interval held after every release
    width: float  # at the end, on average, in the units of the outcomes
    trials: int


class IntervalRow(TypedDict):
    """Coverage and width of one interval of one contender, for tables and JSON."""

    label: str
    interval: str
    level: float
    coverage: float
    width: float
    trials: int


def keep_releases(
    private: Private,
    environment: ArmsEnvironment,
    *,
    rounds: int,
    trials: int,
    seed: int,
    first: int = 0,
    bounds: Range = UNIT,
    compiled: bool = True,
    wrapped: Callable[[Private], Protected] | None = None,
) -> Iterator[TrialReleases]:
    """Play some trials and yield the releases of each; the games are those of ``simulate``.

    ``wrapped`` may wrap the private learner, for example to delay outcomes.
    """
    arms, sizes, counts = (np.zeros(room, np.int64) for room in (rounds, rounds, 1))
    learner = KeepingReleases(private.learner, arms, sizes, np.zeros(rounds), counts)
    keeping = Private(private.channel, learner)
    shared = Prototype(keeping if wrapped is None else wrapped(keeping), compiled=compiled)
    dealer = Dealer(environment, bounds, clip=False)
    marks = np.array([rounds])
    numbers = list(range(first, first + trials))
    for mine, own in zip(streams_of(seed, numbers), streams_of(seed, numbers), strict=True):
        player = Player(shared, mine)
        for part in stretches(environment, marks):
            player.play(dealer.deal(part.start, part.end, own.environment)[0], part.stops)
        kept = player.private.learner
        assert isinstance(kept, KeepingReleases)
        count = int(kept.counts[0])
        sizes = np.where(kept.sizes[:count] > 0, kept.sizes[:count], private.channel.hold())
        yield TrialReleases(kept.arms[:count].copy(), sizes, kept.values[:count].copy())


def measure_coverage(
    private: Private,
    environment: ArmsEnvironment,
    *,
    rounds: int,
    trials: int,
    seed: int = 0,
    first: int = 0,
    level: float = 0.95,
    arms: tuple[int, int] | None = None,
    bounds: Range = UNIT,
    wrapped: Callable[[Private], Protected] | None = None,
) -> list[CoverageRow]:
    """Return coverage and width of anytime intervals for the best arm, the next and the difference.

    An interval counts as wrong if it was wrong after any release. ``arms`` are compared in place of
    the best one and the next.
    """
    means = environment.fixed_means()
    if means.size == 0:
        raise DiscreetError(
            "estimates need an environment whose means are fixed, such as stochastic."
        )
    best, following = (int(arm) for arm in np.argsort(means, kind="stable")[:2])
    pair = (best, following) if arms is None else arms
    design = Design(private, arms=means.size, rounds=check_int("rounds", rounds, minimum=2))
    limit = math.log(1.0 / (1.0 - check_share("level", level)))
    held, widths = np.zeros((trials, 3), bool), np.zeros((trials, 3))
    kept = keep_releases(
        private,
        environment,
        rounds=rounds,
        trials=trials,
        seed=seed,
        first=first,
        bounds=bounds,
        wrapped=wrapped,
    )
    for trial, releases in enumerate(kept):
        paths = [releases.path(design, arm, float(means[arm]), limit) for arm in pair]
        near = paths[0] + paths[1] >= limit
        if near.any():  # bounds do not suffice
            exact = [releases.path(design, arm, float(means[arm]), near) for arm in pair]
            near &= exact[0] + exact[1] >= limit
            gap = float(means[pair[0]]), float(means[pair[1]])
            near[near] = [
                _refuted(design, releases.until(int(time)), pair, gap, limit)
                for time in np.flatnonzero(near)
            ]
        held[trial] = [*(bool(np.all(path < limit)) for path in paths), not near.any()]
        widths[trial] = interval_widths(design, releases, pair, limit)
    names = ("best arm", "next arm", "difference")
    return [
        CoverageRow(
            name, float(held[:, i].mean()), float(widths[:, i].mean()) * bounds.width, trials
        )
        for i, name in enumerate(names)
    ]


def interval_widths(
    design: Design, kept: TrialReleases, pair: tuple[int, int], limit: float
) -> tuple[float, float, float]:
    """Return the widths for two arms and for their difference, as fractions of the range."""
    found = design.evidence(kept.sums())
    one, other = found[pair[0]], found[pair[1]]
    ends = [each.interval(limit) if each.releases else (0.0, 1.0) for each in (one, other)]
    first, second = (max(0.0, min(high, 1.0) - max(low, 0.0)) for low, high in ends)
    low, high = difference(one, other, limit)
    return first, second, max(0.0, min(high, 1.0) - max(low, -1.0))


def intervals_of(
    contenders: Sequence[Contender],
    environment: Environment,
    arrivals: Arrivals | None,
    games: tuple[int, int, int],
    bounds: Range,
    level: float,
) -> tuple[IntervalRow, ...]:
    """Return coverage and widths for all contenders that have estimates.

    ``games`` holds the number of rounds, the number of trials and the seed.
    """
    rounds, trials, seed = games
    check_share("estimates", level)
    if not isinstance(environment, ArmsEnvironment):
        raise DiscreetError(
            f"estimates are for arms, but the problem is {environment.problem}: omit them."
        )
    if arrivals is not None and arrivals.absent is not None:
        raise DiscreetError(
            "estimates are given, but missing outcomes count as the default, so means would "
            "include defaults: omit missing and wait, or estimates."
        )

    def late(contender: Contender, private: Private) -> Protected:
        if arrivals is None:
            return private
        return make_late(contender.label, private, arrivals, environment, rounds, bounds)

    rows: list[IntervalRow] = []
    refusal = None
    for contender in contenders:
        private = contender.private
        try:
            assert isinstance(private, Private), "others keep contexts on devices"
            Design(private, arms=environment.arms, rounds=rounds)
        except DiscreetError as reason:  # such as uniform play, which releases nothing
            refusal = reason
            continue
        found = measure_coverage(
            private,
            environment,
            rounds=rounds,
            trials=trials,
            seed=seed,
            level=level,
            bounds=bounds,
            wrapped=functools.partial(late, contender),
        )
        rows += [
            IntervalRow(
                label=contender.label,
                interval=each.name,
                level=level,
                coverage=each.coverage,
                width=each.width,
                trials=each.trials,
            )
            for each in found
        ]
    if refusal is not None and not rows:
        raise refusal
    return tuple(rows)


def _refuted(
    design: Design,
    kept: TrialReleases,
    pair: tuple[int, int],
    means: tuple[float, float],
    limit: float,
) -> bool:
    """Return whether the interval of a difference excludes the true one.

    It does if the evidence is too large against all pairs of means with that difference.
    """
    found = design.evidence(kept.sums())
    one, other = found[pair[0]], found[pair[1]]
    least = -largest(
        lambda shift: -one.log_evidence(means[0] + shift) - other.log_evidence(means[1] + shift),
        -min(means),
        1.0 - max(means),
    )
    return least >= limit
