"""Upper confidence bounds that need not know whether losses change."""

from __future__ import annotations

import math

from discreet.algorithms.arms.indices import channel, first_batch
from discreet.algorithms.papers import NONE
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.learners import TrackingUcb
from discreet.private import Private
from discreet.problems import Arms

CHECKS_UNTIL = 2**18  # rounds up to which the interval between checks is a fixed share of the game


@register_algorithm(
    name="tracking-ucb",
    twin="tsallis-inf",
    title="upper confidence bounds with checks and change tests",
    problem=Arms(),
    citation=NONE,
)
def tracking_ucb(
    setting: Setting[Arms], *, batch_size: int | None = None, interval: float | None = None, watch: bool = False
) -> Instance:
    """Upper confidence bounds on batches, with checks of the other arms every ψ T rounds and change tests.

    ψ = 0.1 up to 2^18 rounds, then it falls with the root of T, so that no change stays unseen for a fixed share of a
    game; with ``watch`` it is 0.03, for losses that are expected to change.
    """
    first = first_batch(setting, batch_size)
    usual = 0.03 if watch else 0.1
    share = usual * min(1.0, math.sqrt(CHECKS_UNTIL / setting.rounds)) if interval is None else interval
    learner = TrackingUcb.start(
        arms=setting.problem.arms,
        noise=1.0 / setting.epsilon,
        first=first,
        rounds=setting.rounds,
        interval=share,
    )
    return Instance(
        private=Private(channel(setting, first), learner),
        parameters={"batch_size": first, "interval": share},
        regret_bound=None,
        bound_source="no bound proved",
    )
