"""Tracking that estimates its own regret by probes, and gives way to Tsallis-INF if necessary."""

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
HEADROOM = 0.25  # a turn is at most this share of the room to the threshold
PASSING = 0.02  # of the threshold: how far noise of probes may exceed it, on average

TRACKS, PROBES, TOOK_OVER = range(3)  # purposes of a hold
# Entries of a turn: what tracking wants (arm, rounds left, rival, whether it checks), and a probe
# that is due (arm + 1, rounds).
ARM, REST, RIVAL, CHECKS, PROBED, LENGTH = range(6)
NOW, ENDED = range(2)  # entries of the clock: rounds requested, and whether tracking is over


class GuardedHold(NamedTuple):
    """The trace of a hold: its purpose, the probability of its arm, and the guessed gain.

    The other fields are what tracking or Tsallis-INF need of it.
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

    1. If some D(i) > θ, Tsallis-INF plays the rest of the game, in batches of τ rounds.
    2. Tracking wants arm A for some rounds, or has some of them left; n of them, at most
       max(τ₀, X / 4), belong to this turn, where X is the least X(i) = θ - D(i). They are cut into
       k blocks of m ≤ τ₀ rounds, the last of which may be shorter.
    3. With v(i) the mean gain that tracking knows, g(i) its distance from the largest, and
       c = max(1, ln(T Λ k / (0.02 θ n))), the arms get the probabilities P:

           P(i) = min(1 / (4 K), max((m (1 - v(i)) + c Λ) / (3/4 X(i)), θ² / (8 K T g(i) X(i)))),
           P(A) = 1 - Σ P(i)

    4. Every block is played with an arm drawn from P, up to the first that is not A. That one is a
       probe, and ends the turn.
    5. For n rounds with arm I whose noisy gains y are released, D(i) += n v(i) - y for all i, and
       D(I) += (y - n v(I)) / P(I).

    Consecutive blocks of A are one batch, from which tracking learns; probes are for D alone. P is
    large where D(i) is near the threshold, which it must not exceed by much. The other term of P
    keeps the spread of D(i) a fixed share of X(i) where losses do not change, so that D(i) does not
    pass the threshold by chance. An arm that is far behind is hardly probed.

    Tsallis-INF gets numbers in [0, 1] whose means are those of the batches, moved towards 1/2
    (``confine``).

    ``threshold`` is θ, ``rounds`` T, ``block`` τ₀, ``batch`` τ; Λ is the ``noise`` of ``tracking``,
    the scale of the noise on the sum of a batch.

    Regret, for all losses that are fixed in advance: at most 1.011 θ + 4 K (τ₀ + Λ), plus that of
    Tsallis-INF (docs/regret.md: Guard).
    """

    predictable: ClassVar[bool] = True  # most rounds are not probes

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
            # reduced variance, as in the bound (docs/regret.md: Tsallis-INF)
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
        """Return an example for the contract tests."""
        return cls.start(
            tracking=TrackingUcb.example(), rounds=2000, block=16, threshold=300.0, batch=4
        )

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
        if purpose != TOOK_OVER:
            self.expect(arm, rounds)
        rival, checks = int(self.turn[RIVAL]), self.turn[CHECKS] > 0.0
        chance, guess = float(self.chances[arm]), float(self.guesses[arm])
        return arm, GuardedHold(arm, rounds, purpose, chance, guess, rival, checks, drawn)

    def is_over(self) -> bool:
        """Return whether the regret is, or was, too high."""
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
        """Draw the arms of blocks up to the first probe; return the number of rounds before it."""
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
        """Return the number of rounds of the turn."""
        room = math.inf
        for arm in range(self.regrets.size):
            room = min(room, self.threshold - float(self.regrets[arm]))
        rounds = min(float(self.turn[REST]), max(float(self.block), math.floor(HEADROOM * room)))
        left = self.rounds - float(self.clock[NOW])
        return int(min(rounds, left) if left > 0.0 else rounds)

    def fix_chances(self, wanted: int, length: int, mean_length: float) -> float:
        """Fix guesses and probabilities for a turn; return how likely a block is a probe."""
        best = self.fix_guesses()
        noise, most = self.tracking.noise, SHARE / self.chances.size
        tail = max(1.0, math.log(noise * self.rounds / (PASSING * self.threshold * mean_length)))
        # so that the second term of P reaches 1 / (4 K) at g(i) = θ / (2 T)
        spread = self.threshold * self.threshold * most / (2.0 * self.rounds)
        probing = 0.0
        for arm in range(self.chances.size):
            if arm != wanted:
                guess, room = float(self.guesses[arm]), self.threshold - float(self.regrets[arm])
                enough = (length * (1.0 - guess) + tail * noise) / (1.0 - HEADROOM)
                if spread > enough * (best - guess):
                    enough = spread / max(best - guess, 1e-9)  # never a division by 0
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
        """Add what an arm is expected to gain less than others; ``learn`` corrects it."""
        for arm in range(self.regrets.size):
            self.regrets[arm] += rounds * (float(self.guesses[arm]) - float(self.guesses[played]))

    def patience(self, trace: GuardedHold) -> int:
        """Hold the arm for its rounds."""
        return trace.rounds

    def give_up(self, trace: GuardedHold) -> None:
        """Let tracking know of a batch that will not be released."""
        if trace.purpose == TRACKS:
            hold = CheckedHold(trace.arm, trace.rounds, trace.rival, trace.checks, 1.0)
            self.tracking.give_up(hold)

    def learn(self, trace: GuardedHold, released: float) -> None:
        """Correct the regret estimates by what was not expected, or let Tsallis-INF learn."""
        if trace.purpose == TOOK_OVER:
            self.later.learn(trace.drawn, confine(released, self.tracking.noise / trace.rounds))
        else:
            surprise = trace.rounds * (1.0 - released - trace.guess)
            for arm in range(self.regrets.size):
                self.regrets[arm] -= surprise
            self.regrets[trace.arm] += surprise / trace.chance
            if trace.purpose == TRACKS:
                self.tracking.learn(
                    CheckedHold(trace.arm, trace.rounds, trace.rival, trace.checks, 1.0), released
                )


@helper
def confine(released: float, noise: float) -> float:
    """Return a number in [0, 1] with mean 1/2 + a (m - 1/2), for a noisy mean m in [0, 1].

    a = 1 / (1 + 2 noise), and the noise in ``released`` is Laplace noise of scale ``noise``. Beyond
    the ends the number is 0 or 1, which makes up for what it would have been there: the mean is
    exact (docs/regret.md: Guard).
    """
    inside = 0.5 + (released - 0.5) / (1.0 + 2.0 * noise)
    return 0.0 if released < 0.0 else (1.0 if released > 1.0 else inside)
