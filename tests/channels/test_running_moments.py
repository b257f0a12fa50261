"""Moments in batches: what a record moves, blocks, times, and the grid."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet import DiscreetError
from discreet.algorithms.contexts.widths import Shape, fit_times, upsilon
from discreet.channels import RunningMoments, RunningSum
from discreet.channels.running_moments import grid_of, joint_movement
from discreet.contracts import Record
from discreet.factorisations import Buffered
from discreet.factorisations.blt import fading
from discreet.least_squares import MomentPlaces
from discreet.sets import Box

TIMES = np.array([3, 7, 20])


def channel(dimension, *, arms=0, block=0, **options):
    places = MomentPlaces.of(dimension, arms=arms, block=block)
    return RunningMoments.calibrated(
        dimension=dimension,
        **{"times": TIMES, "epsilon": 1.0, "delta": 1e-6, "places": places} | options,
    )


def records(rng, shared, block, arms):
    """Return two random records in blocks, near the pair that is farthest apart."""
    found, size = [], shared + arms * block
    arm, base = rng.integers(arms), rng.standard_normal(shared + block)
    for sign in (-1.0, 1.0):
        own = rng.integers(arms) if rng.random() < 0.5 else arm
        part = base + rng.choice([0.3, 1.0, 3.0]) * rng.standard_normal(shared + block)
        x = np.zeros(size)
        x[:shared] = part[:shared]
        x[shared + own * block : shared + (own + 1) * block] = part[shared:]
        found.append(Record(x / np.linalg.norm(x), sign))
    return found


@pytest.mark.parametrize("balance", [0.25, 1.0, 9.0])
@pytest.mark.parametrize(("shared", "block", "arms"), [(0, 2, 3), (1, 1, 2), (2, 2, 2)])
def test_records_in_blocks_move_as_far_as_is_paid_for(shared, block, arms, balance):
    """The best of 6,000 pairs comes within one percent, none is beyond; the seed is fixed."""
    found, rng = 0.0, np.random.default_rng(1)
    sums = channel(shared + arms * block, arms=arms, block=block, balance=balance)
    one, other = np.zeros(sums.release_size()), np.zeros(sums.release_size())
    for _ in range(1_500):
        first, second = records(rng, shared, block, arms)
        sums.form(first, one)
        for scale in (1.0, 0.9, 0.5, 0.2):
            sums.form(Record(scale * second.features, second.outcome), other)
            found = max(found, math.dist(one, other))
    assert 0.99 * sums.movement() <= found <= sums.movement() * (1.0 + 1e-12)


def test_a_record_moves_one_batch_by_the_same_whatever_the_batch_is_like():
    """With the same noise, releases differ by the moments of two records, and in nothing else."""
    rng = np.random.default_rng(2)
    for replaced in (0, 2, 3, 6, 12):
        released = []
        stream = [Record(rng.standard_normal(4), float(rng.choice([-1.0, 1.0]))) for _ in range(20)]
        others = [*stream]
        others[replaced] = Record(rng.standard_normal(4), 1.0)
        moments = np.zeros((2, 14))
        for game, records_ in enumerate((stream, others)):
            sums, noise = channel(4), np.random.default_rng(3)
            found = [sums.offer(record, 1.0, noise) for record in records_]
            sums.form(records_[replaced], moments[game])
            sums.unweigh(moments[game])
            released.append(np.array([value.copy() for ready, value in found if ready][-1]))
        difference = moments[1] - moments[0]
        np.testing.assert_allclose(released[1] - released[0], difference, atol=1e-7)


def test_releases_come_at_the_times_and_then_no_more():
    sums, rng = channel(3), np.random.default_rng(4)
    ready = [sums.offer(Record(np.ones(3), 1.0), 1.0, rng)[0] for _ in range(30)]
    assert [number + 1 for number, due in enumerate(ready) if due] == TIMES.tolist()
    assert (sums.rounds_seen(), sums.running.prefixes) == (20, 3)


def test_across_two_blocks_nothing_is_taken_even_if_a_record_has_something_there():
    sums = channel(4, arms=2, block=2)
    assert sums.release_size() == 6 + 4
    vector = np.zeros(10)
    sums.form(Record(np.full(4, 0.5), 1.0), vector)
    whole = channel(4)
    other = np.zeros(14)
    whole.form(Record(np.full(4, 0.5), 1.0), other)
    assert np.linalg.norm(vector) < np.linalg.norm(other)


@pytest.mark.parametrize("longest", [1, 2**22, 2**23, 2**36])
def test_on_the_grid_sums_are_exact(longest):
    grid = grid_of(longest, 1.0)
    assert longest * (grid + 1.0) <= 2.0**53
    assert grid == 2.0**30 or 2.0 * longest * (2.0 * grid + 1.0) > 2.0**53


def test_wrong_times_and_blocks_are_refused():
    for times in ([], [0, 1], [3, 3], [[1], [2]]):
        with pytest.raises(DiscreetError, match="times must be one or more whole numbers"):
            channel(3, times=np.array(times, np.int64))
    with pytest.raises(DiscreetError, match="block is 2, but 2 blocks of that size exceed the 3"):
        MomentPlaces.of(3, arms=2, block=2)
    assert joint_movement(2, MomentPlaces(np.array([0, 0]), np.array([0, 0])), 1.0) == math.inf


def test_a_sum_that_cannot_be_is_not_released():
    for change in ({"seen": np.array([2, 1])}, {"held": np.full(9, 2.0**40)}):
        with pytest.raises(DiscreetError):
            channel(3)._replace(**change).check_held()
    channel(3).check_held()


def test_the_noise_in_blocks_has_no_larger_eigenvalues_than_its_bound():
    """200 matrices of each kind: the bound may be exceeded in 0.05 / 3 of all games."""
    rng = np.random.default_rng(5)
    for shape in (Shape(0, 6, 5), Shape(4, 6, 5), Shape(8, 1, 20)):
        size = shape.shared + shape.block * shape.blocks
        places = MomentPlaces.of(size, arms=shape.blocks, block=shape.block)
        most = upsilon(size, 1000, np.ones(1), shape=shape)[0]
        largest = 0.0
        for _ in range(200):
            noise = np.zeros((size, size))
            normal = rng.standard_normal(places.rows.size)
            noise[places.rows, places.columns] = normal / np.where(
                places.rows == places.columns, 1.0, math.sqrt(2.0)
            )
            whole = np.tril(noise) + np.tril(noise, -1).T
            largest = max(largest, float(np.abs(np.linalg.eigvalsh(whole)).max()))
        assert 0.3 * most < largest < most


def test_fits_begin_when_there_is_something_to_fit():
    assert fit_times(100_000, growth=1.1, first=100)[:3].tolist() == [100, 110, 121]
    assert fit_times(100_000, growth=1.1, first=100).size == 73
    assert fit_times(50, growth=1.1, first=100)[0] == 5


@pytest.mark.parametrize("linear", [0.6, 1.0, 2.0])
def test_records_that_are_not_in_blocks_move_no_further_than_paid_for(linear):
    """Blocks of one feature: records with features in two blocks move furthest."""
    places = MomentPlaces.of(2, arms=2, block=1)
    paid, rng, most = joint_movement(2, places, linear), np.random.default_rng(6), 0.0
    angles = rng.uniform(0.0, 2.0 * math.pi, (40_000, 2))
    rewards = rng.choice([-1.0, 1.0], (40_000, 2))
    units = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    moved = np.concatenate([units**2, linear * rewards[..., None] * units], axis=-1)
    most = float(np.linalg.norm(moved[:, 0] - moved[:, 1], axis=1).max())
    assert 0.99 * paid < most <= paid * (1.0 + 1e-9)


@pytest.mark.parametrize("decay", [1e-6, 0.001, 0.1, 0.3, 1.0 / 1.07, 0.9990009990009991])
def test_a_fading_matrix_is_one_that_the_proofs_cover(decay):
    """Positive outputs, 1 - decay without rounding (Lemma 31.5), and the norm of all columns."""
    matrix = fading(decay)
    rate = float(matrix.decay[0])
    assert Fraction(1.0 - rate) == 1 - Fraction(rate)
    assert rate == pytest.approx(decay, rel=1e-9)
    assert (matrix.output > 0.0).all()
    c = matrix.coefficients(50)
    known = np.concatenate([[1.0], 0.875 * rate ** np.arange(1, 50)])
    np.testing.assert_allclose(c, known, rtol=1e-9)
    found = channel(3, times=np.arange(1, 51), matrix=matrix).running
    assert found.factorisation.column_norm(50) == pytest.approx(np.linalg.norm(known), rel=1e-9)
    assert found.sensitivity == pytest.approx(
        np.linalg.norm(known) * found.losses.diameter(2), rel=1e-9
    )


def test_a_matrix_for_another_number_of_sums_is_refused():
    made = Buffered.over(fading(0.5), prefixes=4, dimension=2)
    with pytest.raises(DiscreetError, match="prefixes is 5, but the factorisation is made for 4"):
        RunningSum.calibrated(Box.cube(2, 0.0, 1.0), made, prefixes=5, epsilon=1.0, delta=1e-6)
