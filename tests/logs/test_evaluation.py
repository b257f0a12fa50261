"""Estimates of fixed policies: a known truth, a slow computation of the same, and refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from log_files import MEANS, context_log, plain_log, write_csv

from discreet import DiscreetError, Log, evaluate
from discreet.cli import run
from discreet.learners import Exp3
from discreet.logs import LinearScores


def golden():
    """Return a log of 50,000 rows, the policy, a model of rewards and the policy's true value."""
    rng = np.random.default_rng(0)
    n, arms, d = 50_000, 5, 5
    theta, x = rng.standard_normal((arms, d)), rng.standard_normal((n, d))
    chances = np.exp(0.5 * x @ rng.standard_normal((d, arms)))
    chances = 0.8 * chances / chances.sum(axis=1, keepdims=True) + 0.2 / arms
    arm = (chances.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)

    def means(x):
        return 1.0 / (1.0 + np.exp(-(x @ theta.T)))

    rows = np.arange(n)
    log = {
        "item_id": arm,
        "click": (rng.random(n) < means(x)[rows, arm]).astype(float),
        "propensity_score": chances[rows, arm],
        **{f"user_feature_{i}": x[:, i] for i in range(d)},
    }
    wrong = theta + 0.7 * rng.standard_normal(theta.shape)
    big = rng.standard_normal((400_000, d))
    best = (big @ wrong.T).argmax(axis=1)
    expected = means(big)
    truth = 0.9 * expected[np.arange(len(big)), best].mean() + 0.1 * expected.mean()
    return Log.read(log), LinearScores(wrong, explore=0.1), 0.5 + 0.2 * x @ wrong.T, truth


def test_the_three_estimates_of_a_synthetic_log():
    log, policy, model, truth = golden()
    assert truth == pytest.approx(0.766, abs=0.0005)
    found = evaluate(log, policy, model=np.clip(model, 0.0, 1.0))
    for (value, error), expected, spread in [
        (found.ips, 0.763, 0.008),
        (found.snips, 0.770, 0.004),
        (found.dr, 0.771, 0.004),
    ]:
        assert (round(value, 3), round(error, 3)) == (expected, spread)
        assert abs(value - truth) < 2.0 * error
    assert found.effective_rows == pytest.approx(9815, abs=1)
    fitted = evaluate(log, policy)  # the model is fitted to the other half of the rows
    assert fitted.dr.standard_error < 0.9 * found.dr.standard_error
    assert abs(fitted.dr.value - truth) < 3.0 * fitted.dr.standard_error


def test_estimates_agree_with_a_slow_computation():
    columns, _, _ = context_log(40, arms=3)
    shares = {0: 0.5, 1: 0.3, 2: 0.2}
    model = np.random.default_rng(5).random((40, 3))
    found = evaluate(columns, shares, model=model, max_weight=1.2)
    weights, gains, robust = [], [], []
    for t in range(40):
        arm, reward = int(columns["item_id"][t]), float(columns["click"][t])
        weight = min(shares[arm] / columns["propensity_score"][t], 1.2)
        weights.append(weight)
        gains.append(weight * reward)
        predicted = sum(shares[each] * model[t, each] for each in range(3))
        robust.append(predicted + weight * (reward - model[t, arm]))
    assert found.ips.value == pytest.approx(sum(gains) / 40)
    assert found.ips.standard_error == pytest.approx(np.std(gains, ddof=1) / np.sqrt(40))
    assert found.snips.value == pytest.approx(sum(gains) / sum(weights))
    assert found.dr.value == pytest.approx(np.mean(robust))
    assert found.effective_rows == pytest.approx(sum(weights) ** 2 / sum(w * w for w in weights))
    assert found.clipped_at == 1.2 < found.largest_weight


def test_errors_of_many_logs_are_as_large_as_stated():
    """60 logs: z has a standard deviation of 1; the bounds are missed with probability < 1e-4."""
    z = []
    for seed in range(60):
        found = evaluate(plain_log(800, seed=seed), {"0": 0.5, "3": 0.5})
        truth = 0.5 * (MEANS[0] + MEANS[3])
        z.append([(e.value - truth) / e.standard_error for e in found.estimates.values()])
    assert np.all(np.abs(np.mean(z, axis=0)) < 4.0 / np.sqrt(60))
    assert np.all((np.std(z, axis=0) > 0.65) & (np.std(z, axis=0) < 1.4))


def test_a_policy_can_be_given_in_many_ways():
    columns, _, _ = context_log(30, arms=3)
    by_shares = evaluate(columns, {0: 1.0})
    table = np.tile([1.0, 0.0, 0.0], (30, 1))
    for policy in ("arm=0", table, lambda contexts: table, "shares:0=1", [1.0, 0.0, 0.0]):
        assert evaluate(columns, policy).ips == by_shares.ips
    assert "Not private" in str(by_shares)
    assert by_shares.as_dict()["private"] is False
    assert "not private" in evaluate.__doc__


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        ("tsallis-inf", "an algorithm learns while it plays, .* environment='logged'"),
        (Exp3.example(), "which learns while it plays"),
        ("arm=9", "unknown arm '9' of the log"),
        ({0: 0.5}, "add up to 0.5, but they must be at least 0 and add up to 1"),
        ({0: 2.0, 1: -1.0}, "the share of 0 is 2.0"),
        ("shares:0", "must look like 'shares:a=0.7,b=0.3'"),
        (np.ones((2, 2)), "must give a probability for each of 30 rows and 4 arms"),
        (LinearScores(np.ones((4, 3))), r"weights has the shape \(4, 3\)"),
        (3, "policy is 3, but must be 'uniform'"),
    ],
)
def test_what_is_no_fixed_policy_is_refused(policy, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        evaluate(plain_log(30), policy)


def test_an_arm_that_was_never_logged_has_no_estimate():
    log = Log.read(plain_log(30), arms=[0, 1, 2, 3, "new"])
    with pytest.raises(DiscreetError, match="plays arm new, but the log has no row with it"):
        evaluate(log, "arm=new")
    with pytest.raises(DiscreetError, match=r"model is .* for each of 30 rows and 5 arms"):
        evaluate(log, "arm=0", model=[1.0])


def test_the_command_prints_a_table_and_json_and_says_that_it_is_not_private(tmp_path, capsys):
    path = str(write_csv(tmp_path / "log.csv", plain_log(400)))
    assert run(["evaluate", path]) == 0
    text = capsys.readouterr().out
    assert "Mean reward of fixed policies, from 400 rows" in text
    assert "arm=3" in text
    assert "Not private" in text
    assert run(["evaluate", path, "--policy", "uniform", "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)
    assert facts["private"] is False
    assert facts["snips"]["value"] == evaluate(path, "uniform").snips.value
    asked = ["--policy", "uniform", "--epsilon", "1"]
    assert run(["evaluate", path, *asked]) == 2
    assert "--epsilon needs --max-weight" in capsys.readouterr().err
    asked += ["--max-weight", "4", "--arms", "0,1,2,3"]
    assert run(["evaluate", path, *asked]) == 0
    assert "1-differential privacy" in capsys.readouterr().out
    assert run(["evaluate", path, *asked, "--json", "--estimator", "snips"]) == 0
    assert json.loads(capsys.readouterr().out)["guarantee"]["epsilon"] == 1.0


@pytest.mark.parametrize("wrong", [2.0, 0.5])
def test_wrong_probabilities_are_noticed(wrong, tmp_path, capsys):
    """Of 2,000 rows with fixed seeds; the right log is 1.3 standard errors from 1 at most."""
    log = plain_log(2_000)
    path = write_csv(tmp_path / "log.csv", log)
    assert evaluate(log, "uniform").warning is None
    assert run(["evaluate", str(path)]) == 0
    assert "Warning" not in capsys.readouterr().out
    log["propensity_score"] = [min(1.0, wrong * each) for each in log["propensity_score"]]
    with pytest.warns(UserWarning, match=r"mean weight of policy uniform is .* but should be 1"):
        found = evaluate(log, "uniform")
    assert "Do not use these estimates" in str(found)
    assert found.as_dict()["warning"] == found.warning
    path = write_csv(tmp_path / "wrong.csv", log)
    assert run(["evaluate", str(path), "--policy", "uniform"]) == 0
    assert "Warning: the mean weight of policy uniform" in capsys.readouterr().out


def test_clipped_weights_may_be_small():
    found = evaluate(plain_log(2_000), "arm=0", max_weight=0.5)
    assert found.mean_weight.value < 0.5
    assert found.warning is None
