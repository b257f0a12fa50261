"""Every registered algorithm on arms, found by reflection: non-interference, both speeds, no noise,
guarantees.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from arm_games import PRIVATE

import componentjit
from discreet import DiscreetError, Private, Range, Setting, algorithm, list_algorithms
from discreet.channels import Batch, OneBit, Open, PerRound, Responses
from discreet.checks import (
    CheckFailed,
    check_channel,
    check_learner,
    check_non_interference,
    check_private,
)
from discreet.checks.parts import same_state
from discreet.environments import Table, environment
from discreet.mechanisms import Laplace
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.simulation.loop import Player


def chooses_lengths(name):
    learner = componentjit.copy(algorithm(name).build(Setting(Arms())).private.learner)
    return learner.patience(learner.act(0, np.random.default_rng(0))[1]) > 0


OF_FIXED_LENGTH = [name for name in PRIVATE if not chooses_lengths(name)]


@pytest.mark.slow
@pytest.mark.parametrize("name", list_algorithms(Arms))
@pytest.mark.parametrize("epsilon", [2.0, 0.05])
def test_no_raw_feedback_reaches_the_learner_and_both_speeds_agree(name, epsilon):
    private = algorithm(name).build(Setting(Arms(3), rounds=5000, epsilon=epsilon)).private
    check_private(private, environment("stochastic", arms=3), quick=True)
    check_learner(private.learner)
    check_channel(private.channel)


class Careless(Private):
    """Looks right, but lets the learner learn a millionth of the raw loss."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            self.learner.learn(trace, released + 1e-6 * feedback)
        return ready


LEARNING = [name for name in list_algorithms(Arms) if name != "uniform"]
# that are compiled with the constant channel; all of them by make full
SOME = ("exp3", "one-bit-tsallis-inf")


@pytest.mark.parametrize("name", LEARNING)
def test_the_non_interference_test_finds_a_small_leak(name):
    private = algorithm(name).build(Setting(Arms(3))).private
    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(Careless(*private), Arms(3), compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in SOME else pytest.mark.full) for name in LEARNING],
)
def test_so_in_compiled_code(name):
    private = algorithm(name).build(Setting(Arms(3))).private
    check_non_interference(private, Arms(3))
    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(Careless(*private), Arms(3))


@pytest.mark.parametrize("name", OF_FIXED_LENGTH)
def test_no_noise_recovers_the_ordinary_learner(name):
    private = algorithm(name).build(Setting(Arms(4), rounds=2000, epsilon=0.5)).private
    silent = Batch.over(size=1, bounds=private.channel.bounds, noise=Laplace(0.0))
    if isinstance(private.channel, PerRound):
        silent = private.channel._replace(noise=Laplace(0.0))
    game = environment("stochastic", arms=4).deal(0, 2000, np.random.default_rng(1))
    players = [
        Player(Private(c, private.learner), streams(3))
        for c in (silent, Open(private.channel.bounds))
    ]
    scores = [player.play(game, np.array([500, 2000])) for player in players]
    assert scores[0].tolist() == scores[1].tolist()
    assert same_state(players[0].private.learner, players[1].private.learner) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_FIXED_LENGTH)
def test_a_silent_batch_is_the_ordinary_learner_on_means(name):
    private = algorithm(name).build(Setting(Arms(4), rounds=2000, epsilon=0.5)).private
    losses = np.random.default_rng(1).integers(0, 9, (500, 4)) / 8.0
    silent = Batch.over(size=4, bounds=private.channel.bounds, noise=Laplace(0.0))
    batched = Player(Private(silent, private.learner), streams(3))
    ordinary = Player(Private(Open(private.channel.bounds), private.learner), streams(3))
    slow = batched.play(
        Table(np.repeat(losses, 4, axis=0)).deal(0, 2000, np.random.default_rng()), np.array([2000])
    )
    fast = ordinary.play(Table(losses).deal(0, 500, np.random.default_rng()), np.array([500]))
    assert slow[0] == 4 * fast[0]
    assert same_state(batched.private.learner, ordinary.private.learner) is None


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (5.0, 5.5)])
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0, 7.0])
def test_noise_and_guarantee_follow_from_the_declared_range(name, low, high, epsilon):
    instance = algorithm(name).build(Setting(Arms(), epsilon=epsilon, bounds=Range(low, high)))
    (noise,) = instance.private.channel.noise_scales
    hold = instance.private.channel.hold()
    scale = (high - low) / (hold * epsilon)
    if isinstance(instance.private.channel, OneBit):
        scale = (high - low) * (0.5 + 1.0 / (hold * math.expm1(epsilon)))
    if isinstance(instance.private.channel, Responses):
        scale = (high - low) / (2.0 * math.tanh(epsilon / 2.0))
    assert noise.scale == pytest.approx(scale, rel=1e-12)
    assert instance.guarantee.epsilon == pytest.approx(epsilon, rel=1e-11)
    assert instance.guarantee.delta == 0.0
    assert instance.guarantee.status == "proved"


def test_a_horizon_shorter_than_a_batch_is_possible_and_learns_nothing():
    instance = algorithm("batched-exp3").build(Setting(Arms(2), rounds=10, epsilon=0.01))
    assert instance.parameters["batch_size"] == 10
    assert instance.regret_bound == 10.0


def test_certain_bits_are_the_ordinary_learner():
    """With an epsilon so large that a bit is never wrong, and losses of 0 and 1, one bit a round is
    Tsallis-INF.
    """
    private = (
        algorithm("one-bit-tsallis-inf").build(Setting(Arms(4), rounds=2000, epsilon=100.0)).private
    )
    assert private.channel.size == 1
    game = Table(np.random.default_rng(1).integers(0, 2, (2000, 4)).astype(float)).deal(
        0, 2000, np.random.default_rng(1)
    )
    players = [
        Player(Private(c, private.learner), streams(3))
        for c in (private.channel, Open(private.channel.bounds))
    ]
    scores = [player.play(game, np.array([2000])) for player in players]
    assert scores[0].tolist() == scores[1].tolist()
    assert same_state(players[0].private.learner, players[1].private.learner) is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"arms": 1}, "arms is 1, but must be a whole number of at least 2"),
        ({"rounds": 1}, "rounds is 1, but must be a whole number of at least 2"),
        ({"epsilon": 0.0}, "epsilon is 0.0, but must be a finite number above 0"),
        ({"epsilon": math.inf}, "epsilon is inf, but must be a finite number above 0"),
        ({"delta": 2.0}, "delta is 2.0, but must be between 0 and 1"),
        ({"bounds": (1.0, 1.0)}, "low must be below high"),
        ({"bounds": (0.0, math.inf)}, "high is inf, but must be a finite number"),
    ],
)
def test_bad_settings_are_refused(arguments, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        Setting(Arms(arguments.pop("arms", 4)), **arguments)


def test_unknown_names_get_a_suggestion():
    with pytest.raises(
        DiscreetError, match="unknown algorithm 'batched-exp5': did you mean 'batched-exp"
    ):
        algorithm("batched-exp5")
    with pytest.raises(
        DiscreetError, match="unknown option 'learnin_rate' of exp3: did you mean 'learning_rate'"
    ):
        algorithm("exp3").build(Setting(Arms()), learnin_rate=1.0)


def promise(name, **arguments):
    options = {
        key: arguments.pop(key)
        for key in ("calibration", "batch_size", "noise")
        if key in arguments
    }
    low, high = arguments.pop("bounds", (0.0, 1.0))
    return algorithm(name).build(
        algorithm(name).setting(low=low, high=high, **arguments), **options
    )


def test_exp3_tau_takes_the_least_valid_batch():
    tight = promise("exp3-tau", rounds=10_000, epsilon=1.0, delta=1e-6)
    assert tight.parameters["batch_size"] == 42
    assert tight.guarantee.epsilon == pytest.approx(0.9823, abs=1e-4)
    assert (
        promise("exp3-tau", rounds=10_000, epsilon=1.0, delta=1e-6, batch_size=41).guarantee.epsilon
        > 1.0
    )
    paper = promise("exp3-tau", rounds=10_000, epsilon=1.0, delta=1e-6, calibration="paper")
    assert 0.2 < paper.guarantee.epsilon < 0.5, (
        "its batches are about twice as long as they need be"
    )
    pure = promise("exp3-tau", rounds=10_000, epsilon=1.0, delta=0.0)
    assert pure.guarantee.delta == 0.0
    assert pure.guarantee.epsilon <= 1.0
    assert "not the state of the learner" in str(tight.guarantee)


def test_selection_promises_nothing_for_a_learner_without_a_window():
    private = promise("exp3-tau", rounds=1000, delta=1e-6).private
    assert private.guarantee.is_private
    assert not private.channel.guarantee.is_private
    other = algorithm("exp3").build(Setting(Arms())).private.learner
    assert not Private(private.channel, other).guarantee.is_private
    noisy = algorithm("dp-exp3-lap").build(Setting(Arms())).private.learner
    assert not Private(private.channel, noisy).guarantee.is_private


def test_the_papers_own_scales_state_what_they_deliver():
    assert promise(
        "noisy-exp2", bounds=Range(-1.0, 1.0), calibration="paper"
    ).guarantee.epsilon == pytest.approx(2.0)
    assert promise(
        "noisy-exp2", bounds=Range(0.0, 1.0), calibration="paper"
    ).guarantee.epsilon == pytest.approx(1.0)
    assert promise("noisy-exp2", bounds=Range(-1.0, 1.0)).private.channel.noise_scales[
        0
    ].scale == pytest.approx(2.0)
    small = promise("local-tsallis-inf", epsilon=1.0, delta=1e-5, calibration="paper").guarantee
    large = promise("local-tsallis-inf", epsilon=16.0, delta=1e-5, calibration="paper").guarantee
    assert small.epsilon < 1.0
    assert large.epsilon == pytest.approx(18.9, abs=0.1)
    for name in ("batched-exp3", "batched-htinf", "batched-ftpl"):
        paper = promise(name, epsilon=0.1, calibration="paper")
        assert paper.parameters["batch_size"] == 10
        assert paper.private.channel.noise_scales[0].scale == pytest.approx(1.0)
        assert paper.guarantee.epsilon == pytest.approx(0.1)


def test_gaussian_noise_is_exact():
    instance = promise(
        "local-tsallis-inf",
        bounds=Range(-1.0, 1.0),
        epsilon=1.0,
        delta=1e-5,
        noise="gaussian",
    )
    (noise,) = instance.private.channel.noise_scales
    assert noise.kind == "gaussian"
    assert noise.scale == pytest.approx(7.461263, abs=1e-6)
    assert instance.guarantee.epsilon == pytest.approx(1.0, rel=1e-9)
    assert instance.guarantee.delta == 1e-5
    assert instance.guarantee.model == "local"


def test_calibrations_are_checked():
    with pytest.raises(
        DiscreetError, match="calibration is 'loose', but must be one of tight, paper"
    ):
        promise("batched-exp3", calibration="loose")
    with pytest.raises(DiscreetError, match="the paper's Gaussian noise needs delta above 0"):
        promise("local-tsallis-inf", calibration="paper")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["exp3", "exp3-gain", "exp3-ix", "batched-exp3", "dp-exp3-lap", "batched-htinf"]
)
def test_ten_million_rounds_are_no_trouble(name):
    setting = Setting(Arms(4), rounds=10_000_000, epsilon=0.5)
    instance = algorithm(name).build(setting)
    player = Player(instance.private, streams(1))
    game = environment("deterministic", arms=4).deal(0, 100_000, np.random.default_rng(0))
    for _ in range(100):
        loss = player.play(game, np.array([100_000]))[-1]
    assert 0.5 <= loss / 10_000_000 < 0.7
    for where, array in componentjit.arrays(player.private.learner):
        assert np.isfinite(array).all(), where
    weights = getattr(player.private.learner, "weights", None)
    if weights is not None:
        assert weights.values.sum() == pytest.approx(weights.scale[0], rel=1e-9)
        recomputed = np.exp(weights.logs - weights.scale[1])
        np.testing.assert_allclose(weights.values, recomputed, rtol=1e-12)


def test_htinf_needs_no_number_of_rounds():
    known = algorithm("batched-htinf")
    short, long = (
        known.build(known.setting(rounds=rounds, epsilon=0.01, unknown_horizon=True))
        for rounds in (100, 10**6)
    )
    assert short.parameters == long.parameters
    assert short.parameters["batch_size"] == 142, "longer than the shorter game"
    assert short.regret_bound == 100.0
    assert long.regret_bound == known.build(known.setting(rounds=10**6, epsilon=0.01)).regret_bound
