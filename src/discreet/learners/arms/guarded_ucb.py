"""Tracking that measures its own regret by probes, and leaves the game to Tsallis-INF if there is too much of it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive
from discreet.learners.arms.draws import draw
from discreet.learners.arms.tracking_ucb import CheckedHold, TrackingUcb
from discreet.learners.arms.tsallis_inf import BaselineDraw, TsallisInf

SHARE = 0.25  # of all rounds, at most, are probes
HEADROOM = 0.25  # of the room to the threshold is the most that a turn may be long
PASSING = 0.02  # of the threshold: by how much noise of probes may pass it, in the mean

TRACKS, PROBES, TOOK_OVER = range(3)  # what a hold is for
ARM, REST, RIVAL, CHECKS, PROBED, LENGTH = range(
    6
)  # of a turn: the wish of tracking; arm + 1 and rounds of a probe due
NOW, ENDED = range(2)  # of the clock: rounds asked for, and whether tracking is over


class GuardedHold(NamedTuple):
    """A hold: what for, how likely its arm was, which gain was guessed; and what tracking or Tsallis-INF need of it."""

    arm: int
    rounds: int
    purpose: int
    chance: float
    guess: float
    rival: int
    checks: bool
    drawn: BaselineDraw


class GuardedUcb(Learner[int, GuardedHold, float]):
    """Plays like ``TrackingUcb``, but for probes, until it is seen to have too much regret: then Tsallis-INF takes over.

    D(i) estimates the regret against arm i, without bias. Turns of one or more blocks follow each
    other:

    1. if some D(i) > θ, Tsallis-INF plays the rest of the game, in batches of τ rounds;
    2. tracking wants arm A for some rounds, or has some of them left; n of them, at most max(b, X /
       4), are this turn's, where X is the least X(i) = θ - D(i). They are cut into k blocks of d ≤
       b rounds, the last of which may be shorter;
    3. with v(i) the mean gain that tracking knows of, g(i) its distance to the largest, and
       c = max(1, ln(T ν k / (0.02 θ n))),

           P(i) = min(1 / (4 K), max((d (1 - v(i)) + c ν) / (3/4 X(i)), θ² / (8 K T g(i) X(i)))),   P(A) = 1 - Σ P(i)

    4. every block is played with an arm drawn from P, up to the first that is not A: a probe, with
       which the turn ends;
    5. of n rounds with arm I, of which gains y with noise are released, D(i) += n v(i) - y for all
       i, and D(I) += (y - n v(I)) / P(I).

    Blocks of A in a row are one batch, and tracking learns of it; probes are for D alone. P is
    large where D(i) is near the threshold, which it must not pass by much; with the other term D(i)
    has a spread that is a fixed share of X(i) where losses do not change, and does not pass it by
    chance. An arm that is far behind is hardly probed.

    Tsallis-INF hears numbers in [0, 1], whose means are those of the batches, drawn together
    (``confined``).

    ``threshold`` is θ, ``rounds`` T, ``block`` b, ``batch`` τ; ν is that of ``tracking``, the scale
    of the noise.

    Regret, for all losses that are fixed in advance: at most 1.011 θ + 4 K (b + ν), and what
    Tsallis-INF may have (docs/regret.md: Guard).
    """

    tracking: TrackingUcb
    later: TsallisInf
    rounds: int
    block: int
    threshold: float
    batch: int
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
        cls, *, tracking: TrackingUcb, rounds: int, block: int, threshold: float, batch: int
    ) -> GuardedUcb:
        """Return the learner before the first round."""
        arms = tracking.choices
        return cls(
            tracking=tracking,
            later=TsallisInf.start(arms=arms, learning_rate=4.0, baseline=0.5, likely=0.25),
            rounds=check_int("rounds", rounds, minimum=1),
            block=check_int("block", block, minimum=1),
            threshold=check_positive("threshold", threshold),
            batch=check_int("batch", batch, minimum=1),
            regrets=np.zeros(arms),
            guesses=np.full(arms, 0.5),
            chances=np.zeros(arms),
            turn=np.zeros(6),
            clock=np.zeros(2),
        )

    @classmethod
    def example(cls) -> GuardedUcb:
        """Return one to check the contract with."""
        return cls.start(
            tracking=TrackingUcb.example(), rounds=2000, block=16, threshold=300.0, batch=4
        )

    def act(self, observation: object, rng: Generator) -> tuple[int, GuardedHold]:
        """Play a probe that is due; or begin a turn; or leave it to Tsallis-INF."""
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
        if purpose != TOOK_OVER:
            self.expect(arm, rounds)
        rival, checks = int(self.turn[RIVAL]), self.turn[CHECKS] > 0.0
        chance, guess = float(self.chances[arm]), float(self.guesses[arm])
        return arm, GuardedHold(arm, rounds, purpose, chance, guess, rival, checks, drawn)

    def is_over(self) -> bool:
        """Return whether there is, or was, too much regret."""
        for arm in range(self.regrets.size):
            if self.regrets[arm] > self.threshold:
                self.clock[ENDED] = 1.0
        return bool(self.clock[ENDED] > 0.0)

    def ask_tracking(self, observation: object, rng: Generator) -> None:
        """Note which arm tracking wants, and for how many rounds."""
        arm, wish = self.tracking.act(observation, rng)
        self.turn[ARM] = arm
        self.turn[REST] = wish.rounds
        self.turn[RIVAL] = wish.rival
        self.turn[CHECKS] = 1.0 if wish.checks else 0.0

    def begin_turn(self, arm: int, rng: Generator) -> int:
        """Draw the arms of blocks up to the first probe; return how many rounds are before it."""
        rounds = self.turn_length()
        blocks = -(-rounds // self.block)
        length = -(-rounds // blocks)
        probing = self.fix_chances(arm, length, rounds / blocks)
        before = int(min(float(blocks), math.log(1.0 - rng.random()) / math.log1p(-probing)))
        if before == blocks:
            return rounds
        self.chances[arm] = 0.0
        self.turn[PROBED] = 1.0 + draw(self.chances, probing * rng.random())
        self.chances[arm] = 1.0 - probing
        self.turn[LENGTH] = length if before < blocks - 1 else rounds - length * (blocks - 1)
        return before * length

    def turn_length(self) -> int:
        """Return for how many rounds the turn is."""
        room = math.inf
        for arm in range(self.regrets.size):
            room = min(room, self.threshold - float(self.regrets[arm]))
        rounds = min(float(self.turn[REST]), max(float(self.block), math.floor(HEADROOM * room)))
        left = self.rounds - float(self.clock[NOW])
        return int(min(rounds, left) if left > 0.0 else rounds)

    def fix_chances(self, wanted: int, length: int, mean_length: float) -> float:
        """Fix guesses and chances for a turn; return the probability that a block is a probe."""
        best = self.fix_guesses()
        noise, most = self.tracking.noise, SHARE / self.chances.size
        tail = max(1.0, math.log(noise * self.rounds / (PASSING * self.threshold * mean_length)))
        spread = (
            self.threshold * self.threshold * most / (2.0 * self.rounds)
        )  # 1 / (4 K) is for g(i) = θ / (2 T)
        probing = 0.0
        for arm in range(self.chances.size):
            if arm != wanted:
                guess, room = float(self.guesses[arm]), self.threshold - float(self.regrets[arm])
                enough = (length * (1.0 - guess) + tail * noise) / (1.0 - HEADROOM)
                if spread > enough * (best - guess):
                    enough = spread / max(best - guess, 1e-9)
                self.chances[arm] = enough / room if enough < most * room else most
                probing += float(self.chances[arm])
        self.chances[wanted] = 1.0 - probing
        return probing

    def fix_guesses(self) -> float:
        """Guess that gains will be as tracking knows them; return the largest."""
        best = 0.0
        for arm in range(self.guesses.size):
            known = self.tracking.windows.sizes[arm] > 0.0
            self.guesses[arm] = (
                min(max(float(self.tracking.means[arm]), 0.0), 1.0) if known else 0.5
            )
            best = max(best, float(self.guesses[arm]))
        return best

    def expect(self, played: int, rounds: int) -> None:
        """Add what an arm is guessed to gain less than others; ``learn`` corrects it."""
        for arm in range(self.regrets.size):
            self.regrets[arm] += rounds * (float(self.guesses[arm]) - float(self.guesses[played]))

    def patience(self, trace: GuardedHold) -> int:
        """Hold the arm for its rounds."""
        return trace.rounds

    def learn(self, trace: GuardedHold, released: float) -> None:
        """Correct the estimates of regret by what was not guessed; or leave it to Tsallis-INF."""
        if trace.purpose == TOOK_OVER:
            self.later.learn(trace.drawn, confined(released, self.tracking.noise / trace.rounds))
        else:
            surprise = trace.rounds * (1.0 - released - trace.guess)
            for arm in range(self.regrets.size):
                self.regrets[arm] -= surprise
            self.regrets[trace.arm] += surprise / trace.chance
            if trace.purpose == TRACKS:
                self.tracking.learn(
                    CheckedHold(trace.arm, trace.rounds, trace.rival, trace.checks), released
                )


@helper
def confined(released: float, noise: float) -> float:
    """Return a number in [0, 1] with mean 1/2 + a (m - 1/2), a = 1 / (1 + 2 noise), of a mean m in [0, 1] with noise.

    The noise is Laplace noise of that scale. Beyond the ends the number is 0 or 1, which makes up
    for what it would have been there: the mean is exact (docs/regret.md: Guard).
    """
    inside = 0.5 + (released - 0.5) / (1.0 + 2.0 * noise)
    return 0.0 if released < 0.0 else (1.0 if released > 1.0 else inside)
