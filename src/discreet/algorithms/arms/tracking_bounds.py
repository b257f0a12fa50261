"""Regret bounds of tracking-ucb: with wide radii where losses do not change, and with a guard.

Proofs: docs/regret.md: Tracking, Guard. Names of
numbers are those of these sections.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.algorithms.arms import bounds, summed_bounds
from discreet.algorithms.arms.indices import concave_majorant
from discreet.learners import GuardedUcb, TrackingUcb
from discreet.learners.arms.guarded_ucb import PHASES, SHARE
from discreet.learners.arms.radius import batch_weight, radius
from discreet.learners.arms.tracking_ucb import EARLY, GROWTH, LEADER, QUIET, ROOM, SOONEST

# share of an arm's rounds by index that are in its last batch, unless that is capped
LAST = GROWTH / (1.0 + GROWTH)
RATIO = 1.1  # q, of one tilt to the next
CELL = 1.01  # ratio of the numbers of rounds at which the cost of an arm is computed
ROUNDING = 1.001  # allowance for radii, which are found by bisection

THRESHOLD = 3.75  # θ in units of sqrt(K T (1 + Λ))
LEAST_THRESHOLD = (
    1.25  # the same, if the bound would otherwise not be below the regret of uniform play
)
BELOW_UNIFORM = 0.98  # the target of the bound then, as a share of the regret of uniform play


class Tracking(NamedTuple):
    """The parameters of the bound: K, T, τ₁, Λ and ψ."""

    arms: int
    rounds: int
    first: int
    noise: float
    interval: float

    @property
    def tilts(self) -> int:
        """G, the number of tilts, q apart, between the least and the largest useful one."""
        largest = (self.first / 4.0 + 2.0 * self.noise**2) / (self.first * self.noise)
        least = min(math.sqrt(1.0 / (6.0 * self.rounds)), 1.0 / (4.0 * math.sqrt(2.0) * self.noise))
        return 1 + math.ceil(math.log(largest / least) / math.log(RATIO))

    @property
    def caution(self) -> float:
        """The confidence of radii: all means are within them, except with probability 1 / (2 T)."""
        return RATIO * math.log(2.0 * self.arms * self.tilts * self.rounds)

    @property
    def alarm(self) -> float:
        """The confidence of a change: no false alarm, except with probability 1 / (2 T)."""
        releases = max(1, self.rounds // self.first)
        return 2.0 * RATIO * math.log(4.0 * self.tilts * releases * self.rounds)

    @property
    def checks(self) -> int:
        """C, the largest number of checks of an arm that can begin."""
        late = math.floor(1.0 / (SOONEST * self.interval))
        spans = self.rounds / (SOONEST * QUIET * self.first)
        early = (
            1 + math.floor(math.log(spans) / -math.log(1.0 - SOONEST * EARLY))
            if spans >= 1.0
            else 0
        )
        return late + early

    def weight_after(self, played: float) -> float:
        """Q(m), the least weight that m rounds by index give an arm."""
        twice = 2.0 * self.noise**2
        small, large = float(self.first), float(max(self.first, math.floor(LEADER * self.noise**2)))
        growing = min(played, large / LAST) - small / LAST
        weight = min(played, small / LAST) * batch_weight(small, self.noise) / small
        if growing > 0.0:
            end = small + LAST * growing
            weight += (
                4.0 * (end - small)
                - 16.0 * twice * math.log((end + 4.0 * twice) / (small + 4.0 * twice))
            ) / LAST
        return weight + max(0.0, played - large / LAST) * batch_weight(large, self.noise) / large

    def cost(self, played: float, upto: float) -> float:
        """Return the largest cost of ``upto`` rounds of an arm after ``played`` rounds of it."""
        growth = 1.0 + GROWTH / (1.0 - ROOM)
        earlier = (
            (1.0 - ROOM) / growth * played - self.checks * self.first - (self.first + 1.0) / growth
        )
        if earlier <= 0.0:
            return upto
        weight = self.weight_after(earlier)
        return upto * min(
            1.0, 2.0 * ROUNDING * radius(weight, weight / 2.0, 4.0 * self.noise, self.caution)
        )

    def bound(self) -> float:
        """Return a bound on the expected regret, for any means of the arms."""
        points, played = [(0.0, 0.0)], 1.0
        while played < self.rounds:
            points.append((played, self.cost(played, played * CELL)))
            played *= CELL
        points.append((float(self.rounds), self.cost(float(self.rounds), float(self.rounds))))
        others = self.arms - 1
        hindsight = math.sqrt(self.rounds * math.log(self.arms) / 2.0)
        return min(
            others * concave_majorant(points, self.rounds / others) + 1.0 + hindsight,
            float(self.rounds),
        )


class GuardBound(NamedTuple):
    """The parameters of the guard and its bound, derived from K, T and Λ."""

    arms: int
    rounds: int
    noise: float

    @property
    def threshold(self) -> float:
        """θ, smaller in short games if the bound is then below the regret of uniform play."""
        unit = math.sqrt(self.arms * self.rounds * (1.0 + self.noise))
        uniform = (1.0 - 1.0 / self.arms) * self.rounds
        rest = BELOW_UNIFORM * uniform - self.after_takeover
        largest = rest / PHASES - self.passing
        usual = THRESHOLD * unit
        return min(usual, largest) if largest > LEAST_THRESHOLD * unit else usual

    @property
    def passing(self) -> float:
        """How far an estimate can exceed the threshold."""
        return (self.noise + max(1, math.ceil(self.noise))) * self.arms / SHARE

    @property
    def batch(self) -> int:
        """τ, the length of batches after the takeover: near 2 Λ, where the bound is least."""
        below = max(1, math.floor(2.0 * self.noise))
        return min(min(below, below + 1, key=self.later), self.rounds)

    def later(self, batch: int) -> float:
        """Return a simple bound on the regret after the takeover, used to choose lengths."""
        drawn_together = 1.0 + 2.0 * self.noise / batch  # 1 / a
        found = bounds.sharp_tsallis_inf(self.arms, self.rounds // batch)
        return batch * drawn_together * found + batch - 1.0

    def learner(self, tracking: TrackingUcb) -> GuardedUcb:
        """Return the learner before the first round."""
        return GuardedUcb.start(
            tracking=tracking,
            rounds=self.rounds,
            threshold=self.threshold,
            batch=self.batch,
        )

    def bound(self) -> float:
        """Return a bound on the expected regret, for losses that are fixed in advance."""
        tracked = PHASES * (self.threshold + self.passing)
        return min(tracked + self.after_takeover, float(self.rounds))

    @property
    def after_takeover(self) -> float:
        """A better bound on the regret after the takeover (docs/regret.md: Rounds added up).

        It uses that moved releases have smaller mean squares than bits.
        """
        scale = self.noise / self.batch
        contrast = 1.0 / (1.0 + 2.0 * scale)
        found = summed_bounds.tsallis_inf(
            self.arms,
            self.rounds // self.batch,
            square=summed_bounds.confined_square(scale),
            contrast=contrast,
        )
        return self.batch / contrast * found + self.batch - 1.0
