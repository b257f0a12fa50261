"""Upper confidence bounds that need not know whether losses change."""

from __future__ import annotations

import math

from discreet.algorithms.arms.guarding import Guard
from discreet.algorithms.arms.indices import UNCHANGING_ONLY, Confidence, channel, first_batch
from discreet.algorithms.arms.tracking_bound import Tracking
from discreet.algorithms.papers import NONE
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.learners import TrackingUcb
from discreet.private import Private
from discreet.problems import Arms

CHECKS_UNTIL = 2**18  # rounds up to which the interval between checks is a fixed share of the game
UNPROVED = (
    "no bound proved; there are losses with which it is linear, unless guard is set "
    "(docs/tracking.md)"
)


@register_algorithm(
    name="tracking-ucb",
    twin="tsallis-inf",
    title="upper confidence bounds with checks and change tests",
    problem=Arms(),
    citation=NONE,
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
    """Upper confidence bounds on batches, with checks of the other arms every ψ T rounds and change tests.

    ψ = 0.1 up to 2^18 rounds, then it falls with the root of T, so that no change stays unseen for
    a fixed share of a game; with ``watch`` it is 0.03, for losses that are expected to change. With
    ``confidence=proved`` radii and change tests are so wide that a bound holds for losses that do
    not change; tuned ones have a fraction of the regret.

    With ``guard`` a bound holds for all losses that are fixed in advance, of order sqrt(K T / ε) if
    T is large and ε ≤ 1, if every batch is heard before the next one begins: regret is estimated by
    probes of other arms, and if there is too much of it, Tsallis-INF takes over. Where losses do
    not change, that costs about as much again as the learner itself does.
    """
    first = first_batch(setting, batch_size)
    usual = 0.03 if watch else 0.1
    share = (
        usual * min(1.0, math.sqrt(CHECKS_UNTIL / setting.rounds)) if interval is None else interval
    )
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
        return _guarded(setting, learner, Guard(arms, setting.rounds, noise), parameters)
    return Instance(
        private=Private(channel(setting, first), learner),
        parameters=parameters,
        regret_bound=None,
        bound_source=f"{UNCHANGING_ONLY} (docs/regret.md: Tracking)" if proved else UNPROVED,
        stationary_bound=sure.bound() * setting.bounds.width if proved else None,
    )


def _guarded(
    setting: Setting[Arms], learner: TrackingUcb, guard: Guard, parameters: dict[str, float]
) -> Instance:
    numbers = {
        "block": guard.block,
        "threshold": guard.threshold,
        "batch_after_takeover": guard.batch,
    }
    return Instance(
        private=Private(channel(setting, learner.first), guard.learner(learner)),
        parameters=parameters | numbers,
        regret_bound=guard.bound() * setting.bounds.width,
        bound_source="docs/regret.md: Guard",
    )
