"""One randomised bit for a batch: its law, its privacy, and its exact twin."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet import Bandit, DiscreetError, Private, Range
from discreet.auditing import audit
from discreet.channels import OneBit
from discreet.learners import TsallisInf
from discreet.mechanisms import Coin, ExactCoin

EPSILONS = [1e-9, 0.01, 0.3, 1.0, 5.0, 30.0, 300.0]


class Recorded:
    """A generator whose numbers are given; or the operating system's, whose whole numbers are."""

    def __init__(self, number):
        self.number, self.asked = number, None

    def random(self):
        return self.number

    def randbelow(self, below):
        self.asked = below
        return self.number


def chance(coin, total, length, monkeypatch):
    """Return P(1) of an exact coin as a fraction: the least number that gives 0, by bisection."""
    recorded = Recorded(0)
    monkeypatch.setattr("discreet.mechanisms.bits.secrets", recorded)
    coin.toss(total, length, None)
    low, high = 0, recorded.asked
    while high - low > 1:
        recorded.number = (low + high) // 2
        low, high = (
            (recorded.number, high)
            if coin.toss(total, length, None) == 1.0
            else (low, recorded.number)
        )
    return Fraction(high, recorded.asked)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("length", [1, 2, 19])
def test_an_exact_coin_is_private_to_the_last_bit(epsilon, length, monkeypatch):
    """Sums on a grid that differ by 1: the ratio of outcomes is at most e^ε, and reaches it."""
    coin, worst = ExactCoin(epsilon), Fraction(0)
    totals = [k / 4 for k in range(4 * length - 3)]
    for total in totals:
        low = chance(coin, total, length, monkeypatch)
        high = chance(coin, total + 1.0, length, monkeypatch)
        worst = max(worst, high / low, (1 - low) / (1 - high))
    # More than libm can err.
    limit = Fraction(math.expm1(min(epsilon, 40.0))) * (1 - Fraction(1, 2**50)) + 1
    assert 1 < worst <= limit
    assert float(worst - 1) == pytest.approx(math.expm1(min(epsilon, 40.0)), rel=1e-12)


@pytest.mark.parametrize(("total", "length"), [(0.0, 1), (0.25, 1), (3.5, 7), (7.0, 7)])
def test_both_coins_have_the_stated_law(total, length, monkeypatch):
    u = math.expm1(0.7)
    stated = (1 + u * total) / (2 + u * length)
    assert float(chance(ExactCoin(0.7), total, length, monkeypatch)) == pytest.approx(
        stated, rel=1e-12
    )
    for shift, bit in ((-1e-9, 1.0), (1e-9, 0.0)):
        assert Coin(0.7).toss(total, length, Recorded(stated + shift)) == bit
    assert stated == pytest.approx(0.5 + Coin(0.7).contrast_of(length) * (total / length - 0.5))


def test_sums_outside_of_their_range_count_as_its_ends(monkeypatch):
    for coin in (Coin(1.0), ExactCoin(1.0)):
        assert coin.guarantee(1.0, model="central", source="").epsilon == 1.0
    assert chance(ExactCoin(1.0), 9.0, 4, monkeypatch) == chance(
        ExactCoin(1.0), 4.0, 4, monkeypatch
    )
    assert chance(ExactCoin(1.0), -9.0, 4, monkeypatch) == chance(
        ExactCoin(1.0), 0.0, 4, monkeypatch
    )


def test_what_a_coin_cannot_do_is_refused():
    with pytest.raises(DiscreetError, match="epsilon is -1, but must be"):
        Coin.calibrate(epsilon=-1)
    with pytest.raises(DiscreetError, match="for one number, not for vectors"):
        Coin(1.0).perturb(np.zeros(2), np.random.default_rng(0))
    with pytest.raises(DiscreetError, match="batch_size is 0"):
        OneBit.over(size=0, epsilon=1.0, bounds=Range(0.0, 1.0))


@pytest.mark.full
def test_an_exact_coin_stands_an_audit():
    """On what is deployed; a false alarm would come once in a million runs."""
    channel = OneBit.over(size=2, epsilon=1.0, bounds=Range(0.0, 1.0))
    exact = channel._replace(noise=ExactCoin(1.0))
    private = Private(exact, TsallisInf.start(arms=2, learning_rate=4.0, baseline=0.5))
    found = audit(private, trials=40_000, confidence=1 - 1e-6)
    assert not found.violated
    assert found.lower_bound > 0.85


def test_a_bandit_on_bits_goes_on_from_its_file(tmp_path):
    usual = {"arms": 3, "horizon": 300, "epsilon": 0.5, "algorithm": "one-bit-tsallis-inf"}
    with Bandit(path=tmp_path / "run.db", **usual) as bandit:
        for _ in range(50):
            bandit.tell(bandit.ask(), loss=0.0)
        before = bandit._run._engine.private.learner.losses.copy()
    with Bandit.open(tmp_path / "run.db") as again:
        assert again.algorithm == "one-bit-tsallis-inf"
        for _ in range(50):
            again.tell(again.ask(), loss=1.0)
        assert not np.array_equal(again._run._engine.private.learner.losses, before)
        assert again.guarantee.epsilon == 0.5


def test_a_bandit_says_which_algorithm_was_chosen_and_its_file_keeps_it(tmp_path):
    usual = {"arms": 4, "horizon": 1 << 18, "epsilon": 1.0, "algorithm": "proved"}
    proved = Bandit(path=tmp_path / "run.db", **usual)
    assert proved.algorithm == "one-bit-tsallis-inf"
    proved.close()
    assert Bandit.open(tmp_path / "run.db").algorithm == "one-bit-tsallis-inf"
    shorter = usual | {"horizon": 1 << 14, "epsilon": 0.1}
    assert Bandit(**shorter).algorithm == "moved-tsallis-inf"
    assert (
        Bandit(arms=4, horizon=1 << 14, epsilon=0.1, algorithm="best").algorithm == "tracking-ucb"
    )
    assert Bandit(arms=4, horizon=None, epsilon=3.0, algorithm="best").algorithm == "tracking-ucb"
    assert Bandit(**usual | {"horizon": None}).algorithm == "one-bit-tsallis-inf"
