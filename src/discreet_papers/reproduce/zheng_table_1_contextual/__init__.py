"""Zheng et al. 2020, Table 1, contextual rows: regret with contexts over T and epsilon, as printed and corrected."""

from discreet_papers.reproduce import games
from discreet_papers.reproduce.registry import Reproduction, register
from discreet_papers.reproduce.zheng_table_1_contextual import analysis, drawing, sweep

register(
    Reproduction(
        name=analysis.NAME,
        title="Zheng et al. 2020, Table 1, contextual rows: regret over T and epsilon, with "
        "fitted exponents",
        trials=16,
        rounds=2**18,
        sweep=sweep.sweep,
        play=games.play,
        analyse=analysis.analyse,
        draw=drawing.draw,
    )
)
