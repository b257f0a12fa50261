"""Channels: sensitivity, noise, and that nothing but releases gets out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

import componentjit
from discreet import DiscreetError, Private, Range, channels
from discreet.channels import (
    Batch,
    PerRound,
    Restarting,
    RunningSum,
    Selection,
)
from discreet.channels.batch import COUNT, TOTAL
from discreet.checks import CheckFailed, check_channel
from discreet.factorisations import FACTORISATIONS, Buffered
from discreet.learners import Exp3Gain
from discreet.mechanisms import Laplace
from discreet.ranges import grid_for
from discreet.sets import Box

UNIT = Range(0.0, 1.0)
CUBE = Box.cube(3, -1.0, 1.0)
EXAMPLES = {
    name: getattr(channels, name).example() for name in channels.__all__ if name[1].islower()
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_channel_keeps_its_contract(name):
    channel = EXAMPLES[name]
    check_channel(channel, feedback=channel.example_feedback, query=channel.example_query)


@pytest.mark.parametrize("kind", FACTORISATIONS.values(), ids=FACTORISATIONS)
def test_running_sums_keep_their_contract_with_every_factorisation(kind):
    check_channel(
        RunningSum.calibrated(CUBE, kind, prefixes=20, epsilon=1.0, delta=1e-6),
        feedback=RunningSum.example_feedback,
    )


@pytest.mark.slow
def test_buffers_can_be_restarted_too():
    channel = Restarting.calibrated(
        CUBE, Buffered, noise="gaussian", epsilon=1.0, delta=1e-6, split="restarts"
    )
    check_channel(channel, feedback=RunningSum.example_feedback)


@pytest.mark.parametrize("name", ["RunningSum", "Restarting"])
def test_what_was_released_is_not_released_again_before_something_is_taken(name):
    channel, rng = componentjit.copy(EXAMPLES[name]), np.random.default_rng(1)
    assert channel.release(1.0, rng)[0] is False
    assert channel.take(channel.example_feedback, 1.0)
    assert channel.rounds_seen() == 1, "it waits"
    assert channel.release(1.0, rng)[0] is True
    assert channel.release(1.0, rng)[0] is False
    assert channel.rounds_seen() == 1


class Leaky(Batch):
    def __repr__(self):
        return f"Leaky({self.held})"


class Unclamped(PerRound):
    def offer(self, feedback, query, rng):
        return True, self.noise.add_noise(feedback, rng)


class Sharing(Batch):
    def fork(self):
        return self


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Leaky(*EXAMPLES["Batch"]), "shows raw feedback"),
        (Unclamped(*EXAMPLES["PerRound"]), "does not clamp|not finite"),
        (Sharing(*EXAMPLES["Batch"]), "shares state"),
    ],
)
def test_the_contract_check_finds_broken_channels(broken, complaint):
    with pytest.raises(CheckFailed, match=complaint):
        check_channel(broken)


@pytest.mark.parametrize(
    ("bounds", "size", "epsilon", "scale"),
    [(UNIT, 10, 0.1, 1.0), (Range(-1.0, 1.0), 1, 1.0, 2.0), (Range(2.0, 4.0), 4, 0.5, 1.0)],
)
def test_golden_noise_scales(bounds, size, epsilon, scale):
    channel = Batch.laplace(size=size, epsilon=epsilon, bounds=bounds)
    assert channel.noise_scales[0].scale == pytest.approx(scale, rel=1e-15)
    assert channel.guarantee.epsilon == epsilon
    assert channel.noise_scales[0].kind == "laplace"


def released(channel, losses, seed=0):
    rng = np.random.default_rng(seed)
    return [value for ready, value in (channel.offer(x, 1.0, rng) for x in losses) if ready]


losses = some.lists(some.floats(-2.0, 2.0), min_size=12, max_size=12)


@settings(max_examples=200, deadline=None)
@given(losses, some.integers(0, 11), some.floats(-2.0, 2.0), some.integers(1, 5))
def test_one_replaced_round_moves_one_release_by_at_most_the_sensitivity(
    feedback, where, other, size
):
    channel = Batch.laplace(size=size, epsilon=0.7, bounds=Range(-1.0, 1.0))
    neighbour = [*feedback[:where], other, *feedback[where + 1 :]]
    one, two = released(channel.fork(), feedback), released(channel.fork(), neighbour)
    moved = [abs(a - b) * channel.bounds.width for a, b in zip(one, two, strict=True)]
    assert sum(move > 1e-12 for move in moved) <= 1
    loss = sum(moved) / channel.noise_scales[0].scale  # the log-likelihood ratio of the noise
    assert loss <= channel.guarantee.epsilon * (1 + 1e-9)


def test_the_stated_sensitivity_is_reached():
    channel = Batch.laplace(size=4, epsilon=0.7, bounds=Range(-1.0, 1.0))
    one, two = released(channel.fork(), [1.0, 0, 0, 0]), released(channel.fork(), [-1.0, 0, 0, 0])
    assert abs(one[0] - two[0]) * 2.0 / channel.noise_scales[0].scale == pytest.approx(
        0.7, rel=1e-9
    )


@pytest.mark.parametrize(
    ("low", "high", "size"),
    [(1e15, 1e15 + 1, 1000), (1.7e9, 1.7e9 + 1e-6, 1000), (0.0, 1e99, 2), (-3e-90, 5e-90, 77)],
)
def test_sums_are_exact_in_any_range_and_order(low, high, size):
    """Rounding errors of a sum in the units of the loss would move it by many times the width."""
    channel = Batch.over(size=size, bounds=Range(low, high), noise=Laplace(0.0))
    rng = np.random.default_rng(0)
    for _ in range(20):
        feedback = [low if rng.random() < 0.5 else high for _ in range(size)]
        neighbour = [high if feedback[0] == low else low, *feedback[1:]]
        one, two = released(channel.fork(), feedback)[0], released(channel.fork(), neighbour)[0]
        assert math.isfinite(one)
        assert abs(one - two) <= 1 / size * (1 + 1e-12)


def noise_of(channel, value, count=50_000):
    rng = np.random.default_rng(5)
    return np.array(
        [channel.offer(value, 1.0, rng)[1] for _ in range(count)]
    ) - channel.bounds.fraction(value)


def test_noise_has_the_stated_distribution():
    """A Kolmogorov-Smirnov test with a fixed seed; otherwise 1 false alarm in 1,000 runs."""
    channel = PerRound(Range(0.0, 2.0), Laplace(3.0))
    noise = noise_of(channel, 0.5) * channel.bounds.width
    assert stats.kstest(noise, stats.laplace(scale=3.0).cdf).pvalue > 1e-3
    assert stats.kstest(noise, stats.laplace(scale=2.85).cdf).pvalue < 1e-3, (
        "noise that is 5 % off must be caught"
    )


def test_a_batch_releases_the_mean_once_and_forgets_it():
    channel = Batch.over(size=3, bounds=UNIT, noise=Laplace(0.0))
    assert released(channel, [0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.9]) == [0.5, 1.0]
    assert channel.held[TOTAL] / grid_for(3) == pytest.approx(0.9, abs=2**-40)
    assert channel.held[COUNT] == 1.0


def test_a_query_scales_what_was_released():
    one, two = np.random.default_rng(0), np.random.default_rng(0)
    channel = EXAMPLES["PerRound"]
    assert channel.offer(0.5, 4.0, one)[1] == 4.0 * channel.offer(0.5, 1.0, two)[1]


@pytest.mark.parametrize(
    ("size", "epsilon"), [(0, 1.0), (2.5, 1.0), (True, 1.0), (2, 0.0), (2, -1.0), (2, math.nan)]
)
def test_bad_parameters_are_refused(size, epsilon):
    with pytest.raises(DiscreetError, match=r"(batch_size|epsilon) is .*, but must be"):
        Batch.laplace(size=size, epsilon=epsilon, bounds=UNIT)


@pytest.mark.parametrize(("first", "second"), [(2, 40_000), (40_000, 2), (3, 0)])
def test_a_batch_that_has_begun_keeps_its_length(first, second):
    """Above 8,192 losses the grid is coarser: changing it during a batch would move the sum."""
    channel = Batch.over(size=5, bounds=UNIT, noise=Laplace(0.0))
    assert channel.begin(first) == first
    channel.take(1.0, 1.0)
    assert channel.begin(second) == first
    assert channel.batch_length() == first
    assert channel.empty() == 1.0
    assert channel.begin(second) == (second or 5), "the next one is as long as the learner wishes"


@pytest.mark.parametrize("length", [np.int64(3), np.float64(3.0), 3.0])
def test_the_length_of_a_batch_is_a_whole_number_whatever_its_type(length):
    """A learner may read its wish from an array; a run stores the length."""
    channel = Batch.over(size=5, bounds=UNIT, noise=Laplace(0.0))
    assert type(channel.begin(length)) is int
    assert type(channel._replace(size=np.int64(4)).begin(0)) is int


def test_selection_is_never_held_for_less_than_its_guarantee_is_for():
    class Hasty(Exp3Gain):
        def patience(self, trace):
            return 1

    learner = Hasty(*Exp3Gain.start(arms=2, mixing=0.1))
    private = Private(Selection.over(size=50, rounds=1000, delta=1e-6, bounds=UNIT), learner)
    _, trace = private.act(0, np.random.default_rng(0))
    assert private.guarantee.is_private
    assert private.hold_for(trace) == 50
    assert [private.tell(trace, 0.5, np.random.default_rng(0)) for _ in range(50)] == [
        False
    ] * 49 + [True]
