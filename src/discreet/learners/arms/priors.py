"""Priors: knowledge about arms before the first round."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from discreet.contracts import Learner
from discreet.errors import DiscreetError
from discreet.learners.arms.holding import BatchedUcb, Hold, IndexLearner
from discreet.learners.arms.private_indices import AdapKlUcb
from discreet.learners.arms.tracking_ucb import NOW, CheckedHold, TrackingUcb


class Known(NamedTuple):
    """A mean gain on the scale [0, 1], with the weight of a released mean of some rounds."""

    gain: float
    rounds: int


@functools.singledispatch
def known_of(learner: Learner) -> list[Known | None]:
    """Return a learner's knowledge of each arm, computed from releases."""
    raise DiscreetError(f"{type(learner).__name__} keeps no mean for each arm.")


@known_of.register
def _(learner: IndexLearner) -> list[Known | None]:
    return [
        Known(_mean(learner, arm), int(learner.counts[arm])) if learner.counts[arm] > 0.0 else None
        for arm in range(learner.choices)
    ]


@known_of.register
def _(learner: TrackingUcb) -> list[Known | None]:
    windows = learner.windows
    return [
        Known(windows.mean_gain(arm), int(windows.length(arm))) if windows.sizes[arm] > 0 else None
        for arm in range(learner.choices)
    ]


def _mean(learner: IndexLearner, arm: int) -> float:
    if isinstance(learner, BatchedUcb):
        return float(learner.gains[arm]) / float(learner.weights[arm])
    return float(learner.gains[arm]) / (
        1.0 if isinstance(learner, AdapKlUcb) else float(learner.counts[arm])
    )


def has_means(learner: Learner) -> bool:
    """Return whether a learner keeps a mean for each arm, and so can take priors."""
    return isinstance(learner, IndexLearner | TrackingUcb)


def learn_prior(learner: Learner, known: Sequence[Known | None]) -> None:
    """Let a learner begin with priors, as if each were a release.

    >>> learner = BatchedUcb.start(arms=3, noise=1.0, first=1)
    >>> learn_prior(learner, [Known(0.75, 100), None, Known(0.5, 20)])
    >>> known_of(learner)
    [Known(gain=0.75, rounds=100), None, Known(gain=0.5, rounds=20)]
    """
    for arm, each in enumerate(known):
        if each is None:
            continue
        if isinstance(learner, TrackingUcb):
            learner.asked[arm] += each.rounds
            learner.clock[NOW] += each.rounds
            learner.learn(
                CheckedHold(arm, each.rounds, arm, checks=False, likely=1.0), 1.0 - each.gain
            )
            learner.last[arm] = learner.clock[NOW]
        elif isinstance(learner, IndexLearner):
            learner.asked[arm] += each.rounds
            learner.clock[0] += each.rounds
            learner.learn(Hold(arm, each.rounds, 1.0), 1.0 - each.gain)
        else:
            raise DiscreetError(f"{type(learner).__name__} keeps no mean for each arm.")
