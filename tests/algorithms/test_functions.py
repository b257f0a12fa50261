"""Algorithms on functions, found by reflection: non-interference, both speeds, no noise,
guarantees, audits.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from function_games import LOCAL, NAMES, NUMBERS, PRIVATE, UNIT, build, setting_for, world_of

from discreet import DiscreetError, Private, Range, Setting, algorithm, audit
from discreet.auditing.running_sums import as_stream
from discreet.channels import DifferenceSums, GradientSums, Open, OpenDifference
from discreet.checks import CheckFailed, check_non_interference, check_private
from discreet.factorisations import Tree
from discreet.mechanisms import Gaussian, Laplace
from discreet.randomness import streams
from discreet.simulation.loop import Player

AUDITED = (
    "local-convex",
    "local-two-point",
    "local-stochastic-convex",
    "private-projection-free",
    "private-scrible",
    "batched-scrible",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_raw_value_reaches_the_learner_and_both_speeds_agree(name):
    check_private(build(name, epsilon=0.7, delta=1e-6).private, world_of(name), quick=True)


class CarelessValue(Private):
    """Looks right, but lets the learner learn a millionth of the raw value."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            self.learner.learn(trace, released + 1e-6 * feedback)
        return ready


class CarelessDifference(Private):
    """The same with a difference of two values."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            self.learner.learn(trace, released + 1e-6 * (feedback[0] - feedback[1]) / 1e-6)
        return ready


class CarelessSum(Private):
    """The same with a released vector."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            released[0] += 1e-6 * feedback
            self.learner.learn(trace, released)
        return ready


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("careless", "name"),
    [
        (CarelessValue, "local-convex"),
        (CarelessDifference, "local-two-point"),
        (CarelessSum, "private-projection-free"),
    ],
)
def test_the_non_interference_test_finds_a_small_leak(careless, name, compiled):
    private = build(name).private
    check_non_interference(private, setting_for(name).problem, compiled=compiled)
    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(careless(*private), setting_for(name).problem, compiled=compiled)


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_guarantee_is_what_was_asked_for(name, epsilon, delta):
    for bounds in (UNIT, Range(-2.0, 3.0)):
        promise = build(name, epsilon=epsilon, delta=delta, bounds=bounds).guarantee
        assert promise.status == "proved"
        assert promise.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert promise.epsilon <= epsilon * (1.0 + 1e-10)
        assert promise.delta <= delta
        # a central algorithm uses the local channel where its bound is smaller
        assert promise.model in (("local",) if name in LOCAL else ("central", "local"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in PRIVATE if "strongly" not in name),
        ("private-two-point", {"sums": "tree"}),
        ("private-two-point", {"sums": "blt"}),
        ("private-projection-free", {"sums": "tree"}),
    ],
)
def test_without_noise_it_is_the_ordinary_learner(name, options):
    built = build(name, delta=1e-6, options=options.items())
    private, channel = built.private, built.private.channel
    if options:
        assert built.guarantee.model == "central", "sums were asked for"
    if name == "batched-scrible":
        silent = channel._replace(size=1, noise=Laplace(0.0))
        open_ = Open(channel.bounds)
    elif built.guarantee.model == "local":  # of a central one too, where its bound is smaller
        silent = channel._replace(noise=Laplace(0.0))
        open_ = OpenDifference(channel.bounds) if "two" in name else Open(channel.bounds)
    else:
        noise = Gaussian(0.0, 1e-6) if channel.running.noise.across == 2.0 else Laplace(0.0)
        silent = channel._replace(running=channel.running._replace(noise=noise))
        open_ = type(channel).without_noise(size=channel.size, dimension=3, bounds=channel.bounds)
    game = world_of(name).deal(0, 600, np.random.default_rng(1))
    scores = [
        Player(Private(each, private.learner), streams(3), compiled=False).play(
            game, np.array([200, 560])
        )
        for each in (silent, open_)
    ]
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-6)


def test_clipped_differences_get_less_noise():
    whole, clipped = (
        build(
            "local-two-point", dimension=9, options={"clip": clip, "noise": "laplace"}.items()
        ).private.channel
        for clip in (None, 1.0)
    )
    assert clipped.noise_scales[0].scale == pytest.approx(whole.noise_scales[0].scale / 3.0)
    assert clipped.guarantee.epsilon == pytest.approx(1.0)


def test_the_papers_own_noise_states_what_it_delivers():
    local = build("local-convex", delta=1e-5, options={"calibration": "paper"}.items())
    assert local.private.channel.noise_scales[0].scale == pytest.approx(
        math.sqrt(2.0 * math.log(1.25e5))
    )
    assert 0.5 < local.guarantee.epsilon < 1.0
    two = build(
        "local-two-point", delta=1e-5, epsilon=16.0, options={"calibration": "paper"}.items()
    )
    assert two.guarantee.epsilon == pytest.approx(18.9, abs=0.1)
    for delta in (0.0, 1e-6):
        ene = build(
            "private-projection-free",
            dimension=10,
            rounds=10**4,
            delta=delta,
            options={"calibration": "paper"}.items(),
        )
        assert ene.guarantee.epsilon < 0.2, "far too much noise"
        assert ene.guarantee.status == "proved"


@pytest.mark.parametrize(
    ("name", "numbers", "options", "complaint"),
    [
        ("local-convex", {}, {"noise": "gaussian"}, "noise is gaussian, but delta is 0"),
        (
            "local-convex",
            {},
            {"calibration": "paper"},
            "but the paper's Gaussian noise needs delta above 0",
        ),
        (
            "local-convex",
            {"delta": 0.1},
            {"calibration": "paper", "noise": "laplace"},
            "noise is laplace, but calibration='paper' fixes gaussian noise",
        ),
        (
            "private-projection-free",
            {},
            {"sums": "blt"},
            "sums is blt, whose noise is Gaussian, but delta is 0",
        ),
        ("private-projection-free", {}, {"noise": "gaussian"}, "noise is gaussian, but delta is 0"),
        (
            "private-two-point",
            {"delta": 0.1},
            {"sums": "blt", "noise": "cube"},
            "noise is cube, but sums=blt is proved for gaussian noise only",
        ),
        (
            "private-projection-free",
            {},
            {"calibration": "paper", "sums": "honaker"},
            "calibration='paper' fixes a tree with laplace noise here; do not set sums or noise",
        ),
        (
            "projection-free",
            {},
            {"batch_size": 301},
            "rounds is 600, but two batches of 301 rounds need at least 602",
        ),
        (
            "private-projection-free",
            {},
            {"calibration": "paper", "baseline": True},
            "baseline is True, but calibration='paper' has no such option",
        ),
        (
            "fkm",
            {},
            {"radius": 1.0},
            "radius is 1, but must be below the inner radius of the set, 1",
        ),
        ("fkm", {}, {"damping": 0.0}, "damping is 0.0, but must be a finite number above 0"),
        ("local-two-point", {}, {"clip": 0.0}, "clip is 0.0, but must be a finite number above 0"),
        (
            "fkm",
            {},
            {"when_vacuous": "stop"},
            "when_vacuous is 'stop', but must be one of centre, play",
        ),
    ],
)
def test_what_cannot_be_is_refused(name, numbers, options, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        algorithm(name).build(setting_for(name, **numbers), **options)


@pytest.mark.parametrize("name", [name for name in NAMES if "strongly" in name or "smooth" in name])
def test_what_must_be_declared_is_asked_for(name):
    problem = replace(setting_for(name).problem, curvature=0.0, smoothness=0.0)
    with pytest.raises(
        DiscreetError,
        match=r"(curvature|smoothness) is 0, but .* needs it to be declared",
    ):
        algorithm(name).build(Setting(problem))


@pytest.mark.full
@pytest.mark.parametrize("name", AUDITED)
def test_audits_find_most_of_epsilon_and_never_more(name):
    setting = Setting(algorithm(name).problem.for_audit()[0], rounds=4)
    options = {} if name in NUMBERS else {"noise": "laplace"}
    found = audit(name, setting=setting, trials=400_000, **options)
    assert 0.9 <= found.share <= 1.0


def test_an_audit_of_differences_is_that_of_values():
    """Both hear the same from the same noise: so what is found of one kind of sums holds for the
    other.
    """
    heard = []
    for kind in (GradientSums, DifferenceSums):
        channel = kind.calibrated(
            Tree,
            size=2,
            dimension=2,
            rounds=12,
            bounds=Range(-1.0, 1.0),
            noise="laplace",
            epsilon=1.0,
        )
        stream = as_stream(
            Private(channel, build("private-two-point", dimension=2).private.learner)
        ).channel
        rng, vectors = np.random.default_rng(3), np.outer([0.5, -0.5, 0.25, 0.0], stream.direction)
        heard.append([stream.offer(vector, 1.0, rng)[1].tolist() for vector in vectors])
        assert stream.guarantee.epsilon == pytest.approx(1.0)
    assert heard[0] == heard[1]


@pytest.mark.full
def test_an_audit_refutes_sums_with_too_little_noise():
    private = build(
        "private-projection-free", dimension=2, rounds=8, options={"noise": "laplace"}.items()
    ).private
    running = private.channel.running
    weak = private.channel._replace(
        running=running._replace(noise=Laplace(0.7 * running.noise.scale))
    )
    assert isinstance(weak, GradientSums)
    found = audit(private._replace(channel=weak), claimed=private.guarantee, trials=300_000)
    assert found.violated
