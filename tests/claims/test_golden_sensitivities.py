"""Sensitivities: golden values of the noise that follows from them, and what is refused."""

from __future__ import annotations

import math

import pytest

import discreet
from discreet import DiscreetError, Range, sensitivities
from discreet.mechanisms import Gaussian, Laplace
from discreet.problems import Arms
from discreet.sensitivities import Sensitivity

# Golden values


def digits(value):
    """Return what agrees in six decimals."""
    return pytest.approx(value, abs=5.1e-7)


def test_golden_noise_of_the_tree():
    levels = sensitivities.tree_levels(sensitivities.ftrl_prefixes(1000))
    box = sensitivities.tree(
        sensitivities.box(dimension=3, width=1.0), prefixes=sensitivities.ftrl_prefixes(1000)
    )
    ball = sensitivities.tree(sensitivities.ball(dimension=3, radius=1.0, norm=2), prefixes=999)
    assert levels == 10
    assert Laplace.calibrate(sensitivity=box.l1, epsilon=1.0).scale == digits(30.0)
    assert Gaussian.calibrate(sensitivity=ball.l2, epsilon=1.0, delta=1e-6).scale == digits(
        26.719215
    )


def test_golden_noise_of_the_batched_convex_bandit():
    rounds, dimension, lipschitz, diameter = 10_000, 4, 1.0, 1.0
    radius, batches = diameter * math.sqrt(dimension) / rounds**0.25, math.isqrt(rounds)
    width = sensitivities.lipschitz_loss(lipschitz=lipschitz, diameter=diameter, margin=radius).l1
    item = sensitivities.one_point_gradient(dimension=dimension, radius=radius, width=width)
    prefixes = sensitivities.batched_prefixes(batches)
    nodes = sensitivities.tree(item, prefixes=prefixes)
    assert (radius, width, batches) == (digits(0.2), digits(2.4), 100)
    assert (item.l2, item.l1) == (digits(48.0), digits(96.0))
    assert sensitivities.tree_levels(prefixes) == 7
    assert Laplace.calibrate(sensitivity=nodes.l1, epsilon=1.0).scale == digits(672.0)
    assert Gaussian.calibrate(sensitivity=nodes.l2, epsilon=1.0, delta=1e-6).scale == digits(
        536.517586
    )


def noise_of(name, setting, **options):
    (noise,) = discreet.algorithm(name).build(setting, **options).private.channel.noise_scales
    return noise.kind, noise.scale


def test_golden_noise_of_the_bandit_reduction():
    bounds = Range(-1.0, 1.0)
    kind, scale = noise_of(
        "noisy-exp2", discreet.Setting(Arms(4), rounds=1000, epsilon=1.0, bounds=bounds)
    )
    assert ("laplace" in kind, scale) == (True, digits(2.0))
    stated = sensitivities.loss(width=bounds.width).l1
    assert Laplace.calibrate(sensitivity=stated, epsilon=1.0).scale == digits(2.0)


@pytest.mark.parametrize(
    "name", ["batched-exp3", "batched-htinf", "batched-ftpl", "batched-tsallis-inf"]
)
def test_golden_noise_of_batches(name):
    kind, scale = noise_of(name, discreet.Setting(Arms(4), rounds=1000, epsilon=0.1), batch_size=10)
    assert ("laplace" in kind, scale) == (True, digits(1.0))
    stated = sensitivities.mean(width=1.0, size=10).l1
    assert Laplace.calibrate(sensitivity=stated, epsilon=0.1).scale == digits(1.0)


def test_golden_batch_of_exp3_tau():
    setting = discreet.Setting(Arms(4), rounds=10_000, epsilon=1.0, delta=1e-6)
    instance = discreet.algorithm("exp3-tau").build(setting)
    assert instance.parameters["batch_size"] == 42
    assert instance.guarantee.epsilon == pytest.approx(0.9823, abs=5.1e-5)
    window = sensitivities.mean_gain(size=42).l1
    rho = (math.ceil(10_000 / 42) - 1) * window**2 / 8
    assert rho + 2 * math.sqrt(rho * math.log(1e6)) == pytest.approx(0.9823, abs=5.1e-5)


def test_golden_noise_in_the_local_model():
    bounds = Range(-1.0, 1.0)
    setting = discreet.Setting(Arms(4), rounds=1000, epsilon=1.0, delta=1e-5, bounds=bounds)
    kind, scale = noise_of("local-tsallis-inf", setting, noise="gaussian")
    assert ("gaussian" in kind, scale) == (True, digits(7.461263))
    stated = sensitivities.loss(width=bounds.width).l2
    assert Gaussian.calibrate(sensitivity=stated, epsilon=1.0, delta=1e-5).scale == digits(7.461263)


def test_golden_noise_of_moments():
    alone = Gaussian.calibrate(sensitivity=1.0, epsilon=1.0, delta=1e-5).scale
    scales = sensitivities.moment_scales(dimension=5, largest=2.0, unit_scale=alone, balance=2.0)
    assert scales == (digits(10.551820), digits(7.461263), digits(14.922527))
    vector = sensitivities.scaled_context(dimension=5, largest=2.0).l2
    assert Gaussian.calibrate(sensitivity=vector, epsilon=1.0, delta=1e-5).scale == digits(
        14.922527
    )


# What is refused


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "argument"),
    [
        ("loss", (), {"width": 0.0}, "width"),
        ("mean", (), {"width": 1.0, "size": 0}, "size"),
        ("mean_gain", (), {"size": 2.5}, "size"),
        ("total", (), {"width": math.nan}, "width"),
        ("lipschitz_loss", (), {"lipschitz": 1.0, "diameter": 1.0, "margin": -0.1}, "margin"),
        ("two_point_difference", (), {"lipschitz": math.inf, "radius": 1.0}, "lipschitz"),
        ("box", (), {"dimension": 0, "width": 1.0}, "dimension"),
        ("ball", (), {"dimension": 2, "radius": 1.0, "norm": 3}, "norm"),
        ("one_point_gradient", (), {"dimension": 2, "radius": 0.0, "width": 1.0}, "radius"),
        ("weighted_losses", ([[1.0, math.nan]],), {"width": 1.0}, r"factors\[0\]\[1\]"),
        ("weighted_losses", ([],), {"width": 1.0}, "factors"),
        ("weighted_losses", ([[1.0], []],), {"width": 1.0}, "factors"),
        (
            "advice_estimates",
            (),
            {"experts": 2, "arms": 2, "mixing": 0.0, "size": 1, "width": 1.0},
            "mixing",
        ),
        ("scaled_context", (), {"dimension": 2, "largest": -1.0}, "largest"),
        ("glm_gradient", (), {"dimension": 2, "bound": 0.0}, "bound"),
        ("outer_product", (), {"dimension": True}, "dimension"),
        (
            "moments",
            (),
            {"dimension": 2, "largest": 1.0, "matrix_scale": 0.0, "vector_scale": 1.0},
            "matrix_scale",
        ),
        (
            "moment_scales",
            (),
            {"dimension": 2, "largest": 1.0, "unit_scale": 1.0, "balance": 2.1},
            "balance",
        ),
        ("tree_levels", (-1,), {}, "prefixes"),
        ("tree", (Sensitivity(1.0, 1.0, 1.0),), {"prefixes": 1.5}, "prefixes"),
        ("ftrl_prefixes", (0,), {}, "rounds"),
        ("batched_prefixes", (0,), {}, "batches"),
    ],
)
def test_bad_arguments_are_refused(name, arguments, keywords, argument):
    with pytest.raises(DiscreetError, match=rf"^{argument} is .*, but must [^.]*(\.\d[^.]*)*\.$"):
        getattr(sensitivities, name)(*arguments, **keywords)
