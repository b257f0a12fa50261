"""Upper confidence bounds for losses that may or may not change."""

from __future__ import annotations

import math

from discreet.algorithms.arms.indices import UNCHANGING_ONLY, Confidence, channel_for, first_batch
from discreet.algorithms.arms.tracking_bounds import GuardBound, Tracking
from discreet.algorithms.growth import ROOT
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.learners import TrackingUcb
from discreet.private import Private
from discreet.problems import Arms

CHECKS_UNTIL = 2**18  # up to here, the interval between checks is a fixed share of the game
PROBED_TOO = 2.0  # times this interval if probes also serve as checks
UNPROVED = "no bound proved; for some losses it is linear, unless guard is set (docs/tracking.md)"


@register_algorithm(
    name="guarded-ucb",
    twin="tsallis-inf",
    title="upper confidence bounds with checks, and a bound for any losses",
    problem=Arms(),
    growth=ROOT,
    builds_on=("zimmert2021tsallis",),
)
def guarded_ucb(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    interval: float | None = None,
    watch: bool = False,
    confidence: Confidence = "tuned",
) -> Instance:
    """``tracking-ucb`` with ``guard``: Tsallis-INF takes over if its regret becomes too large.

    A bound of order sqrt(K T / ε) for ε ≤ 1 holds for all losses that are fixed in advance, if
    every batch arrives before the next one begins. Probes of other arms estimate the regret and
    also serve as checks.
    """
    return tracking_ucb(
        setting,
        batch_size=batch_size,
        interval=interval,
        watch=watch,
        confidence=confidence,
        guard=True,
    )


@register_algorithm(
    name="tracking-ucb",
    twin="tsallis-inf",
    title="upper confidence bounds with checks and change tests",
    problem=Arms(),
)
def tracking_ucb(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    interval: float | None = None,
    watch: bool = False,
    confidence: Confidence = "tuned",
    guard: bool = False,
) -> Instance:
    """Upper confidence bounds on batches, with checks of other arms every ψ T rounds.

    ψ = 0.1 up to 2^18 rounds. Beyond, it falls with the root of T, so that no change goes unnoticed
    for a fixed share of a game. With ``watch`` ψ = 0.03, for losses that are expected to change.
    With ``confidence=proved``, radii and change tests are wide enough for a bound for losses that
    do not change; tuned ones have a fraction of the regret.

    With ``guard``, a bound holds for all losses that are fixed in advance if every batch arrives
    before the next one begins: of order sqrt(K T / ε) if T is large and ε ≤ 1. Probes of other arms
    estimate the regret; if it becomes too large, Tsallis-INF takes over (``guarded-ucb``).
    """
    first = first_batch(setting, batch_size)
    usual = 0.03 if watch else 0.1
    share = (
        usual * min(1.0, math.sqrt(CHECKS_UNTIL / setting.rounds)) if interval is None else interval
    )
    if guard and interval is None:
        share *= PROBED_TOO
    arms, noise, proved = setting.problem.arms, 1.0 / setting.epsilon, confidence == "proved"
    sure = Tracking(arms=arms, rounds=setting.rounds, first=first, noise=noise, interval=share)
    learner = TrackingUcb.start(
        arms=arms,
        noise=noise,
        first=first,
        rounds=setting.rounds,
        interval=share,
        caution=sure.caution if proved else 0.0,
        alarm=sure.alarm if proved else 0.0,
    )
    parameters = {
        "batch_size": first,
        "interval": share,
        "caution": learner.caution,
        "alarm": learner.alarm,
    }
    if guard:
        found = GuardBound(arms, setting.rounds, noise)
        return Instance(
            private=Private(channel_for(setting, first), found.learner(learner)),
            parameters=parameters
            | {
                "threshold": found.threshold,
                "batch_after_takeover": found.batch,
            },
            regret_bound=found.bound() * setting.bounds.width,
            bound_source="docs/regret.md: Guard, Rounds added up",
        )
    return Instance(
        private=Private(channel_for(setting, first), learner),
        parameters=parameters,
        regret_bound=None,
        bound_source=f"{UNCHANGING_ONLY} (docs/regret.md: Tracking)" if proved else UNPROVED,
        stationary_bound=sure.bound() * setting.bounds.width if proved else None,
    )
