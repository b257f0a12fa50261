"""Semi-bandits: slates of items with a loss for each item, without and with privacy."""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.algorithms.arms.tsallis import best_size
from discreet.algorithms.registry import ROOT, Instance, Setting, register_algorithm
from discreet.channels import OpenSlate, SlateBits
from discreet.errors import check_int, check_positive
from discreet.learners import SlateFtrl
from discreet.private import Private
from discreet.problems import SemiBandit

__all__ = ["private_slate_ftrl", "slate_ftrl"]


@register_algorithm(
    name="slate-ftrl",
    title="leader with entropy over slates, from the loss of every item shown",
    problem=SemiBandit(),
    growth=ROOT,
    citation="audibert2014regret",
)
def slate_ftrl(setting: Setting[SemiBandit], *, learning_rate: float | None = None) -> Instance:
    """FTRL with entropy on estimated losses; η = sqrt(2 k ln(N / k) / (T N))."""
    items, shown = setting.problem.items, setting.problem.shown
    numbers = {"items": items, "shown": shown, "reports": shown, "rounds": setting.rounds}
    rate = SlateFtrl.recommended_rate(**numbers)
    if learning_rate is not None:
        rate = check_positive("learning_rate", learning_rate)
    bound = SlateFtrl.regret_bound(**numbers, learning_rate=rate)
    return Instance(
        private=Private(
            OpenSlate.over(shown=shown, bounds=setting.bounds),
            SlateFtrl.start(items=items, shown=shown, learning_rate=rate),
        ),
        parameters={"learning_rate": rate},
        regret_bound=setting.bounds.width * _capped(setting, bound),
        bound_source="docs/regret.md: Semi-bandits",
    )


@register_algorithm(
    name="private-slate-ftrl",
    twin="slate-ftrl",
    title="leader with entropy over slates, on randomised bits about their items",
    problem=SemiBandit(),
    growth=ROOT,
    citation="audibert2014regret",
)
def private_slate_ftrl(
    setting: Setting[SemiBandit],
    *,
    batch_size: int | None = None,
    reports: int | None = None,
    learning_rate: float | None = None,
) -> Instance:
    """Hold a slate for τ rounds, then learn one randomised bit about each of m of its items.

    A bit has epsilon / m. Bits are losses in [0, 1] whose means are those of the items, contracted
    by the factor a. So regret is at most (τ / a) times that of the leader on floor(T / τ) rounds of
    bits, plus the last, incomplete batch. m and τ have the least bound. For small epsilons that is
    m = 1: one bit with the whole epsilon says more than k bits with a share each.
    """
    shown = setting.problem.shown
    if reports is not None:
        check_int("reports", reports, minimum=1, maximum=shown)
    some = range(1, shown + 1) if reports is None else (reports,)
    chosen = min((_choice(setting, each, batch_size) for each in some), key=lambda c: c.bound)
    channel = SlateBits.over(
        size=chosen.size,
        shown=shown,
        reports=chosen.reports,
        epsilon=setting.epsilon,
        bounds=setting.bounds,
    )
    bound, rate = chosen.bound, chosen.rate
    if learning_rate is not None:
        rate = check_positive("learning_rate", learning_rate)
        bound = _bound(setting, chosen.reports, chosen.size, channel.contrast, rate)
    return Instance(
        private=Private(
            channel,
            SlateFtrl.start(
                items=setting.problem.items,
                shown=shown,
                learning_rate=rate,
                reports=chosen.reports,
            ),
        ),
        parameters={
            "batch_size": chosen.size,
            "reports": chosen.reports,
            "contrast": channel.contrast,
            "learning_rate": rate,
        },
        regret_bound=setting.bounds.width * _capped(setting, bound),
        bound_source="docs/regret.md: Semi-bandits",
    )


class _Choice(NamedTuple):
    """Which bits to release, and their bound in widths of the range."""

    reports: int
    size: int
    rate: float
    bound: float


def _choice(setting: Setting[SemiBandit], reports: int, batch_size: int | None) -> _Choice:
    """Return the batch size with the least bound for this many bits, if none is given."""
    share = setting.epsilon / reports
    size = best_size(share, setting.rounds) if batch_size is None else batch_size
    problem = setting.problem
    channel = SlateBits.over(
        size=size,
        shown=problem.shown,
        reports=reports,
        epsilon=setting.epsilon,
        bounds=setting.bounds,
    )
    rate = SlateFtrl.recommended_rate(
        items=problem.items,
        shown=problem.shown,
        reports=reports,
        rounds=max(1, setting.rounds // size),
    )
    return _Choice(reports, size, rate, _bound(setting, reports, size, channel.contrast, rate))


def _bound(
    setting: Setting[SemiBandit], reports: int, size: int, contrast: float, rate: float
) -> float:
    """Return (τ / a) B(floor(T / τ)) plus the largest cost of the last, incomplete batch."""
    problem, batches = setting.problem, setting.rounds // size
    if batches == 0:
        return math.inf
    learning = SlateFtrl.regret_bound(
        items=problem.items,
        shown=problem.shown,
        reports=reports,
        rounds=batches,
        learning_rate=rate,
    )
    last = setting.rounds - batches * size
    return size / contrast * learning + last * min(problem.shown, problem.items - problem.shown)


def _capped(setting: Setting[SemiBandit], bound: float) -> float:
    """Return a bound that is at most the largest possible regret, in widths of the range."""
    problem = setting.problem
    return min(bound, float(setting.rounds * min(problem.shown, problem.items - problem.shown)))
