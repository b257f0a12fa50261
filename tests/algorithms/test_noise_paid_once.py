"""Linear functions: estimates whose law does not depend on the point, and noise that is paid for
once.
"""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from discreet import DiscreetError, Range, Setting, algorithm, audit
from discreet.channels import GradientSums, RoundedSums
from discreet.environments import environment
from discreet.learners import ProjectionFree, RoundedCentre, RoundedProjectionFree
from discreet.problems import Functions
from discreet.sets import L2Ball
from discreet.simulation.trial import run_trial

LINEAR = Functions("ball(4)", form="linear")
UNIT = Range(0.0, 1.0)


def mean_regret(instance, world, rounds, trials):
    times, stop = np.array([rounds]), threading.Event()
    outcomes = [
        run_trial(
            [instance.private],
            world,
            times,
            seed=5,
            trial=trial,
            bounds=UNIT,
            clip=False,
            stop=stop,
        )
        for trial in range(trials)
    ]
    return float(np.mean([outcome.regret[0, -1] for outcome in outcomes]))


def estimates(kind, learner_kind, place, rounds=10_000):
    """Return what a channel without noise adds up, for one linear function that is evaluated around
    a place.
    """
    plain = ProjectionFree.start(set=L2Ball(3, 1.0), inner=1.0, radius=0.3, learning_rate=1.0)
    learner = plain if learner_kind is ProjectionFree else learner_kind.around(plain)
    plain.point[:] = place
    channel = kind.without_noise(size=1, dimension=3, bounds=UNIT)
    rng, slope, found = np.random.default_rng(7), np.array([0.5, 0.0, 0.0]), np.empty((rounds, 3))
    for t in range(rounds):
        point, trace = learner.act(0, rng)
        found[t] = channel.offer(0.5 + slope @ point, learner.query(trace), rng)[1]
    return np.diff(found, axis=0, prepend=0.0)


def test_rounded_estimates_have_the_same_law_wherever_they_are_taken():
    """First and second moments around two far points: within 5 standard errors of each other and of
    the truth.

    Without rounding the second moments differ threefold at least. Seeds are fixed.
    """
    one, other = (
        estimates(RoundedSums, RoundedProjectionFree, [far, 0.0, 0.0]) for far in (-0.9, 0.5)
    )
    close = 5.0 * 0.5 / math.sqrt(10_000)
    for terms in (one, other):
        np.testing.assert_allclose(terms.mean(axis=0), [0.3 * 0.5 / 3.0, 0.0, 0.0], atol=close)
        np.testing.assert_allclose(terms.T @ terms / 10_000, np.eye(3) / 12.0, atol=close)
    plain = [estimates(GradientSums, ProjectionFree, [far, 0.0, 0.0], 5000) for far in (-0.9, 0.0)]
    assert (plain[0] ** 2).sum() > 3.0 * (plain[1] ** 2).sum()


@pytest.mark.parametrize("name", ["private-projection-free", "private-two-point"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_bound_for_linear_functions_pays_noise_once(name, delta):
    """R² / η + η (own + noise² / 4) and looking around, by hand; it is less than that for convex
    functions.
    """
    problem = replace(algorithm(name).problem, domain="ball(4)", lipschitz=0.5)
    setting = Setting(replace(problem, form="linear"), rounds=1 << 16, epsilon=0.2, delta=delta)
    linear = algorithm(name).build(setting, when_vacuous="play", batch_size=256)
    convex = algorithm(name).build(
        replace(setting, problem=problem), when_vacuous="play", batch_size=256
    )
    assert "Noise paid once" in linear.bound_source
    assert "Noise paid once" not in convex.bound_source
    assert linear.regret_bound < 0.6 * convex.regret_bound
    size, rate, zeta = (linear.parameters[key] for key in ("batch_size", "learning_rate", "radius"))
    running = linear.private.channel.running
    spread = running.noise.deviation(4) * running.factorisation.noise_spread().most
    factor = 4.0 / zeta if "free" in name else 2.0 * 4.0 * 0.5
    square = 0.25 if "free" in name else 0.25 / 3.0  # of a value or a difference, in its range
    own = (1 << 16) * (factor**2 * square + size * 0.25) / 4.0
    noise = factor**2 * 4.0 * spread**2 / 4.0
    by_hand = (
        1.0 / rate
        + rate * (own + noise)
        + (1 << 16) * 0.5 * (zeta + (2.0**-8 if "free" in name else 0.0))
    )
    assert linear.regret_bound == pytest.approx(by_hand, rel=1e-3)


def test_noise_that_goes_up_and_down_is_paid_in_every_batch():
    setting = Setting(LINEAR, rounds=1 << 18, delta=1e-6)
    build = algorithm("private-projection-free").build
    assert "Noise paid once" in build(setting, sums="tree").bound_source
    assert "Noise paid once" not in build(setting, sums="honaker", when_vacuous="play").bound_source
    assert build(setting, sums="tree").private.channel.running.factorisation.noise_spread().steady


def test_what_is_rounded_and_what_is_not():
    setting = Setting(LINEAR, rounds=1 << 18, delta=1e-6)
    build = algorithm("private-projection-free").build
    usual = build(setting)
    assert isinstance(usual.private.channel, RoundedSums)
    assert usual.parameters["values"] == "rounded by coins"
    for options in ({"rounding": False}, {"tuning": "once"}, {"baseline": True}):
        assert type(build(setting, when_vacuous="play", **options).private.channel) is GradientSums
    assert (
        type(build(replace(setting, problem=replace(LINEAR, form="convex"))).private.channel)
        is GradientSums
    )
    vacuous = build(replace(setting, epsilon=1e-4), when_vacuous="centre").private.learner
    assert isinstance(vacuous, RoundedCentre)
    with pytest.raises(DiscreetError, match="but calibration='paper' has no such option"):
        build(setting, calibration="paper", rounding=True)
    with pytest.raises(DiscreetError, match="rounding and baseline are both given"):
        build(setting, baseline=True, rounding=True)


def test_linear_functions_are_no_steeper_than_their_range_allows():
    """On the unit ball 1/2 at most, whatever is declared."""
    for name in ("fkm", "private-projection-free", "private-two-point", "two-point"):
        problem = replace(algorithm(name).problem, domain="ball(4)", form="linear")
        steep, true = (
            algorithm(name).build(
                Setting(replace(problem, lipschitz=slope), rounds=1 << 12, epsilon=50.0)
            )
            for slope in (7.0, 0.5)
        )
        assert steep.parameters == true.parameters
        assert steep.regret_bound == true.regret_bound


@pytest.mark.full
def test_default_parameters_cost_little_privacy_for_linear_functions():
    """ε = 1, δ = 1e-6, T = 2^18, n = 10, 8 games with fixed seeds: at most 1.25 times the twin."""
    for name, twin in (
        ("private-two-point", "two-point"),
        ("private-projection-free", "projection-free"),
    ):
        problem = replace(algorithm(name).problem, form="linear")
        setting, world = (
            Setting(problem, rounds=1 << 18, delta=1e-6),
            environment("linear", problem),
        )
        ordinary = mean_regret(algorithm(twin).build(setting), world, 1 << 18, trials=8)
        private = algorithm(name).build(setting)
        regret = mean_regret(private, world, 1 << 18, trials=8)
        assert regret <= 1.25 * ordinary
        assert regret <= private.regret_bound


@pytest.mark.full
def test_an_audit_of_rounded_sums_finds_most_of_epsilon_and_never_more():
    setting = Setting(replace(LINEAR, domain="ball(2)"), rounds=4)
    found = audit(
        "private-projection-free", setting=setting, trials=400_000, noise="laplace", rounding=True
    )
    assert 0.9 <= found.share <= 1.0


def test_estimates_whose_errors_are_all_alike_are_not_covered():
    """The counterexample: one random sign for all estimates; R = |ℓ| = 1, |a| = 3."""
    steps, size = 10_000, 10.0  # |g|²
    loss, side = np.array([1.0, 0.0]), np.array([0.0, 3.0])
    rate = 2.0 / math.sqrt(steps * size)
    regret = 0.0
    for sign in (-1.0, 1.0):
        total = np.zeros(2)
        for _ in range(steps):
            point = -rate / 2.0 * total
            point /= max(1.0, float(np.linalg.norm(point)))
            regret += (float(loss @ point) + 1.0) / 2.0
            total += loss + sign * side
    bound = 1.0 / rate + rate / 4.0 * steps * size
    assert regret > 10.0 * bound
    assert regret == pytest.approx((1.0 - 1.0 / math.sqrt(size)) * steps, rel=0.05)
