"""Noise on every coordinate of a linear function."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import DiscreetError, Range
from discreet.mechanisms import Laplace
from discreet_papers.calibrations import PerPoint

UNIT = Range(0.0, 1.0)


def released(channel, value, point, number=1, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([channel.offer(value, np.array(point), rng)[1] for _ in range(number)])


@pytest.mark.parametrize("point", [[0.3, 0.0], [0.5, -0.5], [0.1, 0.05]])
def test_a_replaced_round_moves_the_release_by_at_most_the_guarantee(point):
    """The shift of a release, in scales of the widest noise, is at most epsilon, and near it."""
    channel = PerPoint(UNIT, 1.5, Laplace(0.5))
    values = np.concatenate([np.linspace(-3.0, 4.0, 41), [np.inf, -np.inf, np.nan]])
    found = [released(channel, value, point)[0] for value in values]
    widest = 0.5 * max(abs(entry) for entry in point)
    shift = (max(found) - min(found)) / widest
    assert shift <= channel.guarantee.epsilon * (1.0 + 1e-12)
    # the range of losses is 1 wide
    reached = min(1.0, 2.0 * 1.5 * max(abs(entry) for entry in point))
    assert shift == pytest.approx(reached / widest, rel=1e-9)


def test_the_noise_is_that_of_all_coordinates():
    """20,000 draws: the variance is 2 λ² |x|², ± 2 %; the limits are 4 deviations."""
    spread = released(PerPoint(UNIT, 1.0, Laplace(0.5)), 0.5, [0.6, 0.8], 20_000).var()
    assert spread == pytest.approx(2.0 * 0.25, rel=0.08)


def test_at_the_origin_nothing_is_told():
    assert released(PerPoint(UNIT, 1.0, Laplace(1.0)), 1.0, [0.0, 0.0])[0] == 0.5


def test_what_it_refuses():
    channel = PerPoint(UNIT, 1.0, Laplace(1.0))
    with pytest.raises(DiscreetError, match="entry that is not a finite number"):
        released(channel, 0.5, [np.inf, 0.0])
    with pytest.raises(DiscreetError, match="PerPoint is for simulation only"):
        channel.live()
