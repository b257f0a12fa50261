"""DP-Λ-Lap: any bandit algorithm behind clipped noise, with its bound; and as printed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

from discreet import DiscreetError, simulate
from discreet.algorithms import algorithm
from discreet.learners import Accepting, Exp3, Uniform

LAMBDA = algorithm("dp-lambda-lap")


@pytest.mark.parametrize("margin", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("scale", [0.2, 1.0, 5.0])
def test_clipping_moves_means_by_no_more_than_the_proof_says(margin, scale):
    def clipped(loss):
        def density(z):
            y = min(max(loss + z, -margin), 1.0 + margin)
            return y * math.exp(-abs(z) / scale) / (2.0 * scale)

        breaks = [-margin - loss, 0.0, 1.0 + margin - loss]
        return integrate.quad(density, -60 * scale, 60 * scale, points=breaks, limit=200)[0]

    losses = np.linspace(0.0, 1.0, 6)
    means = np.array([clipped(loss) for loss in losses])
    apart = (losses[:, None] - losses) - (means[:, None] - means)
    most = scale * math.exp(-margin / scale) * -math.expm1(-1.0 / scale)
    assert apart.max() == pytest.approx(most, rel=1e-6), "attained by losses 1 and 0"


@pytest.mark.parametrize("base", ["exp3", "exp3-gain", "ftpl"])
def test_moved_noise_multiplies_the_bound_of_every_base(base):
    setting = LAMBDA.setting(arms=4, rounds=2**18, epsilon=0.5)
    built = LAMBDA.build(setting, base=base)
    assert built.guarantee.epsilon == pytest.approx(0.5)
    assert built.parameters["margin"] == 2.0
    plain = algorithm(base).build(setting).regret_bound
    assert built.regret_bound == pytest.approx(5.0 * plain)
    assert built.regret_bound < LAMBDA.build(setting, base=base, beyond="clip").regret_bound


def test_moved_noise_costs_tsallis_inf_less_than_its_range():
    setting = LAMBDA.setting(arms=4, rounds=2**16, epsilon=1.0)
    plain = algorithm("tsallis-inf").build(setting).regret_bound
    assert LAMBDA.build(setting).regret_bound < 0.83 * 3.0 * plain
    clipped = LAMBDA.build(setting, beyond="clip")
    assert clipped.regret_bound < 0.75 * (1.0 + 2.0 * clipped.parameters["margin"]) * plain


def test_losses_outside_are_moved_as_far_as_the_noise_reaches():
    for released, heard in (
        (-0.01, 0.0),
        (-9.0, 0.0),
        (0.0, 0.4),
        (0.5, 0.5),
        (1.0, 0.6),
        (1.01, 1.0),
        (math.inf, 1.0),
    ):
        alone = Exp3.start(arms=2, learning_rate=0.1)
        moving = Accepting.around(Exp3.start(arms=2, learning_rate=0.1), margin=2.0, moves=True)
        for learner, loss in ((alone, heard), (moving, released)):
            learner.learn(learner.act(None, np.random.default_rng(1))[1], loss)
        assert moving.learner.weights.values == pytest.approx(alone.weights.values)


@pytest.mark.parametrize("base", ["exp3", "exp3-gain", "ftpl"])
def test_every_base_has_its_bound_and_the_margin_with_the_least(base):
    setting = LAMBDA.setting(arms=4, rounds=2**18, epsilon=2.0)
    built = LAMBDA.build(setting, base=base, beyond="clip")
    assert built.guarantee.epsilon == pytest.approx(2.0)
    margin = built.parameters["margin"]
    plain = algorithm(base).build(setting).regret_bound
    rest = 2**18 * math.exp(-2.0 * margin) * -math.expm1(-2.0) / 2.0
    assert built.regret_bound == pytest.approx((1.0 + 2.0 * margin) * plain + rest)
    for other in (0.9 * margin, 1.1 * margin):
        assert LAMBDA.build(setting, base=base, margin=other).regret_bound > built.regret_bound
    wide = LAMBDA.setting(arms=4, rounds=2**18, epsilon=2.0, low=-5.0, high=5.0)
    other = LAMBDA.build(wide, base=base, beyond="clip").regret_bound
    assert other == pytest.approx(10 * built.regret_bound)


@pytest.mark.full
def test_regret_is_below_the_bound_and_noise_costs():
    """Four trials, fixed seed; bounds are several times the regret."""
    game = {"environment": "deterministic", "rounds": 2**15, "trials": 4, "arms": 4, "seed": 1}
    for base in ("exp3", "tsallis-inf"):
        results = simulate(["dp-lambda-lap"], epsilon=[1.0, 1e9], options={"base": base}, **game)
        noisy, free = results.summary()
        assert free["regret_mean"] < noisy["regret_mean"] < noisy["regret_bound"]
        (twin,) = simulate([base], **game).summary()
        assert free["regret_mean"] == pytest.approx(twin["regret_mean"], rel=0.2)


def test_the_paper_s_version_ignores_what_is_outside():
    paper = LAMBDA.build(LAMBDA.setting(rounds=1000, epsilon=0.5), calibration="paper")
    assert paper.parameters["margin"] == pytest.approx(math.log(1000) / 0.5)
    assert paper.regret_bound is None
    learner = Accepting.around(Exp3.start(arms=2, learning_rate=0.1), margin=1.0, clips=False)
    trace = learner.act(None, np.random.default_rng(1))[1]
    for outside in (2.001, -1.001, math.inf, math.nan):
        learner.learn(trace, outside)
    assert learner.learner.weights.values.tolist() == [1.0, 1.0]
    learner.learn(trace, 2.0)
    assert learner.learner.weights.values.min() < 1.0


def test_bad_bases_and_margins_are_refused():
    setting = LAMBDA.setting()
    for base in ("batched-exp3", "exp4", "uniform"):
        with pytest.raises(DiscreetError, match="observes one loss per round"):
            LAMBDA.build(setting, base=base)
    with pytest.raises(DiscreetError, match="margin is -1"):
        LAMBDA.build(setting, margin=-1.0)
    with pytest.raises(DiscreetError, match=r"margin is 2.0, but beyond=move fixes it at"):
        LAMBDA.build(setting, margin=2.0, beyond="move")
    with pytest.raises(DiscreetError, match="margin"):
        Accepting.around(Uniform(2), margin=math.nan)
