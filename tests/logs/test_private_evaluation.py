"""The private release: its sensitivity on the grid, its noise, and what it refuses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from log_files import context_log, plain_log

from discreet import (
    BudgetExceeded,
    DiscreetError,
    Ledger,
    Log,
    evaluate,
    release_evaluation,
    simulate,
)
from discreet.logs import LinearScores
from discreet.logs.private_evaluation import calibrated, grid_sums

ARMS = [0, 1, 2, 3]


def release(log, policy="arm=0", **changes):
    terms = {"epsilon": 1.0, "max_weight": 2.0, "arms": ARMS} | changes
    return release_evaluation(log, policy, **terms)


def test_one_row_moves_the_sums_by_no_more_than_is_paid():
    """Exact for every pair of rows on a fine mesh; halves of steps of the grid are among them."""
    half = 2.0**-31
    weights = (0.0, half, 0.3, 0.5, 0.5 + half, 1.0 - half, 1.0)
    shares = (0.0, half, 0.25, 0.5, 1.0 - half, 1.0)
    rest = np.array([0.1, 0.7]), np.array([0.9, 0.2])
    sums = np.array(
        [
            grid_sums(np.append(rest[0], w), np.append(rest[1], r))
            for w, r in itertools.product(weights, shares)
        ]
    )
    odd = (np.nan, np.inf, -np.inf, 7.0, -7.0)  # of a log made by hand
    sums = np.vstack(
        [sums, [grid_sums(np.append(rest[0], w), np.append(rest[1], r)) for w in odd for r in odd]]
    )
    moves = np.abs(sums[:, None] - sums[None])
    assert moves[..., 0].max() == 1.0
    assert moves.sum(axis=-1).max() == 2.0


@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("users", [1, 30])
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 7.0])
def test_noise_pays_for_all_rows_of_a_user_and_for_rounding(pair, users, epsilon):
    noise = calibrated(epsilon, users, pair=pair)
    change = users * (2 if pair else 1)
    steps = np.floor(change / noise.step) + (2 if pair else 1)
    assert steps <= epsilon * noise.steps * (1.0 + 1e-15)
    assert noise.scale == pytest.approx(change / epsilon, rel=1e-5)


def test_the_estimate_is_the_clipped_one_and_the_noise_has_its_scale():
    """150 releases; a mean of noise beyond 5 standard errors has probability < 1e-6.

    Absolute values of Laplace noise have mean and standard deviation equal to the scale.
    """
    log = Log.read(plain_log(500), arms=ARMS)
    for kind, factor in (("ips", 1.0), ("snips", 2.0)):
        plain = getattr(evaluate(log, "arm=3", max_weight=4.0), kind).value
        found = [
            release(log, "arm=3", estimator=kind, max_weight=4.0, epsilon=2.0) for _ in range(150)
        ]
        scale = found[0].noise_scale
        assert scale == pytest.approx(factor * 4.0 / (500 * 2.0), rel=1e-5)
        assert len({each.value for each in found}) == 150
        noise = np.array([each.value for each in found]) - plain
        if kind == "ips":
            assert abs(noise.mean()) < 5.0 * np.sqrt(2.0 / 150) * scale
            assert abs(np.abs(noise).mean() - scale) < 5.0 * scale / np.sqrt(150)


def test_users_with_many_rows_and_other_units():
    log = plain_log(1000)
    one, many = release(log), release(log, rows_per_user=30)
    assert many.noise_scale == pytest.approx(30.0 * one.noise_scale)
    assert (many.guarantee.rounds, many.guarantee.epsilon) == (30, 1.0)
    scaled = log | {"click": 100.0 * np.asarray(log["click"]) - 50.0}
    cents = release(scaled, low=-50.0, high=50.0)
    assert cents.noise_scale == pytest.approx(100.0 * one.noise_scale)
    expected = 100.0 * evaluate(log, "arm=0", max_weight=2.0).ips.value - 50.0
    assert cents.value == pytest.approx(expected, abs=30.0 * cents.noise_scale)
    beyond = release(log | {"click": np.full(1000, 1e9)}, "uniform", max_weight=1.0)
    assert beyond.value < 1.1, "outcomes are clipped to the declared range"


def test_one_row_moves_a_replay_by_much_more_than_one():
    """Why nothing is released of a policy that learns: one row decides which ones follow."""
    log = plain_log(6000, means=np.array([0.5, 0.45, 0.4, 0.4]), chances=np.full(4, 0.25))
    flipped = np.array(log["click"])
    flipped[54] = 1 - flipped[54]
    losses = [
        simulate("ucb", log=each, rounds=1000, trials=1).loss[0, 0, -1]
        for each in (log, log | {"click": flipped})
    ]
    assert abs(losses[0] - losses[1]) > 10.0


def test_a_ledger_is_charged_before_anything_is_released():
    ledger = Ledger(1.5)
    release(plain_log(50), ledger=ledger)
    with pytest.raises(BudgetExceeded):
        release(plain_log(50), ledger=ledger)
    assert ledger.spent.epsilon == 1.0


@pytest.mark.parametrize(
    ("policy", "changes", "complaint"),
    [
        ("arm=0", {"arms": None}, "declare them with arms="),
        ("tsallis-inf", {}, "learns while it plays"),
        (lambda x: np.full((50, 4), 0.25), {}, "may depend on other rows of the log"),
        ([0.25] * 4, {}, "may depend on other rows of the log"),
        ("arm=0", {"epsilon": 0.0}, "epsilon is 0.0"),
        ("arm=0", {"max_weight": -1.0}, "max_weight is -1.0"),
        ("arm=0", {"rows_per_user": 0}, "rows_per_user is 0"),
        ("arm=0", {"estimator": "dr"}, "estimator is 'dr'"),
        ("arm=0", {"ledger": 3}, "ledger is 3, but must be a Ledger"),
    ],
)
def test_what_would_void_the_guarantee_is_refused(policy, changes, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        release(plain_log(50), policy, **changes)


def test_features_whose_levels_come_from_the_rows_are_refused():
    columns, _, _ = context_log(50)
    numbers = release(columns, LinearScores(np.ones((4, 3))))
    assert numbers.guarantee.model == "central"
    columns["user_feature_2"] = ["a", "b"] * 25
    with pytest.raises(DiscreetError, match="levels that were read from the rows"):
        release(columns, LinearScores(np.ones((4, 4))))
