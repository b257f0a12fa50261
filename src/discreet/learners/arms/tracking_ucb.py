"""Upper confidence bounds that adapt to changes, by scheduled checks and tests on releases."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.fresh import fresh_arm
from discreet.learners.arms.holding import LONGEST
from discreet.learners.arms.radius import Windows, batch_weight
from discreet.learners.arms.ties import fresh_chances, tie_chances

# Chosen on deterministic, stochastic, switching, oblivious and repeating losses, and evaluated on
# others (docs/tracking.md).
EXPLORATION = 0.5  # less than for losses that do not change: checks repair a wrong decision
RARER = 3.0  # added to confidence as a logarithm: an arm that is always played has ln 3
GROWTH = 0.5  # a batch is at most this share of the rounds of its arm
FEW = 4.0  # with more arms, one is likelier to look good by chance
QUIET = 30.0  # first batches after a change without checks: the index explores anyway
# The interval between two checks, as a share of the rounds since the last sure change, until that
# exceeds the usual interval.
EARLY = 0.8
SOONEST, LATEST = 0.7, 1.3  # factors of the interval: the time of a check is random
# Divided by ε²: up to this length, a batch of the leader need not wait for others. The noise is
# then half of the variance.
LEADER = 16.0
LONG = 64.0  # divided by ε²: no batch is longer, or longer than sqrt(T) if that is more
LEAST_GAP = 0.01  # smaller distances from the leader would make checks endless
# Checks begin when the leader has this share of the rounds since the last sure change; before that,
# the index still explores.
SETTLED = 0.3
ROOM = 0.25  # at most this share of an arm's rounds are checks, where a bound is to hold
# A check continues after its first batch if three quarters of the distance to the leader are gone.
FIRST_LOOK = 0.25
OVERSHOOT = 0.2  # noisy means are clipped to [-0.2, 1.2]: a release below 0 says no more than 0
CHANGED = 4.0  # confidence for a change of an arm that does not lead
SURE = 2.0  # added to ln(t / τ₁): confidence for a change of the leader
# The spread rises if squared differences above LARGE times their variance have a share above OFTEN.
LARGE, OFTEN, PACE, WIDEST = 2.0, 0.3, 0.1, 20.0

# Entries of the clock: rounds requested, last sure change, spread.
NOW, CHANGE, SPREAD = range(3)
# Entries of a check: arm + 1 or 0, rounds, Σ o, Σ o gain, releases, whether one is due.
CHECK, USED, WEIGHT, GAIN, BATCHES, PENDING = range(6)


class CheckedHold(NamedTuple):
    """The trace of a batch: arm, rounds, the leader, whether it is a check, and its likelihood."""

    arm: int
    rounds: int
    rival: int
    checks: bool
    likely: float


class TrackingUcb(Learner[int, CheckedHold, float]):
    """Upper confidence bounds on batches that check other arms and forget what has changed.

    Every arm has a window of n(i) rounds, with a weighted mean gain m(i) and its radius r(i) at
    confidence β(i) = 0.5 φ ln(3 max(1, t / n(i)) max(1, K / 4)): an arm that was rarely played may
    be underestimated, and the more rounds an arm has had, the less does it cost to play others
    instead. The leader has the largest m - r. In this order:

    1. A check that is under way continues, for as many rounds as it has had.
    2. An arm that was not played for ω min(max(0.8 (t - t'), 30 τ₁), ψ T) rounds is checked, with
       t' the last sure change and ω random in [0.7, 1.3]. The check is a batch that would show an
       improvement of about twice the arm's distance g from the leader:
       max(0.6 / (ε g), 0.05 φ / g²), at most n(i) and at most max(16 / ε², t / 100).
    3. The arm with the largest m + r is played for n(i) / 2 rounds; the leader for at most
       max(16 / ε², n / 2), where n is the largest of any other arm.

    After a release of an arm, its last 1, 2, 4, ... releases are compared with those before
    (``Windows``). If they differ, older ones are forgotten, which also ends a check. A check ends,
    too, if its mean is below the leader's (after its first batch, by more than a quarter of the
    distance known before), or if it is longer than what was known before.

    The spread φ is 1 for independent losses. It rises where two consecutive releases of an arm
    differ by more than independent losses would, as losses that repeat for some rounds do. All
    confidences are multiplied by it. It is at most 20 and at most 20 ε², because with much noise it
    costs more than it gains.

    Outcomes may arrive late. Lengths in 3. then count rounds that are open, and r(i) shrinks as if
    they were in the window; all else is computed from releases.

    No batch is longer than max(64 / ε², sqrt(T)), except in a check. No check begins while the
    leader has had less than 0.3 of the rounds since t': then the index explores the other arms.

    ``noise`` is Λ = 1 / ε, the scale of the noise on the sum of a batch; ``interval`` is ψ,
    ``rounds`` is T.

    If ``caution`` > 0, every β is ``caution``, ``alarm`` is the confidence for a change of any arm,
    releases are not clipped, φ is 1, and checks have at most a quarter of an arm's rounds, or τ₁
    each. Then a regret bound holds for losses that do not change (docs/regret.md: Tracking). No
    other bound is proved: there are losses that make the regret linear (docs/tracking.md).
    """

    predictable: ClassVar[bool] = True

    noise: float
    first: int  # τ₁
    every: float  # ψ T
    longest: float  # rounds of a batch, except in checks
    caution: float
    alarm: float
    windows: Windows
    asked: Floats  # rounds of an arm that were requested
    heard: Floats  # rounds of an arm whose outcomes were released
    checked: Floats  # rounds of checks in the window of an arm
    last: Floats  # the round after which an arm was played last
    spread: Floats  # ω
    means: Floats
    radii: Floats
    betas: Floats  # β of these radii
    check: Floats
    clock: Floats
    chances: Floats  # of each arm at the last draw: 1 for the best, unless there was a tie

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.asked.size

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        noise: float,
        first: int,
        rounds: int,
        interval: float,
        caution: float = 0.0,
        alarm: float = 0.0,
    ) -> TrackingUcb:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        scale = check_positive("noise", noise)
        share = check_range("interval", check_positive("interval", interval), 0.0, 1.0)
        return cls(
            noise=scale,
            first=check_int("first", first, minimum=1),
            every=share * check_int("rounds", rounds, minimum=1),
            longest=min(max(LONG * scale * scale, math.sqrt(rounds)), LONGEST),
            caution=check_range("caution", caution, 0.0, 1e6),
            alarm=check_range("alarm", alarm, 0.0, 1e6),
            windows=Windows.empty(count, scale),
            asked=np.zeros(count),
            heard=np.zeros(count),
            checked=np.zeros(count),
            last=np.zeros(count),
            spread=np.ones(count),
            means=np.zeros(count),
            radii=np.zeros(count),
            betas=np.zeros(count),
            check=np.zeros(6),
            clock=np.array([0.0, 0.0, 1.0]),
            chances=np.zeros(count),
        )

    @classmethod
    def example(cls) -> TrackingUcb:
        """Return an example for the contract tests."""
        return cls.start(arms=5, noise=2.0, first=2, rounds=300, interval=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[int, CheckedHold]:
        """Continue a check, begin one, or play the arm with the largest index."""
        drawn = rng.random()
        arm = fresh_arm(self.windows.sizes, self.asked, drawn)
        leader, checks, rounds, likely = arm, False, self.first, 1.0
        if arm >= 0:
            likely = fresh_chances(self.windows.sizes, self.asked, arm, self.chances)
        else:
            leader = self.leading_arm()
            arm = self.checked_arm(leader)
            checks = arm >= 0
            if checks:
                rounds = max(self.first, int(min(float(self.check[USED]), LONGEST)))
            else:
                arm = self.overdue_arm(leader)
                checks = arm >= 0
                if checks:
                    rounds = self.check_length(arm, leader)
                    for part in range(self.check.size):
                        self.check[part] = 0.0
                    self.check[CHECK] = arm + 1.0
                else:
                    arm = self.optimistic_arm(int(drawn * self.asked.size))
                    likely = tie_chances(self.chances, arm)
                    rounds = self.batch_length_of(arm, leader)
        if checks:
            for i in range(self.chances.size):
                self.chances[i] = 1.0 if i == arm else 0.0
            self.check[PENDING] = 1.0
            self.checked[arm] += rounds
        self.asked[arm] += rounds
        self.clock[NOW] += rounds
        self.last[arm] = self.clock[NOW]
        self.spread[arm] = SOONEST + (LATEST - SOONEST) * rng.random()
        return arm, CheckedHold(arm, rounds, leader, checks, likely)

    def leading_arm(self) -> int:
        """Return the arm with the largest m - r."""
        leader = 0
        for arm in range(self.radii.size):
            if abs(self.confidence(arm) - self.betas[arm]) > 0.05:  # it changes slowly with time
                self.update_radius(arm)
            if self.means[arm] - self.radii[arm] > self.means[leader] - self.radii[leader]:
                leader = arm
        return leader

    def confidence(self, arm: int) -> float:
        """Return β of an arm."""
        if self.caution > 0.0:
            return self.caution
        rarer = RARER * max(1.0, float(self.clock[NOW]) / self.windows.length(arm))
        more = math.log(rarer * max(1.0, self.asked.size / FEW))
        return EXPLORATION * more * float(self.clock[SPREAD])

    def update_radius(self, arm: int) -> None:
        """Compute the radius of an arm."""
        self.betas[arm] = self.confidence(arm)
        self.radii[arm] = self.windows.window_radius(arm, float(self.betas[arm]))

    def log_time(self) -> float:
        """Return ln(t / τ₁), at least ln 3."""
        return math.log(max(3.0, float(self.clock[NOW]) / self.first))

    def checked_arm(self, leader: int) -> int:
        """Return the arm whose check continues, or -1."""
        arm = int(self.check[CHECK]) - 1
        goes_on = (
            arm >= 0
            and self.check[PENDING] == 0.0
            and arm != leader
            and self.check[USED] <= self.room(arm)
        )
        return arm if goes_on else -1

    def room(self, arm: int) -> float:
        """Return how many more rounds of checks an arm may have."""
        if self.caution == 0.0:
            return LONGEST
        return (ROOM * self.windows.length(arm) - float(self.checked[arm])) / (1.0 - ROOM)

    def overdue_arm(self, leader: int) -> int:
        """Return the arm whose check is most overdue, or -1."""
        now = float(self.clock[NOW])
        since = now - float(self.clock[CHANGE])
        if self.windows.length(leader) < SETTLED * since:
            return -1
        usual = min(max(EARLY * since, QUIET * self.first), self.every)
        arm, most = -1, 0.0
        for i in range(self.last.size):
            late = now - float(self.last[i]) - float(self.spread[i]) * usual
            if i != leader and late > most:
                arm, most = i, late
        return arm

    def check_length(self, arm: int, leader: int) -> int:
        """Return for how many rounds a check begins."""
        gap = max(float(self.means[leader]) - max(float(self.means[arm]), 0.0), LEAST_GAP)
        # less its radius: a lucky mean must not make all later checks short
        gap = max(gap - self.windows.window_radius(arm, 1.0), gap / 4.0)
        # enough to show an improvement of about twice the gap despite noise and random losses
        wanted = max(0.6 * self.noise / gap, 0.05 * float(self.clock[SPREAD]) / (gap * gap))
        most = max(LEADER * self.noise * self.noise, 0.01 * float(self.clock[NOW]))
        wanted = min(math.ceil(min(wanted, self.windows.length(arm), most)), self.room(arm))
        return max(self.first, int(wanted))

    def optimistic_arm(self, start: int) -> int:
        """Return the arm with the largest m + r; ties go to the first from ``start`` on."""
        best = start
        most = -math.inf
        for step in range(self.radii.size):
            arm = (start + step) % self.radii.size
            known, wide = self.windows.length(arm), float(self.radii[arm])
            if self.still_open(arm) > 0.0:
                wide *= math.sqrt(known / (known + self.still_open(arm)))
            self.chances[arm] = float(self.means[arm]) + wide
            if self.chances[arm] > most:
                best, most = arm, float(self.chances[arm])
        return best

    def still_open(self, arm: int) -> float:
        """Return the rounds of an arm whose outcomes are outstanding."""
        return max(float(self.asked[arm]) - float(self.heard[arm]), 0.0)

    def batch_length_of(self, arm: int, leader: int) -> int:
        """Return for how many rounds the arm with the largest index is played."""
        known = self.windows.length(arm) + self.still_open(arm)
        rounds = math.ceil(min(GROWTH * known, self.longest))
        if arm == leader:
            others = 0.0
            for i in range(self.radii.size):
                if i != arm:
                    others = max(others, self.windows.length(i) + self.still_open(i))
            rounds = min(rounds, int(max(LEADER * self.noise * self.noise, GROWTH * others)))
        return max(self.first, rounds)

    def chance(self, trace: CheckedHold, action: int) -> float:
        """Return the probability of an arm."""
        return trace.likely if action == trace.arm else float(self.chances[action])

    def patience(self, trace: CheckedHold) -> int:
        """Hold the arm for its batch."""
        return trace.rounds

    def learn(self, trace: CheckedHold, released: float) -> None:
        """Add a release, test for a change, and decide whether a check continues."""
        arm = trace.arm
        gain = 1.0 - released
        self.heard[arm] += trace.rounds
        if self.caution == 0.0:
            gain = min(max(gain, -OVERSHOOT), 1.0 + OVERSHOOT)
            self.weigh_spread(arm, trace.rounds, gain)
        known = float(self.means[arm])
        self.windows.enter(arm, trace.rounds, gain)
        change = self.change_of(arm, trace.rival)
        if change > 0:
            self.checked[arm] = 0.0
        if change == 2:
            self.clock[CHANGE] = self.clock[NOW]
        self.means[arm] = self.windows.mean_gain(arm)
        self.update_radius(arm)
        if trace.checks and int(self.check[CHECK]) == arm + 1:
            self.weigh_check(trace, gain, known)
            if change > 0:
                self.check[CHECK] = 0.0

    def note_probe(self, arm: int, rounds: int) -> None:
        """Count rounds of an arm that another learner requests; its next check can wait."""
        self.asked[arm] += rounds
        self.clock[NOW] += rounds
        self.last[arm] = self.clock[NOW]

    def overhear(self, trace: CheckedHold, released: float) -> None:
        """Learn from a batch that another learner requested.

        There may be many such batches, so only a sure change counts.
        """
        arm, gain = trace.arm, 1.0 - released
        self.heard[arm] += trace.rounds
        if self.caution == 0.0:
            gain = min(max(gain, -OVERSHOOT), 1.0 + OVERSHOOT)
        self.windows.enter(arm, trace.rounds, gain)
        sure = self.alarm
        if sure == 0.0:
            sure = float(self.clock[SPREAD]) * (self.log_time() + SURE)
        if self.windows.cut(arm, sure, sure) > 0:
            self.checked[arm] = 0.0
            self.clock[CHANGE] = self.clock[NOW]
        self.means[arm] = self.windows.mean_gain(arm)
        self.update_radius(arm)

    def give_up(self, trace: CheckedHold) -> None:
        """Remove a batch that will not be released from the counts, and end its check."""
        self.asked[trace.arm] -= trace.rounds
        if trace.checks and int(self.check[CHECK]) == trace.arm + 1:
            self.check[CHECK] = 0.0

    def change_of(self, arm: int, rival: int) -> int:
        """Forget what is older than a change of an arm; return 0 for none, 2 for a sure one."""
        ordinary, strong = self.alarm, self.alarm
        if self.alarm == 0.0:
            spread, sure = float(self.clock[SPREAD]), self.log_time() + SURE
            ordinary, strong = spread * (sure if arm == rival else CHANGED), spread * sure
        return self.windows.cut(arm, ordinary, strong)

    def weigh_spread(self, arm: int, rounds: int, gain: float) -> None:
        """Update the spread by how much two consecutive releases of an arm differ."""
        if self.windows.sizes[arm] > 0.0:
            own = 1.0 / batch_weight(float(rounds), self.noise)
            variance = own + self.windows.last_variance(arm)
            apart = gain - self.windows.last_gain(arm)
            spread = float(self.clock[SPREAD])
            large = apart * apart > LARGE * spread * variance
            spread *= math.exp(PACE * ((1.0 if large else 0.0) - OFTEN))
            self.clock[SPREAD] = max(1.0, min(spread, WIDEST, WIDEST / (self.noise * self.noise)))

    def weigh_check(self, trace: CheckedHold, gain: float, known: float) -> None:
        """Add a release to the check, and end the check if it is settled.

        It is settled if the arm does not look better than before, or if it surely does.
        """
        weight = batch_weight(float(trace.rounds), self.noise)
        self.check[USED] += trace.rounds
        self.check[WEIGHT] += weight
        self.check[GAIN] += weight * gain
        self.check[BATCHES] += 1.0
        self.check[PENDING] = 0.0
        lead = float(self.means[trace.rival])
        patience = FIRST_LOOK if self.check[BATCHES] == 1.0 else 0.0
        looks_worse = self.check[GAIN] / self.check[WEIGHT] < lead - patience * (lead - known)
        if looks_worse or 2.0 * self.check[USED] > self.windows.length(trace.arm):
            self.check[CHECK] = 0.0
