"""Running sums in live use: their guarantee, their sums without noise, and restarting."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from exact_channels import CHANNELS, CUBE, EXACT, SETS, SIZE, factorised, released, silent, tree

from componentjit import compile_for
from discreet import DiscreetError
from discreet.channels import RunningSum
from discreet.channels.rounding import Checked, check_affordable, rounding_slack
from discreet.contracts import unsealed
from discreet.factorisations import Buffered, SquareRoot, Tree, square_root
from discreet.mechanisms import ExactLaplace
from discreet.sets import Box, L2Ball, Polytope


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("losses", SETS, ids=repr)
def test_a_live_channel_promises_what_was_asked_with_hardly_more_noise(name, losses):
    channel = CHANNELS[name](losses)
    live = unsealed(channel.live())
    asked, promise = channel.guarantee, live.guarantee
    assert promise.epsilon == pytest.approx(0.5, rel=1e-9)
    assert promise.epsilon <= asked.epsilon
    assert promise.delta == asked.delta
    assert "Sums on a grid" in promise.source
    assert "exact noise" in promise.source
    assert live.noise_scales[0].exact
    assert 1.0 <= live.noise.scale / channel.noise.scale < 1.0 + 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2**16, 2**20])
def test_long_streams_cost_hardly_more_noise(rounds):
    cube = Box.cube(10, -1.0, 1.0)
    for noise in EXACT:
        channel = tree(noise, cube, rounds)
        assert channel.live().noise.scale < channel.noise.scale * (1.0 + 1e-8)
    channel = factorised(Buffered, cube, rounds)
    assert channel.live().noise.scale < channel.noise.scale * (1.0 + 1e-4)
    channel = factorised(SquareRoot, Box.cube(2, -1.0, 1.0), rounds)
    assert channel.live().noise.scale < channel.noise.scale * (1.0 + 1e-6)


@pytest.mark.parametrize("name", CHANNELS)
def test_without_its_noise_every_live_sum_is_right(name):
    vectors = np.random.default_rng(1).uniform(-1.0, 1.0, (21, SIZE))
    live = silent(unsealed(CHANNELS[name]().live()))
    assert released(live, vectors) == pytest.approx(np.cumsum(vectors, axis=0), abs=1e-7)
    assert live.offer(vectors[0], 1.0, None)[0] is False
    live.restart()
    assert released(live, -vectors) == pytest.approx(-np.cumsum(vectors, axis=0), abs=1e-7)


class TestRefusals:
    def test_spherical_noise_names_what_can_be_used(self):
        with pytest.raises(
            DiscreetError, match="live use needs noise laplace, or gaussian with a delta"
        ):
            tree("spherical", L2Ball(SIZE, 1.0)).live()

    @pytest.mark.parametrize("name", ["laplace", "blt", "sqrt-toeplitz"])
    def test_sets_without_a_proof_of_their_projection(self, name):
        square = Polytope([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [1.0] * 4)
        with pytest.raises(
            DiscreetError,
            match="losses is a Polytope, but live sums need a Box, L1Ball, L2Ball or Simplex",
        ):
            CHANNELS[name](square).live()

    def test_rounding_that_would_cost_too_much(self):
        far = Box([2.0**19 - 1.0, *[0.0] * 199], [2.0**19, *[0.0] * 199])
        with pytest.raises(
            DiscreetError,
            match=r"rounding such long sums of these losses would add .* more than 1%",
        ):
            tree("laplace", far, 2**20).live()
        with pytest.raises(DiscreetError, match=r"would add 3\.5% to the noise, more than 1%"):
            check_affordable(0.035, 9)
        blt = factorised(Buffered).factorisation
        with pytest.raises(
            DiscreetError, match=r"prefixes times dimension is .*, which is too large"
        ):
            rounding_slack(
                blt._replace(prefixes=2**40), Checked(CUBE, 0.0), sensitivity=1.0, step=1e-9
            )

    def test_a_tree_is_not_made_with_exact_noise(self):
        with pytest.raises(
            DiscreetError, match=r"takes simulation noise here; call live\(\) to get exact noise"
        ):
            RunningSum.over(
                CUBE, ExactLaplace.calibrate(sensitivity=1.0, epsilon=1.0), Tree, prefixes=4
            )


@pytest.mark.parametrize("name", CHANNELS)
def test_a_live_channel_begins_anew_and_is_live_for_good(name):
    channel = CHANNELS[name]()
    rng = np.random.default_rng(1)
    for _ in range(5):
        channel.offer(np.ones(SIZE), 1.0, rng)
    live = unsealed(channel.live())
    assert live.seen[0] == 0
    assert live._with_exact_noise() is live
    assert live.fork() is live
    assert live.hold() == 1
    assert released(silent(live), np.ones((2, SIZE)))[1] == pytest.approx(2.0, abs=1e-6)
    assert channel.seen[0] == 5
    assert type(live) is type(channel) is RunningSum
    assert type(live.noise) in EXACT.values()
    one, other = unsealed(channel.live()), unsealed(channel.live())
    one.offer(np.zeros(SIZE), 1.0, None)
    other.offer(np.ones(SIZE), 1.0, None)
    assert repr(one) == repr(other)
    assert "hidden" in repr(one)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_round_that_fails_is_in_no_sum_or_in_one_place(name):
    """Otherwise a node would contain remains of another round, which would count twice."""
    live = silent(unsealed(CHANNELS[name]().live()))
    released(live, np.full((5, SIZE), 0.5))
    live.restart()
    vectors = np.random.default_rng(4).uniform(-1.0, 1.0, (8, SIZE))
    for t, vector in enumerate(vectors):
        if t in (0, 2, 5):
            with pytest.raises(DiscreetError, match="real numbers, but has an entry"):
                live.offer([0.1, 0.2, "no number"], 1.0, None)
        last = live.offer(vector, 1.0, None)[1]
        assert last == pytest.approx(vectors[: t + 1].sum(axis=0), abs=1e-7)


class TestTheSquareRoot:
    @pytest.mark.parametrize("rounds", [1, 7, 33, 130])
    def test_its_noise_is_independent_noise_times_c(self, rounds):
        vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (rounds, SIZE))
        channel = factorised(SquareRoot, CUBE, rounds)
        rng = np.random.default_rng(5)
        found = np.array([channel.offer(vector, 1.0, rng)[1].copy() for vector in vectors])
        noise = channel.noise.scale * np.random.default_rng(5).standard_normal((rounds, SIZE))
        for i in range(SIZE):
            noise[:, i] = np.convolve(noise[:, i], square_root(rounds))[:rounds]
        assert found == pytest.approx(np.cumsum(vectors, axis=0) + noise, abs=1e-9)

    def test_a_restart_draws_new_noise_and_forgets_the_sums(self):
        channel = factorised(SquareRoot)
        rng = np.random.default_rng(5)
        first = [channel.offer(np.ones(SIZE), 1.0, rng)[1].copy() for _ in range(4)]
        channel.restart()
        second = [channel.offer(np.ones(SIZE), 1.0, rng)[1].copy() for _ in range(4)]
        assert not np.any(np.isclose(first, second))
        assert all(
            np.abs(b - a - 1.0).max() < 12.0 * channel.noise.scale for a, b in pairwise(second)
        )

    @pytest.mark.slow
    def test_long_streams_are_fast(self):
        """2^17 rounds, which took minutes when each cost all before; checks the last noise."""
        rounds, losses = 2**17, Box.cube(2, -1.0, 1.0)
        channel = factorised(SquareRoot, losses, rounds)
        last = np.zeros(2)
        compile_for(feed, channel)(channel, np.full(2, 0.5), rounds, last, np.random.default_rng(1))
        spread = channel.noise.scale * channel.factorisation.column_norm(rounds)
        assert np.abs(last - 0.5 * rounds).max() < 5.0 * spread, (
            "a seed is fixed; by chance in one of a million"
        )


def feed(channel, vector, rounds, last, rng):
    for _ in range(rounds):
        released = channel.offer(vector, 1.0, rng)[1]
        for i in range(last.size):
            last[i] = released[i]
