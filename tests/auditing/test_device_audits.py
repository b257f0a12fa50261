"""Audits of reports find at least nine tenths of epsilon, never more, and catch cheating."""

from __future__ import annotations

import pytest

from discreet import Setting, algorithm, audit
from discreet.problems import Contexts

PLACE = Contexts(2, 2)


def setting(epsilon, delta=0.0):
    return Setting(PLACE, rounds=8, epsilon=epsilon, delta=delta)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["cap", "hemisphere"])
@pytest.mark.parametrize("name", ["local-linucb", "local-greedy"])
@pytest.mark.long
def test_nine_tenths_of_epsilon_are_found_in_reports(name, noise):
    """A correct claim is called violated in at most 1 % of audits with fresh seeds."""
    found = audit(name, setting=setting(1.0), noise=noise)
    assert 0.9 <= found.lower_bound <= 1.0
    assert not found.violated


@pytest.mark.slow
def test_so_with_gaussian_noise():
    found = audit("local-linucb", setting=setting(1.0, 1e-5), noise="gaussian")
    assert 0.9 <= found.lower_bound <= 1.0


@pytest.mark.slow
def test_so_with_algorithm_3_corrected():
    found = audit("local-glm", setting=setting(1.0, 1e-5), constants="theory")
    assert 0.9 <= found.lower_bound <= 1.0


@pytest.mark.full
@pytest.mark.parametrize(
    ("place", "options"),
    [
        (PLACE, {}),
        (PLACE, {"block": 1}),
        (Contexts(2, 4), {"block": 2, "first": 2}),
        (Contexts(2, 5), {"block": 2, "growth": 2.0}),
    ],
    ids=["all moments", "blocks of one", "blocks", "blocks and a shared feature"],
)
def test_so_in_the_joint_model(place, options):
    """Nothing is lost by releasing at fits only, nor by noise on blocks only."""
    here = Setting(place, rounds=40, epsilon=1.0, delta=1e-5)
    found = audit("joint-linucb", setting=here, **options)
    assert 0.88 <= found.lower_bound <= 1.0
    assert not found.violated


@pytest.mark.slow
def test_moments_with_too_little_noise_are_caught():
    honest = algorithm("joint-linucb").build(setting(1.0, 1e-5)).private
    running = honest.channel.running
    noise = running.noise._replace(scale=0.7 * running.noise.scale)
    cheating = honest._replace(channel=honest.channel._replace(running=running.with_noise(noise)))
    assert audit(cheating, claimed=honest.guarantee).violated


@pytest.mark.slow
def test_a_cap_that_is_hit_too_often_is_caught():
    honest = algorithm("local-greedy").build(setting(1.0)).private
    noise = honest.channel.noise
    cheating = honest._replace(
        channel=honest.channel._replace(noise=noise._replace(inside=1.1 * noise.inside))
    )
    assert audit(cheating, claimed=honest.guarantee).violated


def test_uniform_play_on_devices_leaks_nothing():
    found = audit("uniform-contexts", setting=setting(1.0), trials=500)
    assert found.lower_bound == 0.0
    assert not found.violated
