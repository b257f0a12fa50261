"""Drawings of reproductions in their usual sizes; other tests check small ones."""

from __future__ import annotations

import math

import pytest
from common import in_full

from discreet.simulation import Interval
from discreet_papers.reproduce import faster_rates_table_1 as table_1
from discreet_papers.reproduce import price_of_privacy as prices
from discreet_papers.reproduce.faster_rates_table_1 import ALGORITHMS, BLIND, ArmGrowth
from discreet_papers.reproduce.price_of_privacy import EPSILONS, Prices, private_names, sweep


@pytest.mark.slow
@pytest.mark.parametrize("longest", [12, in_full(16), 20])
@pytest.mark.long
def test_ticks_of_long_games_do_not_overlap(longest, legible):
    lengths = [2**k for k in range(12, longest + 1, 2)]
    regret = {}
    for index, name in enumerate(ALGORITHMS):
        for _, cells in table_1.panels_of(name, lengths).values():
            for cell in cells:
                value = (1.0 + index // 2) * math.sqrt(cell.arms * cell.rounds / cell.epsilon)
                regret[cell] = Interval(value, 0.8 * value, 1.2 * value)
                uniform = 0.2 * cell.rounds
                blind = cell._replace(algorithm=BLIND, epsilon=math.inf)
                regret[blind] = Interval(uniform, uniform, uniform)
    found = ArmGrowth(tables={}, text="", regret=regret, lengths=lengths, trials=96)
    (figure,) = table_1.draw(found).values()
    texts = legible(figure)
    assert f"{lengths[-1]:,}" in texts
    assert all(texts.count(name) == 4 for name in ALGORITHMS), (
        "each curve is named at its end, in all panels"
    )


@pytest.mark.slow
def test_algorithms_with_the_same_price_are_all_named(legible):
    def rows(name):
        values = {"algorithm": name, "regret_mean": 100.0, "regret_low": -5.0, "regret_high": 200.0}
        return [values | {"epsilon": epsilon} for epsilon in EPSILONS]

    names = private_names()
    (game,) = sweep(2**17)
    found = Prices(
        tables={},
        text="",
        game=game,
        trials=24,
        private={name: rows(name) for name in names},
        blind=120.0,
        floor="tsallis-inf",
        smallest=80.0,
    )
    (figure,) = prices.draw(found).values()
    assert {*names, "tsallis-inf, no privacy", "uniform play, ε = 0"} <= set(legible(figure))
    for axes in figure.axes:
        lines = [(line.get_color(), str(line._unscaled_dash_pattern)) for line in axes.lines]
        assert len(set(lines)) == len(lines)
