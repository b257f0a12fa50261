"""Games of coins that are kept as bits."""

import numpy as np
import pytest
from scipy import stats

from componentjit import compile_for
from discreet import simulate
from discreet.environments import Stochastic
from discreet.errors import DiscreetError
from discreet.problems import CoinGame, Coins, tossed_in_words
from discreet.problems.coins import MANY, WORD, toss_words
from discreet.ranges import make_range
from discreet.simulation.dealing import Dealer, Stretch, deal, stretches


def coins_with(tails):
    return Coins(np.array(tails), np.zeros(len(tails)))


def table(game):
    return np.array(
        [[game.loss(t, arm) for arm in range(game.choices)] for t in range(game.rounds)]
    )


def test_every_coin_has_its_mean():
    tails = [0.0, 1.0, 0.5, 0.55, 1.0 / 3.0, 0.999, 1e-3]
    game = tossed_in_words(coins_with(tails), 0, 64_000, np.random.default_rng(3))
    heads = game.totals([0])[0]
    assert heads[:2].tolist() == [64_000.0, 0.0]
    # a false alarm in 200,000 seeds
    low, high = stats.binom.interval(1.0 - 1e-6, 64_000, 1.0 - np.array(tails[2:]))
    assert (low <= heads[2:]).all()
    assert (heads[2:] <= high).all()


def test_tosses_of_a_round_and_of_an_arm_are_independent():
    words = tossed_in_words(coins_with([0.5] * 4), 0, 64_000, np.random.default_rng(4)).words
    bits = (
        np.unpackbits(words.T.copy().view(np.uint8), bitorder="little").reshape(4, -1).astype(float)
    )
    products = [np.corrcoef(bits[0], bits[1])[0, 1], np.corrcoef(bits[2][1:], bits[2][:-1])[0, 1]]
    assert np.abs(products).max() < 5.0 / np.sqrt(64_000)  # a false alarm in 800,000 seeds


def test_both_speeds_toss_the_same():
    coins = coins_with(np.random.default_rng(1).random(50).tolist())
    compiled, plain = np.empty(50, dtype=np.uint64), np.empty(50, dtype=np.uint64)
    compile_for(toss_words, coins)(coins, compiled, np.random.default_rng(2))
    toss_words(coins, plain, np.random.default_rng(2))
    assert compiled.tolist() == plain.tolist()


@pytest.mark.parametrize(("start", "stop"), [(0, 200), (13, 77), (64, 128), (63, 65)])
def test_totals_are_sums_of_losses_on_any_scale(start, stop):
    game = tossed_in_words(
        coins_with([0.3, 0.6, 0.5]), start, stop, np.random.default_rng(5)
    ).rescaled(2.0, 3.0)
    losses, starts = table(game), sorted({0, 1, (stop - start) // 2})
    assert set(losses.ravel()) == {2.0, 5.0}
    assert np.allclose(game.totals(starts), np.add.reduceat(losses, starts, axis=0), rtol=1e-12)
    whole = tossed_in_words(coins_with([0.3, 0.6, 0.5]), 0, 256, np.random.default_rng(5)).rescaled(
        2.0, 3.0
    )
    assert (table(whole)[start:stop] == losses).all()


def test_the_fewest_heads_are_those_of_the_table():
    """From anywhere in a word to anywhere, in pieces, and in units of the losses."""
    coins, rng = coins_with([0.3, 0.6, 0.5]), np.random.default_rng(5)
    whole, heads = table(tossed_in_words(coins, 0, 256, rng)), np.zeros(3, dtype=np.int64)
    found = [
        tossed_in_words(coins, start, start + int(stops[-1]), rng).least_at(stops, heads)
        for start, stops in ((0, np.array([1, 2, 64, 70])), (70, np.array([58, 59, 186])))
    ]
    sums = whole.cumsum(axis=0)
    assert (
        np.concatenate(found).tolist() == sums[[0, 1, 63, 69, 127, 128, 255]].min(axis=1).tolist()
    )
    assert heads.tolist() == sums[-1].tolist()


def test_rivals_of_many_arms_are_scored_as_those_of_a_table():
    many, marks = MANY + 2, np.array([3, 100, 777])
    world, bounds = Stochastic(many), make_range(-1.0, 2.0)
    dealer, part = Dealer(world, bounds, clip=False), Stretch.of(0, 777, marks)
    game, _ = dealer.deal(0, 777, np.random.default_rng(8))
    (bests,), _ = dealer.bests([game], part, 0.0)
    assert np.allclose(bests, table(game).cumsum(axis=0)[marks - 1].min(axis=1), rtol=1e-12)


@pytest.mark.parametrize("arms", [MANY + 1, 10_000, 1_000_000])
def test_words_are_dealt_whole_and_once(arms):
    parts = stretches(Stochastic(arms), np.array([1, 100_000]))
    assert all(part.start % WORD == 0 for part in parts)
    assert max(part.end - part.start for part in parts) * arms <= max(WORD * 2**19, WORD * arms)


def test_an_arm_that_is_not_there_is_refused():
    game = tossed_in_words(coins_with([0.3, 0.6]), 0, 10, np.random.default_rng(6))
    with pytest.raises(DiscreetError, match="but the game has 2 arms"):
        game.loss(0, 2)


@pytest.mark.slow
def test_simulations_of_many_arms_keep_bits_and_measure_regret():
    many = MANY + 1
    dealt, clipped = deal(
        Stochastic(many), 0, 100, np.random.default_rng(1), make_range(0.0, 2.0), clip=False
    )
    assert isinstance(dealt, CoinGame)
    assert (dealt.high, clipped) == (2.0, 0)
    assert not isinstance(
        deal(Stochastic(MANY), 0, 9, np.random.default_rng(1), make_range(), clip=False)[0],
        CoinGame,
    )
    how = {"arms": many, "rounds": 3000, "trials": 4, "seed": 1, "options": {"gap": 0.5}}
    results = simulate(["exp3", "uniform"], **how)
    exp3, uniform = (row["regret_mean"] for row in results.summary())
    # 10 standard deviations
    assert uniform == pytest.approx(0.5 * 3000 * (many - 1) / many, rel=0.05)
    assert exp3 < uniform
    assert (results.regret == simulate(["exp3", "uniform"], workers=2, **how).regret).all()
