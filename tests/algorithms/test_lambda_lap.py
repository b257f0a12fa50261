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


@pytest.mark.parametrize("base", ["exp3", "exp3-gain", "tsallis-inf", "ftpl"])
def test_every_base_has_its_bound_and_the_margin_with_the_least(base):
    setting = LAMBDA.setting(arms=4, rounds=2**18, epsilon=2.0)
    built = LAMBDA.build(setting, base=base)
    assert built.guarantee.epsilon == pytest.approx(2.0)
    margin = built.parameters["margin"]
    plain = algorithm(base).build(setting).regret_bound
    rest = 2**18 * math.exp(-2.0 * margin) * -math.expm1(-2.0) / 2.0
    assert built.regret_bound == pytest.approx((1.0 + 2.0 * margin) * plain + rest)
    for other in (0.9 * margin, 1.1 * margin):
        assert LAMBDA.build(setting, base=base, margin=other).regret_bound > built.regret_bound
    wide = LAMBDA.setting(arms=4, rounds=2**18, epsilon=2.0, low=-5.0, high=5.0)
    assert LAMBDA.build(wide, base=base).regret_bound == pytest.approx(10 * built.regret_bound)


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
        with pytest.raises(DiscreetError, match="hears one loss per round"):
            LAMBDA.build(setting, base=base)
    with pytest.raises(DiscreetError, match="margin is -1"):
        LAMBDA.build(setting, margin=-1.0)
    with pytest.raises(DiscreetError, match="margin"):
        Accepting.around(Uniform(2), margin=math.nan)
