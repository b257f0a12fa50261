"""The numbers of a guard for tracking-ucb, and what its regret cannot exceed. The proof is in docs/regret.md: Guard."""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.algorithms.arms import bounds
from discreet.learners import GuardedUcb, TrackingUcb
from discreet.learners.arms.guarded_ucb import PASSING, SHARE

BLOCK = 8.0  # times ν: rounds of a block; longer ones have less noise and must be more frequent
DEVIATIONS = (
    2.5  # of D(i) are between 0 and the threshold, where arms are equal and losses do not change
)
NOISE_OF_PROBES = (
    0.52 * PASSING
)  # of the threshold is what noise of probes passes it by, in the mean


class Guard(NamedTuple):
    """What all of it follows from: K, T and ν."""

    arms: int
    rounds: int
    noise: float

    @property
    def block(self) -> int:
        """b, the most rounds of a probe."""
        return min(math.ceil(BLOCK * self.noise), self.rounds)

    @property
    def threshold(self) -> float:
        """θ: with arms that are equal each is probed in 1 / (4 K) of all rounds, and D(i) has the deviation θ / 2.5."""
        variance = 0.25 + 2.0 * self.noise**2 / self.block
        return DEVIATIONS * math.sqrt(variance * self.rounds * self.arms / SHARE)

    @property
    def batch(self) -> int:
        """τ, the length of batches after the takeover: next to 2 ν, where the bound is least."""
        below = max(1, math.floor(2.0 * self.noise))
        return min(min(below, below + 1, key=self.later), self.rounds)

    def later(self, batch: int) -> float:
        """Return what the regret after the takeover cannot exceed, in batches of that length."""
        drawn_together = 1.0 + 2.0 * self.noise / batch  # 1 / a
        return (
            batch * drawn_together * bounds.sharp_tsallis_inf(self.arms, self.rounds // batch)
            + batch
            - 1.0
        )

    def learner(self, tracking: TrackingUcb) -> GuardedUcb:
        """Return the learner before the first round."""
        return GuardedUcb.start(
            tracking=tracking,
            rounds=self.rounds,
            block=self.block,
            threshold=self.threshold,
            batch=self.batch,
        )

    def bound(self) -> float:
        """Return what the expected regret cannot exceed, for losses that are fixed in advance."""
        passing = (self.block + self.noise) * self.arms / SHARE + NOISE_OF_PROBES * self.threshold
        return min(self.threshold + passing + self.later(self.batch), float(self.rounds))
