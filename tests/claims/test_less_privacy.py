"""Asking for less privacy never costs regret: a larger epsilon, or a delta, never adds noise.

Where a bound is stated, it must not grow, nor vanish; where none is, the noise must not grow.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest

from discreet import DiscreetError, algorithm, list_algorithms

# (epsilon, delta); delta 0 first
ASKED = [(0.5, 0.0), (2.0, 0.0), (0.5, 1e-6), (2.0, 1e-6), (8.0, 1e-6), (2.0, 1e-3), (8.0, 0.0)]
SLACK = 1e-9
SLOW = ("private-linear-oracle",)  # to build
DECLARED = {"curvature": 0.5, "smoothness": 1.0}


def built(name, rounds):
    """Build an algorithm for every request; a head start trades the bound for regret."""
    known = algorithm(name)
    options = {"head_start": 0.0} if "head_start" in known.options else {}
    setting = known.setting(rounds=rounds)
    try:
        known.build(setting, **options)
    except DiscreetError:
        needed = {key: DECLARED[key] for key in DECLARED if key in known.problem.parameters()}
        setting = known.setting(rounds=rounds, **needed)
    return {
        (epsilon, delta): known.build(replace(setting, epsilon=epsilon, delta=delta), **options)
        for epsilon, delta in ASKED
    }


def bounds_of(instance):
    confident = instance.confident_bound
    return [
        instance.regret_bound,
        instance.stationary_bound,
        None if confident is None else confident.regret,
    ]


def noise_of(instance):
    """The standard deviation of running sums, or kinds and scales of the noise."""
    running = getattr(instance.private.channel, "running", None)
    if running is not None:
        single = running.noise.deviation(running.losses.dimension)
        return [("sums", single * running.factorisation.noise_spread().most)]
    return [(each.kind, each.scale) for each in instance.private.channel.noise_scales]


@pytest.mark.parametrize("name", list_algorithms())
def test_less_privacy_costs_no_regret(name):
    found = built(name, 600 if name in SLOW else 20_000)
    for strict, loose in itertools.permutations(ASKED, 2):
        if strict[0] > loose[0] or strict[1] > loose[1]:
            continue
        one, other = found[strict], found[loose]
        stated = False
        for before, after in zip(bounds_of(one), bounds_of(other), strict=True):
            if before is not None:
                stated = True
                assert after is not None, (strict, loose)
                assert after <= before * (1.0 + SLACK), (strict, loose)
        if stated:
            continue
        for (kind, before), (same, after) in zip(noise_of(one), noise_of(other), strict=True):
            assert kind == same, (strict, loose)
            assert after <= before * (1.0 + SLACK), (strict, loose)


def test_the_noise_of_a_report_with_a_delta_is_never_more_than_without():
    """Regret of local Tsallis-INF with a delta was four to six times that without one."""
    for epsilon in (0.1, 1.0, 8.0):
        scales = set()
        for delta in (0.0, 1e-6, 1e-3):
            known = algorithm("local-tsallis-inf")
            built = known.build(known.setting(epsilon=epsilon, delta=delta))
            scales.add(built.private.channel.noise_scales[0].scale)
        assert scales == {0.5 / math.tanh(epsilon / 2.0)}
