"""Tsallis-INF on noisy batches that find their own length."""

from __future__ import annotations

from discreet.algorithms.arms.indices import channel, first_batch
from discreet.algorithms.papers import NONE, TSALLIS_INF
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.learners import AdaptiveTsallisInf
from discreet.private import Private
from discreet.problems import Arms


@register_algorithm(
    name="adaptive-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF on batches that find their length",
    problem=Arms(),
    citation=NONE,
    builds_on=(TSALLIS_INF,),
)
def adaptive_tsallis_inf(setting: Setting[Arms], *, robust: bool = False) -> Instance:
    """Tsallis-INF with a running baseline, on batches that find their length; for arms that take turns quickly.

    ``robust`` gives up some regret where nothing changes, for less where arms change and fewer bad
    runs.
    """
    constants = {"rate": 5.0, "down": 0.7, "up": 0.4, "mix": 0.02}
    if not robust:
        constants = {"rate": 4.0, "down": 0.5, "up": 0.5, "mix": 0.05}
    learner = AdaptiveTsallisInf.start(
        arms=setting.problem.arms, noise=1.0 / setting.epsilon, rounds=setting.rounds, **constants
    )
    usual = first_batch(setting, None)
    return Instance(
        private=Private(channel(setting, usual), learner),
        parameters={"batch_size": usual, **constants},
        regret_bound=None,
        bound_source="no bound proved",
    )
