"""What an optimizer shows depends on outcomes through releases alone, with the noise stated."""

from __future__ import annotations

import numpy as np
import pytest
from common import in_full
from makers import live_optimizer, simulated_optimizer

import componentjit
from discreet import audit
from discreet.contracts import unsealed
from discreet.mechanisms.exact import ExactCube, NoiseBlock


@pytest.mark.parametrize(
    "name", ["private-linear-oracle", "private-two-point", "private-projection-free"]
)
def test_before_a_release_nothing_depends_on_what_was_told(name):
    """Decisions and the learner's state are the same bit for bit; only what the channel holds
    differs.
    """
    faces = [simulated_optimizer(name, batch_size=8) for _ in range(2)]
    for t in range(8):
        decisions = [face.ask() for face in faces]
        assert np.array_equal(*(decision.point for decision in decisions))
        if t < 7:
            for face, decision, loss in zip(faces, decisions, (0.0, 1.0), strict=True):
                face.tell(decision, loss=loss if decision.point.ndim == 1 else [loss, 0.5])
    one, other = (face._run._store.rows for face in faces)
    assert one.learner == other.learner
    assert one.stream != other.stream or name == "private-linear-oracle"
    for face, decision, loss in zip(faces, decisions, (0.0, 1.0), strict=True):
        face.tell(decision, loss=loss if decision.point.ndim == 1 else [loss, 0.5])
    assert one.counters[3] == other.counters[3] == 1


@pytest.mark.parametrize("noise", ["laplace", "cube"])
@pytest.mark.parametrize("size", [1, 3, 20_000])
def test_a_replaced_loss_moves_exact_sums_by_at_most_what_their_noise_is_for(
    noise, size, monkeypatch
):
    """Searched through the run with noise of 0: losses of both ends in the direction that tells
    most; at least 99 %.
    """
    monkeypatch.setattr(NoiseBlock, "take", lambda self: 0)
    monkeypatch.setattr(ExactCube, "radius", lambda self, size: 0)
    channel = live_optimizer(
        domain="k-sets(4,2)", horizon=4 * size, noise=noise, sums="tree", batch_size=size
    ).plan.private.channel
    scale, steps = channel.running.noise.step, channel.running.noise.steps
    allowed = channel.guarantee.epsilon * steps  # in steps, over all rows of the tree
    direction = np.full(4, 0.5) if noise == "laplace" else np.eye(4)[1]
    totals = []
    for loss in (0.0, 1.0):
        inner = unsealed(componentjit.copy(channel))
        inner.seen[0] = size - 1
        _, released = inner.offer(loss, direction, None)
        totals.append(np.array(released) / scale)
    moved = np.linalg.norm(totals[1] - totals[0], channel.running.noise.norm)
    rows = channel.running.factorisation.sensitivity(
        channel.running.noise, channel.running.prefixes
    )
    assert 0.99 * allowed <= rows * moved <= allowed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "domain"),
    [in_full("private-linear-oracle", "k-sets(2,1)"), ("private-two-point", "ball(1)")],
)
@pytest.mark.long
def test_an_audit_of_a_live_sum_finds_most_of_its_epsilon(name, domain):
    """Through exact noise; a correct claim is called violated in at most 1 % of all audits, and the
    seed is fixed.
    """
    face = live_optimizer(name, domain=domain, horizon=2, delta=0.0, noise="laplace", batch_size=1)
    found = audit(face, trials=16_000)
    assert not found.violated
    assert found.share > 0.75
    assert face.state().round == 0
