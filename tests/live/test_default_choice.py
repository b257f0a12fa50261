"""Which algorithm a Bandit uses if none is named, and that it works with every option."""

from __future__ import annotations

from datetime import timedelta

import pytest
from click.testing import CliRunner

from discreet import Bandit, Setting, algorithm
from discreet.algorithms.arms.choosing import least_bound, least_measured_with_bound
from discreet.cli.commands import cli
from discreet.errors import DiscreetError
from discreet.problems import Arms

USUAL = {"arms": ["A", "B", "C"], "horizon": 2000, "epsilon": 1.0}


@pytest.mark.parametrize("arms", [2, 4, 50])
@pytest.mark.parametrize("rounds", [100, 10_000, 1 << 18])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
def test_it_is_guarded_where_its_bound_says_something(arms, rounds, epsilon):
    setting = Setting(Arms(arms), rounds=rounds, epsilon=epsilon)
    found, bound = (
        least_measured_with_bound(setting),
        algorithm("guarded-ucb").build(setting).regret_bound,
    )
    if bound < (1 - 1 / arms) * rounds:
        assert found == "guarded-ucb"
    else:
        assert found == least_bound(setting)
    bandit = Bandit(arms=arms, horizon=rounds, epsilon=epsilon)
    assert bandit.algorithm == found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"horizon": None},
        {"final": 0.5},
        {"delta": 1e-6},
        {"low": -1.0, "high": 3.0, "clip": True},
        {"wait": timedelta(days=1), "default_reward": 0.5},
        {"max_rounds_per_user": 40},
        {"simulation": True, "seed": 1},
        {"batch_size": 3},
        {"explore": 0.2},
        {"holdout": 5},
    ],
    ids=lambda options: "-".join(options) or "none",
)
def test_it_works_with_every_option(options):
    with Bandit(**USUAL | options) as bandit:
        held_out = {"explore", "holdout"} & set(options)
        assert bandit.algorithm == ("one-bit-tsallis-inf" if held_out else "guarded-ucb")
        user = {"user": "u"} if "max_rounds_per_user" in options else {}
        first, *others = [bandit.ask(**user) for _ in range(4)]
        for decision in reversed(others):
            bandit.tell(decision, reward=1.0)
        bandit.tell(first, reward=0.0)
        for _ in range(30):
            decision = bandit.ask(**user)
            bandit.tell(decision, reward=1.0)
        if held_out:
            assert 0.0 < decision.probability <= 1.0
        assert bandit.guarantee.epsilon >= 1.0


def test_it_goes_on_from_its_file(tmp_path):
    with Bandit(path=tmp_path / "run.db", **USUAL) as bandit:
        bandit.tell(bandit.ask(), reward=1.0)
    with Bandit.open(tmp_path / "run.db") as again:
        assert again.algorithm == "guarded-ucb"
        again.tell(again.ask(), reward=1.0)


def test_what_has_no_bound_is_refused_in_one_sentence():
    for options in ({"capacity": 5}, {"prior": {"A": (0.5, 5)}}):
        with pytest.raises(DiscreetError, match='algorithm="bounded" chooses by a bound'):
            Bandit(**USUAL | options)


def test_describe_says_what_the_difference_is():
    def told(name):
        return " ".join(CliRunner().invoke(cli, ["describe", name]).output.split())

    assert 'algorithm="bounded": the default' in told("guarded-ucb")
    assert '"proved" is the least bound itself' in told("guarded-ucb")
    assert 'algorithm="proved": the least proved bound' in told("one-bit-tsallis-inf")
    assert 'algorithm="best"' in told("tracking-ucb")
