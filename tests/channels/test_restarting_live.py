"""Running sums for an unknown number of rounds in live use, and audits."""

from __future__ import annotations

import copy
import math
import pickle
from functools import partial

import numpy as np
import pytest
from epoch_channels import (
    CUBE,
    LINE,
    channel_for,
    every_split,
    node_noises,
    node_scale,
    released,
    some_vectors,
)

import componentjit
from discreet import DiscreetError
from discreet.auditing import attacked
from discreet.channels import Restarting
from discreet.contracts import unsealed
from discreet.factorisations import Honaker
from discreet.mechanisms import Gaussian
from discreet.sets import Box


class TestAudits:
    """The first of an epoch's four rounds is replaced: in a leaf, a pair and the total."""

    NODES = (1, 2, 4)

    def sample(self, channel, weights, world, trials, series):
        """Return the nodes of round 4 of independent streams: their largest, or a weighted sum."""
        wide = Restarting.over(Box.cube(trials, -1.0, 1.0), channel.noise)
        wide = wide._replace(on_total=channel.on_total, on_inside=channel.on_inside)
        vectors = np.zeros((7, trials))
        vectors[3] = 2.0 * world - 1.0
        sums = released(wide, vectors, seed=[world, series])
        nodes = np.array([sums[2 + size] - sums[2] for size in self.NODES])
        return nodes.max(axis=0) if weights is None else weights @ nodes

    @every_split
    def test_laplace_noise_leaks_most_of_epsilon_and_no_more(self, split):
        """All three nodes are below their lower value in 1/8; a bound above 1 errs in 1 %."""
        channel = channel_for(split, "laplace", losses=LINE)
        bound = attacked(partial(self.sample, channel, None), 40_000, delta=0.0, gaussian=False)
        assert 0.7 < bound <= 1.0

    @every_split
    def test_gaussian_noise_leaks_most_of_it_too(self, split):
        channel = channel_for(split, "gaussian", losses=LINE)
        weights = (
            1.0 / np.array([channel.on_inside[2], channel.on_inside[2], channel.on_total[2]]) ** 2
        )
        bound = attacked(partial(self.sample, channel, weights), 40_000, delta=1e-6, gaussian=True)
        assert 0.7 < bound <= 1.0

    def test_noise_that_does_not_grow_with_the_levels_of_its_epoch_is_caught(self):
        channel = channel_for("restarts", "laplace", losses=LINE)
        channel.on_total[2], channel.on_inside[2] = channel.on_total[1], channel.on_inside[1]
        assert (
            attacked(partial(self.sample, channel, None), 40_000, delta=0.0, gaussian=False) > 1.2
        )
        assert channel.guarantee.epsilon == pytest.approx(1.5), (
            "and the guarantee is computed from what is added"
        )


every_exact_noise = pytest.mark.parametrize("noise", ["laplace", "cube", "gaussian"])


class TestLive:
    """The same channel with exact noise, on one grid for all epochs."""

    @every_split
    @every_exact_noise
    @pytest.mark.parametrize("first", [1, 4])
    def test_it_keeps_the_guarantee_with_hardly_more_noise(self, split, noise, first):
        simulated = channel_for(split, noise, first=first)
        live = unsealed(simulated.live())
        assert type(live) is Restarting
        assert live.guarantee.epsilon <= simulated.guarantee.epsilon
        assert live.guarantee.epsilon == pytest.approx(1.0, rel=1e-9)
        assert live.guarantee.delta == simulated.guarantee.delta
        assert "exact noise" in live.guarantee.source
        for one, exact in zip(simulated.noise_scales, live.noise_scales, strict=True):
            assert exact.exact
            assert 1.0 <= exact.scale / one.scale < 1.0 + 1e-6
        assert live._with_exact_noise() is live

    @pytest.mark.slow
    @every_split
    @every_exact_noise
    def test_every_epoch_costs_no_more_than_the_guarantee(self, split, noise):
        """In whole steps, for all epochs: a movement is in the total and a node per level."""
        live = unsealed(channel_for(split, noise).live())
        moved = live.losses.diameter(live.noise.norm)
        for epoch in range(live.on_total.size):
            total, inside = (
                live.sums.noise.twin(float(part[epoch])) for part in (live.on_total, live.on_inside)
            )
            assert live.losses.grid % total.step == live.losses.grid % inside.step == 0.0
            parts = [moved / total.scale, *[moved / inside.scale] * epoch]
            limit = live.noise.joint_guarantee(moved, model="central", source="").curve
            if noise == "gaussian":
                assert math.hypot(*parts) <= limit.mu
            else:
                assert math.fsum(parts) <= limit.epsilon

    @every_split
    @every_exact_noise
    def test_without_its_noise_every_sum_is_right_and_on_the_grid(self, split, noise, monkeypatch):
        monkeypatch.setattr("discreet.mechanisms.exact.NoiseBlock.take", lambda self: 0)
        monkeypatch.setattr("discreet.mechanisms.ExactCube.radius", lambda self, size: 0)
        vectors, live = some_vectors(40), unsealed(channel_for(split, noise).live())
        found = released(live, vectors, compiled=False)
        assert found == pytest.approx(np.cumsum(vectors, axis=0), abs=1e-4)
        steps = found / live.losses.grid
        assert np.array_equal(steps, np.rint(steps))
        assert live.rounds_seen() == 40

    @every_split
    def test_its_noise_has_the_scale_of_its_node(self, split):
        """Nodes of 400 copies of 15 rounds: a spread 30 % off is beyond eight standard errors."""
        live = unsealed(channel_for(split, "gaussian", losses=Box.cube(400, -1.0, 1.0)).live())
        found = node_noises(
            released(live, np.zeros((15, 400)), compiled=False), np.zeros((15, 400)), 1
        )
        scale = live.noise.scale
        expected = [scale * node_scale(split, t, 1, gaussian=True) for t in range(1, 16)]
        assert found.std(axis=1) == pytest.approx(np.array(expected), rel=0.3)

    @every_split
    def test_in_the_middle_of_a_run_there_is_no_second_one(self, split):
        live = unsealed(channel_for(split, "laplace").live())
        assert componentjit.copy(live).guarantee == live.guarantee
        for rounds in (1, 3):  # after one round, and where an epoch has just begun
            live.restart()
            released(live, some_vectors(rounds), compiled=False)
            duplicates = (
                copy.copy,
                copy.deepcopy,
                pickle.dumps,
                componentjit.copy,
                lambda each: each._replace(first=1),
            )
            for duplicate in duplicates:
                with pytest.raises(DiscreetError, match=f"has seen {rounds} round"):
                    duplicate(live)
        live.restart()
        assert live.rounds_seen() == 0

    def test_honaker_is_live_with_restarts(self):
        live = unsealed(
            Restarting.over(CUBE, Gaussian(1.0, 1e-6), Honaker, split="restarts").live()
        )
        assert live.guarantee.is_private
        assert np.isfinite(released(live, some_vectors(9), compiled=False)).all()

    @pytest.mark.full
    def test_it_stands_an_audit(self):
        """Round 4 is -1 or 1. A true guarantee is called violated in 1 of 10^6 runs at most."""
        simulated = channel_for("tapered", "laplace", losses=LINE)

        def sample(world, trials, series):
            # Worlds are drawn by two threads.
            live, found = (unsealed(simulated.live()), np.empty(trials))
            for trial in range(trials):
                live.restart()
                sums = [
                    live.offer([2.0 * world - 1.0 if t == 3 else 0.0], 1.0, None)[1][0]
                    for t in range(7)
                ]
                found[trial] = max(sums[2 + size] - sums[2] for size in (1, 2, 4))
            return found

        bound = attacked(sample, 12_000, delta=0.0, gaussian=False, confidence=1 - 1e-6)
        assert 0.4 < bound <= 1.0
