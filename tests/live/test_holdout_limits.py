"""Rounds that are held out: guarantees, estimates, copies, keys, and what is refused."""

from __future__ import annotations

import pytest
from holdout_runs import ARMS, PLACES, agree, bandit, held_out, play, sums_of
from odd_values import ODD

from discreet import Bandit, DiscreetError, Guarantee, Ledger
from discreet.curves import GaussianNoise
from discreet.live.holdout import held_out_guarantee, noise_like
from discreet.live.run_plan import RunPlan
from discreet.live.run_reader import read_run
from discreet.mechanisms import Gaussian

# What is guaranteed


def test_a_ledger_is_charged_once_and_counts_users():
    ledger = Ledger(3.0, max_rounds_per_user=3)
    face = bandit(epsilon=1.0, explore=0.3, ledger=ledger)
    for user in range(20):
        face.tell(face.ask(user=str(user)), loss=0.5)
    assert ledger.spent.epsilon == 3.0
    assert face.guarantee.epsilon == 3.0
    assert "or in the hold-out, each round in one of them" in face.guarantee.source


@pytest.mark.parametrize(
    ("algorithm", "delta", "gaussian"),
    [("batched-exp3", 0.0, False), ("one-bit-tsallis-inf", 0.0, False), ("tracking-ucb", 0.0, 0)],
)
def test_the_noise_has_the_guarantee_of_the_run(algorithm, delta, gaussian):
    face = Bandit(3, 300, 0.5, delta=delta, algorithm=algorithm, explore=0.1)
    mine, side = face.plan.private.guarantee, face.plan.holdout.private.guarantee
    assert side <= mine
    assert face.plan.guarantee == mine
    assert side.epsilon == pytest.approx(0.5, rel=1e-6)


def test_a_curve_that_would_not_hold_for_the_hold_out_is_not_stated():
    """Gaussian noise has a better curve than Laplace noise of the same epsilon, and is used."""
    words = {"model": "central", "source": "a test"}
    gaussian = Gaussian.for_guarantee(sensitivity=1.0, epsilon=1.0, delta=1e-6)
    stated = gaussian.guarantee(1.0, **words)
    assert noise_like(stated).is_gaussian
    sharper = Guarantee.of(GaussianNoise(0.01), delta=1e-6, **words)
    assert noise_like(sharper).guarantee(1.0, **words).epsilon <= sharper.epsilon
    plan = bandit(explore=0.1, epsilon=0.5).plan.holdout
    assert not plan.private.guarantee <= stated
    kept = held_out_guarantee(stated, plan)
    assert kept.curve is None
    assert (kept.epsilon, kept.delta) == (stated.epsilon, stated.delta)


def test_without_privacy_the_sums_are_exact():
    with pytest.warns(UserWarning, match="not private"):
        face = bandit(algorithm="exp3", batch_size=None, explore=0.3)
    decisions = play(face, 300)
    sums = sums_of(held_out(decisions))
    assert [total for _, _, total in face._run.held_out()] == [sums[arm][1] for arm in ARMS]


# Copies, keys, and what is refused


def test_a_copy_has_a_hold_out_of_its_own(tmp_path):
    face = bandit(horizon=100, explore=0.5)
    play(face, 40)
    face.snapshot(tmp_path / "copy.db")
    copy = Bandit.open(tmp_path / "copy.db")
    decisions = play(copy, 100 - copy._run.round)
    assert agree(copy, held_out(decisions))


def test_without_its_key_a_run_goes_on_without_the_hold_out(tmp_path):
    face = bandit(explore=0.5, path=tmp_path / "run.db")
    play(face, 30)
    face.close()
    face = Bandit.open(tmp_path / "run.db", key=tmp_path / "new.key", lost_key=True)
    assert held_out(play(face, 60)) == []
    face.finish_holdout()
    assert face.held_out is None
    assert face.state().lost >= 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"explore": 0.0}, "explore is 0.0, but must be above 0 and below 1"),
        ({"explore": 1.5}, "explore is 1.5, but must be above 0 and below 1"),
        ({"holdout": 0}, "holdout is 0, but must be a whole number of at least 1"),
        ({"holdout": 101}, "that many rounds of each of 3 arms are more than the horizon of 300"),
        ({"holdout": 5, "horizon": None}, "the share of held-out rounds is not known"),
        ({"explore": 0.1, "algorithm": "local-tsallis-inf"}, "local model"),
    ],
)
def test_what_cannot_be_held_out_is_refused(options, words):
    with pytest.raises(DiscreetError, match=words):
        Bandit(**{"arms": 3, "horizon": 300, "epsilon": 1.0} | options)


def test_private_sampling_is_refused():
    options = {"algorithm": "exp3-tau", "simulation": True, "delta": 1e-6}
    with pytest.raises(DiscreetError, match="covers only its actions"):
        Bandit(3, 300, 1.0, explore=0.1, **options)


def test_a_run_without_one_says_so():
    face = bandit()
    assert face.held_out is None
    with pytest.raises(DiscreetError, match="this run has no hold-out"):
        face.finish_holdout()


def test_means_are_in_the_units_of_the_caller():
    face = bandit(low=-2.0, high=6.0, explore=0.4)
    for _ in range(300):
        decision = face.ask()
        face.tell(decision, reward={"a": -2.0, "b": 0.0, "c": 6.0}[decision.arm])
    assert [each.reward for each in face.held_out] == pytest.approx([-2.0, 0.0, 6.0], abs=0.01)
    assert [each.loss for each in face.held_out] == pytest.approx([6.0, 4.0, -2.0], abs=0.01)
    assert [each.arm for each in face.held_out] == ARMS


@PLACES
def test_estimates_come_from_it(in_file, tmp_path):
    path = tmp_path / "run.db" if in_file else None
    face = Bandit(ARMS, 300, 1.0, algorithm="best", holdout=40, path=path)
    with pytest.raises(DiscreetError, match="the hold-out is not released yet"):
        face.estimates(kind="holdout")
    play(face, 300)
    found = face.estimates(kind="holdout")
    for each in face.held_out:
        mine = found.arms[each.arm]
        assert mine.rounds == each.rounds == 40
        assert mine.mean == pytest.approx(each.reward)
        assert (mine.high - mine.low) / 2 == pytest.approx(0.1701, abs=0.002)
    if in_file:
        face.close()
        assert read_run(path).held_out() == Bandit.open(path)._run.held_out()
    with pytest.raises(DiscreetError, match="this run has no hold-out"):
        bandit().estimates(kind="holdout")


def test_arms_that_come_and_go_are_not_held_out():
    with pytest.raises(
        DiscreetError, match="capacity is 4, but the hold-out plays all arms in turn"
    ):
        bandit(capacity=4, explore=0.1)
    with pytest.raises(DiscreetError, match="arms cannot be added or retired"):
        bandit(explore=0.1).ask(available=["a"])
    face = bandit(algorithm="batched-ucb", batch_size=None)
    assert face.ask(available=["a", "b"]).probability is None


def test_the_plan_of_a_run_without_a_recipe_holds_nothing_out():
    assert RunPlan._field_defaults["holdout"] is None


@pytest.mark.parametrize("name", ["explore", "holdout"])
@pytest.mark.parametrize("odd", ["array of texts", "cube of numbers", "no equality", "hostile"])
def test_a_share_that_cannot_be_compared_is_refused(name, odd):
    with pytest.raises(DiscreetError, match=f"{name} is .*, but must be"):
        Bandit(2, 100, 1.0, **{name: ODD[odd]()})
