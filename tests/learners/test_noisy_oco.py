"""Mirror maps, and the frame in which they are used."""

from __future__ import annotations

import math

import numpy as np
import pytest
from common import in_full

from discreet import DiscreetError
from discreet.learners import NoisyOco
from discreet.learners.functions.corrective import Corrective
from discreet.learners.functions.mirror_maps import (
    ByProjection,
    Entropic,
    FrankWolfe,
    error_after,
    steps_for,
)
from discreet.learners.functions.noisy_oco import best_rate, noisy_oco_bound
from discreet.sets import L2Ball, Simplex, set_named

SIMPLEX = Simplex(6)
MAPS = {
    "projected": ByProjection(),
    "entropic": Entropic(),
    "frank-wolfe": FrankWolfe.start(SIMPLEX),
    "corrective": Corrective.start(SIMPLEX),
}
NEAR = {"frank-wolfe": 0.02, "corrective": 1e-5}


def objective(kind, sums, point):
    if kind == "entropic":
        return sums @ point + float(np.sum(point * np.log(np.maximum(point, 1e-300))))
    return sums @ point + float(np.sum((point - SIMPLEX.centre()) ** 2))


@pytest.mark.parametrize("kind", MAPS)
def test_a_map_leads_to_the_minimum_and_moves_no_further_than_its_strength_allows(kind):
    mirror, rng = MAPS[kind], np.random.default_rng(4)
    norm, dual = (1.0, np.inf) if kind == "entropic" else (2.0, 2.0)
    error = 2.0 * NEAR.get(kind, 0.0)
    point, last, before = SIMPLEX.centre(), SIMPLEX.centre(), np.zeros(6)
    for size in (0.1, 1.0, 5.0, 0.5):
        sums = size * rng.normal(size=6)
        mirror.lead(SIMPLEX, SIMPLEX.centre(), sums, point, 0.5 * error)
        assert SIMPLEX.contains(point, 1e-9)
        others = rng.dirichlet(np.ones(6), size=200)
        least = min(objective(kind, sums, other) for other in others)
        assert objective(kind, sums, point) <= least + error**2
        moved = np.linalg.norm(point - last, norm)
        assert moved <= np.linalg.norm(sums - before, dual) / mirror.strength + error + 1e-12
        last, before = point.copy(), sums


@pytest.mark.parametrize("kind", ["projected", "entropic", in_full("corrective")])
def test_regret_is_below_the_lemma(kind):
    """Full information, linear losses, the same noise in every sum, which is paid in every step.

    The lemma is about means: of 40 runs with fixed seeds it has room of 5 standard errors.
    """
    steps, losses = 200, np.random.default_rng(5).uniform(-1.0, 1.0, (200, 6)) - [0.2, *[0.0] * 5]
    strength, width, dual = (1.0, math.log(6), np.inf) if kind == "entropic" else (2.0, 5 / 6, 2.0)
    spread, regrets = 0.5, []
    squares = float((np.linalg.norm(losses, dual, axis=1) ** 2).sum())
    rate = best_rate(width=width, squares=squares, strength=strength)
    rng = np.random.default_rng(6)
    for _ in range(40):
        mirror = Corrective.start(SIMPLEX) if kind == "corrective" else MAPS[kind]
        point, total, sums = SIMPLEX.centre(), 0.0, np.zeros(6)
        for loss in losses:
            total += loss @ point
            sums += loss
            noisy = sums + spread * rng.normal(size=6)
            mirror.lead(SIMPLEX, SIMPLEX.centre(), rate * noisy, point, 1e-4)
        regrets.append(total - sums.min())
    moved = rate / strength * spread * math.sqrt(6.0) + (1e-4 if kind == "corrective" else 0.0)
    errors = moved * float(np.linalg.norm(losses, 2, axis=1).sum())
    bound = noisy_oco_bound(
        width=width, rate=rate, squares=squares, strength=strength, errors=errors
    )
    close = 5.0 * float(np.std(regrets)) / math.sqrt(40.0)
    assert np.mean(regrets) + close < bound
    without = noisy_oco_bound(width=width, rate=rate, squares=squares, strength=strength)
    assert without == pytest.approx(math.sqrt(2.0 * width * squares / strength))
    assert steps == len(losses)


def test_maps_refuse_sets_on_which_they_cannot_be_computed():
    paths = set_named("paths(2,2)")
    with pytest.raises(DiscreetError, match="this needs a projection"):
        NoisyOco.with_map(ByProjection(), set=paths, inner=0.1, radius=0.05, learning_rate=1.0)
    with pytest.raises(DiscreetError, match="the entropic map needs a simplex"):
        NoisyOco.with_map(Entropic(), set=L2Ball(2, 1.0), inner=1.0, radius=0.5, learning_rate=1.0)


@pytest.mark.parametrize("kind", [FrankWolfe, Corrective])
@pytest.mark.parametrize("most", [1, 3, 8, 40])
def test_a_budget_of_calls_keeps_the_proved_distance(kind, most):
    """Within 4 R / sqrt(most + 2), one sum after another, in many dimensions."""
    around, rng = Simplex(60), np.random.default_rng(8)
    mirror = kind.start(around, most=most)
    for _ in range(3):
        sums = rng.choice([0.02, 1.0]) * rng.normal(size=60)
        exact, point = around.centre() - 0.5 * sums, around.centre()
        if kind is Corrective:  # it holds its own mixture, so it begins where it was
            mirror = kind.start(around, most=most)
        called = mirror.oracle_calls
        around.project(exact)
        mirror.lead(around, around.centre(), sums, point, 1e-8)
        assert mirror.oracle_calls - called <= most
        assert np.linalg.norm(point - exact) <= around.outer * error_after(most)
    assert steps_for(0.5) == 62
    assert ByProjection().oracle_calls is None


def test_a_bad_release_leaves_a_point():
    point = SIMPLEX.centre()
    Entropic().lead(SIMPLEX, SIMPLEX.centre(), np.full(6, np.nan), point, 0.0)
    np.testing.assert_array_equal(point, SIMPLEX.centre())
