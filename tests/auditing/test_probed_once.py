"""Audits of running sums compute the response to noise once, however many trials there are."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from click.testing import CliRunner
from common import in_full

from discreet import algorithm
from discreet.auditing import GameFacts, audit, default_attack, running_sums
from discreet.cli.commands import cli


def unknown(**changes):
    known = algorithm("private-ftrl-ball")
    return known.setting(rounds=8, dimension=2, unknown_horizon=True, **changes)


@pytest.mark.slow
@pytest.mark.long
def test_a_sum_for_an_unknown_number_of_rounds_is_probed_once(monkeypatch):
    """It is observed for 255 rounds, each with its own noise: that took longer than all trials."""
    probes = []
    probe = running_sums.responses
    monkeypatch.setattr(
        running_sums, "responses", lambda *given: probes.append(given) or probe(*given)
    )
    seen = []
    found = audit(
        "private-ftrl-ball",
        setting=unknown(delta=1e-6),
        trials=20_000,  # more than are played at once
        progress=lambda done, asked: seen.append((done, asked)),
    )
    assert len(probes) == 1
    assert len(set(seen)) > 10
    # Of 1; more in one of 100 seeds at most, by the confidence of the audit.
    assert 0.4 < found.lower_bound <= 1.0


@pytest.mark.long
def test_samples_are_the_same_one_by_one():
    private = algorithm("private-ftrl-ball").build(unknown(delta=1e-6)).private
    attack = default_attack(private, GameFacts())
    drawn = attack.sampler(private)
    for world in (0, 1):
        np.testing.assert_array_equal(drawn(world, 50, 3), attack.sample(private, world, 50, 3))


def test_both_worlds_can_be_sampled_at_once():
    private = algorithm("private-ftrl-ball").build(unknown(delta=1e-6)).private
    drawn = default_attack(private, GameFacts()).sampler(private)
    one_by_one = [drawn(world, 2000, 3) for world in (0, 1)]
    with ThreadPoolExecutor(2) as threads:
        at_once = list(threads.map(lambda world: drawn(world, 2000, 3), (0, 1)))
    np.testing.assert_array_equal(at_once, one_by_one)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [in_full("0"), "1e-6"])
@pytest.mark.long
def test_the_command_audits_an_unknown_number_of_rounds(delta):
    asked = [
        "audit",
        "private-ftrl-ball",
        "--rounds",
        "unknown",
        "--delta",
        delta,
        "--trials",
        "4000",
        "--json",
    ]
    run = CliRunner().invoke(cli, asked)
    assert run.exit_code == 0, run.output
    assert not json.loads(run.stdout)["violated"]  # in one of 100 seeds at most
