"""How likely a learner says that its arms were, against how often it plays them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import componentjit
from discreet.learners import (
    Accepting,
    AdapKlUcb,
    AdaptiveTsallisInf,
    BatchedUcb,
    DpImed,
    DpKlUcb,
    DpSuccessiveElimination,
    Exp3,
    Exp3Gain,
    Exp3IX,
    Exp3P,
    Ftpl,
    GuardedUcb,
    Htinf,
    KlUcb,
    TrackingUcb,
    TsallisInf,
    Ucb,
    Uniform,
)
from discreet.learners.arms.draws import equal_weights

KNOWN = [
    Accepting,
    AdapKlUcb,
    AdaptiveTsallisInf,
    BatchedUcb,
    DpImed,
    DpKlUcb,
    DpSuccessiveElimination,
    Exp3,
    Exp3Gain,
    Exp3IX,
    Exp3P,
    Htinf,
    KlUcb,
    TrackingUcb,
    TsallisInf,
    Ucb,
    Uniform,
]
DRAWS = 1_000
FALSE_ALARMS = 1e-6  # of each comparison: with 17 learners and 5 states, 1e-4 in all


def played(learner, steps, rng):
    """Return the learner after some rounds; outcomes of two of three batches come at once."""
    for step in range(steps):
        _, trace = learner.act(0, rng)
        trace = componentjit.copy(trace)
        if step % 3 < 2:
            learner.learn(trace, 0.5 if step % 2 else 0.25)
    return learner


def chances_of(learner, rng):
    """Let a copy act once; return what it says of all arms, and the arm."""
    one = componentjit.copy(learner)
    arm, trace = one.act(0, rng)
    return np.array([one.chance(trace, other) for other in range(one.choices)]), arm


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("steps", [0, 1, 3, 8, 40])
def test_arms_are_played_as_often_as_their_chances_say(kind, steps):
    """Every draw says the same of all arms, and the counts agree (chi-square test)."""
    rng = np.random.default_rng([steps, 1])
    learner = played(kind.example(), steps, rng)
    claimed, counts = chances_of(learner, rng)[0], np.zeros(learner.choices)
    if np.isnan(claimed).all():  # tied arms would be held for different times
        assert kind in (AdapKlUcb, DpKlUcb)
        return
    assert claimed.min() >= 0.0
    assert claimed.sum() == pytest.approx(1.0, abs=1e-9)
    for _ in range(DRAWS if claimed.max() < 1.0 else 20):
        again, arm = chances_of(learner, rng)
        assert again == pytest.approx(claimed, rel=1e-9, abs=1e-12)
        counts[arm] += 1
    assert counts[claimed == 0.0].sum() == 0.0
    likely = claimed > 0.0
    if likely.sum() > 1:
        expected = counts.sum() * claimed[likely]
        assert stats.chisquare(counts[likely], expected).pvalue > FALSE_ALARMS


@pytest.mark.parametrize("kind", [Ftpl, GuardedUcb])
def test_learners_that_do_not_know_say_so(kind):
    learner = kind.example()
    arm, trace = learner.act(0, np.random.default_rng(1))
    assert learner.chance(trace, arm) is None


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.__name__)
def test_the_chance_of_the_arm_that_was_drawn_is_in_the_trace(kind):
    """Whatever is learned later: a run file reads it from the trace of a batch."""
    rng = np.random.default_rng(2)
    learner = played(kind.example(), 7, rng)
    arm, trace = learner.act(0, rng)
    trace, before = componentjit.copy(trace), learner.chance(trace, arm)
    played(learner, 9, rng)
    assert learner.chance(trace, arm) == pytest.approx(before, abs=0.0, nan_ok=True)


def test_a_tie_between_batches_of_different_lengths_has_no_chance():
    """That a batch still runs would say more about its arm than its draw did."""
    learner = DpKlUcb.example()
    learner.asked[:], learner.counts[:], learner.gains[:] = 4.0, 4.0, 2.0
    arm, trace = learner.act(0, np.random.default_rng(1))
    assert 0.0 < learner.chance(trace, arm) < 1.0
    learner.asked[:] = 4.0
    learner.asked[0] = 5.0
    learner.gains[:] = learner.counts  # indices at the end of their range are equal
    arm, trace = learner.act(0, np.random.default_rng(1))
    assert math.isnan(learner.chance(trace, arm))


@pytest.mark.parametrize("arms", [3, 600], ids=["few", "many"])
def test_weights_know_their_chances(arms):
    weights, rng = equal_weights(arms), np.random.default_rng(3)
    for _ in range(50):
        weights.add(int(rng.integers(arms)), float(rng.normal()))
    all_chances = [weights.chance(0.25, arm) for arm in range(arms)]
    assert math.fsum(all_chances) == pytest.approx(1.0)
    for _ in range(20):
        drawn = weights.draw(0.25, rng)
        assert all_chances[drawn.arm] == pytest.approx(drawn.probability)
