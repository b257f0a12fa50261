"""Losses that are no numbers: a range that lets them pass is caught, a sound one is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import Private, Range
from discreet.auditing.attacks import GameFacts
from discreet.auditing.bad_input import find_no_numbers
from discreet.channels import Batch, OneBit, PerRound, RunningSum
from discreet.learners import Exp3, Hedge
from discreet.mechanisms import Laplace


class LetsPass(Range):
    """A range that lets pass what is not a number."""

    def clamp(self, loss):
        return self.low if loss < self.low else self.high if loss > self.high else loss

    def steps(self, loss, grid):
        return self.fraction(self.clamp(loss)) * grid


class LetsInfinityPass(Range):
    """A range that lets pass what is infinite."""

    def clamp(self, loss):
        if not loss >= self.low:
            return self.low
        return self.high if self.high < loss < math.inf else loss


def found(channel):
    learner = Exp3.start(arms=2, learning_rate=0.1)
    return find_no_numbers(Private(channel, learner), GameFacts(), seed=1)


UNIT = Range(0.0, 1.0)
BROKEN = {
    "batches": lambda: Batch.laplace(size=3, epsilon=1.0, bounds=UNIT)._replace(
        bounds=LetsPass(0.0, 1.0)
    ),
    "infinity": lambda: PerRound(LetsInfinityPass(0.0, 1.0), Laplace(1.0)),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_loss_that_is_no_number_is_seen_in_releases(kind):
    lead = found(BROKEN[kind]())
    assert ("NaN" if kind == "batches" else "ordinary or infinite") in lead.text
    private = Private(lead.runs.channel, Exp3.start(arms=2, learning_rate=0.1))
    one, other = (lead.sample(private, neighbour, 20, seed=1) for neighbour in (0, 1))
    assert one.max() == 0.0 < other.min()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Batch.laplace(size=3, epsilon=1.0, bounds=UNIT),
        lambda: PerRound(UNIT, Laplace(1.0)),
        lambda: OneBit.over(size=3, epsilon=1.0, bounds=UNIT),
    ],
    ids=["batches", "every round", "one bit"],
)
def test_sound_channels_release_numbers_only(make):
    assert found(make()) is None


def test_vectors_are_cleaned_as_well():
    private = Private(RunningSum.example(), Hedge.example())
    assert find_no_numbers(private, GameFacts(), seed=1) is None


class Refusing(PerRound):
    compiles = False

    def offer(self, feedback, query, rng):
        if not np.isfinite(feedback):
            raise ValueError("no number")
        return super().offer(feedback, query, rng)


def test_a_channel_that_refuses_is_not_attacked_with_it():
    assert found(Refusing(UNIT, Laplace(1.0))) is None
