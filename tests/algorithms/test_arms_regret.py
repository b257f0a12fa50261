"""Every registered algorithm on arms is below its bound, which is stated where it is proved, and
the least.
"""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from arm_games import PRIVATE, everybody, mean_regret
from common import in_full

from discreet import DiscreetError, Range, Setting, algorithm, list_algorithms
from discreet.algorithms.arms.choosing import WITH_BOUNDS, least_bound, least_measured
from discreet.environments import Table, environment
from discreet.problems import Arms
from discreet.simulation.trial import checkpoints, run_trial

pytestmark = pytest.mark.long


@pytest.mark.parametrize("world", ["deterministic", "stochastic"])
@pytest.mark.parametrize("arms", [3, 10])
@pytest.mark.parametrize("rounds", [1 << 10, in_full(1 << 14), 1 << 17])
@pytest.mark.parametrize("epsilon", [1.0, 0.1])
@pytest.mark.parametrize("name", list_algorithms(Arms))
def test_regret_is_below_the_stated_bound(name, epsilon, rounds, arms, world):
    setting = Setting(Arms(arms), rounds=rounds, epsilon=epsilon)
    instances, regrets = everybody(tuple(list_algorithms(Arms)), setting, world, trials=4)
    trivial, bound = rounds * setting.bounds.width, instances[name].regret_bound
    assert regrets[name] <= (trivial if bound is None else bound)


@pytest.mark.parametrize("estimator", ["importance-weighted", "reduced-variance"])
def test_both_estimators_of_tsallis_inf_learn(estimator):
    setting = Setting(Arms(4), rounds=1 << 15)
    regret, instance = mean_regret(
        "tsallis-inf", setting, environment("stochastic", arms=4), 6, estimator=estimator
    )
    uniform, _ = mean_regret("uniform", setting, environment("stochastic", arms=4), 6)
    assert regret < min(instance.regret_bound, uniform / 3)


def test_private_tsallis_inf_is_far_below_uniform_play():
    setting = Setting(Arms(4), rounds=1 << 16, epsilon=1.0)
    world = environment("deterministic", arms=4)
    private, _ = mean_regret("batched-tsallis-inf", setting, world, 6)
    uniform, _ = mean_regret("uniform", setting, world, 6)
    assert uniform == pytest.approx(setting.rounds * 59 / 300, rel=0.02)
    assert private < uniform / 20


@pytest.mark.parametrize("name", PRIVATE)
def test_the_regret_does_not_depend_on_the_units_of_the_losses(name):
    losses = np.random.default_rng(0).integers(0, 2, (3000, 3)).astype(float)
    runs = []
    for low, high in ((0.0, 1.0), (-2.0, 2.0)):
        setting = Setting(Arms(3), rounds=3000, bounds=Range(low, high))
        regret, _ = mean_regret(name, setting, Table(low + (high - low) * losses), 2)
        runs.append(regret / (high - low))
    assert runs[0] == pytest.approx(runs[1], rel=1e-12)


def test_a_bound_is_only_stated_where_it_is_proved():
    setting = Setting(Arms(4), rounds=10_000, epsilon=1.0)
    assert algorithm("batched-exp3").build(setting, mixing=0.0).regret_bound is None
    assert algorithm("batched-ftpl").build(setting, learning_rate=1.0).regret_bound is None
    assert algorithm("batched-exp3").build(setting, learning_rate=1e-4).regret_bound is not None
    assert algorithm("tsallis-inf").build(setting, learning_rate=1.0).regret_bound is None
    assert algorithm("batched-tsallis-inf").build(setting).regret_bound is None


def test_the_default_batch_size_minimises_the_bound():
    setting = Setting(Arms(4), rounds=1 << 20, epsilon=0.05)

    def bound(size):
        return algorithm("batched-exp3").build(setting, batch_size=size).regret_bound

    best = algorithm("batched-exp3").build(setting)
    assert best.parameters["batch_size"] == 38
    assert best.regret_bound < 0.999 * min(bound(10), bound(20), bound(80))
    assert best.regret_bound < 1.001 * min(bound(size) for size in range(25, 60)), (
        "but for rounding"
    )


@pytest.mark.parametrize(("epsilon", "most"), [(1.0, 5_600), (0.1, 34_000)])
def test_one_bit_a_batch_has_the_bound_that_was_asked_for(epsilon, most):
    found = algorithm("one-bit-tsallis-inf").build(
        Setting(Arms(4), rounds=1 << 18, epsilon=epsilon)
    )
    assert found.regret_bound <= most


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.7, 1.0, 3.0])
def test_the_default_batch_of_one_bit_is_the_best_one(epsilon):
    setting = Setting(Arms(4), rounds=1 << 24, epsilon=epsilon)
    best = algorithm("one-bit-tsallis-inf").build(setting)
    sizes = {
        max(1, round(best.parameters["batch_size"] * factor))
        for factor in (0.3, 0.5, 0.8, 1.3, 2.0, 4.0)
    }
    others = [
        algorithm("one-bit-tsallis-inf").build(setting, batch_size=size).regret_bound
        for size in sizes
    ]
    assert best.regret_bound <= 1.001 * min(others), "but for what is not of the order of the root"


@pytest.mark.parametrize("arms", [2, 4, 50])
@pytest.mark.parametrize("rounds", [50, 10_000, 1 << 20])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 9.0])
def test_the_choice_by_bound_is_the_least_of_all_that_can_be_used_live(arms, rounds, epsilon):
    setting = Setting(Arms(arms), rounds=rounds, epsilon=epsilon)
    known = {
        name: each.build(setting)
        for name, each in list_algorithms(Arms).items()
        if not each.stochastic
    }
    live = {
        name: each
        for name, each in known.items()
        if each.guarantee.is_private and not each.private.channel.in_order
    }
    bounds = {
        name: each.regret_bound
        for name, each in live.items()
        if each.regret_bound is not None and name != "uniform"
    }
    covered = {*WITH_BOUNDS, "local-tsallis-inf"}  # one-bit-tsallis-inf with batches of one round
    assert set(bounds) <= covered, "a new algorithm with a bound belongs into the table"
    assert bounds[least_bound(setting)] == pytest.approx(min(bounds.values()), rel=1e-12)
    assert least_measured(setting) in live


def test_htinf_is_far_below_noise_every_round():
    setting = Setting(Arms(4), rounds=1 << 16, epsilon=1.0)
    world = environment("deterministic", arms=4)
    batched, _ = mean_regret("batched-htinf", setting, world, 6)
    every_round, _ = mean_regret("dp-exp3-lap", setting, world, 6)
    assert batched < every_round / 8


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_response_on_arms_has_less_variance_and_smaller_bounds(epsilon):
    """The moments that parameters are made from are those of the real channel: of losses of 0, 1/2
    and 1, exactly.
    """
    setting = Setting(Arms(4), rounds=100_000, epsilon=epsilon)
    usual, response = (
        algorithm("noisy-exp2").build(setting, noise=noise) for noise in ("laplace", "response")
    )
    assert response.regret_bound < usual.regret_bound
    tuned = [
        algorithm("local-tsallis-inf").build(setting, noise=noise, caution=0.5)
        for noise in ("laplace", "response")
    ]
    assert tuned[1].parameters["learning_rate"] > tuned[0].parameters["learning_rate"]
    for instance in (response, tuned[1]):
        assert (instance.guarantee.epsilon, instance.guarantee.model) == (epsilon, "local")
    c = 1.0 / math.tanh(epsilon / 2.0)
    assert tuned[1].parameters["learning_rate"] == pytest.approx(2.0 / math.sqrt(c * c / 4.0))
    rate, mixing = (float(response.parameters[key]) for key in ("learning_rate", "mixing"))
    lowest = rate * 4.0 * (c - 1.0) / 2.0 / mixing
    growth = (math.exp(lowest) - 1.0 - lowest) / lowest**2
    weights = (1.0 - mixing) * math.log(4.0) / rate
    by_hand = weights + 100_000 * (rate * 4.0 * growth * (0.75 + c * c / 4.0) + mixing)
    assert response.regret_bound == pytest.approx(min(by_hand, 100_000), rel=1e-6)
    for loss in (0.0, 0.5, 1.0):
        upper = 0.5 + (loss - 0.5) / c
        values, chances = np.array([0.5 + c / 2.0, 0.5 - c / 2.0]), np.array([upper, 1.0 - upper])
        assert chances @ values == pytest.approx(loss)
        assert chances @ values**2 <= 0.75 + c * c / 4.0 + 1e-9
        noise = response.private.channel.noise
        seen = {noise.add_noise(loss, np.random.default_rng(seed)) for seed in range(200)}
        assert {round(value, 9) for value in seen} <= {round(value, 9) for value in values.tolist()}
    with pytest.raises(
        DiscreetError, match="noise is response, but calibration='paper' fixes laplace noise"
    ):
        algorithm("noisy-exp2").build(setting, noise="response", calibration="paper")


DECLARED = {
    name: each.growth for name, each in list_algorithms(Arms).items() if each.growth is not None
}


@pytest.mark.parametrize("name", DECLARED)
def test_regret_grows_no_faster_than_declared(name):
    """The slope of log regret over log T, with 0.12 for the logarithms in the bounds and for
    chance; seeds are fixed.
    """
    exponent, epsilon = DECLARED[name]
    alike = tuple(other for other, (_, its_own) in DECLARED.items() if its_own == epsilon)
    lengths = [1 << k for k in (14, 16, 18, 20)]
    settings = [Setting(Arms(4), rounds=t, epsilon=epsilon, delta=1e-6) for t in lengths]
    regrets = [
        everybody(alike, setting, "deterministic", trials=4)[1][name] for setting in settings
    ]
    slope = np.polyfit(np.log(lengths), np.log(np.maximum(regrets, 1.0)), 1)[0]
    assert slope <= exponent + 0.12


def test_every_adversarial_algorithm_declares_its_exponent():
    known = {name for name, each in list_algorithms(Arms).items() if not each.stochastic}
    assert set(DECLARED) == known - {"uniform", "tracking-ucb", "adaptive-tsallis-inf"}, (
        "of which nothing is known for sure"
    )


@pytest.mark.parametrize("name", ["batched-tsallis-inf", "batched-htinf"])
def test_no_single_noise_decides_a_game(name):
    """Without caution one run in about 40 had a regret a hundred times the median, by one large
    negative noise.
    """
    setting = Setting(Arms(4), rounds=1 << 18, epsilon=1.0)
    private = algorithm(name).build(setting).private
    world, marks = environment("deterministic", arms=4), checkpoints(setting.rounds)
    regrets = [
        run_trial(
            [private],
            world,
            marks,
            seed=1,
            trial=trial,
            bounds=setting.bounds,
            clip=False,
            stop=threading.Event(),
        ).regret[0, -1]
        for trial in range(64)
    ]
    assert max(regrets) < 3 * np.median(regrets)
