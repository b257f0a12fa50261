"""Any learner that hears one loss a round, in the local model by noise=response: guarantee, bits,
bounds, audits.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import (
    Bandit,
    DiscreetError,
    Range,
    Setting,
    algorithm,
    audit,
    list_algorithms,
    simulate,
)
from discreet.channels import Open, Responses
from discreet.channels.per_round import EveryRound
from discreet.problems import Advice, Arms, BestArm, Functions

BOUNDS = Range(-1.0, 3.0)
REDUCED = [name for name, known in list_algorithms().items() if known.one_point]


def test_whoever_hears_single_losses_as_they_are_can_hear_responses():
    """Searches for the best arm have local twins, whose rules know the variance of responses."""
    for name, known in list_algorithms().items():
        plain = type(known.build().private.channel) is Open and not isinstance(
            known.problem, BestArm
        )
        assert known.one_point == plain, name


def test_local_algorithms_on_arms_advice_and_functions_take_responses():
    local = [
        name
        for name in list_algorithms()
        if name.startswith("local-") and "noise" in algorithm(name).options
    ]
    single = [
        name
        for name in local
        if isinstance(algorithm(name).problem, Arms | Advice | Functions | BestArm)
    ]
    assert {
        "local-tsallis-inf",
        "local-exp4",
        "local-convex",
        "local-smooth",
        "local-two-point",
        "local-lucb",
    } <= {*single}
    for name in single:
        found = algorithm(name).build(noise="response")
        assert isinstance(found.private.channel, EveryRound)
        assert (found.guarantee.epsilon, found.guarantee.delta, found.guarantee.model) == (
            1.0,
            0.0,
            "local",
        )


@pytest.mark.parametrize("name", REDUCED)
def test_the_reduction_is_local_and_private_and_keeps_the_learner(name):
    known = algorithm(name)
    setting = known.setting(epsilon=0.7, low=-1.0, high=3.0)
    plain, private = known.build(setting), known.build(setting, noise="response")
    assert (private.guarantee.short, private.guarantee.model) == (
        "0.7-differential privacy",
        "local",
    )
    assert not plain.guarantee.is_private
    assert repr(private.private.learner) == repr(plain.private.learner)
    worst = setting.rounds * setting.bounds.width
    if isinstance(known.problem, Functions) or plain.regret_bound is None:
        assert private.regret_bound is None
    else:
        assert private.regret_bound == pytest.approx(
            min(plain.regret_bound / math.tanh(0.35), worst)
        )
        assert "docs/regret.md: Responses" in private.bound_source


def test_a_bit_is_one_as_often_as_stated():
    """20,000 bits a loss: a false alarm at five standard deviations has probability below 1e-6
    each.
    """
    channel, rng = Responses.calibrated(bounds=BOUNDS, epsilon=1.2), np.random.default_rng(3)
    for loss in (-1.0, 0.0, 2.2, 3.0, 9.0, -math.inf):
        bits = np.array([channel.offer(loss, 1.0, rng)[1] for _ in range(20_000)])
        assert set(np.unique(bits)) <= {0.0, 1.0}
        mean = 0.5 + math.tanh(0.6) * (min(max(loss, -1.0), 3.0) / 4.0 + 0.25 - 0.5)
        assert abs(bits.mean() - mean) < 5.0 * 0.5 / math.sqrt(20_000)


def test_bits_of_live_runs_are_exact():
    live = Responses.calibrated(bounds=BOUNDS, epsilon=1.2).live()
    assert live.noise.is_exact
    assert live.guarantee.epsilon == 1.2
    assert {live.offer(loss, 1.0, None)[1] for loss in (-1.0, 3.0) for _ in range(60)} == {0.0, 1.0}
    bandit = Bandit(arms=3, horizon=100, epsilon=1.0, algorithm="tsallis-inf", noise="response")
    bandit.tell(bandit.ask(), loss=0.3)
    assert "live: exact noise" in repr(bandit)
    assert (bandit.guarantee.model, bandit.guarantee.epsilon) == ("local", 1.0)


def test_exp4_on_responses_has_the_least_bound_of_the_local_ones():
    for epsilon in (0.1, 1.0, 5.0):
        setting = Setting(Advice(4, 50), rounds=2**20, epsilon=epsilon, bounds=BOUNDS)
        mine, added, usual = (
            algorithm("local-exp4").build(setting, noise=noise)
            for noise in ("response", "laplace", None)
        )
        assert mine.regret_bound == usual.regret_bound < added.regret_bound
        contrast = math.tanh(epsilon / 2.0)
        leading = math.sqrt(2.0 * 4.0 * 2**20 * math.log(50.0) * 0.5 * (1.0 + contrast)) / contrast
        assert mine.regret_bound == pytest.approx(4.0 * leading)
        assert mine.guarantee.model == "local"


@pytest.mark.slow
def test_regret_stays_below_the_bound_on_responses():
    """Losses of 0 and 1 in turns and a constant arm: 12 trials, far below the bound."""
    losses = np.tile([[0.0, 1.0, 0.3], [1.0, 0.0, 0.3]], (2000, 1))
    found = simulate("exp3", losses=losses, trials=12, epsilon=1.0, options={"noise": "response"})
    for row in found.summary():
        assert (
            row["regret_mean"] + 3.0 * (row["regret_high"] - row["regret_mean"])
            < row["regret_bound"]
        )
        assert row["regret_bound"] < 4000 * 0.7


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exp3", "local-exp4", "fkm"])
def test_audits_find_nearly_all_of_epsilon(name):
    found = audit(name, trials=100_000, noise="response")
    assert 0.9 < found.lower_bound <= 1.0


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("exp3", {"noise": "laplace"}, "noise is 'laplace', but must be one of response"),
        ("local-exp4", {"noise": "gaussian"}, "noise is gaussian, but delta is 0"),
        (
            "local-exp4",
            {"noise": "response", "calibration": "paper"},
            "noise is response, but calibration='paper' fixes laplace noise",
        ),
        ("uniform", {"noise": "response"}, "unknown option 'noise' of uniform"),
        ("two-point", {"noise": "response"}, "unknown option 'noise' of two-point"),
    ],
)
def test_other_noise_is_refused(name, options, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        algorithm(name).build(**options)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 30.0])
def test_the_bound_of_exp3_on_responses(epsilon):
    """EXP3 on responses: the inequality on a grid, the second moment, and the bound again."""
    setting = Setting(Arms(4), rounds=2**20, epsilon=epsilon)
    found = algorithm("noisy-exp2").build(setting, noise="response")
    assert found.bound_source == "docs/regret.md: EXP3 on responses"
    rate, mixing = (float(found.parameters[key]) for key in ("learning_rate", "mixing"))
    c = 1.0 / math.tanh(epsilon / 2.0)
    below, square = (c - 1.0) / 2.0, (3.0 + c * c) / 4.0
    for loss in (0.0, 0.3, 1.0):
        chance = (1.0 + (2.0 * loss - 1.0) / c) / 2.0  # of the upper response
        second = chance * ((1.0 + c) / 2.0) ** 2 + (1.0 - chance) * ((1.0 - c) / 2.0) ** 2
        assert second <= square + 1e-12
    share = rate * 4.0 * below / mixing
    growth = (math.expm1(share) - share) / share**2
    x = np.linspace(-share, 40.0, 100_001)
    assert (np.exp(-x) <= 1.0 - x + growth * x * x + 1e-9).all()
    again = (1.0 - mixing) * math.log(4.0) / rate + (rate * growth * square * 4.0 + mixing) * 2**20
    assert found.regret_bound == pytest.approx(again)
