"""A regret bound for tracking-ucb with wide radii, where losses do not change.

The proof is in docs/regret.md: Tracking. Names of numbers are those of that section.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.algorithms.arms.stationary import concave_majorant
from discreet.learners.arms.radius import batch_weight, radius
from discreet.learners.arms.tracking_ucb import EARLY, GROWTH, LEADER, QUIET, ROOM, SOONEST

SHARE = GROWTH / (
    1.0 + GROWTH
)  # of an arm's rounds by index are in its last batch, unless that is capped
RATIO = 1.1  # q, of one tilt to the next
CELL = 1.01  # of numbers of rounds at which the cost of an arm is computed
ROUNDING = 1.001  # radii are found by bisection


class Tracking(NamedTuple):
    """What the bound depends on: K, T, b₁, the scale of the noise on the sum of a batch, and ψ."""

    arms: int
    rounds: int
    first: int
    noise: float
    interval: float

    @property
    def tilts(self) -> int:
        """G, the number of λ, q apart, between the least and the largest that can be the best for a radius."""
        largest = (self.first / 4.0 + 2.0 * self.noise**2) / (self.first * self.noise)
        least = min(math.sqrt(1.0 / (6.0 * self.rounds)), 1.0 / (4.0 * math.sqrt(2.0) * self.noise))
        return 1 + math.ceil(math.log(largest / least) / math.log(RATIO))

    @property
    def caution(self) -> float:
        """The confidence of radii: all means of all arms are within them, but with probability 1 / (2 T)."""
        return RATIO * math.log(2.0 * self.arms * self.tilts * self.rounds)

    @property
    def alarm(self) -> float:
        """The confidence of a change: there is no false alarm in the game, but with probability 1 / (2 T)."""
        releases = max(1, self.rounds // self.first)
        return 2.0 * RATIO * math.log(4.0 * self.tilts * releases * self.rounds)

    @property
    def checks(self) -> int:
        """C, the most checks of an arm that can begin."""
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
        growing = min(played, large / SHARE) - small / SHARE
        weight = min(played, small / SHARE) * batch_weight(small, self.noise) / small
        if growing > 0.0:
            end = small + SHARE * growing
            weight += (
                4.0 * (end - small)
                - 16.0 * twice * math.log((end + 4.0 * twice) / (small + 4.0 * twice))
            ) / SHARE
        return weight + max(0.0, played - large / SHARE) * batch_weight(large, self.noise) / large

    def cost(self, played: float, upto: float) -> float:
        """Return what at most ``upto`` rounds of an arm can cost that was played at least ``played`` rounds."""
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
        """Return what the expected regret cannot exceed, whatever the means of the arms are."""
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
