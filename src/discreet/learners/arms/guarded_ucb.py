"""Tracking that estimates its own regret by probes and hands over to Tsallis-INF if necessary."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive
from discreet.learners.arms.draws import draw
from discreet.learners.arms.tracking_ucb import CheckedHold, TrackingUcb
from discreet.learners.arms.tsallis_inf import BaselineDraw, TsallisInf

# The constants of the regret bound (docs/regret.md: Guard).
SHARE = 0.25  # at most this share of all rounds are probes
HEADROOM = 0.1  # a turn is at most this share of the room to the threshold
PHASES = 2  # how often a threshold is passed before Tsallis-INF takes over
# Standard deviations of D(i) between 0 and the threshold if losses do not change, in the first
# phase and later, with 4 arms; with more arms, one passes it more easily.
AT_FIRST, LATER, FEW = 1.8, 2.5, 4.0
LENGTHS, LONGER = 8, 1.6  # of blocks that are considered: τ₁ times powers of 1.6, up to 27

TRACKS, PROBES, TOOK_OVER = range(3)  # purposes of a hold
# Entries of a turn: the plan of tracking (arm, rounds left, rival, whether it checks), and a probe
# that is due (arm + 1, rounds).
ARM, REST, RIVAL, CHECKS, PROBED, LENGTH = range(6)
NOW, PASSED = range(2)  # entries of the clock: rounds requested, and how often θ was passed


class GuardedHold(NamedTuple):
    """The trace of a hold: its purpose, the probability of its arm, and the guessed gain.

    The other fields are for tracking or Tsallis-INF.
    """

    arm: int
    rounds: int
    purpose: int
    chance: float
    guess: float
    rival: int
    checks: bool
    drawn: BaselineDraw


class GuardedUcb(Learner[int, GuardedHold, float]):
    """Plays like ``TrackingUcb``, with probes; if its regret is too high, Tsallis-INF takes over.

    D(i) estimates the regret against arm i, without bias. The game is a sequence of turns, each of
    one or more blocks:

    1. If some D(i) > θ, all D(i) become 0. The second time Tsallis-INF takes over for the rest of
    the game, in batches of τ rounds. 2. Tracking wants arm A for some rounds, or has some of them
    left; n of them, at most max(m, X / 10), belong to this turn, where X is the least X(i) = θ -
    D(i). They are cut into k blocks of at most m rounds. m is one of 8 lengths from τ₁ = ceil(Λ)
    to about 27 τ₁, chosen to minimise the cost of probes by the estimates of tracking, and at most
    max(τ₁, 0.45 X / (4 K)). 3. With e(i) the mean gain estimated by tracking, g(i) its distance
    from the largest, but at least θ² / (4 X(i) sqrt(T t)), and t the rounds so far, let

           N(v) = (m (1 - v) + Λ) / 0.9,
           W(v) = z² (e(i) (1 - e(i)) + m (v - e(i))² + 2 Λ² / m) / (2 g(i)).

       The guess v(i) is e(i), or if N(e(i)) > W(e(i)), the v > e(i) with N(v) = W(v), at most 1.
       The arms get the probabilities

           P(i) = min(1 / (4 K), max(N(v(i)), W(e(i))) / X(i)),   P(A) = 1 - Σ P(i)

       but P(i) = 0 if no more than X(i) rounds are left.
    4. Every block is played with an arm drawn from P, up to the first that is not A. That one is a
       probe, and ends the turn.
    5. For n rounds with arm I whose noisy gains are released, moved to the end of [0, n] and Λ
       beyond if they are outside (``settle``), D(i) += n v(i) - y for all i, and
       D(I) += (y - n v(I)) / P(I).

    Consecutive blocks of A are one batch. Tracking learns from all batches, and checks an arm less
    often if it was probed. P is large where D(i) is near the threshold, which it must not exceed by
    much: this is what N is for. W keeps the spread of D(i) a fixed share of X(i) where losses do
    not change, so that D(i) does not pass the threshold by chance; z is larger after it was passed
    once. A guess above the estimate makes N smaller and the spread larger, so it is raised where N
    is more than the spread needs. An arm that is far behind is hardly probed.

    Tsallis-INF receives numbers in [0, 1] whose means are those of the batches, moved towards 1/2
    (``confine``).

    ``threshold`` is θ, ``rounds`` T, ``batch`` τ; Λ is the ``noise`` of ``tracking``, the scale of
    the noise on the sum of a batch.

    Regret, for all losses that are fixed in advance: at most 2 (θ + 4 K (Λ + τ₁)), plus that of
    Tsallis-INF (docs/regret.md: Guard).
    """

    predictable: ClassVar[bool] = True  # most rounds are not probes

    tracking: TrackingUcb
    later: TsallisInf
    rounds: int
    threshold: float
    batch: int
    regrets: Floats  # D
    estimates: Floats  # e
    guesses: Floats  # v
    chances: Floats  # P
    turn: Floats
    clock: Floats

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.regrets.size

    @classmethod
    def start(
        cls, *, tracking: TrackingUcb, rounds: int, threshold: float, batch: int
    ) -> GuardedUcb:
        """Return the learner before the first round."""
        arms = tracking.choices
        return cls(
            tracking=tracking,
            # reduced variance, as in the bound (docs/regret.md: Tsallis-INF)
            later=TsallisInf.start(arms=arms, learning_rate=4.0, baseline=0.5, likely=0.25),
            rounds=check_int("rounds", rounds, minimum=1),
            threshold=check_positive("threshold", threshold),
            batch=check_int("batch", batch, minimum=1),
            regrets=np.zeros(arms),
            estimates=np.full(arms, 0.5),
            guesses=np.full(arms, 0.5),
            chances=np.zeros(arms),
            turn=np.zeros(6),
            clock=np.zeros(2),
        )

    @classmethod
    def example(cls) -> GuardedUcb:
        """Return an example for the contract tests."""
        return cls.start(tracking=TrackingUcb.example(), rounds=2000, threshold=300.0, batch=4)

    def act(self, observation: object, rng: Generator) -> tuple[int, GuardedHold]:
        """Play a probe that is due, begin a turn, or leave the round to Tsallis-INF."""
        drawn = BaselineDraw(0, 1.0, math.inf, self.later.baselines)
        purpose, rounds = PROBES, 0
        if self.turn[PROBED] == 0.0:
            if self.is_over():
                arm, drawn = self.later.act(observation, rng)
                purpose, rounds = TOOK_OVER, self.batch
            else:
                if self.turn[REST] == 0.0:
                    self.ask_tracking(observation, rng)
                arm = int(self.turn[ARM])
                rounds = self.begin_turn(arm, rng)
                if rounds > 0:
                    purpose = TRACKS
                    self.turn[REST] -= rounds
        if rounds == 0:
            arm, rounds = int(self.turn[PROBED]) - 1, int(self.turn[LENGTH])
            self.turn[PROBED] = 0.0
        self.clock[NOW] += rounds
        if purpose == PROBES:
            self.tracking.note_probe(arm, rounds)
        if purpose != TOOK_OVER:
            self.expect(arm, rounds)
        rival, checks = int(self.turn[RIVAL]), self.turn[CHECKS] > 0.0
        chance, guess = float(self.chances[arm]), float(self.guesses[arm])
        return arm, GuardedHold(arm, rounds, purpose, chance, guess, rival, checks, drawn)

    def is_over(self) -> bool:
        """Return whether the regret was too high for the last time."""
        passed = False
        for arm in range(self.regrets.size):
            passed = passed or bool(self.regrets[arm] > self.threshold)
        if passed and self.clock[PASSED] < PHASES:
            self.clock[PASSED] += 1.0
            for arm in range(self.regrets.size):
                self.regrets[arm] = 0.0
        return bool(self.clock[PASSED] >= PHASES)

    def ask_tracking(self, observation: object, rng: Generator) -> None:
        """Note which arm tracking wants, and for how many rounds."""
        arm, wish = self.tracking.act(observation, rng)
        self.turn[ARM] = arm
        self.turn[REST] = wish.rounds
        self.turn[RIVAL] = wish.rival
        self.turn[CHECKS] = 1.0 if wish.checks else 0.0

    def begin_turn(self, arm: int, rng: Generator) -> int:
        """Draw the arms of blocks up to the first probe; return the number of rounds before it."""
        best, room = self.fix_estimates(), self.least_room()
        longest = self.block_length(arm, best, room)
        rounds = self.turn_length(longest, room)
        blocks = -(-rounds // longest)
        length = -(-rounds // blocks)
        probing = self.fix_chances(arm, length, best)
        before = blocks
        if probing > 0.0:
            before = int(min(float(blocks), math.log(1.0 - rng.random()) / math.log1p(-probing)))
        if before == blocks:
            return rounds
        self.chances[arm] = 0.0
        self.turn[PROBED] = 1.0 + draw(self.chances, probing * rng.random())
        self.chances[arm] = 1.0 - probing
        self.turn[LENGTH] = length if before < blocks - 1 else rounds - length * (blocks - 1)
        return before * length

    def least_room(self) -> float:
        """Return the least X(i)."""
        room = math.inf
        for arm in range(self.regrets.size):
            room = min(room, self.threshold - float(self.regrets[arm]))
        return room

    def block_length(self, wanted: int, best: float, room: float) -> int:
        """Return the length of blocks with which probes cost least."""
        length = max(1, math.ceil(self.tracking.noise))
        most = 0.5 * (1.0 - HEADROOM) * room * SHARE / self.chances.size
        chosen, least = length, math.inf
        for _ in range(LENGTHS):
            if length == chosen or length <= most:
                self.fix_chances(wanted, length, best)
                cost = 0.0
                for arm in range(self.chances.size):
                    if arm != wanted:  # never 0, so that as few equal arms as possible are probed
                        gap = max(best - float(self.estimates[arm]), 0.001)
                        cost += float(self.chances[arm]) * gap
                if cost < least:
                    chosen, least = length, cost
            length = max(length + 1, int(LONGER * length))
        return chosen

    def turn_length(self, longest: int, room: float) -> int:
        """Return the number of rounds of the turn."""
        rounds = min(float(self.turn[REST]), max(float(longest), math.floor(HEADROOM * room)))
        left = self.rounds - float(self.clock[NOW])
        return int(min(rounds, left) if left > 0.0 else rounds)

    def fix_chances(self, wanted: int, length: int, best: float) -> float:
        """Fix guesses and probabilities of a turn; return the probability that a block is a probe.

        ``best`` is the largest estimate.
        """
        most, probing = SHARE / self.chances.size, 0.0
        left = self.rounds - float(self.clock[NOW])
        for arm in range(self.chances.size):
            if arm != wanted:
                room = self.threshold - float(self.regrets[arm])
                enough = self.fix_guess(arm, length, best, room)
                self.chances[arm] = enough / room if enough < most * room else most
                if 0.0 <= left <= room:
                    self.chances[arm] = 0.0  # the regret can no longer exceed θ
                probing += float(self.chances[arm])
        self.guesses[wanted] = self.estimates[wanted]
        self.chances[wanted] = 1.0 - probing
        return probing

    def fix_guess(self, arm: int, length: int, best: float, room: float) -> float:
        """Fix the guess of an arm; return P(i) X(i), before P(i) is limited."""
        noise, mean = self.tracking.noise, float(self.estimates[arm])
        deviations = AT_FIRST if self.clock[PASSED] == 0.0 else LATER
        square = deviations * deviations + 2.0 * math.log(max(1.0, self.chances.size / FEW))
        played = self.rounds * max(float(self.clock[NOW]), 1.0)
        least = 0.25 * self.threshold * self.threshold / math.sqrt(played)
        tilt = 0.5 * square / max(best - mean, least / max(room, 1e-9))  # never a division by 0
        needed = (length * (1.0 - mean) + noise) / (1.0 - HEADROOM)
        usual = tilt * (mean * (1.0 - mean) + 2.0 * noise * noise / length)
        self.guesses[arm] = mean
        if needed > usual:  # slope x + bend x² = needed - usual
            slope, bend = length / (1.0 - HEADROOM), tilt * length
            root = math.sqrt(slope * slope + 4.0 * bend * (needed - usual))
            self.guesses[arm] = min(mean + 2.0 * (needed - usual) / (slope + root), 1.0)
            needed = (length * (1.0 - float(self.guesses[arm])) + noise) / (1.0 - HEADROOM)
        return max(needed, usual)

    def fix_estimates(self) -> float:
        """Fix the mean gains that tracking estimates; return the largest."""
        best = 0.0
        for arm in range(self.estimates.size):
            known = self.tracking.windows.sizes[arm] > 0.0
            self.estimates[arm] = (
                min(max(float(self.tracking.means[arm]), 0.0), 1.0) if known else 0.5
            )
            best = max(best, float(self.estimates[arm]))
        return best

    def expect(self, played: int, rounds: int) -> None:
        """Add an arm's expected shortfall against the others; ``learn`` corrects it."""
        for arm in range(self.regrets.size):
            self.regrets[arm] += rounds * (float(self.guesses[arm]) - float(self.guesses[played]))

    def patience(self, trace: GuardedHold) -> int:
        """Hold the arm for its rounds."""
        return trace.rounds

    def give_up(self, trace: GuardedHold) -> None:
        """Tell tracking about a batch that will not be released."""
        if trace.purpose != TOOK_OVER:
            self.tracking.give_up(self.told(trace))

    def told(self, trace: GuardedHold) -> CheckedHold:
        """Return the trace of a batch for tracking; a probe is not a check."""
        checks = trace.checks and trace.purpose == TRACKS
        return CheckedHold(trace.arm, trace.rounds, trace.rival, checks, 1.0)

    def learn(self, trace: GuardedHold, released: float) -> None:
        """Correct the regret estimates by the prediction error, or let Tsallis-INF learn."""
        if trace.purpose == TOOK_OVER:
            self.later.learn(trace.drawn, confine(released, self.tracking.noise / trace.rounds))
        else:
            gain = 1.0 - settle(released, self.tracking.noise / trace.rounds)
            surprise = trace.rounds * (gain - trace.guess)
            for arm in range(self.regrets.size):
                self.regrets[arm] -= surprise
            self.regrets[trace.arm] += surprise / trace.chance
            if trace.purpose == TRACKS:
                self.tracking.learn(self.told(trace), released)
            else:
                self.tracking.overhear(self.told(trace), released)


@helper
def settle(released: float, noise: float) -> float:
    """Return a number within ``noise`` of [0, 1] with mean m, for a noisy mean m in [0, 1].

    It is the release itself, or beyond the ends the mean of the releases there: 1/2 + (h - 1/2) /
    a, with h and a as in ``confine``.
    """
    return -noise if released < 0.0 else (1.0 + noise if released > 1.0 else released)


@helper
def confine(released: float, noise: float) -> float:
    """Return a number in [0, 1] with mean 1/2 + a (m - 1/2), for a noisy mean m in [0, 1].

    a = 1 / (1 + 2 noise), and the noise in ``released`` is Laplace noise of scale ``noise``. Beyond
    the ends the number is 0 or 1, which compensates exactly, so the mean is exact (docs/regret.md:
    Guard).
    """
    inside = 0.5 + (released - 0.5) / (1.0 + 2.0 * noise)
    return 0.0 if released < 0.0 else (1.0 if released > 1.0 else inside)
