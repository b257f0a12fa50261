"""Channels of records: for any context and outcome, the noise fits the vector."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from discreet.channels import GlmMoments, Moments, Residuals, RunningMoments
from discreet.channels.glm_moments import IdentityLink, LogisticLink, PoissonLink
from discreet.contracts import Record
from discreet.mechanisms import Gaussian

SIZE = 12
NORMS = (1e-200, 1e-150, 1e-3, 1.0, 1e150, 1e200)
SCALES = (5e-324, 1.5e-162, 1e-160, 1e-150, 1e-120, 1e-8, 0.1, 1.0, 1e8, 1e150, 1e153, 1e308)


def contexts():
    """Yield contexts of all sizes: even, single entries, some lost to rounding, and zero."""
    rng = np.random.default_rng(1)
    for scale in SCALES:
        yield np.full(SIZE, scale)
        yield scale * np.eye(SIZE)[0]
        yield scale * np.concatenate([[2.0 if scale < 1e308 else 1.0], np.full(SIZE - 1, 1.0)])
        yield scale * rng.uniform(-1.0, 1.0, SIZE)
    yield np.zeros(SIZE)
    yield np.full(SIZE, np.nan)
    yield np.concatenate([[np.inf], np.zeros(SIZE - 1)])


def channels(norm):
    noise = Gaussian.calibrate(sensitivity=2.0, epsilon=1.0, delta=1e-6)
    yield Residuals.calibrated(noise=noise, dimension=SIZE, norm=norm), 2.0
    moments = Moments.gaussian(dimension=SIZE, epsilon=1.0, delta=1e-6, norm=norm)
    yield moments, moments.movement()
    for link in (LogisticLink, IdentityLink, PoissonLink):
        glm = GlmMoments.over(moments, link.start())
        yield glm, glm.movement()


@pytest.mark.parametrize("norm", NORMS)
def test_no_context_moves_a_report_further_than_its_noise_is_for(norm):
    for channel, furthest in channels(norm):
        found = []
        for context, outcome in itertools.product(contexts(), (-1.0, 1.0, -math.inf, math.nan)):
            vector = np.ones(channel.release_size())
            channel.statistic(Record(context, outcome), np.full(SIZE, 0.3), vector)
            assert np.isfinite(vector).all()
            found.append(vector)
        table = np.array(found)
        squares = (table**2).sum(axis=1)
        distances = squares[:, None] + squares[None, :] - 2.0 * table @ table.T
        assert math.sqrt(distances.max()) <= furthest * (1.0 + 1e-9), type(channel).__name__


@pytest.mark.parametrize("norm", NORMS)
def test_no_context_moves_a_running_sum_further_than_its_noise_is_for(norm):
    channel = RunningMoments.calibrated(
        dimension=SIZE, times=np.arange(1, 10), epsilon=1.0, norm=norm
    )
    vector = np.ones(channel.release_size())
    for context in contexts():
        channel.form(Record(context, 1.0), vector)
        assert np.linalg.norm(vector) <= math.hypot(channel.diagonal, channel.linear) * (1.0 + 1e-9)
