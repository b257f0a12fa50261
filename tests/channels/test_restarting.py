"""Running sums for an unknown number of rounds: nodes, noise, guarantee, errors, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from epoch_channels import (
    CUBE,
    LINE,
    SIZE,
    channel_for,
    every_noise,
    every_split,
    feed,
    node_noises,
    node_scale,
    place,
    released,
    some_vectors,
)

import componentjit
from componentjit import compile_for
from discreet import DiscreetError, Private
from discreet.channels import Restarting, RunningSum
from discreet.checks import check_channel
from discreet.checks.parts import same_state
from discreet.curves import GaussianNoise, Pure
from discreet.factorisations import Buffered, Honaker, SquareRoot, Tree
from discreet.learners.points.hedge import Hedge
from discreet.mechanisms import Gaussian, Laplace
from discreet.problems import Game
from discreet.randomness import streams
from discreet.sets import Box, L2Ball
from discreet.simulation.loop import Player, play


@pytest.mark.slow
@every_split
@pytest.mark.parametrize("mechanism", [Gaussian(0.0, 1e-6), Laplace(1e-12)], ids=["none", "tiny"])
@pytest.mark.parametrize("first", [1, 2, 16])
def test_with_tiny_noise_every_prefix_sum_is_right(split, mechanism, first):
    vectors = some_vectors(300)
    found = released(Restarting.over(CUBE, mechanism, split=split, first=first), vectors)
    assert found == pytest.approx(np.cumsum(vectors, axis=0), abs=1e-8)


@every_split
@every_noise
@pytest.mark.parametrize("first", [1, 4])
def test_every_node_gets_noise_once_with_the_scale_of_its_epoch(split, noise, first):
    """What is left after subtracting the true node is the next draw of the mechanism, scaled."""
    vectors = some_vectors(200)
    channel = channel_for(split, noise, first=first)
    found = node_noises(released(channel, vectors, compiled=False), vectors, first)
    rng = np.random.default_rng(1)
    for time in range(1, 201):
        draw = np.zeros(SIZE)
        channel.noise.perturb(draw, rng)
        scale = node_scale(split, time, first, gaussian=noise == "gaussian")
        assert found[time - 1] == pytest.approx(scale * draw, rel=1e-7, abs=1e-7)


@pytest.mark.long
@every_split
def test_adaptive_transcripts_lose_at_most_epsilon(split):
    """On the real channel: inputs react to all releases; a transcript's loss is a sum over nodes.

    Every round in turn is changed. The first round of an epoch is in a node of every level, at most
    three of them; with a probability of at least 1/8 all lie below their lower values, where the
    loss is epsilon: that this happens in none of 1,000 transcripts has a probability of (7/8)^1000.
    """
    epsilon, rounds = 1.0, 7
    mechanism = Restarting.calibrated(LINE, noise="laplace", epsilon=epsilon).noise
    scales = np.array(
        [mechanism.scale * node_scale(split, t, 1, gaussian=False) for t in range(1, rounds + 1)]
    )
    worst = np.zeros(rounds)
    for trial in range(1000):
        for changed in range(rounds):
            channel = Restarting.over(LINE, mechanism, split=split)
            rng = np.random.default_rng([trial, changed])
            inputs, sums, latest = np.zeros((rounds, 1)), np.zeros((rounds, 1)), 0.0
            for t in range(rounds):
                inputs[t] = -1.0 if t == changed else np.sin(latest)
                latest = channel.offer(inputs[t], 1.0, rng)[1][0]
                sums[t] = latest
            other = inputs.copy()
            # In the other world; all other inputs are the same functions of the transcript.
            other[changed] = 1.0
            losses = [np.abs(node_noises(sums, each, 1))[:, 0] / scales for each in (inputs, other)]
            worst[changed] = max(worst[changed], abs(float((losses[0] - losses[1]).sum())))
    assert worst.max() <= epsilon * (1.0 + 1e-9)
    assert worst[[0, 1, 3]] == pytest.approx(epsilon)


@every_split
@every_noise
@pytest.mark.parametrize("losses", [CUBE, L2Ball(4, 1.0)], ids=["cube", "ball"])
@pytest.mark.parametrize("first", [1, 64])
def test_the_guarantee_is_what_was_asked(split, noise, losses, first):
    channel = channel_for(split, noise, losses=losses, epsilon=0.3, first=first)
    promise = channel.guarantee
    assert promise.epsilon == pytest.approx(0.3, rel=1e-9)
    assert promise.delta == (1e-6 if noise == "gaussian" else 0.0)
    assert isinstance(promise.curve, GaussianNoise if noise == "gaussian" else Pure), (
        "no more is proved of vectors"
    )
    assert promise.status == "proved"
    one = RunningSum.over(losses, channel.noise, Tree, prefixes=1)
    assert channel.sensitivity == pytest.approx(one.sensitivity)
    assert channel.sensitivity <= one.sensitivity
    assert promise.implies(one.guarantee)


@pytest.mark.slow
@every_noise
def test_restarts_have_the_noise_of_a_tree_for_each_epoch(noise):
    """Eight rounds in epoch 3 are four levels: the pure scale is 4 times, the Gaussian 2 times."""
    channel = channel_for("restarts", noise)
    released(channel, some_vectors(7))
    total, inside = channel.noise_scales
    expected = channel.noise.scale * (2.0 if noise == "gaussian" else 4.0)
    assert total.scale == pytest.approx(expected)
    assert inside.scale == pytest.approx(expected)


def test_half_of_a_gaussian_budget_is_mu_over_the_root_of_two():
    channel = channel_for("hybrid", "gaussian")
    mu = channel.guarantee.curve.mu
    for epoch in (1, 2, 10):
        assert 1.0 / channel.on_total[epoch] == pytest.approx(2**-0.5)
        reach = RunningSum.over(CUBE, channel.noise, Tree, prefixes=2**epoch - 1).sensitivity
        scale = channel.noise.scale * channel.on_inside[epoch]
        assert reach / scale == pytest.approx(mu / 2**0.5, rel=1e-9)


@every_split
@every_noise
def test_both_speeds_agree_and_nothing_allocates(split, noise):
    vectors = some_vectors(130)
    plain, fast = channel_for(split, noise), channel_for(split, noise)
    assert np.array_equal(released(plain, vectors, compiled=False), released(fast, vectors))
    assert not compile_for(feed, fast).must_allocate


@every_split
@every_noise
def test_the_contract_is_kept(split, noise):
    check_channel(channel_for(split, noise), feedback=np.array([0.5, -0.25, 1.0]))


class VectorGame(Game):
    losses: np.ndarray

    def observe(self, t):
        return 0

    def feedback(self, t, action):
        return self.losses[t]

    def loss(self, t, action):
        total = 0.0
        for i in range(action.size):
            total += self.losses[t, i] * action[i]
        return total


@pytest.mark.slow
def test_a_learner_behind_it_plays_at_both_speeds():
    private = Private(channel_for("tapered", "laplace"), Hedge.start(dimension=SIZE))
    assert private.guarantee.epsilon == pytest.approx(1.0)
    game, marks, runs = VectorGame(some_vectors(300)), np.array([10, 300]), []
    for compiled in (True, False):
        player = Player(private, streams(1), compiled=compiled)
        runs.append((player.play(game, marks).tolist(), player.private))
        if compiled:
            assert not componentjit.compile_for(
                play, player.private, game, player._held
            ).must_allocate
    assert runs[0][0] == runs[1][0]
    assert same_state(runs[0][1], runs[1][1]) is None


def test_copies_share_no_state():
    channel = channel_for("hybrid", "laplace")
    twin = componentjit.copy(channel)
    before = released(componentjit.copy(channel), some_vectors(20))
    released(twin, some_vectors(11), seed=5)
    assert np.array_equal(released(channel, some_vectors(20)), before)


@every_split
def test_a_restart_begins_anew(split):
    channel = channel_for(split, "laplace")
    first = released(channel, some_vectors(21))
    channel.restart()
    assert np.array_equal(released(channel, some_vectors(21)), first)


def test_memory_does_not_grow_with_rounds():
    channel = channel_for("tapered", "gaussian", losses=Box.cube(1000, -1.0, 1.0))
    before = [(name, array.nbytes) for name, array in componentjit.arrays(channel)]
    released(channel, np.zeros((5000, 1000)))
    assert [(name, array.nbytes) for name, array in componentjit.arrays(channel)] == before
    assert sum(size for _, size in before) < 8 * 1000 * (3 * 50 + 10)


def test_after_the_last_epoch_nothing_is_released():
    channel = channel_for("restarts", "laplace")
    short = channel._replace(on_total=channel.on_total[:2], on_inside=channel.on_inside[:2])
    rng = np.random.default_rng(1)
    assert [short.offer(np.ones(SIZE), 1.0, rng)[0] for _ in range(5)] == [True] * 3 + [False] * 2
    assert channel.on_total.size == 32, "2^32 rounds are enough"


class TestErrors:
    @every_split
    @pytest.mark.parametrize(
        ("mechanism", "spread", "off"),
        [(Gaussian(1.0, 1e-6), 1.0, 0.05), (Laplace(1.0), 2.0, 0.08)],
    )
    @pytest.mark.parametrize("first", [1, 4])
    def test_the_measured_variance_is_the_formula_s(self, split, mechanism, spread, off, first):
        """20,000 copies: a variance has a standard error of 1 % (Gaussian) or 1.6 % (Laplace).

        Five of them are a false alarm once in a million for each of the 40 rounds: 1 in 2,000 for
        all twelve cases.
        """
        copies, rounds = 20_000, 40
        channel = Restarting.over(Box.cube(copies, -1.0, 1.0), mechanism, split=split, first=first)
        found = (released(channel, np.zeros((rounds, copies))) ** 2).mean(axis=1)
        assert found == pytest.approx(spread * channel.variances(rounds), rel=off)

    @every_split
    @pytest.mark.parametrize("gaussian", [True, False])
    @pytest.mark.parametrize("first", [1, 8])
    def test_the_formula_adds_up_nodes(self, split, gaussian, first):
        rounds = 500
        mechanism = Gaussian(1.0, 1e-6) if gaussian else Laplace(1.0)
        expected = np.zeros(rounds + 1)
        for t in range(1, rounds + 1):
            since = place(t, first)[2]
            expected[t] = (
                expected[t - (since & -since)] + node_scale(split, t, first, gaussian=gaussian) ** 2
            )
        found = Restarting.over(LINE, mechanism, split=split, first=first).variances(rounds)
        assert found == pytest.approx(expected[1:])

    def test_restarts_in_closed_form(self):
        """In epoch e: 1² + .. + e² for the totals before, and (e + 1)² for each node."""
        e = 10
        curve = Restarting.over(LINE, Laplace(1.0), split="restarts").variances(2 ** (e + 1) - 1)
        assert curve.max() == pytest.approx(e * (e + 1) * (2 * e + 1) / 6 + (e + 1) ** 2 * e)
        assert curve[-1] == pytest.approx((e + 1) * (e + 2) * (2 * e + 3) / 6)

    @pytest.mark.parametrize(
        ("mechanism", "split", "largest", "mean"),
        [
            (Gaussian(1.0, 1e-6), "restarts", 1.342, 1.602),
            (Gaussian(1.0, 1e-6), "hybrid", 1.787, 1.690),
            (Gaussian(1.0, 1e-6), "tapered", 1.248, 1.255),
            (Laplace(1.0), "restarts", 1.122, 1.196),
            (Laplace(1.0), "hybrid", 3.034, 2.596),
            (Laplace(1.0), "tapered", 1.088, 0.984),
        ],
    )
    def test_the_price_of_not_knowing_the_horizon(self, mechanism, split, largest, mean):
        """Ratios to a tree that is made for 2^18 rounds, at equal guarantee."""
        rounds = 2**18
        # Its scale has the levels, not their root.
        pure = rounds.bit_length() if isinstance(mechanism, Laplace) else 1
        curve = Restarting.over(LINE, mechanism, split=split).variances(rounds)
        known = Tree.errors(rounds)
        assert curve.max() / (pure * known.largest) == pytest.approx(largest, abs=1e-3)
        assert curve.mean() / (pure * known.mean) == pytest.approx(mean, abs=1e-3)


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"first": 3}, "first is 3, but must be a power of two"),
            ({"first": 0}, "first is 0, but must be a whole number of at least 1"),
            ({"split": "hybird"}, "unknown split 'hybird': did you mean 'hybrid'"),
        ],
    )
    def test_bad_arguments_get_one_sentence(self, options, message):
        with pytest.raises(DiscreetError, match=message):
            Restarting.over(CUBE, Laplace(1.0), **options)

    def test_an_unknown_noise(self):
        with pytest.raises(DiscreetError, match="unknown noise 'gauss': did you mean 'gaussian'"):
            Restarting.calibrated(CUBE, epsilon=1.0, delta=1e-6, noise="gauss")

    def test_factorisations_without_a_root_can_be_restarted_only(self):
        for kind in (Honaker, Buffered, SquareRoot):
            with pytest.raises(
                DiscreetError,
                match=f"split is 'hybrid', but {kind.name} can be restarted only with 'restarts'",
            ):
                Restarting.over(CUBE, Gaussian(1.0, 1e-6), kind, split="hybrid")

    def test_what_cannot_be_used_live(self):
        with pytest.raises(DiscreetError, match="spherical"):
            channel_for("restarts", "spherical").live()
        with pytest.raises(
            DiscreetError, match="cannot be summed live with blt, whose rounding errors grow"
        ):
            Restarting.over(CUBE, Gaussian(1.0, 1e-6), Buffered, split="restarts").live()
