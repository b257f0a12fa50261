"""Audits of a final release: both releases that have an outcome are attacked together."""

from __future__ import annotations

import numpy as np
import pytest
from odd_values import ODD, fault_of

from discreet import (
    Bandit,
    DiscreetError,
    audit_durations,
    audit_final,
    audit_holdout,
    audit_release_times,
)
from discreet.mechanisms import Laplace

OPTIONS = {"arms": 3, "horizon": 1_000, "algorithm": "batched-exp3", "batch_size": 1}


def test_both_epsilons_are_found_and_no_more():
    """A correct run is called violated with probability 1 % at most; each part alone has 1."""
    face = Bandit(epsilon=1.0, final=1.0, simulation=True, **OPTIONS)
    found = audit_final(face, trials=600)
    assert not found.violated
    assert found.lower_bound > 1.0
    assert found.claimed == face.plan.guarantee
    assert found.claimed.epsilon == 2.0


def test_exact_noise_is_audited_too():
    """Exact noise has no seed. In 24 audits the bound was 1.31, with a standard deviation of 0.13.

    So it is below 0.5 with a probability below 1e-6, and a violation is found in at most 1 %.
    """
    made = {**OPTIONS, "low": -1.0, "high": 3.0}
    found = audit_final(Bandit(epsilon=1.0, final=1.0, **made), trials=1_000)
    assert not found.violated
    assert found.lower_bound > 0.5


def test_one_bit_releases_are_audited_too():
    made = {**OPTIONS, "algorithm": "one-bit-tsallis-inf"}
    found = audit_final(Bandit(epsilon=1.0, final=0.5, simulation=True, **made), trials=300)
    assert not found.violated
    assert found.lower_bound > 0.5


def test_too_little_noise_is_found(monkeypatch):
    """The noise for epsilon 4 where 0.5 is claimed: missed with a probability below 1e-3."""
    face = Bandit(epsilon=0.5, final=0.5, simulation=True, **OPTIONS)
    final = face.plan.final
    channel = final.channel._replace(noise=Laplace.calibrate(sensitivity=1.0, epsilon=4.0))
    wrong, right = face.plan._replace(final=final._replace(channel=channel)), face.plan.guarantee
    monkeypatch.setattr(type(face), "plan", property(lambda self: wrong))
    monkeypatch.setattr(type(wrong), "guarantee", property(lambda self: right))
    assert audit_final(face, trials=400).violated


def test_a_cost_that_forgets_one_release_is_found(monkeypatch):
    """A run that claims the larger of its two epsilons: 2 instead of 4."""
    face = Bandit(epsilon=2.0, final=2.0, simulation=True, **OPTIONS)
    less = face.plan.private.guarantee
    monkeypatch.setattr(type(face.plan), "guarantee", property(lambda self: less))
    assert audit_final(face, trials=600).violated


def test_a_run_without_one_is_refused():
    with pytest.raises(DiscreetError, match="has no final release"):
        audit_final(Bandit(arms=2, horizon=100, epsilon=1.0))
    with pytest.raises(DiscreetError, match="must be a live run"):
        audit_final("batched-ucb")


@pytest.mark.parametrize(
    "audit", [audit_durations, audit_final, audit_holdout, audit_release_times]
)
def test_an_odd_subject_is_refused_in_one_sentence(audit):
    for make in ODD.values():
        assert fault_of(lambda: audit(make())) is None  # noqa: B023
        with pytest.raises(DiscreetError, match=r"the subject is .*, but must be a live run"):
            audit(make())


def test_numbers_of_numpy_are_numbers():
    bandit = Bandit(arms=2, horizon=100, epsilon=0.5, final=0.5, simulation=True)
    usual = audit_final(bandit, trials=200, seed=1, confidence=0.5)
    odd = audit_final(bandit, trials=200, seed=np.int8(1), confidence=np.longdouble(0.5))
    assert odd.lower_bound == usual.lower_bound
