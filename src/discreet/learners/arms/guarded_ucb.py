"""Tracking that measures its own regret by probes, and leaves the game to Tsallis-INF if there is too much of it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.kernel import helper
from discreet.learners.arms.draws import draw
from discreet.learners.arms.tracking_ucb import CheckedHold, TrackingUcb
from discreet.learners.arms.tsallis_inf import BaselineDraw, TsallisInf

OWN, PROBE, LATER = range(3)  # parts: what tracking wants to play, a probe, what is played after the takeover
ARM, REST, RIVAL, CHECKS, PROBED, LENGTH = range(6)  # of a turn: what tracking wants, and the arm + 1 of a probe to come
NOW, TAKEN_OVER = range(2)  # of the clock

HEADROOM = 0.25  # of the distance to the threshold is the most that rounds of tracking may use in a turn
DEVIATIONS = 3.0  # of the estimate, where nothing changes, are between no regret and the threshold
PASSING = 0.02  # of the threshold: what noise of probes may pass it by, in the mean


class GuardedHold(NamedTuple):
    """A hold, with the probability of its arm and the guess of a round's gain; and the trace of who wanted it."""

    arm: int
    rounds: int
    part: int
    chance: float
    guess: float
    rival: int
    checks: bool
    drawn: BaselineDraw


class GuardedUcb(Learner):
    """Plays what ``TrackingUcb`` wants, but for probes."""

    tracking: TrackingUcb
    later: TsallisInf
    noise: float  # ν
    rounds: int  # T
    block: int  # b
    threshold: float  # θ
    most: float  # the largest probability of a probe of one arm
    evenness: float
    batch: int  # τ
    regrets: Floats  # D
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
        cls, *, tracking: TrackingUcb, rounds: int, block: int, threshold: float, most: float, batch: int
    ) -> GuardedUcb:
        """Return the learner before the first round."""
        arms = tracking.choices
        return cls(
            tracking=tracking,
            later=TsallisInf.start(arms=arms, learning_rate=4.0, baseline=0.5, likely=0.25),
            noise=tracking.noise,
            rounds=check_int("rounds", rounds, least=1),
            block=check_int("block", block, least=1),
            threshold=check_positive("threshold", threshold),
            most=check_range("most", check_positive("most", most), 0.0, 0.5 / arms),
            evenness=DEVIATIONS**2 * (0.25 + 2.0 * tracking.noise**2 / block) / 2.0,
            batch=check_int("batch", batch, least=1),
            regrets=np.zeros(arms),
            guesses=np.zeros(arms),
            chances=np.zeros(arms),
            turn=np.zeros(6),
            clock=np.zeros(2),
        )

    @classmethod
    def example(cls) -> GuardedUcb:
        """Return one to check the contract with."""
        return cls.start(
            tracking=TrackingUcb.example(), rounds=300, block=24, threshold=100.0, most=0.1, batch=4
        )

    def act(self, observation: object, rng: Generator) -> tuple[int, GuardedHold]:
        """Play a probe that is due, or a part of what tracking wants; or what Tsallis-INF wants."""
        turn = self.turn
        if turn[PROBED] == 0.0 and self.is_over():
            arm, drawn = self.later.act(observation, rng)
            return arm, GuardedHold(arm, self.batch, LATER, 1.0, 0.0, arm, False, drawn)
        if turn[PROBED] == 0.0:
            if turn[REST] == 0.0:
                arm, wish = self.tracking.act(observation, rng)
                turn[ARM] = arm
                turn[REST] = wish.rounds
                turn[RIVAL] = wish.rival
                turn[CHECKS] = 1.0 if wish.checks else 0.0
            rounds = self.begin_turn(rng)
            arm = int(turn[ARM])
        else:
            rounds = 0
        part, checks, rival = OWN, turn[CHECKS] == 1.0, int(turn[RIVAL])
        if rounds == 0:
            part, checks = PROBE, False
            arm, rounds = int(turn[PROBED]) - 1, int(turn[LENGTH])
            turn[PROBED] = 0.0
        else:
            turn[REST] -= rounds
        self.clock[NOW] += rounds
        guess = float(self.guesses[arm])
        for i in range(self.regrets.size):
            self.regrets[i] += rounds * (float(self.guesses[i]) - guess)
        return arm, GuardedHold(
            arm,
            rounds,
            part,
            float(self.chances[arm]),
            guess,
            rival,
            checks,
            BaselineDraw(arm, 1.0, math.inf, self.later.baselines),
        )

    def is_over(self) -> bool:
        """Return whether there is too much regret."""
        for arm in range(self.regrets.size):
            if self.regrets[arm] > self.threshold:
                self.clock[TAKEN_OVER] = 1.0
        return bool(self.clock[TAKEN_OVER] > 0.0)

    def begin_turn(self, rng: Generator) -> int:
        """Return how many rounds of what tracking wants are played before the next probe."""
        rounds = self.turn_length()
        blocks = -(-rounds // self.block)
        length = -(-rounds // blocks)
        probing = self.set_chances(int(self.turn[ARM]), rounds / blocks, length)
        before = blocks
        if probing > 0.0:
            before = int(min(float(blocks), math.log(1.0 - rng.random()) / math.log1p(-probing)))
        if before == blocks:
            return rounds
        own = float(self.chances[int(self.turn[ARM])])
        self.chances[int(self.turn[ARM])] = 0.0
        self.turn[PROBED] = draw(self.chances, probing * rng.random()) + 1.0
        self.chances[int(self.turn[ARM])] = own
        self.turn[LENGTH] = length if before + 1 < blocks else rounds - length * (blocks - 1)
        return before * length

    def turn_length(self) -> int:
        """Return for how many rounds the turn is."""
        least = math.inf
        for arm in range(self.regrets.size):
            least = min(least, self.threshold - float(self.regrets[arm]))
        rounds = min(float(self.turn[REST]), max(float(self.block), math.floor(HEADROOM * least)))
        left = self.rounds - float(self.clock[NOW])
        return int(min(rounds, left) if left > 0.0 else rounds)

    def set_chances(self, own: int, share: float, length: int) -> float:
        """Fix guesses and chances of the turn; return the probability that a block is a probe."""
        best = 0.0
        for arm in range(self.guesses.size):
            heard = self.tracking.windows.sizes[arm] > 0.0
            self.guesses[arm] = min(max(float(self.tracking.means[arm]), 0.0), 1.0) if heard else 0.5
            best = max(best, float(self.guesses[arm]))
        tail = max(1.0, math.log(self.noise * self.rounds / (PASSING * self.threshold * share)))
        probing = 0.0
        for arm in range(self.guesses.size):
            if arm != own:
                room = self.threshold - float(self.regrets[arm])
                wanted = (length * (1.0 - float(self.guesses[arm])) + tail * self.noise) / (1.0 - HEADROOM)
                gap = max(best - float(self.guesses[arm]), 0.0)
                if wanted * gap < self.evenness:
                    wanted = self.evenness / gap if gap > 0.0 else math.inf
                self.chances[arm] = wanted / room if wanted < self.most * room else self.most
                probing += float(self.chances[arm])
        self.chances[own] = 1.0 - probing
        return probing

    def patience(self, trace: GuardedHold) -> int:
        """Hold the arm for its part."""
        return trace.rounds

    def learn(self, trace: GuardedHold, released: float) -> None:
        """Correct the estimates of regret by what was not guessed, and hand on the release."""
        if trace.part == LATER:
            self.later.learn(trace.drawn, confined(released, self.noise / trace.rounds))
            return
        surprise = trace.rounds * (1.0 - released - trace.guess)
        for arm in range(self.regrets.size):
            self.regrets[arm] -= surprise
        self.regrets[trace.arm] += surprise / trace.chance
        if trace.part == OWN or PROBES_TOLD:
            self.tracking.learn(CheckedHold(trace.arm, trace.rounds, trace.rival, trace.checks), released)


PROBES_TOLD = True


@helper
def confined(released: float, noise: float) -> float:
    """Return a number in [0, 1] whose mean is 1/2 + a (m - 1/2), a = 1 / (1 + 2 noise), if m + Laplace noise is released."""
    if released < 0.0:
        return 0.0
    if released > 1.0:
        return 1.0
    return 0.5 + (released - 0.5) / (1.0 + 2.0 * noise)
