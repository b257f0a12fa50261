"""Zheng et al. 2020, Table 1: regret of locally private bandits on convex functions over T and epsilon."""

from discreet.reproduce import games
from discreet.reproduce.registry import Reproduction, register
from discreet.reproduce.zheng_table_1 import analysis, drawing, sweep

register(
    Reproduction(
        name=analysis.NAME,
        title="Zheng et al. 2020, Table 1, rows without contexts: regret over T and epsilon, with fitted exponents",
        trials=12,
        rounds=2**20,
        sweep=sweep.TABLE.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
