"""Games of a guarded learner, and losses made to hurt it."""

from __future__ import annotations

import math

import numpy as np

from discreet import Setting, algorithm
from discreet.learners.arms.guarded_ucb import HEADROOM, PASSED, PHASES, PROBED, SHARE
from discreet.problems import Arms

K = 4


def built(rounds, epsilon, arms=K, **options):
    return algorithm("tracking-ucb").build(
        Setting(Arms(arms), rounds=rounds, epsilon=epsilon), guard=True, **options
    )


def anxious(rounds=5000, epsilon=1.0, arms=3, threshold=40.0):
    """Return a guarded learner that soon lets Tsallis-INF take over."""
    private = built(rounds, epsilon, arms).private
    return private._replace(learner=private.learner._replace(threshold=threshold))


def changing_fast(rounds, arms, period, seed=0):
    """Return gains of 0 and 1: for ``period`` rounds one arm is the best, then another, drawn by
    chance.
    """
    rng = np.random.default_rng(seed)
    best = np.repeat(rng.integers(arms, size=-(-rounds // period)), period)[:rounds]
    return (np.arange(arms) == best[:, None]).astype(float)


def game(learner, gains, noise, seed, phases=PHASES):
    """Play gains that are fixed, until the threshold was passed so often; return all holds, the
    last estimates, true regrets since estimates were 0, and when it was passed last.

    With every hold goes whether it begins a turn, estimates before it, guesses, chances, and what
    is heard.
    """
    rng, t, holds, over, begun = np.random.default_rng(seed), 0, [], None, 0
    while t < len(gains) and over is None:
        begins, before = learner.turn[PROBED] == 0.0, learner.regrets.copy()
        passed = learner.clock[PASSED]
        arm, trace = learner.act(0, rng)
        if learner.clock[PASSED] > passed:
            assert before.max() > learner.threshold
            if learner.clock[PASSED] == phases:
                over = t
                break
            begun, before = len(holds), np.zeros_like(before)
        heard = gains[t : t + trace.rounds, arm].sum() + noise * rng.laplace()
        holds.append(
            (t, trace, begins, before, learner.guesses.copy(), learner.chances.copy(), heard)
        )
        learner.learn(trace, 1.0 - heard / trace.rounds)
        t += trace.rounds
        before = learner.regrets.copy()
    start = holds[begun][0]
    played = [gains[at : at + trace.rounds, trace.arm] for at, trace, *_ in holds[begun:]]
    lost = np.concatenate(played)
    regrets = gains[start : start + len(lost)].sum(axis=0) - lost.sum()
    return holds, before, regrets, over


def longest_block(room, noise):
    """Return the longest block that the proof allows, for the room of every arm."""
    first = max(1, math.ceil(noise))
    return max(first, 0.5 * (1 - HEADROOM) * room.min() * SHARE / room.size)
