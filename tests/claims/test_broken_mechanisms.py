"""Audits or checks catch mechanisms with one fault each; sound ones with the same claims pass."""

from __future__ import annotations

import numpy as np
import pytest
from broken_mechanisms import BROKEN, WritesIntoQuery, batched, each_round, one_bit, summed
from common import in_full
from hidden_faults import HIDDEN
from rarely_broken import RARELY

from discreet import Private, audit
from discreet.auditing.runs import Runs
from discreet.channels import Batch
from discreet.checks import CheckFailed, check_channel, check_private
from discreet.environments import environment
from discreet.problems import Advice, Points

LONG = ("noise that is seeded by the data",)  # 10 s
CAUGHT = [  # by one way, and by make full in every way
    pytest.param(
        name, way, id=f"{name}-{way}", marks=pytest.mark.full if i > 0 or name in LONG else ()
    )
    for name, broken in BROKEN.items()
    for i, way in enumerate(broken.caught_by)
]


def find(way: str, private: Private) -> bool:
    """Return whether one way catches a private learner."""
    size = private.learner.release_size()
    if way == "audit":
        return audit(private, trials=4_000).violated
    try:
        if way == "check_channel":
            check_channel(private.channel, feedback=np.full(size, 0.75) if size else 0.75)
        elif isinstance(private.channel, WritesIntoQuery):
            check_private(private, environment("advice-random", Advice(3, 5)), quick=True)
        else:
            world = (
                environment("linear-stochastic", Points("experts", 2))
                if size
                else environment("stochastic", arms=2)
            )
            check_private(private, world, quick=True)
    except CheckFailed:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize(("name", "way"), CAUGHT)
@pytest.mark.long
def test_every_broken_mechanism_is_caught(name, way):
    """Seeds are fixed. Each is refuted with 99 % confidence, or breaks a contract."""
    assert find(way, BROKEN[name].make())


QUICK = (
    "low sums never released",
    "a coin that is too sure",
    "the true direction in 0.2 %",
    "a range that lets NaN pass",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name if name in QUICK else in_full(name) for name in RARELY])
@pytest.mark.long
def test_every_mechanism_that_is_broken_rarely_is_caught(name):
    """By default, with as many trials as the audit chooses (how long: benchmarks/broken.py)."""
    (way,) = RARELY[name].caught_by
    private = RARELY[name].make()
    assert audit(private).violated if way == "audit" else find(way, private)


@pytest.mark.slow
@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.long
def test_every_fault_at_one_place_only_is_caught(name):
    """By default: in one position, level, number or record, or behind NaN."""
    assert audit(HIDDEN[name].make()).violated


@pytest.mark.slow
@pytest.mark.parametrize("way", ["audit", "check_channel", "check_private"])
@pytest.mark.parametrize(
    "make",
    [lambda: batched(Batch), one_bit, each_round, summed],
    ids=["batched", "one_bit", "each_round", "summed"],
)
@pytest.mark.long
def test_what_they_were_made_from_is_sound(make, way):
    """An audit of a sound mechanism errs in 1 % of all seeds; this seed is fixed."""
    assert not find(way, make())


@pytest.mark.slow
def test_a_larger_claim_that_is_true_is_not_refuted():
    """A loss in two releases costs twice epsilon: that is found, no more; errs in 1 % of seeds."""
    private = BROKEN["the last loss carried over"].make()
    true = private._replace(
        channel=private.channel._replace(noise=private.channel.noise._replace(scale=0.5))
    )
    found = audit(private, claimed=true.guarantee, trials=4_000)
    assert true.guarantee.epsilon == 2.0
    assert not found.violated


def test_what_numba_cannot_compile_is_audited_as_plain_python():
    runs = Runs.of(RARELY["noise by the clock"].make().channel, 1.0, rounds=4)
    assert runs.is_fast, "nothing about its fields says that it cannot be compiled"
    assert not runs.compiles(np.zeros(4))
